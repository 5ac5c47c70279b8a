"""The window's process: events, one request to the host and one picture, sixty times a second.

It waits for the host's answer only for a short time. While the host is busy, the window stays alive
and shows the last picture.
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
    Bot,
    Hello,
    Picture,
    PictureRequest,
    Scene,
    decode_for_window,
    pack,
)
from rigless.robots.pacbot.window.painter import Painter

FPS = 60
ANSWER_S = 0.1  # the longest wait for an answer before events are handled again
DESKTOP_SHARE = 0.85  # the initial size of the window
SMALLEST = 320
NO_SCENE = 0
UNCOVERED = (
    pygame.WINDOWEXPOSED,
    pygame.WINDOWRESTORED,
    pygame.WINDOWSIZECHANGED,
    pygame.WINDOWSHOWN,
)


class Connection:
    """The window's end of the socket."""

    def __init__(self, connection: socket.socket):
        self._socket = connection
        self._pending = bytearray()

    def send(self, message: PictureRequest | Hello) -> None:
        self._socket.sendall(pack(message))

    def receive(self, timeout_s: float) -> Scene | Picture | None:
        """Return the next message, or None after the timeout. Raises EOFError at the end."""
        end = time.monotonic() + timeout_s
        while True:
            if len(self._pending) >= LENGTH.size:
                (length,) = LENGTH.unpack_from(self._pending)
                if length > LONGEST:
                    raise EOFError("the host sent an invalid length")
                if len(self._pending) >= LENGTH.size + length:
                    data = bytes(self._pending[LENGTH.size : LENGTH.size + length])
                    del self._pending[: LENGTH.size + length]
                    return decode_for_window(data)
            left_s = end - time.monotonic()
            if left_s <= 0 or not select.select([self._socket], [], [], left_s)[0]:
                return None
            data = self._socket.recv(1 << 20)
            if not data:
                raise EOFError("the host closed the connection")
            self._pending += data


class Window:
    def __init__(
        self, connection: Connection, title: str = "rigless", size: tuple[int, int] | None = None
    ):
        self.connection, self.keys, self.painter = connection, Keys(), Painter()
        self.scene: Scene | None = None
        self.picture: Picture | None = None
        # Of each frame: the time since the frame before, and the time it took.
        self.times: deque[tuple[float, float]] = deque(maxlen=1 << 14)
        self._waiting = False
        self._was_full = False
        self._uncovered = True  # the screen may not show the last frame any more
        self._begun = 0.0
        pygame.display.set_caption(title)
        pygame.display.set_icon(icon())
        side = max(round(DESKTOP_SHARE * min(pygame.display.get_desktop_sizes()[0])), SMALLEST)
        self._size = size or (side, side)
        self.surface = pygame.display.set_mode(self._size, pygame.RESIZABLE)

    def run(self) -> None:
        """Show frames until the window is closed or the host is gone."""
        due = time.perf_counter()
        with contextlib.suppress(EOFError, OSError):
            while not self.keys.closing:
                self.step()
                due += 1 / FPS
                ahead = due - time.perf_counter()
                if ahead > 0:
                    time.sleep(ahead)
                elif ahead < -0.25:
                    due = time.perf_counter()  # skip the frames that a busy machine missed

    def step(self) -> None:
        """Show one frame."""
        begun = time.perf_counter()
        self.handle_events()
        self.request_picture()
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

    def handle_events(self) -> None:
        """Handle keys, focus and size."""
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.keys.closing = True
            elif event.type == pygame.KEYDOWN:
                self.keys.press(event.key)
            elif event.type == pygame.KEYUP:
                self.keys.release(event.key)
            elif event.type == pygame.MOUSEWHEEL:
                self.keys.zoom(min(max(event.y, -4), 4))
            elif event.type == pygame.WINDOWFOCUSLOST:
                self.keys.release_all()
            elif event.type in UNCOVERED:
                self._uncovered = True
            elif event.type == pygame.VIDEORESIZE and not self.keys.fullscreen:
                self._size = event.w, event.h
        if self.keys.fullscreen != self._was_full:
            self._was_full = self.keys.fullscreen
            full = ((0, 0), pygame.FULLSCREEN) if self._was_full else (self._size, pygame.RESIZABLE)
            pygame.display.set_mode(*full)
        self.surface = pygame.display.get_surface() or self.surface

    def request_picture(self) -> None:
        """Request a picture, unless the last request is still open, and take the answer."""
        if not self._waiting:
            known = NO_SCENE if self.scene is None else self.scene.number
            self.connection.send(PictureRequest(known, self.keys.axes(), self.keys.take_actions()))
            self._waiting = True
        while self._waiting:
            message = self.connection.receive(ANSWER_S)
            if message is None:
                return
            if isinstance(message, Scene):
                self.scene = message
            else:
                self.picture, self._waiting = message, False


def icon() -> pygame.Surface:
    """Return the window's icon: a small robot."""
    surface = pygame.Surface((64, 64), pygame.SRCALPHA)
    layout = Layout(Scene(NO_SCENE, "", 1, 1, b"\0", 1.0, (0.0, 0.0, 0.0)), Area(0, 0, 64, 64))
    draw_bot(surface, layout, Bot("", 0.5, 0.5, 0, 1.0, 0, 0, 0, (0, 0, 0, 0), (0, 0, 0, 0)), True)
    return surface


def open_display() -> None:
    """Open the display. Raises pygame.error if there is none.

    On X, frames go through shared memory. SDL prefers OpenGL, which is often software and took
    27 ms a frame instead of 2 to 3 (1200 × 1200, Xvfb). SDL_FRAMEBUFFER_ACCELERATION overrides it.
    """
    pygame.display.init()
    pygame.font.init()
    if pygame.display.get_driver() == "x11":
        os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")


def main(descriptor: int, title: str) -> int:
    """Open the window on a socket inherited from the host, run it, and return the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the host, which ends the window
    with socket.socket(fileno=descriptor) as inherited:
        connection = Connection(inherited)
        try:
            if not getattr(pygame, "IS_CE", False):
                raise pygame.error(
                    "the window needs pygame-ce instead of pygame: pip install 'rigless[window]'"
                )
            open_display()
            window = Window(connection, title)
        except pygame.error as error:
            connection.send(Hello(str(error)))
            return 1
        connection.send(Hello())
        window.run()
        pygame.quit()
    return 0
