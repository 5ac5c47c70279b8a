"""Messages of the robots in these tests, and one codec for each kind of port."""

from dataclasses import dataclass

from rigless.kernel.ports import WireError

LONGEST_LINE = 32


@dataclass(frozen=True)
class Add:
    amount: int = 1


@dataclass(frozen=True)
class Later:
    seconds: float
    amount: int


@dataclass(frozen=True)
class Hang:
    pass


@dataclass(frozen=True)
class Subscribe:
    address: str


@dataclass(frozen=True)
class Fail:
    pass


@dataclass(frozen=True)
class Odd:
    """Nobody handles it."""

    text: str


@dataclass(frozen=True)
class Total:
    total: int


@dataclass(frozen=True)
class Beat:
    n: int
    level: float | None


@dataclass
class LineCodec:
    """Decodes `add 3`, `later 0.5 3`, `hang`, `subscribe host:1` and `fail`.

    A line of more than 32 bytes is a protocol error.
    """

    pending: bytes = b""

    def decode(self, data: bytes):
        self.pending += data
        while b"\n" in self.pending:
            line, _, self.pending = self.pending.partition(b"\n")
            yield self.parse(line.decode("latin-1"))
        if len(self.pending) > LONGEST_LINE:
            raise WireError("the line is too long")

    def parse(self, line: str) -> object:
        match line.split():
            case ["add", amount] if amount.isdecimal():
                return Add(int(amount))
            case ["later", seconds, amount] if (
                seconds.replace(".", "", 1).isdecimal() and amount.isdecimal()
            ):
                return Later(float(seconds), int(amount))
            case ["hang"]:
                return Hang()
            case ["subscribe", address]:
                return Subscribe(address)
            case ["fail"]:
                return Fail()
        return Odd(line)

    def encode(self, message: Total) -> bytes:
        return b"%d\n" % message.total


@dataclass
class BeatCodec:
    """Numbers each datagram it makes, so that a snapshot must hold the encoder too."""

    sent: int = 0

    def decode(self, data: bytes):
        raise WireError("nothing comes in here")

    def encode(self, message: Beat) -> bytes:
        self.sent += 1
        return f"{self.sent} {message.n} {message.level}".encode()


@dataclass
class SubjectCodec:
    def decode(self, data: bytes, subject: str):
        if subject == "count.add":
            yield Add(int(data))

    def encode(self, message: Total) -> tuple[str, bytes]:
        return "count.total", b"%d" % message.total
