"""Every byte on the robot's MQTT topics: JSON of the internal model in a dialect.

A message that is not valid is not a wire error; the robot reports it in its state (`Unreadable`).
"""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import msgspec

from rigless.kernel.plain import why_not_plain
from rigless.kernel.ports import Port, WireError
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.params import sentence
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.dialect import Dialect

PORT = "vda5050"
REPORT, WILL, CONTROL, DOWNLOAD, FILE = "_mqtt", "_will", "_session", "_download", "_file"
LONGEST = 1024 * 1024  # bytes of a message, as brokers have it by default
HEADER = ("headerId", "timestamp", "version", "manufacturer", "serialNumber")
REFERENCES = ("headerId", "orderId", "orderUpdateId")
ZONES = ("zoneSet", "responses")
_encoder = msgspec.json.Encoder()
Report = TypeVar("Report", r.SessionReport, r.Downloaded)


@dataclass
class Vda5050Codec:
    """The codec of a link. It has no state; identity and dialect are in its class."""

    REQUESTS: ClassVar = tuple(r.TOPICS.values())
    dialect: ClassVar[Dialect]
    topics: ClassVar[Mapping[str, str]]  # by the name of the topic
    identity: ClassVar[tuple[str, str]]  # manufacturer and serial number

    def decode(self, data: bytes, subject: str = "") -> list[Any]:
        """Decode a message. Without a topic, as from a script, its keys decide."""
        if subject == REPORT:
            return [_report(data, r.SessionReport)]
        if subject == FILE:
            return [_report(data, r.Downloaded)]
        names = {topic: name for name, topic in self.topics.items()}
        name = names.get(subject, "") if subject else _kind(data)
        if name not in r.TOPICS:
            raise WireError(f"the robot does not read the topic {subject[:80]!r}", hang_up=False)
        try:
            return [self._message(name, data)]
        except _Invalid as invalid:
            what, references = str(invalid)[:300], _references(name, data)
            return [r.Unreadable(topic=name, what=what, references=references)]

    def _message(self, name: str, data: bytes) -> r.Incoming:
        plain = _plain(data)
        missing = next((key for key in HEADER if key not in plain), None)
        if missing:
            raise _Invalid(f"{missing} is required")
        if str(plain["version"]).split(".")[0] != str(self.dialect.major):
            shown = str(plain["version"])[:20]
            raise _Invalid(f"version is {shown!r}, but the robot speaks {self.dialect.version}")
        what = why_not_plain(plain)
        if what:
            raise _Invalid(what)
        return self._convert(r.TOPICS[name], self.dialect.from_wire(name, plain))

    def _convert(self, kind: type[r.Incoming], fields: dict[str, Any]) -> r.Incoming:
        try:
            found: r.Incoming = msgspec.convert(fields, kind)
        except msgspec.ValidationError as error:
            raise _Invalid(sentence(str(error))) from None
        what = self._problem(found)
        if what:
            raise _Invalid(what)
        return found

    def _problem(self, message: r.Incoming) -> str:
        """Return what this version does not allow in a message, or ""."""
        if isinstance(message, r.Order):
            actions = r.actions_of(message.nodes, message.edges)
            what = _foreign_to_2(message) if self.dialect.major == 2 else _foreign_to_3(message)
            if what:
                return what
        elif isinstance(message, r.InstantActions):
            actions = message.actions
        else:
            return ""
        if self.dialect.major == 2 and any(one.blockingType == "SINGLE" for one in actions):
            return "blockingType SINGLE is not known in VDA 5050 2"
        return ""

    def encode(self, message: Any) -> tuple[str, bytes]:
        if isinstance(message, m.Session):
            return CONTROL, message.request.encode()
        if isinstance(message, m.Download):
            return DOWNLOAD, _encoder.encode(message)
        name = m.PUBLISHED[type(message)]
        plain = self.dialect.to_wire(name, msgspec.to_builtins(message))
        topic = WILL if isinstance(message, m.Will) else self.topics[name]
        return topic, _encoder.encode(plain)

    def encode_request(self, message: r.Incoming) -> tuple[str, bytes]:
        name = next(name for name, kind in r.TOPICS.items() if kind is type(message))
        plain = _without_nulls(msgspec.to_builtins(message))
        if self.dialect.major == 3:
            _translate_to_3(plain)
        head = {
            "headerId": message.headerId,
            "timestamp": message.timestamp or "1970-01-01T00:00:00.000Z",
            "version": self.dialect.version,
            "manufacturer": self.identity[0],
            "serialNumber": self.identity[1],
        }
        return self.topics[name], _encoder.encode({**self.dialect.to_wire(name, plain), **head})

    def request_subjects(self) -> list[str]:
        """Return the topics that the robot subscribes to."""
        return [self.topics[name] for name in r.TOPICS if name in self.topics]


