"""A process for long work of the panel: checks of programs, and reach.

It may compile or compute for seconds, and the simulation must keep its pace meanwhile. A job is a
pickle on stdin from the panel's own process, its result a pickle on stdout, each after its length
in 8 bytes. The process does one job after another until stdin ends.
"""

import asyncio
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from rigless.robots.welder.config import WelderConfig
from rigless.worlds.cells.cell import Cell
from rigless.worlds.frames import frame_mm_deg

if TYPE_CHECKING:
    from rigless.robots.welder.offline.findings import Report

ENDING_S = 2.0  # a process with closed pipes may take this long to end
LENGTH_BYTES = 8


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


class Worker:
    """A process for jobs, started for the first one and kept for the next.

    It takes seconds to start, because it imports the welder. A job that is cancelled ends it.
    """

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def run(self, work: str, *words: Any) -> Any:
        """Run a function of this module. Raises RuntimeError with the reason if that fails."""
        async with self._turn:
            process = await self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(framed((work, words)))
                await process.stdin.drain()
                length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES))
                problem, result = pickle.loads(await process.stdout.readexactly(length))
            except (OSError, asyncio.IncompleteReadError) as error:
                raise RuntimeError(await self._reason()) from error
            except asyncio.CancelledError:
                await self.close()
                raise
        if problem:
            raise RuntimeError(problem)
        return result

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", __name__),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        return self._process

    async def _reason(self) -> str:
        process, code = self._process, None
        if process is not None:  # it closed its pipes; kill() would take its exit code away
            with suppress(TimeoutError):
                code = await asyncio.wait_for(process.wait(), ENDING_S)
        await self.close()
        return f"the process of the panel for long work has ended with code {code}"

    async def close(self) -> None:
        """End the process. The next job starts another one."""
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                process.kill()
            await process.wait()


def framed(value: Any) -> bytes:
    """Return a pickle after its length."""
    data = pickle.dumps(value)
    return len(data).to_bytes(LENGTH_BYTES) + data


def serve(jobs: BinaryIO, results: BinaryIO) -> None:
    """Do jobs until there are no more. A result is a pair: the problem, or "", and the value."""
    while head := jobs.read(LENGTH_BYTES):
        name, words = pickle.loads(jobs.read(int.from_bytes(head)))
        try:
            found = ("", WORK[name](*words))
        except Exception as error:
            found = (f"{type(error).__name__}: {error}", None)
        results.write(framed(found))
        results.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
