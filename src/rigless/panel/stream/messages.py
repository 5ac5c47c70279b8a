"""The binary messages with frames and samples of a robot's page.

Little-endian float32 blocks follow a small header, so that a browser can use them in place:

    u8   kind: 1 frame, 2 history, 3 more samples
    u8   version of this layout
    u16  number of the page, as in the page message (`id`)
    u32  sequence number of the frame on this page
    u32  epoch; it increases when time jumps, and earlier frames become invalid
    u32  n, the number of fields
    f64  simulated time in seconds
    n ×  u32 number of the field, u32 count of its float32 values
    n ×  the float32 values

Fields of a frame: 0 the page's numbers, 1 the ends of its trails (x, y, z each), 2… the rows of
each drawn part, in the page's order. A field that has not changed since the client's last frame is
omitted. Fields of a history: 0 times relative to now, 1 the numbers at each of these times, 2… the
points of each trail, and after them, if there are trails, the times of their points. A message of
kind 3 has the same fields. It holds the samples between the
client's last frame and this one if that gap is long: after a step, or in fast time.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import fields as dataclass_fields
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.drawing import (
    Gauge,
    Hint,
    Jog,
    Lamp,
    Lines,
    Part,
    Plot,
    Slider,
    Trail,
    View,
    Word,
)
from rigless.kernel.plain import to_builtins
from rigless.scenario.kinds import kind_of, summary_of

VERSION = 2
FRAME, HISTORY, MORE = 1, 2, 3
_HEADER = struct.Struct("<BBHIIId")


def pack(
    kind: int,
    page: int,
    sequence: int,
    epoch: int,
    time_s: float,
    fields: Sequence[tuple[int, NDArray[np.float32]]],
) -> bytes:
    """Encode a binary message. `fields` are pairs of number and values."""
    header = _HEADER.pack(kind, VERSION, page, sequence & 0xFFFFFFFF, epoch, len(fields), time_s)
    index = b"".join(struct.pack("<II", number, values.size) for number, values in fields)
    return b"".join(
        [header, index, *(np.ascontiguousarray(values, "<f4").tobytes() for _, values in fields)]
    )


def unpack(data: bytes) -> tuple[int, int, int, int, float, dict[int, NDArray[np.float32]]]:
    """Decode a binary message into kind, page, sequence, epoch, time and fields by number."""
    kind, _, page, sequence, epoch, count, time_s = _HEADER.unpack_from(data)
    at = _HEADER.size + 8 * count
    values = {}
    for place in range(count):
        number, size = struct.unpack_from("<II", data, _HEADER.size + 8 * place)
        values[number] = np.frombuffer(data, "<f4", size, at)
        at += 4 * size
    return kind, page, sequence, epoch, time_s, values


def measures(view: View) -> list[str]:
    """Return the names of the numbers on a page, each once."""
    names: dict[str, None] = {}
    for part in view.parts:
        if isinstance(part, Gauge | Word | Lamp | Slider | Hint):
            names[part.name] = None
        elif isinstance(part, Jog):
            names |= dict.fromkeys(name for name, _, _ in part.axes)
        elif isinstance(part, Plot):
            names |= dict.fromkeys(name for name, _ in part.lines)
    return list(names)


def traces(view: View) -> list[str]:
    """Return the names of the trails on a page."""
    return [part.name for part in view.parts if isinstance(part, Trail)]


def page(source: str, robot: str, number: int, view: View) -> dict[str, Any]:
    """Return the message that describes a page."""
    return {
        "type": "page",
        "stage": source,
        "robot": robot,
        "id": number,
        "kind": kind_of(type(view.robot)),
        "about": summary_of(type(view.robot)),
        "parts": [_part(part) for part in view.parts],
        "measures": measures(view),
        "traces": traces(view),
    }


def listings(source: str, robot: str, lines: Mapping[str, Lines]) -> dict[str, Any]:
    """Return the message with the lines of a page's listings."""
    return {"type": "listings", "stage": source, "robot": robot, "listings": to_builtins(lines)}


def _part(part: Part) -> dict[str, Any]:
    values = {item.name: getattr(part, item.name) for item in dataclass_fields(part)}
    plain = to_builtins({"kind": type(part).__name__, "columns": part.columns, **values})
    return {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in plain.items()
    }
