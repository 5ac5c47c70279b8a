"""A process for long work of the panel: checks of programs, and reach.

It may compile or compute for seconds, and the simulation must keep its pace meanwhile. The work is
a pickle on stdin from the panel's own process, the result a pickle on stdout.
"""

import asyncio
import pickle
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rigless.robots.welder.config import WelderConfig
from rigless.worlds.cells.cell import Cell
from rigless.worlds.frames import frame_mm_deg

if TYPE_CHECKING:
    from rigless.robots.welder.offline.findings import Report


def validate(text: str, config: WelderConfig, cell: Cell | None, name: str) -> "Report":
    """Validate a program."""
    from rigless.robots.welder.offline.validate import validate_program

    return validate_program(text, config, cell, name=name)


def find_reach(
    config: WelderConfig, cell: Cell | None, pose: list[float], near_rad: Any
) -> dict[str, Any]:
    """Return the reach of a pose, as the API answers it."""
    from rigless.robots.welder.arm.body import reach
    from rigless.robots.welder.offline.reach_report import sentence

    found = reach(config, cell).pose(frame_mm_deg(pose), near_rad)
    joints = None if found.joints_rad is None else np.degrees(found.joints_rad).tolist()
    return {
        "reachable": found.reachable,
        "text": sentence(found),
        "joints_deg": joints and [round(one, 4) for one in joints],
    }


WORK: dict[str, Callable[..., Any]] = {"validate": validate, "find_reach": find_reach}


async def run_in_process(work: str, *words: Any) -> Any:
    """Run a function of this module in a process of its own, which ends if the task is cancelled.

    Raises RuntimeError with the last line of the process if it fails.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", __name__),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, errors = await process.communicate(pickle.dumps((work, words)))
    except asyncio.CancelledError:
        process.kill()
        raise
    if process.returncode:
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"exit code {process.returncode}")
    return pickle.loads(out)


if __name__ == "__main__":
    name, words = pickle.load(sys.stdin.buffer)
    result = pickle.dumps(WORK[name](*words))
    sys.stdout.buffer.write(result)
