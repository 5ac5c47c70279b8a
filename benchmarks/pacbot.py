"""The Pacbot's cost: physics steps a second without a wire, and how long four motor clients on ZeroMQ wait for their replies, beside a bare
pyzmq REP socket in the same run.

RIGLESS_BENCH_SECONDS is how long the clients drive (20 s); below that all counts shrink too.
"""

import os
from typing import Any

from ._pacbot_replies import measure_replies
from ._pacbot_steps import measure_steps

FULL_SECONDS = 20.0


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    scale = min(1.0, seconds / FULL_SECONDS)
    return {
        "steps": measure_steps(max(2.0, 300 * scale), max(20_000, round(3_000_000 * scale))),
        "replies": measure_replies(seconds),
    }
