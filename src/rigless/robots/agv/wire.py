"""Every byte on the robot's NATS subjects: the envelope, the subjects and the message types.

An inbound message may have a NATS header block before its JSON, as JetStream stores it:
`Nats-Time-Stamp` is the time at which the server stored the message, `Rigless-Age-Ms` its age by
the server's clock at receipt. The expiry of a command is judged by these, not by the robot's own
clock. A message that cannot be decoded is not a wire error; it is answered (`Malformed`).
"""

import zlib
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from rigless.kernel.plain import why_not_plain
from rigless.kernel.ports import Port, WireError
from rigless.kernel.timing import timestamps
from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.params import COMMANDS, STEPS, sentence

VERSION = 1
LONGEST = 64 * 1024
LONGEST_ID = 64
LONGEST_CORRELATION = 256  # echoed in every reply
HEADER = b"NATS/1.0\r\n"
EPOCH = "1970-01-01T00:00:00.000Z"
REPORT = "_transport"  # internal subject for reports of the transport

IN: dict[str, type[m.Inbound]] = {
    "command.request": m.CommandRequest,
    "settings.desired": m.SettingsDesired,
    "task.assign": m.TaskAssign,
    "task.cancel": m.TaskCancel,
    "traffic.control": m.TrafficControl,
    "route.response": m.RouteResponse,
    "teach.start": m.TeachStart,
    "teach.record": m.TeachRecord,
    "teach.stop": m.TeachStop,
}
OUT: dict[str, type[m.Outbound]] = {
    "heartbeat": m.Heartbeat,
    "state": m.State,
    "telemetry": m.Telemetry,
    "events": m.Event,
    "command.ack": m.CommandAck,
    "settings.reported": m.SettingsReported,
    "task.progress": m.TaskProgress,
    "task.done": m.TaskDone,
    "task.failed": m.TaskFailed,
    "traffic.state": m.TrafficState,
    "route.request": m.RouteRequest,
    "teach.point": m.TeachPoint,
    "teach.result": m.TeachResult,
}
LATEST_WINS = (
    "heartbeat",
    "state",
    "telemetry",
    "traffic.state",
)  # only the latest counts: dropped while disconnected
KEPT = {  # the last message per id is kept across restarts; the field that holds the id
    "command.ack": "commandId",
    "settings.reported": "",
    "task.progress": "taskId",
    "task.done": "taskId",
    "task.failed": "taskId",
}
REQUIRED = {
    "command.request": ("params", "issuedAt", "expiresAt"),
    "traffic.control": ("validUntil",),
}
LISTS = {"steps", "nodes", "edges"}
RENAMED = {"route.request": {"start": "from"}}  # a Python keyword


class Sim(Struct, frozen=True):
    runId: str
    simTimeS: float
    seed: int


class Envelope(Struct, frozen=True, omit_defaults=True):
    """The envelope of every message."""

    CARRIES: ClassVar[str] = "payload"
    v: int
    messageId: str
    type: str
    robotId: str
    bootId: str
    seq: int
    ts: str
    payload: Any
    correlationId: str | None = None
    sim: Sim | None = None


def subject(robot_id: str, type: str) -> str:
    return f"robot.{robot_id}.{type}"


def inbound(config: RobotConfig) -> list[str]:
    """Return the message types that a robot of this config subscribes to."""
    enabled = config.capabilities.supportedModules
    return [kind for kind in IN if getattr(enabled, kind.partition(".")[0], True)]


@dataclass
class AgvCodec:
    """The codec of a link. It has no state; the robot's id is in its class (see `codec_of`)."""

    REQUESTS: ClassVar = tuple(IN.values())
    VARIANTS: ClassVar = {
        m.CommandRequest.__name__: ("params", "commandType", COMMANDS),
        m.Step.__name__: ("params", "type", STEPS),
    }
    robot_id: ClassVar[str]

    def decode(self, data: bytes, subject: str = "") -> list[Any]:
        """Decode a message. Without a subject, as from a script, the envelope's type decides."""
        if subject == REPORT:
            return [_report(data)]
        subject = subject or f"robot.{self.robot_id}.{_own_type(data)}"
        robot, _, kind = subject.removeprefix("robot.").partition(".")
        if (
            robot != self.robot_id
            or not subject.startswith("robot.")
            or (kind not in IN and kind not in OUT)
        ):
            raise WireError(f"nobody listens to the subject {subject[:80]!r}", hang_up=False)
        return (
            [_recalled(kind, data)]
            if kind in OUT
            else [_inbound_message(kind, data, self.robot_id)]
        )

    def encode_request(self, message: m.Inbound) -> tuple[str, bytes]:
        kind = next(name for name, kind in IN.items() if kind is type(message))
        plain = msgspec.to_builtins(message)
        payload = {
            key: value
            for key, value in plain.items()
            if key not in m.Inbound.ADDED and value not in (None, "")
        }
        number = f"{zlib.crc32(_encoder.encode(payload)):08x}"
        stamp = payload.get("issuedAt", EPOCH)
        envelope = Envelope(VERSION, number, kind, self.robot_id, number, 0, stamp, payload)
        return self.encode(envelope)

    def request_subjects(self) -> list[str]:
        """Return the subjects on which the robot receives."""
        return [subject(self.robot_id, kind) for kind in IN]

    def encode(self, message: Envelope) -> tuple[str, bytes]:
        return f"robot.{message.robotId}.{message.type}", _encode(message)


