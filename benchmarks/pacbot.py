"""The Pacbot's speed, the latency of its replies, and its window's frame rate.

The speed is in physics steps a second without a wire. Latency is that of four motor clients on
ZeroMQ, next to a bare pyzmq REP socket. The window shows 60 frames a second while physics runs at
100 Hz.

RIGLESS_BENCH_SECONDS is the duration of the clients' run (20 s); a smaller value reduces all
counts. Without a display the window draws into memory; without pygame-ce it is left out.
"""

import os
from typing import Any

from ._pacbot_replies import measure_replies
from ._pacbot_steps import measure_steps
from ._pacbot_window import measure as measure_window

FULL_SECONDS = 20.0


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    scale = min(1.0, seconds / FULL_SECONDS)
    return {
        "steps": measure_steps(max(2.0, 300 * scale), max(20_000, round(3_000_000 * scale))),
        "replies": measure_replies(seconds),
        "window": _window(max(2.0, seconds / 2)),
    }


def _window(seconds: float) -> dict[str, Any]:
    try:
        import pygame  # noqa: F401
    except ModuleNotFoundError:
        return {"left_out": "pygame-ce is not installed"}
    return measure_window(seconds)
