"""The vacuum's speed, next to IR-SIM, and how well it holds ten times real time.

The speed is that without a network (see _indoors.py for the four variants); the pace is measured
with a client on real sockets.

RIGLESS_BENCH_SECONDS is the duration of the live run (20 s); a smaller value reduces all counts.
"""

import os
from typing import Any

from ._indoors import measure_indoors, measure_irsim
from ._live import measure_live

FULL_SECONDS = 20.0


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    scale = min(1.0, seconds / FULL_SECONDS)
    return {
        **measure_indoors(max(2, round(30 * scale))),
        "peers": {"irsim": measure_irsim(seconds=1)},
        "live_10x": measure_live(seconds),
    }
