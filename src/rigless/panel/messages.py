"""How pictures travel to the browser: little-endian float32 blocks behind a small header, so that it can use them in place.

    u8   kind: 1 a frame, 2 a history, 3 more of it
    u8   version of this layout
    u16  the page's number, as its JSON said
    u32  sequence, which counts the pictures of this page
    u32  epoch, which grows when time has jumped; what was drawn before is then void
    u32  n, how many fields follow
    f64  simulated time in seconds
    n ×  u32 the field's number, u32 how many float32 it has
    n ×  its float32

Fields of a frame: 0 the page's numbers, 1 the ends of its trails (x, y, z each), 2… the rows of each drawn part, in the page's
order. A field that has not changed since the client's last frame is left out. Fields of a history: 0 times before now, 1 the
numbers at each of these times, 2… the points of each trail. More of it is what lies between the client's last picture and this one,
where that is long: after a step, in fast time.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import fields
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.drawing import Gauge, Jog, Lamp, Lines, Part, Plot, Slider, Trail, View, Word
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
    found: Sequence[tuple[int, NDArray[np.float32]]],
) -> bytes:
    header = _HEADER.pack(kind, VERSION, page, sequence & 0xFFFFFFFF, epoch, len(found), time_s)
    index = b"".join(struct.pack("<II", number, values.size) for number, values in found)
    return b"".join(
        [header, index, *(np.ascontiguousarray(values, "<f4").tobytes() for _, values in found)]
    )


def unpack(data: bytes) -> tuple[int, int, int, int, float, dict[int, NDArray[np.float32]]]:
    """Kind, page, sequence, epoch, time and fields by number: what the browser does, for tests and other clients."""
    kind, _, page, sequence, epoch, count, time_s = _HEADER.unpack_from(data)
    at = _HEADER.size + 8 * count
    found = {}
    for place in range(count):
        number, size = struct.unpack_from("<II", data, _HEADER.size + 8 * place)
        found[number] = np.frombuffer(data, "<f4", size, at)
        at += 4 * size
    return kind, page, sequence, epoch, time_s, found


def measures(view: View) -> list[str]:
    """The names of the numbers on a page, each once."""
    names: dict[str, None] = {}
    for part in view.parts:
        if isinstance(part, Gauge | Word | Lamp | Slider):
            names[part.name] = None
        elif isinstance(part, Jog):
            names |= dict.fromkeys(name for name, _, _ in part.axes)
        elif isinstance(part, Plot):
            names |= dict.fromkeys(name for name, _ in part.lines)
    return list(names)


def traces(view: View) -> list[str]:
    return [part.name for part in view.parts if isinstance(part, Trail)]


def page(stage: str, robot: str, number: int, view: View) -> dict[str, Any]:
    """What a page consists of, for the browser."""
    return {
        "type": "page",
        "stage": stage,
        "robot": robot,
        "id": number,
        "kind": kind_of(type(view.robot)),
        "about": summary_of(type(view.robot)),
        "parts": [_part(part) for part in view.parts],
        "measures": measures(view),
        "traces": traces(view),
    }


def listings(stage: str, robot: str, found: Mapping[str, Lines]) -> dict[str, Any]:
    """What the listings of a page show; text does not go with the pictures."""
    return {"type": "listings", "stage": stage, "robot": robot, "listings": to_builtins(found)}


def _part(part: Part) -> dict[str, Any]:
    values = {item.name: getattr(part, item.name) for item in fields(part)}
    plain = to_builtins({"kind": type(part).__name__, "columns": part.columns, **values})
    return {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in plain.items()
    }
