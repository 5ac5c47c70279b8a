"""The Pacbot's cost: physics steps a second without a wire; how long four motor clients on ZeroMQ wait for their replies, beside a bare
pyzmq REP socket in the same run; and the window's frames at 60 a second with the physics at 100, measured together.

RIGLESS_BENCH_SECONDS is how long the clients drive (20 s); below that all counts shrink too. The window draws into memory where there is no
display, and is left out where pygame-ce is missing.
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
