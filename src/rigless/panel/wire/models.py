"""The messages of the Wire tab, and the requests and responses of its API routes."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.api.models import Body
from rigless.kernel.ports import Direction
from rigless.panel.api_models import SourceName

LONGEST = 1 << 20  # characters of a message to send


class WireRow(TypedDict):
    """A message on the wire, as a line of the list.

    `what` is "data", "local" (from Python or the API, without bytes), "connected", "disconnected",
    "unsent" (in a recording: no client was connected) or "jump" (time was reset or restored).
    `size` is that of the packet. If a packet has several messages, `part` of `parts` counts them.
    `marks` are the effects of wire faults.
    """

    n: int
    t: float
    robot: str
    port: str
    direction: Literal["in", "out"]
    what: Literal["data", "local", "connected", "disconnected", "unsent", "jump"]
    peer: str
    subject: str
    kind: str
    text: str
    size: int
    part: NotRequired[int]
    parts: NotRequired[int]
    marks: NotRequired[list[str]]
    delay_ms: NotRequired[float | None]
    refused: NotRequired[str]


class WireStatistics(TypedDict):
    """The messages of one type and subject on one port.

    Rate and jitter are those of the last hundred.
    """

    robot: str
    port: str
    direction: Literal["in", "out"]
    kind: str
    subject: str
    count: int
    bytes: int
    rate_hz: float
    jitter_ms: float
    bytes_per_s: float


class WireMessage(TypedDict):
    """New rows of the list that a client subscribed to.

    `serial` is that of the subscription. With `reset`, the rows replace the list. `skipped` rows
    passed the filter but were left out (sampled), since there were too many. `searching` is set
    while older messages are still searched. `loading` is the progress of reading a recording, or
    null; `until_s` is where a long recording was cut. `trouble` says why it cannot be read.
    """

    type: Literal["wire"]
    stage: SourceName
    serial: int
    reset: bool
    rows: list[WireRow]
    skipped: int
    searching: bool
    loading: float | None
    until_s: float | None
    trouble: str
    statistics: NotRequired[list[WireStatistics]]


class WireDetail(TypedDict):
    """One message with its fields and bytes.

    `data` and `original` (the bytes before a fault changed them) are in base64. `trouble` says why
    the fields cannot be shown. `lines` are ways to send it, by name: shell commands and Python.
    """

    row: WireRow
    fields: Any
    trouble: str
    data: str
    original: str
    link: int
    lines: dict[str, str]


class SchemaOfPort(TypedDict):
    """The messages that a port receives.

    `types` has a JSON Schema for each type. `way` is "port" if such a message is encoded and sent
    to the real port, "api" if it bypasses the codec. `raw` is set if bytes can be sent to the port.
    """

    port: str
    transport: str
    direction: Direction
    url: str
    raw: bool
    needs_subject: bool
    subjects: list[str]
    way: Literal["port", "api"]
    types: dict[str, Any]


class SendToPort(Body):
    """A message to send to a port: text, bytes in hexadecimal, or a type with its fields."""

    port: str
    subject: Annotated[str, Field(max_length=1000)] = ""
    text: Annotated[str, Field(max_length=LONGEST)] | None = None
    hex: Annotated[str, Field(max_length=2 * LONGEST)] | None = None
    kind: Annotated[str, Field(max_length=200)] = ""
    fields: dict[str, Any] = {}


class SentToPort(TypedDict):
    """The way that a message took, and the answers of the robot within a second.

    `note` says why the real port could not be used, if that was tried.
    """

    way: Literal["port", "api"]
    url: str
    answers: list[str]
    note: str
