"""The WebSocket `/ws` of the control API and the panel.

A client gets status, events and ground truth as the query of its URL asks, and frames of the robots
that it looks at. It sends these messages (`ClientMessage`):

    {"type": "look", "stage": "live", "robots": {"vacuum": 60}}
        Subscribe to frames of robots, at 60, 30, 20, 10 or 5 Hz. It replaces the last look.
    {"type": "drive", "robot": "vacuum", "axes": [1, 0, 0.5]}
        Drive forward, left and turn, each −1 to 1. The command expires after a second.
    {"type": "jog", "robot": "welder", "axis": 0, "by": -5}
        Move an axis by one step. `speed` is a fraction of the full speed, 1 by default.
    {"type": "jog", "robot": "welder", "axis": 0, "by": 1, "hold": true}
        Move an axis until the command expires after a second, or until `by` is 0.
    {"type": "wire", "stage": "live", "robot": "vacuum", "kind": "Status", "serial": 1}
        Subscribe to messages on the wire that pass a filter: robot, port, direction, kind (type of
        message), subject, text, abnormal (refused, or changed by a fault). A new serial begins a
        new list; the same one only sets `paused`. With "on": false the subscription ends.
    {"type": "plot", "number": 1, "stage": "live", "signals": ["vacuum/truth/pose.0"]}
        Subscribe to new points of signals. It replaces the last plot; an empty list ends it.
    {"type": "fleet", "stage": "live", "hz": 30}
        Subscribe to all robots at once: places, speed, battery and words. It replaces the last one;
        0 pictures per second end it. Until then, `around` messages have no robots.

The messages to the client are in `server_messages.py` (JSON); the binary ones are in
`messages.py`, `history/points.py` and `fleet/feed.py`. A request that cannot be done is answered
with {"type": "error", "problems": […]}.
"""

import asyncio
from typing import Annotated, Literal

import msgspec
from fastapi import FastAPI, Query, WebSocket, WebSocketDisconnect

from rigless.host.api.models import problem_entry
from rigless.kernel.problems import InputError, Problem
from rigless.panel.hub import TICKS_PER_S, Hub
from rigless.panel.stream.client import Client
from rigless.panel.wire.feed import Filter

MAX_ROBOTS = 32  # in one look message
MAX_SIGNALS = 64  # in one plot message
MAX_LENGTH = 200  # characters of a name, and of a decoding error that is sent back
Axis = Annotated[float, msgspec.Meta(ge=-1, le=1)]
Name = Annotated[str, msgspec.Meta(max_length=MAX_LENGTH)]


class LookMessage(msgspec.Struct, tag="look", forbid_unknown_fields=True):
    """Subscribe to frames: robot → frames per second. `stage` is `live` or `recording`."""

    robots: Annotated[dict[Name, Literal[60, 30, 20, 10, 5]], msgspec.Meta(max_length=MAX_ROBOTS)]
    stage: Name = "live"


class DriveMessage(msgspec.Struct, tag="drive", forbid_unknown_fields=True):
    """Drive a robot: forward, left and turn, each −1 to 1."""

    robot: Name
    axes: tuple[Axis, Axis, Axis]


class JogMessage(msgspec.Struct, tag="jog", forbid_unknown_fields=True):
    """Move an axis by a step, or with `hold` in the direction of `by` until it is 0."""

    robot: Name
    axis: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
    by: Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)] = 0.0
    speed: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    hold: bool = False


class WireLookMessage(msgspec.Struct, tag="wire", forbid_unknown_fields=True):
    """Subscribe to messages on the wire. Empty fields select all."""

    on: bool = True
    serial: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    stage: Name = "live"
    robot: Name = ""
    port: Name = ""
    direction: Literal["", "in", "out"] = ""
    kind: Name = ""
    subject: Name = ""
    text: Name = ""
    abnormal: bool = False
    paused: bool = False


class PlotMessage(msgspec.Struct, tag="plot", forbid_unknown_fields=True):
    """Subscribe to new points of signals. `number` is in the header of each block."""

    signals: Annotated[list[Name], msgspec.Meta(max_length=MAX_SIGNALS)]
    number: Annotated[int, msgspec.Meta(ge=0, le=0xFFFF)] = 0
    stage: Name = "live"


class FleetLookMessage(msgspec.Struct, tag="fleet", forbid_unknown_fields=True):
    """Subscribe to all robots of a stage: pictures per second; 0 ends it."""

    hz: Literal[0, 5, 10, 20, 30] = 30
    stage: Name = "live"


ClientMessage = (
    LookMessage | DriveMessage | JogMessage | WireLookMessage | PlotMessage | FleetLookMessage
)
_decoder = msgspec.json.Decoder(ClientMessage)


def add_websocket(app: FastAPI, hub: Hub) -> None:
    """Add the route `/ws`."""

    @app.websocket("/ws")
    async def websocket(
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
            _handle(hub, client, message.get("text") or message.get("bytes") or b"")
        except InputError as error:
            client.send_error([problem_entry(problem) for problem in error.problems])
        except Exception as error:  # a view is user code
            what = f"its view failed: {type(error).__name__}: {error}"
            client.send_error([problem_entry(Problem("robot", what))])


def _handle(hub: Hub, client: Client, data: str | bytes) -> None:
    try:
        message = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fix = (
            '{"type": "look", "robots": {"NAME": 60}} '
            'or {"type": "drive", "robot": "NAME", "axes": [0, 0, 0]}'
        )
        raise InputError(Problem("message", str(error)[:MAX_LENGTH], fix)) from None
    if isinstance(message, LookMessage):
        hub.subscribe(client, message.stage, dict(message.robots))
    elif isinstance(message, WireLookMessage):
        _look_at_wire(hub, client, message)
    elif isinstance(message, JogMessage):
        hub.jog(client, message.robot, message.axis, message.by, message.speed, message.hold)
    elif isinstance(message, PlotMessage):
        hub.plot(client, message.number, message.stage, message.signals)
    elif isinstance(message, FleetLookMessage):
        hub.fleet.subscribe(client, message.stage, message.hz)
    else:
        hub.drive(client, message.robot, *message.axes)


def _look_at_wire(hub: Hub, client: Client, message: WireLookMessage) -> None:
    if not message.on:
        hub.wire.unsubscribe(client)
        return
    chosen = Filter(
        message.robot,
        message.port,
        message.direction,
        message.kind,
        message.subject,
        message.text,
        message.abnormal,
    )
    hub.wire.subscribe(client, message.stage, chosen, message.serial, message.paused)
