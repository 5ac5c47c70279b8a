"""The WebSocket of the control API: status once a second, events as they happen, ground truth at the rate asked for.

A client that does not read loses messages (it is told how many) and never holds anything up.
"""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import FastAPI, Query, WebSocket, WebSocketDisconnect

from rigless.host.host import Host
from rigless.kernel.events import Event
from rigless.kernel.plain import to_json

QUEUE = 256


class Feed:
    """What one client still has to be sent."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[bytes] = asyncio.Queue(QUEUE)
        self._dropped = 0

    def put(self, message: Any) -> None:
        try:
            self._queue.put_nowait(to_json(message))
        except asyncio.QueueFull:
            self._dropped += 1

    async def get(self) -> bytes:
        if self._dropped and self._queue.empty():
            count, self._dropped = self._dropped, 0
            return to_json({"type": "dropped", "count": count})
        return await self._queue.get()


def add_stream(app: FastAPI, host: Host, describe: Callable[[], dict[str, Any]]) -> None:
    @app.websocket("/ws")
    async def stream(
        socket: WebSocket,
        truth_hz: Annotated[float, Query(ge=0, le=100)] = 10.0,
        events: bool = True,
        status: bool = True,
    ) -> None:
        await socket.accept()
        feed = Feed()

        def tell_event(time_ns: int, event: Event) -> None:
            feed.put({"type": "event", **_fields(event)})

        if events:
            host.sim.listeners.event.append(tell_event)
        tasks = [asyncio.create_task(_send(socket, feed)), asyncio.create_task(_receive(socket))]
        if truth_hz > 0:
            tasks.append(asyncio.create_task(_every(1 / truth_hz, lambda: feed.put(_truth(host)))))
        if status:
            tasks.append(asyncio.create_task(_every(1.0, lambda: feed.put({"type": "status", **describe()}))))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if events:
                host.sim.listeners.event.remove(tell_event)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def _fields(event: Event) -> dict[str, Any]:
    return {
        "time_s": event.time_ns / 1e9,
        "robot": event.robot,
        "code": event.code,
        "severity": event.severity,
        "text": event.text,
        "data": event.data,
    }


def _truth(host: Host) -> dict[str, Any]:
    return {
        "type": "truth",
        "time_s": host.sim.now_s,
        "robots": {name: host.sim.truth(name) for name in host.sim.robots},
    }


async def _every(seconds: float, call: Callable[[], None]) -> None:
    while True:
        call()
        await asyncio.sleep(seconds)


async def _send(socket: WebSocket, feed: Feed) -> None:
    while True:
        await socket.send_text((await feed.get()).decode())


async def _receive(socket: WebSocket) -> None:
    """Clients have nothing to say here; reading notices when they go."""
    try:
        while True:
            await socket.receive()
    except (WebSocketDisconnect, RuntimeError):
        return
