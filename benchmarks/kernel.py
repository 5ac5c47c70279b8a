"""The cost of kernel and host: timer events, pace, a TCP echo, and recording.

Timer events a second are compared with simpy, the echo with bare asyncio. Machines differ and are
noisy, so each baseline is measured in the same run, in turn with the figure; ratios are ratios of
medians.

RIGLESS_BENCH_SECONDS is the duration of each pace (30 s); a smaller value reduces all counts.
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
