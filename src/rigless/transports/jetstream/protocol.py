"""The NATS client protocol: CRLF lines, some followed by a payload of a given length.

rigless implements it itself because it publishes from inside a simulation step: publishing must
neither wait nor start a task, and nothing may be buffered over an outage and sent when stale.
"""

import re
from collections.abc import Callable

import msgspec

LONGEST_LINE = 1 << 20  # INFO of a large cluster
LONGEST_PAYLOAD = 64 << 20
PING = b"PING\r\n"
PONG = b"PONG\r\n"
HEADER = b"NATS/1.0\r\n"

OnMessage = Callable[
    [int, str, str, bytes, bytes], None
]  # subscription, subject, reply, header block, payload
OnLine = Callable[[bytes, bytes], None]  # operation, the rest of the line


class ProtocolError(Exception):
    """The received bytes are not NATS."""


class Info(msgspec.Struct):
    """The INFO message that a server sends first."""

    version: str = ""
    server_name: str = ""
    max_payload: int = 1 << 20
    tls_required: bool = False
    tls_available: bool = False
    tls_verify: bool = False
    nonce: str = ""
    connect_urls: list[str] = []
    cluster: str = ""
    ldm: bool = False  # lame duck mode: about to shut down
    headers: bool = False


class Acknowledgements:
    """Finds runs of JetStream's acknowledgements, to read thousands of them per second.

    They are on the subjects PREFIX.a<number> of one subscription. `on_run` gets the numbers.
    """

    def __init__(self, prefix: str, subscription: int, on_run: Callable[[list[bytes]], None]):
        self.begin = f"MSG {prefix}.a".encode()
        one = b'%b\\d+ %d \\d+\r\n\\{"stream":"[^"\r\n]*"' % (re.escape(self.begin), subscription)
        rest = rb', ?"seq": ?\d+(?:, ?"(?:duplicate|domain)": ?(?:true|"[^"\r\n]*"))*\}\r\n'
        self.run = re.compile(b"(?:%b%b)+" % (one, rest))
        self.number = re.compile(rb"%b(\d+) " % re.escape(self.begin))
        self.on_run = on_run


class Parser:
    """Parses bytes in chunks of any size and calls a handler for each message or line."""

    def __init__(
        self, on_message: OnMessage, on_line: OnLine, runs: Acknowledgements | None = None
    ):
        self._on_message, self._on_line, self._runs = on_message, on_line, runs
        self._left = b""

    def feed(self, data: bytes) -> None:
        buffer = self._left + data if self._left else data
        at, size, runs = 0, len(buffer), self._runs
        while at < size:
            if runs is not None and buffer.startswith(runs.begin, at):
                found = runs.run.match(buffer, at)
                if found is not None:
                    runs.on_run(runs.number.findall(buffer, at, found.end()))
                    at = found.end()
                    continue
            end = buffer.find(b"\r\n", at)
            if end < 0:
                if size - at > LONGEST_LINE:
                    raise ProtocolError("a line without an end")
                break
            operation, _, rest = buffer[at:end].partition(b" ")
            if operation in (b"MSG", b"HMSG"):
                fields = rest.split()
                if (
                    not (3 if operation == b"MSG" else 4)
                    <= len(fields)
                    <= (4 if operation == b"MSG" else 5)
                ):
                    raise ProtocolError(f"cannot read {buffer[at : at + 80]!r}")
                try:
                    subscription, length = int(fields[1]), int(fields[-1])
                    header = int(fields[-2]) if operation == b"HMSG" else 0
                except ValueError:
                    raise ProtocolError(f"cannot read {buffer[at : at + 80]!r}") from None
                if not 0 <= header <= length <= LONGEST_PAYLOAD:
                    raise ProtocolError(f"a message of {length} bytes with a header of {header}")
                begin = end + 2
                if begin + length + 2 > size:
                    break
                reply = (
                    fields[2].decode("utf-8", "replace")
                    if len(fields) == (4 if operation == b"MSG" else 5)
                    else ""
                )
                subject = fields[0].decode("utf-8", "replace")
                at = begin + length + 2
                block, payload = (
                    buffer[begin : begin + header],
                    buffer[begin + header : begin + length],
                )
                self._on_message(subscription, subject, reply, block, payload)
            else:
                at = end + 2
                self._on_line(operation.upper(), rest)
        self._left = buffer[at:] if at < size else b""


def publish(subject: str, data: bytes, reply: str = "", headers: bytes = b"") -> bytes:
    """Encode a message; `headers` are lines, each with its CRLF."""
    to = f"{subject} {reply}" if reply else subject
    if not headers:
        return b"PUB %b %d\r\n%b\r\n" % (to.encode(), len(data), data)
    return b"HPUB %b %d %d\r\nNATS/1.0\r\n%b\r\n%b\r\n" % (
        to.encode(),
        len(headers) + 12,
        len(headers) + 12 + len(data),
        headers,
        data,
    )


def subscribe(subject: str, subscription: int) -> bytes:
    return f"SUB {subject} {subscription}\r\n".encode()


def unsubscribe(subscription: int) -> bytes:
    return f"UNSUB {subscription}\r\n".encode()


def status(headers: bytes) -> int:
    """Return the status in the first line of a header block, or 0. 503 means no responders."""
    word = headers[9:12]
    return int(word) if word.isdigit() else 0


def field(headers: bytes, name: bytes) -> str:
    """Return the first value of a header, or ""."""
    for line in headers.split(b"\r\n")[1:]:
        key, colon, value = line.partition(b":")
        if colon and key.strip().lower() == name:
            return value.strip().decode("utf-8", "replace")
    return ""


def version(text: str) -> tuple[int, int]:
    """Return major and minor number; (0, 0) if the text is no version."""
    parts = text.split(".")
    if len(parts) < 2 or not (parts[0].isdigit() and parts[1].isdigit()):
        return 0, 0
    return int(parts[0]), int(parts[1])
