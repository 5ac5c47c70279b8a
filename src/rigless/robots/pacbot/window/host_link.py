"""The host's end of a window.

It starts the window's process, answers its requests, drives the robot by its keys, and ends the run
when the window is closed. Keys act through the host's inputs, so recordings contain them.
"""

import asyncio
import contextlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence

import msgspec

from rigless.host.host import Host
from rigless.kernel.drawing import View
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.world import World
from rigless.robots.pacbot.window.capture import pacbots, picture_of, scene_of
from rigless.robots.pacbot.window.messages import (
    LENGTH,
    LONGEST,
    Hello,
    Picture,
    PictureRequest,
    Scene,
    ToHost,
    decode_for_host,
    pack,
)

COMMAND = (sys.executable, "-m", "rigless.robots.pacbot.window")
INSTALL = "pip install 'rigless[window]'"
OPEN_S, CLOSE_S = 60.0, 3.0
REPEAT_S = 0.2  # a held key repeats its command, so that no watchdog stops the motors
STILL = (0.0, 0.0, 0.0)


class WindowLink:
    def __init__(self, host: Host, command: Sequence[str] = COMMAND, close_s: float = CLOSE_S):
        """A window that does not end within `close_s` is killed."""
        self.host = host
        self.error = ""
        self.pictures = 0
        self.robot = self._first()
        if command is COMMAND and importlib.util.find_spec("pygame") is None:
            raise InputError(Problem("--window", "pygame-ce is not installed", INSTALL))
        self._command, self._close_s = command, close_s
        self._worlds: list[World] = []
        self._axes, self._steered_at = STILL, 0.0
        # Wall time and simulated time of the last pictures.
        self._marks: deque[tuple[float, float]] = deque(maxlen=60)
        self._view: View | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._task: asyncio.Task[None] | None = None

    def _first(self) -> str:
        found = pacbots(self.host.sim)
        if not found:
            raise InputError(
                Problem(
                    "--window",
                    "the window shows pacbots, and this run has none",
                    "use the panel",
                )
            )
        return found[0]

    async def open(self) -> None:
        """Start the window and wait until it is open. Raises InputError if it cannot open."""
        ours, theirs = socket.socketpair()
        with theirs:
            command = [
                *self._command,
                str(theirs.fileno()),
                f"rigless {self.host.built.scenario.name}",
            ]
            environment = {**os.environ, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )
        reader, self._writer = await asyncio.open_connection(sock=ours)
        try:
            hello = await asyncio.wait_for(_message(reader), OPEN_S)
            reason = hello.error if isinstance(hello, Hello) else "unexpected first message"
        except (asyncio.IncompleteReadError, msgspec.MsgspecError, OSError, TimeoutError):
            reason = "its process ended"
        if reason:
            await self.close()
            fix = "set DISPLAY to an X display, or use the panel"
            raise InputError(Problem("--window", f"the window cannot open: {reason}", fix))
        self._task = asyncio.create_task(self._serve(reader))

    async def close(self) -> None:
        """Close the window; safe to call twice."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(OSError):
                await self._writer.wait_closed()
            self._writer = None
        await self._end_process()

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        end = time.monotonic() + self._close_s
        while process.poll() is None and time.monotonic() < end:
            await asyncio.sleep(0.005)
        if process.poll() is None:
            process.kill()
            process.wait()

    # Requests

    async def _serve(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                request = await _message(reader)
                if isinstance(request, PictureRequest):
                    self._answer(request)
        except (asyncio.IncompleteReadError, OSError):
            await self._closed()
        except msgspec.MsgspecError as error:
            self.error = f"invalid message from the window: {error}"
            assert self._writer is not None
            self._writer.close()
            await self._closed()

    async def _closed(self) -> None:
        """Stop the robot and the run after the window closed; note how its process ended."""
        if self._axes != STILL:
            self._steer(STILL)
        end = time.monotonic() + self._close_s
        while self._process is not None and self._process.poll() is None and time.monotonic() < end:
            await asyncio.sleep(0.005)
        code = self._process.poll() if self._process is not None else 0
        if code and not self.error:
            self.error = f"the window crashed (exit code {code})"
        self.host.stop()

    def _answer(self, request: PictureRequest) -> None:
        for action in request.actions:
            self._act(action)
        self._steer(request.axes)
        assert self._writer is not None
        for message in self.answer(request.scene):
            self._writer.write(pack(message))

    def answer(self, known: int) -> list[Scene | Picture]:
        """Return the present picture, after its scene if the window has another one."""
        host, sim = self.host, self.host.sim
        host.catch_up()
        self.pictures += 1
        world = sim.robots[self.robot].world
        if world not in self._worlds:
            self._worlds.append(world)
        number = self._worlds.index(world) + 1
        self._marks.append((time.monotonic(), sim.now_s))
        wall_s = self._marks[-1][0] - self._marks[0][0]
        factor = (self._marks[-1][1] - self._marks[0][1]) / wall_s if wall_s > 0 else 0.0
        pace = f"×{host.pace.speed:g}" if host.pace.mode == "real" else host.pace.mode
        picture = picture_of(
            sim, self.robot, number, state=host.state, pace=pace, real_time_factor=factor,
            recording=host.recording_file.path is not None,
        )  # fmt: skip
        return [picture] if known == number else [scene_of(sim, self.robot, number), picture]

    # Keys

    def view(self) -> View:
        robot = self.host.sim.robots[self.robot]
        if self._view is None or self._view.robot is not robot:
            self._view = robot.view()
        return self._view

    def _steer(self, axes: tuple[float, float, float], always: bool = False) -> None:
        now = time.monotonic()
        if always or axes != self._axes or (axes != STILL and now - self._steered_at >= REPEAT_S):
            self._axes, self._steered_at = axes, now
            for command in self.view().drive(*axes):
                self.host.apply(command)

    def _act(self, action: str) -> None:
        host, names = self.host, pacbots(self.host.sim)
        if action == "stop":
            self._steer(STILL, always=True)
        elif action == "pause":
            host.resume() if host.paused else host.pause()
        elif action == "next":
            if self._axes != STILL:
                self._steer(STILL)
            self.robot = names[(names.index(self.robot) + 1) % len(names)]
        elif action == "play":
            game = self.view().robot.state.game
            if game is not None:
                for command in self.view().act("play" if game.mode == 0 else "pause"):
                    host.apply(command)


async def _message(reader: asyncio.StreamReader) -> ToHost:
    (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
    if length > LONGEST:
        raise msgspec.DecodeError(f"a message of {length} bytes is too long")
    return decode_for_host(await reader.readexactly(length))
