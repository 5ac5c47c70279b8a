"""A real nats-server for benchmarks, and a bare nats-py client to compare with."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nats
from nats.js import JetStreamContext

from rigless.transports.jetstream.server import Server, free_port

WINDOW = 256
PAYLOAD = b'{"v":1,"payload":"' + b"x" * 480 + b'"}'  # about as long as a robot's event


@contextlib.asynccontextmanager
async def server() -> AsyncIterator[Server]:
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        made = Server("127.0.0.1", free_port(), Path(folder))
        await made.start()
        try:
            yield made
        finally:
            await made.end()


async def bare(url: str, seconds: float) -> dict[str, float]:
    """Return messages per second into one stream by nats-py alone.

    Messages are sent with each acknowledgement awaited, with a window in flight, and without
    acknowledgement. The time ends when the stream holds them; dropped messages do not count.
    """
    client = await nats.connect(url)
    stream = client.jetstream(timeout=60, publish_async_max_pending=WINDOW)
    await stream.add_stream(name="BARE", subjects=["bare.>"])
    found = {
        "awaited_per_s": await _rate(lambda count: _awaited(stream, count), seconds),
        "windowed_per_s": await _rate(lambda count: _windowed(stream, count), seconds),
        "unacked_per_s": await _rate(lambda count: _unacked(client, stream, count), seconds),
    }
    await stream.delete_stream("BARE")
    await client.close()
    return found


async def _rate(send: Any, seconds: float) -> float:
    """Double the number of messages until sending takes long enough to measure."""
    count = 100
    while True:
        begin = time.perf_counter()
        arrived = await send(count)
        took = time.perf_counter() - begin
        if took >= seconds / 2 or count > 1_000_000:
            return arrived / took
        count = max(2 * count, int(count * seconds / max(took, 1e-3) * 0.8))


async def _awaited(stream: JetStreamContext, count: int) -> int:
    for _ in range(count):
        await stream.publish("bare.x", PAYLOAD)
    return count


async def _windowed(stream: JetStreamContext, count: int) -> int:
    futures = []
    for _ in range(count):
        futures.append(await stream.publish_async("bare.x", PAYLOAD))
        if len(futures) == WINDOW:
            await asyncio.gather(*futures)
            futures.clear()
    await asyncio.gather(*futures)
    return count


async def _unacked(client: Any, stream: JetStreamContext, count: int) -> int:
    before = await _held(stream)
    for _ in range(count):
        await client.publish("bare.x", PAYLOAD)
    await client.flush(60)
    held = -1
    while held < (now := await _held(stream)) < before + count:
        held = now
        await asyncio.sleep(0.002)
    return now - before


async def _held(stream: JetStreamContext) -> int:
    return (await stream.stream_info("BARE")).state.messages


def pin(pid: int, cores: list[int]) -> None:
    """Let all threads of a process run on these cores only."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(task.name), cores)


def cpu_seconds(pid: int) -> float:
    """Return the user and system time of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
