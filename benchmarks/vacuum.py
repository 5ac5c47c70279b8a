"""The vacuum's cost: how much faster than real time it runs without a network (see _indoors.py for the four ways), beside IR-SIM;
and how well it holds ten times real time with a client on real sockets.

RIGLESS_BENCH_SECONDS is how long it is held live (20 s); below that all counts shrink too.
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
