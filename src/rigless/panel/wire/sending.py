"""Send a message to a robot: over its real port where a client can, else through the API."""

import asyncio
from typing import Any

from rigless.clients.login import Login
from rigless.clients.port_client import exchange, readable
from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.panel.wire.forms import is_reachable
from rigless.panel.wire.models import SendToPort, SentToPort

WAIT_S = 1.0  # for answers
ANSWERS = 50


async def send_to_port(host: Host, robot: Robot, request: SendToPort) -> SentToPort:
    """Send a message and collect the answers. Raises InputError."""
    port = host.sim.core.links.port(robot, request.port)
    url = host.urls.get((robot.name, port.name), "")
    given = [request.text is not None, request.hex is not None, bool(request.kind)]
    if sum(given) != 1:
        raise InputError(Problem("message", "give one of text, hex and kind"))
    if port.direction == "out":
        raise InputError(Problem(port.name, "only sends: it receives no messages"))
    subject, data = request.subject, _content(request)
    if request.kind:
        codec = host.sim.core.links.encoders[robot.name, port.name]
        encode = getattr(codec, "encode_request", None)
        if encode is None or not is_reachable(port, url):
            return _apply(host, robot, request, "")
        wire = encode(_compose(host, robot, codec, request))
        subject, data = wire if isinstance(wire, tuple) else (subject, wire)
        subject = request.subject or subject
    if not is_reachable(port, url):
        host.send(robot.name, port.name, data if isinstance(data, bytes) else data.encode())
        return {"way": "api", "url": "", "answers": [], "note": ""}
    try:
        answers = await asyncio.to_thread(_exchange, port, url, data, subject)
    except InputError as error:
        if not request.kind:
            raise
        # Some robots accept one client at a time.
        return _apply(host, robot, request, f"{url} {error.problems[0].what}")
    return {"way": "port", "url": url, "answers": answers, "note": ""}


def _apply(host: Host, robot: Robot, request: SendToPort, note: str) -> SentToPort:
    """Give the robot a message past its codec."""
    host.apply(inp.Send(robot.name, request.port, request.kind, request.fields))
    return {"way": "api", "url": "", "answers": [], "note": note}


def _content(request: SendToPort) -> str | bytes:
    if request.hex is None:
        return request.text or ""
    try:
        return bytes.fromhex(request.hex)
    except ValueError as error:
        what = f"is not hexadecimal: {error}"
        raise InputError(Problem("hex", what, "for example 3f 0a")) from None


def _compose(host: Host, robot: Robot, codec: Any, request: SendToPort) -> Any:
    compose = getattr(codec, "compose", None)
    if compose is not None:
        return compose(request.kind, request.fields)
    return host.sim.core.behaviours[robot.name].message(request.kind, request.fields)


def _exchange(port: Port, url: str, data: str | bytes, subject: str) -> list[str]:
    answers = port.direction != "in"
    pieces = exchange(port.transport, url, [data], subject, WAIT_S, answers, Login.of(port))
    return [readable(piece) for _, piece in zip(range(ANSWERS), pieces, strict=False)]
