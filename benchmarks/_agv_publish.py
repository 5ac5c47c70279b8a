"""Message rates of the AGV's transport: acknowledged and durable, and stream messages."""

import asyncio
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nats

from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.wire import agv_port
from rigless.transports.nats import Transport
from rigless.transports.transport import ALL

TURN = 64  # messages of one turn of the loop
FILLER = "x" * 400


class _Mute:
    """An inbox for a transport that only sends."""

    def __init__(self) -> None:
        self.lost = 0

    def new_link(self) -> int:
        return 1

    def connected(self, link: int, peer: str, local: str) -> None: ...

    def received(self, link: int, data: bytes, subject: str = "") -> None: ...

    def disconnected(self, link: int) -> None: ...

    def dropped(self, link: int) -> None:
        self.lost += 1

    def log(self, text: str, severity: Any) -> None: ...


async def publishing(address: str, seconds: float) -> dict[str, float]:
    """Publish until all messages are in the stream."""
    client = await nats.connect(f"nats://{address}")
    stream = client.jetstream(timeout=60)
    inbox = _Mute()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        port = agv_port(RobotConfig())
        port = type(port)(**{**vars(port), "options": {**port.options, "state": Path(folder)}})
        transport = Transport(port, inbox)
        await transport.open(address)
        begin_s = await _rate(transport, stream, "robot.agv.events", seconds, inbox)
        latest_s = await _rate(transport, stream, "robot.agv.state", seconds, inbox)
        await transport.close()
    await client.close()
    return {"acked_per_s": begin_s, "unacked_per_s": latest_s}


async def _rate(
    transport: Transport, stream: Any, subject: str, seconds: float, inbox: _Mute
) -> float:
    count, tries = 1000, 0
    while True:
        tries += 1
        stored = await _stored(stream, subject)
        lost, begin = inbox.lost, time.perf_counter()
        for number in range(count):
            transport.send(ALL, _message(f"{subject}-{tries}-{number}"), subject)
            if number % TURN == 0:
                await asyncio.sleep(0)
        while await _stored(stream, subject) - stored < count - (inbox.lost - lost):
            await asyncio.sleep(0.002)
        took = time.perf_counter() - begin
        if took >= seconds / 2 or count > 500_000:
            return (count - (inbox.lost - lost)) / took
        count = max(2 * count, int(count * seconds / took * 0.8))


def _message(id: str) -> bytes:
    return f'{{"v":1,"messageId":"{id}","payload":{{"eventId":"{FILLER}"}}}}'.encode()


async def _stored(stream: Any, subject: str) -> int:
    """Return how many messages the stream of this subject has taken; it has no other subject."""
    info = await stream.stream_info("ROBOT_STATE" if subject.endswith("state") else "ROBOT_OUT")
    return int(info.state.last_seq)
