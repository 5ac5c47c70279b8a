"""The model of a robot's page for OpenAPI and the front end.

A page is a list of parts (`rigless.kernel.drawing`). `PagePart` is one flat model that has the
fields of all kinds of parts, made from their classes; fields that a kind does not have are absent.
"""

from dataclasses import fields, is_dataclass
from functools import reduce
from operator import or_
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, Field, create_model
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.kernel import drawing
from rigless.panel.api_models import StageName

PARTS = [
    kind
    for kind in vars(drawing).values()
    if isinstance(kind, type) and issubclass(kind, drawing.Part) and kind is not drawing.Part
]


class Solid(TypedDict):
    """A body: sizes, centre, colour and quaternion; a mesh has base64 of points and triangles."""

    kind: Literal["box", "cylinder", "sphere", "mesh"]
    size_m: list[float]
    at: tuple[float, float, float]
    colour: str
    turn: tuple[float, float, float, float]
    points: str
    triangles: str
    name: str


def _json_type(hint: Any) -> Any:
    """Return the type that a value has in JSON: limits may be infinite, which is null."""
    if hint is drawing.Solid:
        return Solid
    if hint is float:
        return float | None
    origin, inner = get_origin(hint), get_args(hint)
    if origin is tuple and inner[-1] is ...:
        return list[_json_item(inner[0])]  # type: ignore[misc]
    if origin in (Union, UnionType):
        return reduce(or_, (_json_type(kind) for kind in inner))
    return hint


def _json_item(hint: Any) -> Any:
    """Return the JSON type of an item of a list."""
    return float if hint is float else _json_type(hint)


def _part_fields() -> dict[str, Any]:
    common = {field.name for field in fields(drawing.Part)}
    types: dict[str, Any] = {}
    for part in PARTS:
        assert is_dataclass(part)
        hints = get_type_hints(part)
        for field in fields(part):
            hint = _json_type(hints[field.name])
            types[field.name] = types[field.name] | hint if field.name in types else hint
    return {
        name: (hint, ... if name in common else Field(default=None)) for name, hint in types.items()
    }


PartKind: Any = Literal[tuple(part.__name__ for part in PARTS)]
PagePart = create_model(
    "PagePart",
    __config__=ConfigDict(extra="forbid"),
    __doc__="A part of a robot's page. `columns` is the number of values in a row of its drawing.",
    kind=(PartKind, ...),
    columns=(int, ...),
    **_part_fields(),
)


class Page(TypedDict):
    """A robot's page: its parts, and the names of the numbers and trails in its frames."""

    type: Literal["page"]
    stage: StageName
    robot: str
    id: int
    kind: str
    about: str
    parts: list[PagePart]  # type: ignore[valid-type]
    measures: list[str]
    traces: list[str]
