"""Large fleets: the cost of a robot by kind and by number, memory, latency, crowds and processes.

Costs are processor time of the simulation with all messages encoded. `robots_per_core` is the
number at which one core is full; for AGVs `with_nats` it includes the transport with a real server.
`bare_nats_py` publishes the same messages of the same robots, each acknowledged, without any
simulation, in the same run. RIGLESS_BENCH_SECONDS below 20 reduces it to small fleets.
"""

import asyncio
import os
from typing import Any

from rigless.host.capacity import SAMPLE, measure, sample_of
from rigless.scenario.load import open_target

from ._agv_fleet import hold
from ._fleet_costs import aisle, cost_us, memory_kib
from ._fleet_nats import bare, shards

FULL_SECONDS = 20.0
KINDS = ("agv", "vacuum", "rover", "pacbot")


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    full = seconds >= FULL_SECONDS
    counts = (1, 10, 100, 1000) if full else (1, 4)
    most = counts[-1]
    costs = {
        kind: {f"{count}_us": cost_us(kind, count, seconds / 20) for count in counts}
        for kind in KINDS
    }
    held = asyncio.run(measure(sample_of(open_target("agv", [f"count={most}"]), SAMPLE)))
    bare_us, bytes_per_message = asyncio.run(bare(min(most, 100), seconds / 4))
    return {
        "robots_per_core": {
            **{kind: int(1e6 / found[f"{most}_us"]) for kind, found in costs.items()},
            "agv_with_nats": int(1.0 / held.robot_s),
        },
        "cost_of_a_robot_second": costs,
        "memory_of_a_robot": {
            f"{kind}_kib": memory_kib(kind, 100 if full else 10)
            for kind in KINDS[: 4 if full else 1]
        },
        "message": {
            "rigless_with_simulation_us": held.robot_s * 1e6 / 23,
            "bare_nats_py_us": bare_us,
            "size_bytes": bytes_per_message,
        },
        "one_aisle": {
            f"{count}_us": aisle(count, seconds / 20)
            for count in ((10, 100, 400) if full else (4,))
        },
        "latency": {
            str(count): asyncio.run(hold(count, min(seconds / 4, 5.0)))
            for count in ((100, 500, 1000) if full else (2,))
        },
        "processes": {
            str(number): asyncio.run(shards(800 if full else 4, number, min(seconds / 4, 5.0)))
            for number in ((1, 2, 4) if full else (1, 2))
        },
    }