_encoder = msgspec.json.Encoder()


def _encode(message: Envelope) -> bytes:
    renamed = RENAMED.get(message.type)
    if renamed is None:
        return _encoder.encode(message)
    plain = msgspec.to_builtins(message)
    plain["payload"] = {renamed.get(key, key): value for key, value in plain["payload"].items()}
    return _encoder.encode(plain)


def codec_of(robot_id: str) -> type[AgvCodec]:
    return type("AgvCodec", (AgvCodec,), {"robot_id": robot_id})


def agv_port(config: RobotConfig) -> Port:
    """Return the robot's port; its options configure the transport."""
    robot_id = config.identity.robotId
    backend_wins = config.runtime.startupPolicy.settingsBootstrapMode == "BACKEND_WINS"
    options = {
        "robot_id": robot_id,
        "nats": config.nats.model_dump(mode="json"),
        "own_connection": bool(config.extensions.get("ownConnection", False)),
        "listens": tuple(subject(robot_id, kind) for kind in inbound(config)),
        "listens_last": (subject(robot_id, "settings.desired"),) if backend_wins else (),
        "latest_wins": tuple(subject(robot_id, kind) for kind in LATEST_WINS),
        "kept": {subject(robot_id, kind): key for kind, key in KEPT.items()},
        "report": REPORT,
        "inbound": tuple(f"robot.*.{kind}" for kind in IN),  # the subjects of the streams
        "outbound": tuple(f"robot.*.{kind}" for kind in OUT if kind not in LATEST_WINS),
        "outbound_latest": tuple(f"robot.*.{kind}" for kind in LATEST_WINS),
    }
    listen = f"rigless send {{robot}} nats --subject 'robot.{robot_id}.>' --wait 5"
    emits = tuple(OUT.values())
    alone = config.vda5050 is not None and not config.vda5050.nats
    return Port(
        "nats",
        codec_of(robot_id),
        "memory" if alone else "nats",
        _address(config),
        "message",
        "both",
        options,
        listen,
        emits,
    )


def _address(config: RobotConfig) -> str:
    """Return HOST:PORT of the first server."""
    host = config.nats.servers[0].rpartition("//")[2].rpartition("@")[2].split("/")[0]
    return host if host.rpartition(":")[2].isdigit() else f"{host}:4222"


# Decoding


class _Loose(Struct, frozen=True):
    """The fields of an envelope that can be read from any JSON object."""

    type: Any = None
    messageId: Any = None
    correlationId: Any = None
    payload: Any = None


def _own_type(data: bytes) -> str:
    try:
        found = msgspec.json.decode(_split(data)[1], type=_Loose).type
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(f"an envelope in JSON is expected: {error}", hang_up=False) from None
    if not isinstance(found, str) or found not in IN:
        raise WireError(
            f"the envelope's type is {str(found)[:40]!r}, none of {', '.join(IN)}", hang_up=False
        )
    return found


def _report(data: bytes) -> m.LinkReport:
    try:
        return msgspec.json.decode(data, type=m.LinkReport)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WireError(
            f"a report of the transport cannot be read: {error}", hang_up=False
        ) from None


def _recalled(type: str, data: bytes) -> m.Recalled:
    try:
        envelope = msgspec.json.decode(data, type=Envelope)
        return m.Recalled(
            type, dict(envelope.payload), envelope.bootId, envelope.correlationId or ""
        )
    except (msgspec.DecodeError, TypeError, ValueError) as error:
        raise WireError(f"a remembered {type} cannot be read: {error}", hang_up=False) from None