def _foreign_to_2(order: r.Order) -> str:
    """Return what VDA 5050 2 does not allow in an order, or ""."""
    for node in order.nodes:
        place = node.nodePosition
        if place is not None and isinstance(place.allowedDeviationXY, r.Ellipse):
            return f"node {node.nodeId}: allowedDeviationXY is a number"
    for edge in order.edges:
        if edge.startNodeId is None or edge.endNodeId is None:
            return f"edge {edge.edgeId}: startNodeId and endNodeId are required"
        if edge.trajectory is not None and edge.trajectory.knotVector is None:
            return f"edge {edge.edgeId}: a trajectory needs a knotVector"
    return ""


def _foreign_to_3(order: r.Order) -> str:
    """Return what VDA 5050 3 does not allow in an order, or ""."""
    for node in order.nodes:
        place = node.nodePosition
        if place is None:
            continue
        if isinstance(place.allowedDeviationXY, float):
            return f"node {node.nodeId}: allowedDeviationXY is an object with a, b and theta"
        if (place.allowedDeviationTheta or 0.0) < 0.0:
            return f"node {node.nodeId}: allowedDeviationTheta is below 0"
    return ""


class _Invalid(ValueError):  # noqa: N818  # a reply, not a failure
    """The reason why a message is not valid."""


def vda5050_port(config: RobotConfig) -> Port | None:
    """Return the robot's VDA 5050 port, or None if its config has none."""
    given = config.vda5050
    if given is None:
        return None
    serial = given.serialNumber or config.identity.robotId
    names = [name for name in r.TOPICS if given.major == 3 or name not in ZONES]
    subscribed = tuple((given.topic(serial, name), given.orderQos) for name in names)
    published = {name: given.topic(serial, name) for name in m.PUBLISHED.values()}
    codec = type(
        "Vda5050Codec",
        (Vda5050Codec,),
        {
            "dialect": Dialect(given.version),
            "topics": {**{name: given.topic(serial, name) for name in names}, **published},
            "identity": (given.manufacturer, serial),
        },
    )
    options = {
        "mqtt": given.mqtt(client_id(given.manufacturer, serial)),
        "report": REPORT,
        "will": WILL,
        "will_topic": published["connection"],
        "control": CONTROL,
        "download": DOWNLOAD,
        "file": FILE,
        "subscribe": subscribed,
        "publish": {
            published["connection"]: (1, True),
            published["factsheet"]: (given.stateQos, True),
            published["state"]: (given.stateQos, False),
            published["visualization"]: (given.stateQos, False),
        },
    }
    listen = f"rigless send {{robot}} vda5050 --subject '{given.topic(serial, '#')}' --wait 5"
    emits = tuple(m.PUBLISHED)
    return Port(PORT, codec, "mqtt", _address(given.url), "message", "both", options, listen, emits)


def client_id(manufacturer: str, serial: str) -> str:
    """Return a client id of at most 23 letters, digits and hyphens, which all brokers accept."""
    whole = f"{manufacturer}-{serial}"
    plain = re.sub(r"[^A-Za-z0-9-]", "-", whole)
    if plain == whole and len(whole) <= 23:
        return whole
    return f"{plain[:14]}-{zlib.crc32(whole.encode()):08x}"


def _address(url: str) -> str:
    """Return HOST:PORT of a broker's URL."""
    scheme, _, rest = url.partition("://")
    place = rest.rpartition("@")[2].split("/")[0]
    if place.rpartition(":")[2].isdigit():
        return place
    return f"{place}:{8883 if scheme == 'mqtts' else 1883}"


def _plain(data: bytes) -> dict[str, Any]:
    if len(data) > LONGEST:
        raise _Invalid(f"{len(data)} bytes are more than {LONGEST}")
    try:
        plain = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _Invalid(
            sentence(str(error) or "nested too deep") if data else "it is empty"
        ) from None
    if not isinstance(plain, dict):
        raise _Invalid("a JSON object is expected")
    return plain


def _kind(data: bytes) -> str:
    try:
        plain = _plain(data)
    except _Invalid as invalid:
        raise WireError(f"JSON is expected: {invalid}", hang_up=False) from None
    keys = {"orderId": "order", "zoneSet": "zoneSet", "responses": "responses"}
    return next((name for key, name in keys.items() if key in plain), "instantActions")


def _references(name: str, data: bytes) -> dict[str, str]:
    """Return what identifies a message that is not valid, as far as it can be read."""
    found = {"topic": name}
    try:
        plain = _plain(data)
    except _Invalid:
        return found
    for key in REFERENCES:
        value = plain.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool):
            found[key] = str(value)[:100]
    return found


def _report(data: bytes, kind: type[Report]) -> Report:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        what = f"a report of the transport cannot be read: {error}"
        raise WireError(what, hang_up=False) from None


def _translate_to_3(message: dict[str, Any]) -> None:
    """Write deviations of nodes and blocking types of instant actions as 3.0 has them."""
    for action in message.get("actions", ()):
        action["blockingType"] = "NONE"
    for node in message.get("nodes", ()):
        place = node.get("nodePosition", {})
        radius = place.get("allowedDeviationXY")
        if isinstance(radius, float):
            place["allowedDeviationXY"] = {"a": radius, "b": radius, "theta": 0.0}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return value
