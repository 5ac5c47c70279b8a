"""The cost of kernel and host: empty timer events a second beside simpy, how well the host holds its pace, a TCP echo
beside bare asyncio, and what recording adds to a message.

Machines differ and are noisy, so each figure stands beside a baseline that is measured in the same run, in turn with it;
ratios are ratios of medians. RIGLESS_BENCH_SECONDS is how long each pace is held (30 s); below that all counts shrink too.
"""

import os
from typing import Any

from ._echo import measure_echo
from ._pace import measure_pace
from ._tape import measure_recording
from ._timers import measure_one_shots, measure_tickers

FULL_SECONDS = 30.0


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    scale = min(1.0, seconds / FULL_SECONDS)
    tickers = {
        f"tickers_{count}": measure_tickers(count, round(30_000 * scale)) for count in (1, 10, 100)
    }
    return {
        "timers": {
            "ratio_to_simpy": min(figures["ratio_to_simpy"] for figures in tickers.values())
        },
        **tickers,
        "one_shots": measure_one_shots(round(30_000 * scale)),
        "pace_1x": measure_pace(1.0, seconds),
        "pace_10x": measure_pace(10.0, seconds),
        "echo": measure_echo(round(5_000 * scale)),
        "recording": measure_recording(round(10_000 * scale)),
    }
