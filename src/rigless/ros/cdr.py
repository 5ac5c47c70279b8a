"""CDR, the encoding of ROS 2 messages (XCDR1, plain, after a header of four bytes).

The functions for a type are generated once. Numbers are aligned to their size, counted from the end
of the header. Consecutive fields of fixed size are one run, packed at once. The start of a run is
known only modulo 8, so there are eight packings for each.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from rigless.ros.layout import FORMATS, Array, Number, Sequence, Shape, Struct, Text, shapes

HEADERS = {
    b"\x00\x01": "<",
    b"\x00\x00": ">",
}  # first two bytes: plain CDR, little or big endian
LITTLE = b"\x00\x01\x00\x00"


def encode(message: Any) -> bytes:
    """Encode a message as little-endian CDR. Raises ValueError on values its type cannot hold."""
    try:
        kind: type = type(message)
        return _encoder(kind)(message)
    except (struct.error, OverflowError, TypeError, AttributeError, UnicodeError) as error:
        raise ValueError(f"{type(message).__name__}: {error}") from None


def decode(kind: type, data: bytes) -> Any:
    """Decode CDR. Raises ValueError on anything that is not a message of this type."""
    order = HEADERS.get(data[:2])
    if order is None or len(data) < 4:
        raise ValueError(f"{len(data)} bytes without the header of plain CDR")
    try:
        return _decoder(kind, order)(data)
    except (struct.error, IndexError):
        raise ValueError(f"{len(data)} bytes are too few for a {kind.__name__}") from None
    except UnicodeError:
        raise ValueError("text that is not UTF-8") from None


@dataclass
class Run:
    """Numbers that are packed at once: struct formats, and expressions for the values."""

    formats: list[str]
    values: list[str]
    counts: list[int]  # of numbers in each expression

    def packings(self, order: str) -> tuple[struct.Struct, ...]:
        """Return one packing for each start modulo 8, with its padding."""
        return tuple(struct.Struct(order + self._padded(start)) for start in range(8))

    def _padded(self, at: int) -> str:
        text = []
        for item in self.formats:
            size = struct.calcsize("<" + item[-1])
            gap = -at % size
            text.append("x" * gap + item)
            at += gap + struct.calcsize("<" + item)
        return "".join(text)


def _size(number: Number) -> int:
    return struct.calcsize("<" + FORMATS[number.name])


class _Writing:
    """The source of one generated function, and the names that it uses."""

    def __init__(self, order: str):
        self.order = order
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "np": np,
            "_many": _many,
            "_room": _room,
            "_text": _text,
            "_raw": _raw,
        }
        self.indent = 1
        self.counter = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def name(self, prefix: str, value: Any = None) -> str:
        self.counter += 1
        name = f"{prefix}{self.counter}"
        if value is not None:
            self.names[name] = value
        return name

    def compile(self, head: str) -> Callable[..., Any]:
        exec("\n".join([head, *self.lines]), self.names)
        function: Callable[..., Any] = self.names["function"]
        return function


def _number_run(shape: Shape, value: str, run: Run) -> bool:
    """Add a field to a run if it has a fixed size and holds numbers; return False if not."""
    match shape:
        case Number(name):
            run.formats.append(FORMATS[name])
            run.values.append(value)
            run.counts.append(1)
        case Array(Number("uint8"), length):
            run.formats.append(f"{length}s")
            run.values.append(value)
            run.counts.append(1)
        case Array(Number(name), length):
            run.formats.append(f"{length}{FORMATS[name]}")
            run.values.append(f"*{value}")
            run.counts.append(length)
        case _:
            return False
    return True


# Out


@cache
def _encoder(kind: type) -> Callable[[Any], bytes]:
    out = _Writing("<")
    out.line(f"out = bytearray({LITTLE!r})")
    run = Run([], [], [])
    _write_struct(out, kind, "message", run)
    _flush_out(out, run)
    out.line("return bytes(out)")
    return out.compile("def function(message):")


def _write_struct(out: _Writing, kind: type, source: str, run: Run) -> None:
    for name, shape in shapes(kind):
        value = f"{source}.{name}"
        if isinstance(shape, Struct):
            local = out.name("part")
            out.line(f"{local} = {value}")
            _write_struct(out, shape.type, local, run)
        elif not _number_run(shape, value, run):
            _write_dynamic(out, shape, value, run)


def _write_dynamic(out: _Writing, shape: Shape, value: str, run: Run) -> None:
    if isinstance(shape, Text):
        text = out.name("text")
        out.line(f"{text} = {value}.encode() + b'\\0'")
        run.formats.append("I")
        run.values.append(f"len({text})")
        run.counts.append(1)
        _flush_out(out, run)
        out.line(f"out += {text}")
        return
    assert isinstance(shape, Sequence)
    items = out.name("items")
    if isinstance(shape.item, Number):
        kind = np.dtype("<" + {"?": "u1"}.get(FORMATS[shape.item.name], FORMATS[shape.item.name]))
        out.line(f"{items} = {value}")
    else:
        out.line(f"{items} = {value}")
    run.formats.append("I")
    run.values.append(f"len({items})")
    run.counts.append(1)
    _flush_out(out, run)
    if isinstance(shape.item, Number):
        if _size(shape.item) == 8:
            out.line(
                f"if len({items}) and len(out) & 7 == 0: out += b'\\0\\0\\0\\0'"
            )  # the header has 4 bytes
        out.line(f"out += _raw({items}, {FORMATS[shape.item.name]!r}, {out.name('kind', kind)})")
        return
    item = out.name("item")
    out.line(f"for {item} in {items}:")
    out.indent += 1
    inner = Run([], [], [])
    if isinstance(shape.item, Text):
        _write_dynamic(out, shape.item, item, inner)
    else:
        _write_struct(out, shape.item.type, item, inner)
    _flush_out(out, inner)
    out.indent -= 1


def _flush_out(out: _Writing, run: Run) -> None:
    if run.formats:
        packs = tuple(packing.pack for packing in run.packings("<"))
        out.line(f"out += {out.name('packs', packs)}[len(out) - 4 & 7]({', '.join(run.values)})")
        run.formats, run.values, run.counts = [], [], []


# In


@cache
def _decoder(kind: type, order: str) -> Callable[[bytes], Any]:
    into = _Writing(order)
    into.line("at = 4")
    run = Run([], [], [])
    expression = _read_struct(into, kind, run)
    _flush_in(into, run)
    into.line(f"return {expression}")
    return into.compile("def function(data):")


def _read_struct(into: _Writing, kind: type, run: Run) -> str:
    """Generate reads of the fields into locals; return the expression for the message."""
    made = []
    for _, shape in shapes(kind):
        if isinstance(shape, Struct):
            made.append(_read_struct(into, shape.type, run))
            continue
        local = into.name("field")
        if not _number_run(shape, local, run):
            _read_dynamic(into, shape, local, run)
        made.append(local)
    return f"{into.name(kind.__name__, kind)}({', '.join(made)})"


def _read_dynamic(into: _Writing, shape: Shape, local: str, run: Run) -> None:
    count = into.name("count")
    run.formats.append("I")
    run.values.append(count)
    run.counts.append(1)
    _flush_in(into, run)
    if isinstance(shape, Text):
        into.line(f"{local} = _text(data, at, {count})")
        into.line(f"at += {count}")
        return
    assert isinstance(shape, Sequence)
    if isinstance(shape.item, Number):
        size = _size(shape.item)
        if size == 8:
            into.line(f"if {count} and at & 7 == 0: at += 4")
        into.line(f"_room(data, at, {count}, {size})")
        kind = np.dtype(
            into.order + {"?": "u1"}.get(FORMATS[shape.item.name], FORMATS[shape.item.name])
        )
        into.line(f"{local} = _many(data, at, {count}, {into.name('kind', kind)})")
        into.line(f"at += {count} * {size}")
        return
    into.line(f"_room(data, at, {count}, 1)")  # every item takes at least a byte
    items, number = into.name("items"), into.name("number")
    into.line(f"{items} = []")
    into.line(f"for {number} in range({count}):")
    into.indent += 1
    inner = Run([], [], [])
    if isinstance(shape.item, Text):
        item = into.name("item")
        _read_dynamic(into, shape.item, item, inner)
    else:
        item = _read_struct(into, shape.item.type, inner)
    _flush_in(into, inner)
    into.line(f"{items}.append({item})")
    into.indent -= 1
    into.line(f"{local} = tuple({items})")


def _flush_in(into: _Writing, run: Run) -> None:
    if run.formats:
        packings = into.name("unpack", run.packings(into.order))
        packing = into.name("packing")
        into.line(f"{packing} = {packings}[at - 4 & 7]")
        _unpack(into, run, packing)
        into.line(f"at += {packing}.size")
        run.formats, run.values, run.counts = [], [], []


def _unpack(into: _Writing, run: Run, packing: str) -> None:
    """Generate the unpacking of a run. Arrays in a run are slices of the result."""
    found = into.name("values")
    into.line(f"{found} = {packing}.unpack_from(data, at)")
    at, parts = 0, []
    for value, count in zip(run.values, run.counts, strict=True):
        parts.append(f"{found}[{at}:{at + count}]" if value.startswith("*") else f"{found}[{at}]")
        at += count
    if at == len(parts):
        into.line(f"{', '.join(run.values)}, = {found}")
    else:
        into.line(f"{', '.join(value.lstrip('*') for value in run.values)}, = {', '.join(parts)},")


def _raw(items: Any, letter: str, kind: "np.dtype[Any]") -> bytes:
    """Return numbers as bytes; tuples are faster without numpy."""
    if not isinstance(items, np.ndarray):
        return struct.pack(f"<{len(items)}{letter}", *items)
    if items.ndim != 1:
        raise TypeError("a sequence has one dimension")
    return items.astype(kind, copy=False).tobytes()


def _room(data: bytes, at: int, count: int, size: int) -> None:
    """Check that a length from outside fits into the data."""
    if count * size > len(data) - at:
        raise ValueError(
            f"a length of {count} is more than the {len(data)} bytes of the message hold"
        )


def _many(data: bytes, at: int, count: int, kind: "np.dtype[Any]") -> tuple[Any, ...]:
    return tuple(np.frombuffer(data, kind, count, at).tolist())


def _text(data: bytes, at: int, count: int) -> str:
    _room(data, at, count, 1)
    if count and data[at + count - 1]:
        raise ValueError("text without a zero at its end")
    return data[at : at + count - 1].decode() if count else ""
