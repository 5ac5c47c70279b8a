"""One browser or script on the WebSocket, with its outgoing messages.

Events are queued up to a limit. Of everything else only the newest is kept, so a client that does
not read loses frames and never blocks the server.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.websockets import WebSocket

from rigless.kernel.plain import to_json
from rigless.panel.stream.robot_stream import RobotStream

MAX_QUEUED = 256
IN_A_ROW = 16  # queued messages that are sent before a turn of the others


@dataclass(eq=False)
class Client:
    """Subscriptions and unsent messages of one connection."""

    socket: WebSocket
    status: bool = True
    events: bool = True
    truth_every: int = 0  # ticks between two ground truth messages; 0: none
    streams: dict[RobotStream, int] = field(default_factory=dict)  # stream → ticks between frames
    source: str = ""  # name of the source whose map it shows
    # Robots that were stopped while this client drove them; it must let go before it drives again.
    blocked: set[str] = field(default_factory=set)
    driving: dict[str, float] = field(default_factory=dict)  # robot → when its command expires
    jogging: dict[str, tuple[int, float, float]] = field(
        default_factory=dict
    )  # robot → axis, direction and speed
    dropped: int = 0  # frames that were replaced by newer ones before they were sent

    def __post_init__(self) -> None:
        self._queue: deque[bytes] = deque()
        self._dropped_events = 0
        self._event_room = MAX_QUEUED  # events that it takes until the next status
        self._in_a_row = 0
        self._newest: dict[str, bytes] = {}
        self._listings: dict[RobotStream, bytes] = {}  # the last listings sent
        self._frames: dict[RobotStream, None] = {}
        self._wire = b""  # rows of the Wire tab
        self._blocks: dict[str, Callable[[], bytes | str]] = {}
        # Epoch, sequence number and time of the last frame sent.
        self._sent: dict[RobotStream, tuple[int, int, float]] = {}
        self._wake = asyncio.Event()

    def takes_event(self) -> bool:
        """Return True if one more event can be queued now; else it is counted as dropped."""
        if self._event_room == 0 or len(self._queue) >= MAX_QUEUED:
            self._dropped_events += 1
            return False
        self._event_room -= 1
        return True

    def make_room(self) -> None:
        """Accept events again, up to the usual number. Call it ten times per second."""
        self._event_room = MAX_QUEUED

    def enqueue(self, message: bytes) -> None:
        """Queue a message that must keep its place in the order: an event or an error."""
        if len(self._queue) >= MAX_QUEUED:
            self._dropped_events += 1
            return
        self._queue.append(message)
        self._wake.set()

    def set_newest(self, key: str, message: bytes) -> None:
        """Send a message, unless a newer one of the same key replaces it first."""
        self._newest[key] = message
        self._wake.set()

    @property
    def wire_waiting(self) -> bool:
        """True if the last rows of the Wire tab are not sent yet: more would be left out."""
        return bool(self._wire)

    def offer_wire(self, message: bytes) -> None:
        """Send rows of the Wire tab. Call it only if none are waiting."""
        self._wire = message
        self._wake.set()

    def offer_block(self, key: str, make: Callable[[], bytes | str]) -> None:
        """Send a message that is made when it is its turn; an empty one is not sent."""
        self._blocks[key] = make
        self._wake.set()

    def update_listings(self, stream: RobotStream, message: bytes) -> None:
        """Send the listings of a robot if they have changed."""
        if message and self._listings.get(stream) != message:
            self._listings[stream] = message
            self.set_newest(f"listings {stream.source.name} {stream.robot}", message)

    def offer_frame(self, stream: RobotStream) -> None:
        """Send the newest frame of a robot if this client does not have it."""
        if self._sent.get(stream, ())[:2] == (stream.epoch, stream.sequence) or stream.failure:
            return
        self.dropped += stream in self._frames
        self._frames[stream] = None
        self._wake.set()

    def subscribe(self, streams: dict[RobotStream, int], source: str) -> None:
        """Replace the subscriptions and forget what was sent of other streams."""
        self.streams, self.source = streams, source
        self._frames = {stream: None for stream in self._frames if stream in streams}
        self._sent = {stream: sent for stream, sent in self._sent.items() if stream in streams}
        self._listings = {
            stream: sent for stream, sent in self._listings.items() if stream in streams
        }

    async def send_all(self) -> None:
        """Send messages as they come, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while (
                self._queue
                or self._newest
                or self._frames
                or self._blocks
                or self._dropped_events
                or self._wire
            ):
                await self._send_next()

    async def _send_next(self) -> None:
        if self._queue and self._in_a_row < IN_A_ROW:
            self._in_a_row += 1
            await self._send_text(self._queue.popleft())
            return
        self._in_a_row = 0  # many events must not delay pictures and the state of the run
        if self._dropped_events:
            count, self._dropped_events = self._dropped_events, 0
            await self._send_text(to_json({"type": "dropped", "count": count}))
        elif self._newest:
            await self._send_text(self._newest.pop(next(iter(self._newest))))
        elif self._wire:
            await self._send_text(self._wire)
            self._wire = b""
        elif self._blocks:
            block = self._blocks.pop(next(iter(self._blocks)))()
            if isinstance(block, bytes) and block:
                await self.socket.send_bytes(block)
            elif isinstance(block, str) and block:
                await self.socket.send_text(block)
        elif self._frames:
            stream = next(iter(self._frames))
            del self._frames[stream]
            await self._send_frame(stream)

    async def _send_frame(self, stream: RobotStream) -> None:
        epoch, sequence, time_s = self._sent.get(stream, (-1, 0, 0.0))
        self._sent[stream] = (stream.epoch, stream.sequence, stream.time_s)
        frame = stream.frame(sequence)
        samples = stream.samples_since(time_s)
        if epoch != stream.epoch:
            history = stream.history()
            if epoch == -1:
                await self._send_text(to_json(stream.page()))
            await self.socket.send_bytes(history)
        elif samples:
            await self.socket.send_bytes(samples)
        await self.socket.send_bytes(frame)

    async def _send_text(self, message: bytes) -> None:
        await self.socket.send_text(message.decode())

    def send_error(self, problems: Any) -> None:
        """Queue an error message."""
        self.enqueue(to_json({"type": "error", "problems": problems}))
