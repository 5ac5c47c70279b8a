"""The real interface of a robot: ports, their codecs, and the links of peers.

A codec does no I/O and belongs to one link. It decodes bytes into messages, and encodes messages
into bytes. Pending bytes are in plain fields, so that snapshots can hold them. It raises only
WireError, which closes the link or drops the message.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Kind = Literal["stream", "datagram", "message"]
Direction = Literal["in", "out", "both"]


class WireError(Exception):
    """The peer broke the protocol; the text says how.

    The link is closed, as the real device does. If `hang_up` is false, the message is dropped.

        raise rigless.WireError("a line has more than 1024 bytes")
    """

    def __init__(self, what: str, hang_up: bool = True):
        super().__init__(what)
        self.hang_up = hang_up


class Codec(Protocol):
    """The codec of one link.

    On a message port `decode` also gets the subject, and `encode` returns (subject, payload).

    A method `compose(type_name, fields)` is optional. It returns the message for
    `Simulation.send`, as `decode` would, or raises InputError. Without it, the type is one of those
    that the robot handles. With it, a method `accepted_types()` returns the types that it composes,
    by name.

    A method `encode_request(message)` is optional too. It returns the bytes that a client sends for
    a message that `decode` yields, so that the panel can send it to the real port. `REQUESTS` lists
    the types of such messages.

    A class of messages may name a field: `CARRIES` the content of an envelope, `REFUSED` the reason
    why the robot rejects a message. `ADDED` lists the fields that the codec adds.
    """

    def decode(self, data: bytes, /) -> Iterable[Any]: ...

    def encode(self, message: Any, /) -> bytes | tuple[str, bytes]: ...


@dataclass(frozen=True)
class Channel:
    """The MCAP channel of one subject: a schema in `encoding`, messages in `format`.

    The codec of a message port may return it from a method `channel(subject)`. Without it,
    messages are recorded as JSON. A method `subjects()` lists the subjects that have one.
    `metadata` is further metadata of the channel.
    """

    topic: str
    schema: str
    encoding: str
    definition: str
    format: str
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Port:
    """One interface of a robot.

    `transport` names a module of `rigless.transports`; `address` is that of the real robot.
    `example` is a shell command that uses the port; {robot}, {host} and {port} are filled in.
    `example_label` says what it does, such as "drive a slow arc".
    `emits` lists the types of all messages that the robot sends on the port; a port of direction
    "in" sends none. A scenario that expects another type is an error. `answers` is set if clients
    wait for an answer to each message; a playback then ties recorded answers to requests.

        rigless.Port("line", LineCodec, "tcp", "127.0.0.1:7000", emits=(Reply,))
    """

    name: str
    codec: Callable[[], Codec]
    transport: str
    address: str
    kind: Kind = "stream"
    direction: Direction = "both"
    options: Mapping[str, Any] = field(default_factory=dict)
    example: str = ""
    emits: tuple[type, ...] | None = None  # None: not declared
    answers: bool = False
    example_label: str = ""

    @property
    def emitted_types(self) -> dict[str, type] | None:
        """The types of the messages that the port sends, by name; None if not declared."""
        if self.emits is None:
            return {} if self.direction == "in" else None
        return {kind.__name__: kind for kind in self.emits}


@dataclass
class Link:
    """A peer on a port: an accepted connection, a registered datagram address, a subscriber.

    A handler gets the link that a message came from, and can answer to it alone.

        @rigless.on(Get)
        def get(self, message, link):
            self.emit("line", Temperature(self.state.temperature_c), to=link)
    """

    port: str
    id: int
    peer: str = ""
    local: str = ""
    codec: Any = None

    def __repr__(self) -> str:
        return f"<Link {self.id} on {self.port}{f' from {self.peer}' if self.peer else ''}>"


@dataclass(frozen=True)
class Connected:
    """Passed to `@on(Connected)` when a peer connects.

    @rigless.on(rigless.Connected)
    def greet(self, message, link):
        self.emit("line", Hello(), to=link)
    """

    peer: str
    local: str


@dataclass(frozen=True)
class Disconnected:
    """Passed to `@on(Disconnected)` when a peer has disconnected.

    @rigless.on(rigless.Disconnected)
    def stop(self, message, link):
        self.state.speed_mps = 0.0
    """

    peer: str
