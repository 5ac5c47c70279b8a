"""The WebSocket of the control API and the panel. A client gets status, events and ground truth as its URL asks, and pictures
of the robots it looks at:

    {"type": "look", "stage": "live", "robots": {"vacuum": 60}}      pictures a second: 60, 30, 20, 10 or 5; replaces the last look
    {"type": "drive", "robot": "vacuum", "axes": [1, 0, 0.5]}        forward, left, turn, each −1 to 1; goes stale in a second
    {"type": "jog", "robot": "welder", "axis": 0, "by": -5}          one step of the first axis; speed is a share, 1 unless told
    {"type": "jog", "robot": "welder", "axis": 0, "by": 1, "hold": true}     on and on; goes stale in a second, by 0 ends it

What cannot be done is answered with {"type": "error", "problems": […]}.
"""

import asyncio
from typing import Annotated, Literal

import msgspec
from fastapi import FastAPI, Query, WebSocket, WebSocketDisconnect

from rigless.kernel.plain import to_builtins
from rigless.kernel.problems import InputError, Problem
from rigless.panel.client import Client
from rigless.panel.hub import TICKS_PER_S, Hub

MOST_LOOKS = 32
LONGEST = 200  # characters of a name, and of what an error repeats of a message
Axis = Annotated[float, msgspec.Meta(ge=-1, le=1)]
Name = Annotated[str, msgspec.Meta(max_length=LONGEST)]


class LookMessage(msgspec.Struct, tag="look", forbid_unknown_fields=True):
    robots: Annotated[dict[Name, Literal[60, 30, 20, 10, 5]], msgspec.Meta(max_length=MOST_LOOKS)]
    stage: Name = "live"


class DriveMessage(msgspec.Struct, tag="drive", forbid_unknown_fields=True):
    robot: Name
    axes: tuple[Axis, Axis, Axis]


class JogMessage(msgspec.Struct, tag="jog", forbid_unknown_fields=True):
    robot: Name
    axis: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
    by: Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)] = 0.0
    speed: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    hold: bool = False


_decoder = msgspec.json.Decoder(LookMessage | DriveMessage | JogMessage)


def add_websocket(app: FastAPI, hub: Hub) -> None:
    @app.websocket("/ws")
    async def stream(
        socket: WebSocket,
        truth_hz: Annotated[float, Query(ge=0, le=100)] = 10.0,
        events: bool = True,
        status: bool = True,
    ) -> None:
        await socket.accept()
        every = max(1, round(TICKS_PER_S / truth_hz)) if truth_hz > 0 else 0
        client = Client(socket, status, events, every)
        hub.add(client)
        tasks = [
            asyncio.create_task(client.send_all()),
            asyncio.create_task(_receive(socket, hub, client)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hub.remove(client)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _receive(socket: WebSocket, hub: Hub, client: Client) -> None:
    while True:
        try:
            message = await socket.receive()
        except (WebSocketDisconnect, RuntimeError):
            return
        if message["type"] == "websocket.disconnect":
            return
        try:
            _obey(hub, client, message.get("text") or message.get("bytes") or b"")
        except InputError as error:
            client.error([to_builtins(problem) for problem in error.problems])
        except Exception as error:  # a view is the robot's own code, which may do anything
            client.error(
                [to_builtins(Problem("robot", f"its view failed: {type(error).__name__}: {error}"))]
            )


def _obey(hub: Hub, client: Client, data: str | bytes) -> None:
    try:
        given = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fix = '{"type": "look", "robots": {"NAME": 60}} or {"type": "drive", "robot": "NAME", "axes": [0, 0, 0]}'
        raise InputError(Problem("message", str(error)[:LONGEST], fix)) from None
    if isinstance(given, LookMessage):
        hub.look(client, given.stage, dict(given.robots))
    elif isinstance(given, JogMessage):
        hub.jog(client, given.robot, given.axis, given.by, given.speed, given.hold)
    else:
        hub.drive(client, given.robot, *given.axes)
