"""The window itself, in a process of its own: events, one question to the host, one picture, sixty times a second.

The host's answers are waited for only so long; a host that is busy leaves the window alive, with the last picture in it.
"""

import contextlib
import os
import select
import signal
import socket
import time
from collections import deque

import pygame

from rigless.robots.pacbot.window.draw_robot import draw_bot
from rigless.robots.pacbot.window.keys import Keys
from rigless.robots.pacbot.window.layout import Area, Layout
from rigless.robots.pacbot.window.messages import (
    LENGTH,
    LONGEST,
    Ask,
    Bot,
    Hello,
    Picture,
    Scene,
    for_window,
    pack,
)
from rigless.robots.pacbot.window.painter import Painter

FPS = 60
PATIENCE_S = 0.1  # how long an answer is waited for before events are looked at again
SHARE = 0.85  # of the desktop that the window takes at first
SMALLEST = 320
NO_SCENE = 0
UNCOVERED = (
    pygame.WINDOWEXPOSED,
    pygame.WINDOWRESTORED,
    pygame.WINDOWSIZECHANGED,
    pygame.WINDOWSHOWN,
)


class Line:
    """The window's end of the socket."""

    def __init__(self, connection: socket.socket):
        self._socket = connection
        self._pending = bytearray()

    def send(self, message: Ask | Hello) -> None:
        self._socket.sendall(pack(message))

    def receive(self, patience_s: float) -> Scene | Picture | None:
        """The next message, or None if it does not come in time. Raises EOFError when the host has gone."""
        end = time.monotonic() + patience_s
        while True:
            if len(self._pending) >= LENGTH.size:
                (length,) = LENGTH.unpack_from(self._pending)
                if length > LONGEST:
                    raise EOFError("the host speaks in riddles")
                if len(self._pending) >= LENGTH.size + length:
                    data = bytes(self._pending[LENGTH.size : LENGTH.size + length])
                    del self._pending[: LENGTH.size + length]
                    return for_window(data)
            left_s = end - time.monotonic()
            if left_s <= 0 or not select.select([self._socket], [], [], left_s)[0]:
                return None
            data = self._socket.recv(1 << 20)
            if not data:
                raise EOFError("the host has gone")
            self._pending += data


class Window:
    def __init__(self, line: Line, title: str = "rigless", size: tuple[int, int] | None = None):
        self.line, self.keys, self.painter = line, Keys(), Painter()
        self.scene: Scene | None = None
        self.picture: Picture | None = None
        self.times: deque[tuple[float, float]] = deque(
            maxlen=1 << 14
        )  # of frames: between two of them, and at work
        self._waiting = False
        self._was_full = False
        self._uncovered = True  # the screen may have forgotten what it showed
        self._begun = 0.0
        pygame.display.set_caption(title)
        pygame.display.set_icon(icon())
        side = max(round(SHARE * min(pygame.display.get_desktop_sizes()[0])), SMALLEST)
        self._size = size or (side, side)
        self.surface = pygame.display.set_mode(self._size, pygame.RESIZABLE)

    def run(self) -> None:
        """Until it is closed or the host has gone."""
        due = time.perf_counter()
        with contextlib.suppress(EOFError, OSError):
            while not self.keys.closing:
                self.step()
                due += 1 / FPS
                ahead = due - time.perf_counter()
                if ahead > 0:
                    time.sleep(ahead)
                elif ahead < -0.25:
                    due = (
                        time.perf_counter()
                    )  # the machine was busy; frames that were missed stay missed

    def step(self) -> None:
        """One frame."""
        begun = time.perf_counter()
        self.hear()
        self.ask()
        if self.scene is not None and self.picture is not None and not self.keys.closing:
            shown = self.scene, self.picture, self.keys.overlays, self.fps(), self._uncovered
            pygame.display.update(self.painter.refresh(self.surface, *shown))
            self._uncovered = False
        if self._begun:
            self.times.append((begun - self._begun, time.perf_counter() - begun))
        self._begun = begun

    def fps(self) -> float:
        lately = [between for between, _ in list(self.times)[-FPS:]]
        return len(lately) / sum(lately) if lately else 0.0

    def hear(self) -> None:
        """What the person does."""
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.keys.closing = True
            elif event.type == pygame.KEYDOWN:
                self.keys.press(event.key)
            elif event.type == pygame.KEYUP:
                self.keys.release(event.key)
            elif event.type == pygame.WINDOWFOCUSLOST:
                self.keys.let_go()
            elif event.type in UNCOVERED:
                self._uncovered = True
            elif event.type == pygame.VIDEORESIZE and not self.keys.fullscreen:
                self._size = event.w, event.h
        if self.keys.fullscreen != self._was_full:
            self._was_full = self.keys.fullscreen
            full = ((0, 0), pygame.FULLSCREEN) if self._was_full else (self._size, pygame.RESIZABLE)
            pygame.display.set_mode(*full)
        self.surface = pygame.display.get_surface() or self.surface

    def ask(self) -> None:
        """One question, and its answer; the last one is still open where the host has not answered it yet."""
        if not self._waiting:
            known = NO_SCENE if self.scene is None else self.scene.number
            self.line.send(Ask(known, self.keys.axes(), self.keys.take_actions()))
            self._waiting = True
        while self._waiting:
            message = self.line.receive(PATIENCE_S)
            if message is None:
                return
            if isinstance(message, Scene):
                self.scene = message
            else:
                self.picture, self._waiting = message, False


def icon() -> pygame.Surface:
    """The robot, small."""
    surface = pygame.Surface((64, 64), pygame.SRCALPHA)
    layout = Layout(Scene(NO_SCENE, "", 1, 1, b"\0", 1.0, (0.0, 0.0, 0.0)), Area(0, 0, 64, 64))
    draw_bot(surface, layout, Bot("", 0.5, 0.5, 0, 1.0, 0, 0, 0, (0, 0, 0, 0), (0, 0, 0, 0)), True)
    return surface


def open_display() -> None:
    """Raises pygame.error if there is none. On X the window is shown through shared memory: the OpenGL that SDL would rather use is
    often software, which took 27 ms a frame where this takes 2 to 3 (1200 × 1200, Xvfb). SDL_FRAMEBUFFER_ACCELERATION overrides."""
    pygame.display.init()
    pygame.font.init()
    if pygame.display.get_driver() == "x11":
        os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")


def main(descriptor: int, title: str) -> int:
    """Open the window on a socket that the host has handed down; says so, or why it cannot."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C is the host's; the window goes when the host does
    with socket.socket(fileno=descriptor) as connection:
        line = Line(connection)
        try:
            if not getattr(pygame, "IS_CE", False):
                raise pygame.error(
                    "this is pygame, and the window needs pygame-ce: pip install 'rigless[window]'"
                )
            open_display()
            window = Window(line, title)
        except pygame.error as error:
            line.send(Hello(str(error)))
            return 1
        line.send(Hello())
        window.run()
        pygame.quit()
    return 0
