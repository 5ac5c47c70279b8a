"""The host's end of a window: starts its process, answers its questions, drives the robot as its keys say, and ends the run when it is
closed. All that the keys do goes through the host as inputs, so recordings hold it."""

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
    Ask,
    Hello,
    Picture,
    Scene,
    ToHost,
    for_host,
    pack,
)

COMMAND = (sys.executable, "-m", "rigless.robots.pacbot.window")
INSTALL = "pip install 'rigless[window]'"
OPEN_S, CLOSE_S = 60.0, 3.0
AGAIN_S = 0.2  # while a key is held its command is repeated, as a watchdog may wait for it
STILL = (0.0, 0.0, 0.0)


class WindowLink:
    def __init__(self, host: Host, command: Sequence[str] = COMMAND, close_s: float = CLOSE_S):
        """`close_s` is how long a window may take to end before it is killed."""
        self.host = host
        self.trouble = ""
        self.pictures = 0
        self.robot = self._first()
        if command is COMMAND and importlib.util.find_spec("pygame") is None:
            raise InputError(Problem("--window", "pygame-ce is not installed", INSTALL))
        self._command, self._close_s = command, close_s
        self._worlds: list[World] = []
        self._axes, self._told = STILL, 0.0
        self._marks: deque[tuple[float, float]] = deque(
            maxlen=60
        )  # wall and simulated time of the last pictures
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
                    "there is no pacbot here, and the window shows pacbots",
                    "use the panel",
                )
            )
        return found[0]

    async def open(self) -> None:
        """Start the window and wait until it is there. Raises InputError with the reason if it cannot be."""
        ours, theirs = socket.socketpair()
        with theirs:
            command = [
                *self._command,
                str(theirs.fileno()),
                f"rigless {self.host.built.scenario.name}",
            ]
            environment = {**os.environ, "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                env=environment, start_new_session=True,
            )  # fmt: skip
        reader, self._writer = await asyncio.open_connection(sock=ours)
        try:
            hello = await asyncio.wait_for(_message(reader), OPEN_S)
            reason = hello.trouble if isinstance(hello, Hello) else "it does not greet"
        except (asyncio.IncompleteReadError, msgspec.MsgspecError, OSError, TimeoutError):
            reason = "it ended before it was there"
        if reason:
            await self.close()
            fix = "is there a display (DISPLAY)? Else use the panel"
            raise InputError(Problem("--window", f"the window cannot be opened: {reason}", fix))
        self._task = asyncio.create_task(self._serve(reader))

    async def close(self) -> None:
        """Close the window if it is still there; safe to call twice."""
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

    # Questions and answers

    async def _serve(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                question = await _message(reader)
                if isinstance(question, Ask):
                    self._answer(question)
        except (asyncio.IncompleteReadError, OSError):
            await self._left()
        except msgspec.MsgspecError as error:
            self.trouble = f"the window said what nobody understands: {error}"
            assert self._writer is not None
            self._writer.close()
            await self._left()

    async def _left(self) -> None:
        """The window has gone: so do we, once it is known how it went."""
        if self._axes != STILL:
            self._steer(STILL)
        end = time.monotonic() + self._close_s
        while self._process is not None and self._process.poll() is None and time.monotonic() < end:
            await asyncio.sleep(0.005)
        code = self._process.poll() if self._process is not None else 0
        if code and not self.trouble:
            self.trouble = f"the window broke (exit code {code})"
        self.host.stop()

    def _answer(self, question: Ask) -> None:
        for action in question.actions:
            self._act(action)
        self._steer(question.axes)
        assert self._writer is not None
        for message in self.answer(question.scene):
            self._writer.write(pack(message))

    def answer(self, known: int) -> list[Scene | Picture]:
        """The picture of now, after its scene if the window knows another."""
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

    # What the keys do

    def view(self) -> View:
        robot = self.host.sim.robots[self.robot]
        if self._view is None or self._view.robot is not robot:
            self._view = robot.view()
        return self._view

    def _steer(self, axes: tuple[float, float, float], always: bool = False) -> None:
        now = time.monotonic()
        if always or axes != self._axes or (axes != STILL and now - self._told >= AGAIN_S):
            self._axes, self._told = axes, now
            for given in self.view().drive(*axes):
                self.host.apply(given)

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
            for given in (
                self.view().act("play" if game.mode == 0 else "pause") if game is not None else ()
            ):
                host.apply(given)


async def _message(reader: asyncio.StreamReader) -> ToHost:
    (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
    if length > LONGEST:
        raise msgspec.DecodeError(f"{length} bytes are too many")
    return for_host(await reader.readexactly(length))