def _inbound_message(type: str, data: bytes, robot_id: str) -> m.Inbound | m.Malformed:
    headers, body = _split(data)
    if len(body) > LONGEST:
        return m.Malformed(type, f"{len(body)} bytes are more than {LONGEST}", "MALFORMED_ENVELOPE")
    try:
        envelope = msgspec.json.decode(body, type=Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _malformed(
            type, sentence(str(error) or "nested too deep") if body else "it is empty", body
        )
    what = _trouble(envelope, type, robot_id)
    if what:
        return _malformed(type, what, body)
    payload = _given(envelope.payload)
    missing = [key for key in REQUIRED.get(type, ()) if key not in payload]
    try:
        if missing:
            raise ValueError(f"{missing[0]} is required")
        extra: dict[str, Any] = {"correlationId": envelope.correlationId or envelope.messageId}
        extra["receivedAtNs"], extra["ageS"] = _received(headers)
        found: m.Inbound = msgspec.convert({**payload, **extra}, IN[type])
        for key in ("issuedAt", "expiresAt", "validUntil", "deadline"):
            if key in payload and hasattr(found, key):
                _instant(key, getattr(found, key))
    except (ValueError, TypeError) as error:  # msgspec's ValidationError is a ValueError
        return _malformed(type, f"payload: {sentence(str(error))}", body, "INVALID_PARAMS")
    return found


def _given(payload: dict[str, Any]) -> dict[str, Any]:
    """Return a payload without null for optional keys.

    Free-form tables such as params and settings are not changed.
    """
    found = {key: value for key, value in payload.items() if value is not None}
    for key in LISTS & found.keys():
        if isinstance(found[key], list):
            found[key] = [_given(one) if isinstance(one, dict) else one for one in found[key]]
    return found


def _trouble(envelope: Envelope, type: str, robot_id: str) -> str:
    """Return what is wrong with an envelope, or ""."""
    if envelope.v != VERSION:
        return f"v is {envelope.v}, not {VERSION}"
    if envelope.type != type:
        return f"type is {envelope.type[:40]!r}, but it came on {type!r}"
    if envelope.robotId != robot_id:
        return f"robotId is {envelope.robotId[:64]!r}, but it came to {robot_id!r}"
    if not 1 <= len(envelope.messageId) <= LONGEST_ID:
        return f"messageId has {len(envelope.messageId)} characters, not 1 to {LONGEST_ID}"
    if len(envelope.correlationId or "") > LONGEST_CORRELATION:
        size = len(envelope.correlationId or "")
        return f"correlationId has {size} characters, more than {LONGEST_CORRELATION}"
    if not 0 <= envelope.seq < 2**64:
        return "seq is not an unsigned 64 bit number"
    if not envelope.bootId:
        return "bootId is empty"
    if not isinstance(envelope.payload, dict):
        return "payload is not an object"
    try:
        _instant("ts", envelope.ts)
    except ValueError as error:
        return str(error)
    what = why_not_plain(envelope.payload)
    return f"payload: {what}" if what else ""


def _instant(key: str, text: str) -> None:
    try:
        timestamps.to_ns(text)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _malformed(type: str, what: str, body: bytes, code: Any = "MALFORMED_ENVELOPE") -> m.Malformed:
    command = task = correlation = ""
    try:
        loose = msgspec.json.decode(body, type=_Loose)
        if isinstance(loose.payload, dict):
            ids = [loose.payload.get(key) for key in ("commandId", "taskId")]
            command, task = (text[:256] if isinstance(text, str) else "" for text in ids)
        correlation = next(
            (text for text in (loose.correlationId, loose.messageId) if isinstance(text, str)), ""
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        correlation = ""
    return m.Malformed(type, what[:300], code, command, correlation[:LONGEST_CORRELATION], task)


def _split(data: bytes) -> tuple[dict[str, str], bytes]:
    """Return the header block, if there is one, and the body."""
    if not data.startswith(HEADER):
        return {}, data
    block, _, body = data.partition(b"\r\n\r\n")
    lines = block[len(HEADER) :].decode("latin-1").split("\r\n")
    return {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }, body


def _received(headers: dict[str, str]) -> tuple[int | None, float]:
    """Return the server's time at receipt, and the age of the message in seconds."""
    stored, age = headers.get("nats-time-stamp"), headers.get("rigless-age-ms", "0")
    try:
        age_ms = float(age)
        return (
            None if stored is None else timestamps.to_ns(stored) + round(age_ms * 1e6)
        ), age_ms / 1000
    except (ValueError, OverflowError):
        return None, 0.0
