"""One browser or script on the WebSocket. What it still has to be sent is kept small: events queue up to a limit, everything
else is only ever the newest. A client that does not read therefore loses pictures, and never holds anything up."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket

from rigless.kernel.plain import to_json
from rigless.panel.robot_stream import RobotStream

QUEUE = 256


@dataclass(eq=False)
class Client:
    socket: WebSocket
    status: bool = True
    events: bool = True
    truth_every: int = 0  # ticks between two truths; 0: none
    looks: dict[RobotStream, int] = field(default_factory=dict)  # at what, and how many ticks apart
    stage: str = ""  # whose surroundings it wants to know
    barred: set[str] = field(
        default_factory=set
    )  # robots stopped under its hands; it has to let go first
    driving: dict[str, float] = field(
        default_factory=dict
    )  # robot → when its last command goes stale
    jogging: dict[str, tuple[int, float, float]] = field(
        default_factory=dict
    )  # robot → axis, direction and speed
    dropped: int = 0

    def __post_init__(self) -> None:
        self._events: deque[bytes] = deque()
        self._lost = 0
        self._newest: dict[str, bytes] = {}
        self._listings: dict[RobotStream, bytes] = {}  # what it was last told of each
        self._pictures: dict[RobotStream, None] = {}
        self._seen: dict[
            RobotStream, tuple[int, int, float]
        ] = {}  # epoch, sequence and time of the last picture sent
        self._wake = asyncio.Event()

    def tell(self, message: bytes) -> None:
        """Something that must not be overtaken: events, errors."""
        if len(self._events) >= QUEUE:
            self._lost += 1
            return
        self._events.append(message)
        self._wake.set()

    def update(self, kind: str, message: bytes) -> None:
        """Something of which only the newest counts."""
        self._newest[kind] = message
        self._wake.set()

    def show(self, watch: RobotStream, message: bytes) -> None:
        """What a page lists, if this client has not been told so."""
        if message and self._listings.get(watch) != message:
            self._listings[watch] = message
            self.update(f"listings {watch.stage.name} {watch.robot}", message)

    def offer(self, watch: RobotStream) -> None:
        """A picture, if this client has not seen it."""
        if self._seen.get(watch, ())[:2] == (watch.epoch, watch.sequence) or watch.failure:
            return
        self.dropped += watch in self._pictures
        self._pictures[watch] = None
        self._wake.set()

    def look_at(self, looks: dict[RobotStream, int], stage: str) -> None:
        self.looks, self.stage = looks, stage
        self._pictures = {watch: None for watch in self._pictures if watch in looks}
        self._seen = {watch: seen for watch, seen in self._seen.items() if watch in looks}
        self._listings = {watch: told for watch, told in self._listings.items() if watch in looks}

    async def send_all(self) -> None:
        """Send what there is to send, for ever."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._events or self._newest or self._pictures or self._lost:
                await self._send_next()

    async def _send_next(self) -> None:
        if self._events:
            await self._text(self._events.popleft())
        elif self._lost:
            lost, self._lost = self._lost, 0
            await self._text(to_json({"type": "dropped", "count": lost}))
        elif self._newest:
            await self._text(self._newest.pop(next(iter(self._newest))))
        else:
            watch = next(iter(self._pictures))
            del self._pictures[watch]
            await self._picture(watch)

    async def _picture(self, watch: RobotStream) -> None:
        epoch, sequence, time_s = self._seen.get(watch, (-1, 0, 0.0))
        self._seen[watch] = (watch.epoch, watch.sequence, watch.time_s)
        picture = watch.frame(sequence)
        more = watch.more(time_s)
        if epoch != watch.epoch:
            history = watch.history()
            if epoch == -1:
                await self._text(to_json(watch.page()))
            await self.socket.send_bytes(history)
        elif more:
            await self.socket.send_bytes(more)
        await self.socket.send_bytes(picture)

    async def _text(self, message: bytes) -> None:
        await self.socket.send_text(message.decode())

    def error(self, problems: Any) -> None:
        self.tell(to_json({"type": "error", "problems": problems}))
