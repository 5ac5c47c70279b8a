"""A robot's real interface: ports, the codecs that speak on them, and the links that peers hold to them.

A codec is sans-IO and belongs to one link. It turns bytes into messages and messages into bytes, keeps what is pending
in plain fields (so that snapshots can hold it), and raises nothing but WireError, which closes the link or drops the message.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Kind = Literal["stream", "datagram", "message"]
Direction = Literal["in", "out", "both"]


class WireError(Exception):
    """The peer broke the protocol; says how. The real device hangs up on it, or (`hang_up` false) passes over what it said."""

    def __init__(self, what: str, hang_up: bool = True):
        super().__init__(what)
        self.hang_up = hang_up


class Codec(Protocol):
    """For a message port `decode` is also given the subject and `encode` returns (subject, payload)."""

    def decode(self, data: bytes, /) -> Iterable[Any]: ...

    def encode(self, message: Any, /) -> bytes | tuple[str, bytes]: ...


@dataclass(frozen=True)
class Channel:
    """How the messages of one subject are kept in recordings, as others read them: a schema in `encoding`, messages in `format`.

    The codec of a message port may give it by a method `channel(subject)`; without it they are kept as JSON."""

    topic: str
    schema: str
    encoding: str
    definition: str
    format: str


@dataclass(frozen=True)
class Port:
    """One interface of a robot. `transport` names a module in `rigless.transports`; `address` is the real robot's.

    `example` is a line for a shell that says something on it; {host} and {port} in it are filled in. `emits` names all types of messages
    that leave it, if the robot tells them: then a scenario that expects another is told so."""

    name: str
    codec: Callable[[], Codec]
    transport: str
    address: str
    kind: Kind = "stream"
    direction: Direction = "both"
    options: Mapping[str, Any] = field(default_factory=dict)
    example: str = ""
    emits: tuple[str, ...] = ()


@dataclass
class Link:
    """A peer on a port: an accepted connection, a registered datagram address, a subscriber."""

    port: str
    id: int
    peer: str = ""
    local: str = ""
    codec: Any = None

    def __repr__(self) -> str:
        return f"<Link {self.id} on {self.port}{f' from {self.peer}' if self.peer else ''}>"


@dataclass(frozen=True)
class Connected:
    """Given to `@on(Connected)` when a peer appears, before it has sent anything."""

    peer: str
    local: str


@dataclass(frozen=True)
class Disconnected:
    """Given to `@on(Disconnected)` when a peer has gone."""

    peer: str
