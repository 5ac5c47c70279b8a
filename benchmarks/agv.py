"""The cost of AGVs: message rates, fleet size, command latency and outages.

It measures messages a second from one process with and without acknowledgement, next to a bare
nats-py client; how many driving robots at 23 messages a second one process holds, with its
simulation on one core; the latency of commands; and that an outage of the server loses no
acknowledged message.

RIGLESS_BENCH_SECONDS below 20 reduces it to one small fleet.
"""

import asyncio
import os
from typing import Any

from ._agv_fleet import HELD, hold, outage
from ._agv_publish import publishing
from ._nats import bare, server

FULL_SECONDS = 20.0
FLEETS = (50, 150, 250, 300, 350, 400)


def run() -> dict[str, Any]:
    return asyncio.run(_run(float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))))


async def _run(seconds: float) -> dict[str, Any]:
    full = seconds >= FULL_SECONDS
    async with server() as nats_server:
        peer = await bare(nats_server.url, seconds / 20)
        ours = await publishing(nats_server.url.removeprefix("nats://"), seconds / 20)
    fleets: dict[int, dict[str, float]] = {}
    for count in (1, *FLEETS) if full else (2,):
        fleets[count] = await hold(count, min(seconds / 2, 10.0))
        if not _holds(fleets[count]):
            break
    return {
        "robots_that_hold_their_rates": max(
            (count for count, found in fleets.items() if _holds(found)), default=0
        ),
        "publishing": {"rigless": ours, "nats_py": peer},
        "fleets": {str(count): found for count, found in fleets.items()},
        "outage": await outage(min(seconds / 2, 10.0)),
    }


def _holds(found: dict[str, float]) -> bool:
    return (
        min(found["real_time_factor"], found["rates_held"], found["slowest_state_per_s"] / 10)
        >= HELD
    )
