"""The messages that peers sent to robots, decoded from recorded bytes by the ports' codecs."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rigless.kernel.inputs import AnyInput, Arrive, Connect, Disconnect
from rigless.kernel.plain import to_builtins
from rigless.kernel.ports import Port, WireError
from rigless.kernel.recording.entries import CONTROL
from rigless.kernel.robot import Robot
from rigless.recordings.reader import Record

WIRE_ERROR = "WireError"  # the type of bytes that a codec rejects

Ports = Mapping[tuple[str, str], Port]


class Message(NamedTuple):
    """A message from a peer, with its fields as plain values."""

    time_ns: int
    robot: str
    port: str
    type: str
    fields: dict[str, Any]


def ports_of(robots: Iterable[Robot]) -> dict[tuple[str, str], Port]:
    """Return all ports by the names of robot and port."""
    return {(robot.name, port.name): port for robot in robots for port in robot.ports}


def live_inputs(records: Iterable[Record]) -> list[tuple[int, AnyInput]]:
    """Return the inputs that came from outside, with their times. Those of a scenario are not."""
    found: list[tuple[int, AnyInput]] = []
    for record in records:
        if record.direction == "in" and record.topic != CONTROL:
            entry = record.input()
            if entry.source == "live":
                found.append((record.time_ns, entry.given))
    return found


class InputDecoder:
    """Decodes the bytes of every link by a codec of its own, as the simulation does."""

    def __init__(self, ports: Ports):
        self._ports = ports
        self._codecs: dict[tuple[str, str, int], Any] = {}

    def decode(self, time_ns: int, given: AnyInput) -> list[Message]:
        """Return the messages that this input completes."""
        if isinstance(given, Connect | Disconnect):
            self._codecs.pop((given.robot, given.port, given.link), None)
            return []
        port = self._ports.get((given.robot, given.port)) if isinstance(given, Arrive) else None
        if port is None or not isinstance(given, Arrive):
            return []
        key = (given.robot, given.port, given.link)
        codec = self._codecs.setdefault(key, port.codec())
        subject = (given.subject,) if port.kind == "message" else ()
        found: list[Message] = []
        try:
            for message in codec.decode(given.data, *subject):
                found.append(_message(time_ns, given, message))  # noqa: PERF401 (it may raise)
        except WireError as error:
            found.append(
                Message(time_ns, given.robot, given.port, WIRE_ERROR, {"reason": str(error)})
            )
            if error.hang_up:
                del self._codecs[key]
        return found


def decode_all(ports: Ports, inputs: Iterable[tuple[int, AnyInput]]) -> list[Message]:
    """Return all messages in the order of their arrival."""
    decoder = InputDecoder(ports)
    return [message for time_ns, given in inputs for message in decoder.decode(time_ns, given)]


def _message(time_ns: int, given: Arrive, message: Any) -> Message:
    """Return a decoded message. An envelope gives the type of its content (see Output.content).

    Fields that a codec adds at the receipt of a message (`ADDED` of its type) are left out.
    """
    content = getattr(message, getattr(type(message), "CARRIES", ""), message)
    plain = to_builtins(message)
    fields = plain if isinstance(plain, dict) else {"value": plain}
    for name in getattr(type(message), "ADDED", ()):
        fields.pop(name, None)
    if given.subject and "subject" not in fields:
        fields = {"subject": given.subject, **fields}
    return Message(time_ns, given.robot, given.port, type(content).__name__, fields)
