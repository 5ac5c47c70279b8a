"""The Foxglove schemas that rigless writes, as JSON schemas.

Names, fields, types and enum values are those of https://github.com/foxglove/foxglove-sdk (folder
schemas/jsonschema, MIT), without the descriptions. `definition` gives the text for a channel.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

Json = dict[str, Any]

LINE_STRIP, LINE_LOOP, LINE_LIST = 0, 1, 2
MATCHING_ID = 0
UINT8, FLOAT32 = 1, 7
DIAGONAL_KNOWN = 2

_NUMBER: Json = {"type": "number"}
_COUNT: Json = {"type": "integer", "minimum": 0}
_TEXT: Json = {"type": "string"}
_FLAG: Json = {"type": "boolean"}
_BYTES: Json = {"type": "string", "contentEncoding": "base64"}
_ANY: Json = {"type": "object"}


def _object(title: str, **fields: Json) -> Json:
    return {"title": title, "type": "object", "properties": fields, "required": list(fields)}


def _list(item: Json, **limits: int) -> Json:
    return {"type": "array", "items": item, **limits}


def _enum(title: str, names: Sequence[str]) -> Json:
    values = [{"title": name, "const": value} for value, name in enumerate(names)]
    return {"title": title, "oneOf": values}


_SPAN = {"sec": {"type": "integer"}, "nsec": {**_COUNT, "maximum": 999_999_999}}
_TIME: Json = {"type": "object", "title": "time", "properties": {**_SPAN, "sec": _COUNT}}
_DURATION: Json = {"type": "object", "title": "duration", "properties": _SPAN}
_VECTOR2 = _object("foxglove.Vector2", x=_NUMBER, y=_NUMBER)
_VECTOR3 = _object("foxglove.Vector3", x=_NUMBER, y=_NUMBER, z=_NUMBER)
_POINT3 = _object("foxglove.Point3", x=_NUMBER, y=_NUMBER, z=_NUMBER)
_TURN = _object("foxglove.Quaternion", x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER)
_POSE = _object("foxglove.Pose", position=_VECTOR3, orientation=_TURN)
_COLOR = _object("foxglove.Color", r=_NUMBER, g=_NUMBER, b=_NUMBER, a=_NUMBER)
_NUMERIC = _enum(
    "foxglove.NumericType",
    ("UNKNOWN", "UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "FLOAT32", "FLOAT64"),
)
_FIELD = _object("foxglove.PackedElementField", name=_TEXT, offset=_COUNT, type=_NUMERIC)
_ARROW = _object(
    "foxglove.ArrowPrimitive",
    pose=_POSE,
    shaft_length=_NUMBER,
    shaft_diameter=_NUMBER,
    head_length=_NUMBER,
    head_diameter=_NUMBER,
    color=_COLOR,
)
_CYLINDER = _object(
    "foxglove.CylinderPrimitive",
    pose=_POSE,
    size=_VECTOR3,
    bottom_scale=_NUMBER,
    top_scale=_NUMBER,
    color=_COLOR,
)
_LINE = _object(
    "foxglove.LinePrimitive",
    type=_enum("foxglove.LineType", ("LINE_STRIP", "LINE_LOOP", "LINE_LIST")),
    pose=_POSE,
    thickness=_NUMBER,
    scale_invariant=_FLAG,
    points=_list(_POINT3),
    color=_COLOR,
    colors=_list(_COLOR),
    indices=_list(_COUNT),
)
_TRIANGLES = _object(
    "foxglove.TriangleListPrimitive",
    pose=_POSE,
    points=_list(_POINT3),
    color=_COLOR,
    colors=_list(_COLOR),
    indices=_list(_COUNT),
)
_LABEL = _object(
    "foxglove.TextPrimitive",
    pose=_POSE,
    billboard=_FLAG,
    font_size=_NUMBER,
    scale_invariant=_FLAG,
    color=_COLOR,
    text=_TEXT,
)
_MODEL = _object(
    "foxglove.ModelPrimitive",
    pose=_POSE,
    scale=_VECTOR3,
    color=_COLOR,
    override_color=_FLAG,
    url=_TEXT,
    media_type=_TEXT,
    data=_BYTES,
)
_ENTITY = _object(
    "foxglove.SceneEntity",
    timestamp=_TIME,
    frame_id=_TEXT,
    id=_TEXT,
    lifetime=_DURATION,
    frame_locked=_FLAG,
    metadata=_list(_object("foxglove.KeyValuePair", key=_TEXT, value=_TEXT)),
    arrows=_list(_ARROW),
    cubes=_list(_object("foxglove.CubePrimitive", pose=_POSE, size=_VECTOR3, color=_COLOR)),
    spheres=_list(_object("foxglove.SpherePrimitive", pose=_POSE, size=_VECTOR3, color=_COLOR)),
    cylinders=_list(_CYLINDER),
    lines=_list(_LINE),
    triangles=_list(_TRIANGLES),
    texts=_list(_LABEL),
    models=_list(_MODEL),
)
_DELETION = _object(
    "foxglove.SceneEntityDeletion",
    timestamp=_TIME,
    type=_enum("foxglove.SceneEntityDeletionType", ("MATCHING_ID", "ALL")),
    id=_TEXT,
)
_TRANSFORM = _object(
    "foxglove.FrameTransform",
    timestamp=_TIME,
    parent_frame_id=_TEXT,
    child_frame_id=_TEXT,
    translation=_VECTOR3,
    rotation=_TURN,
)
_LEVELS = ("UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL")
_COVARIANCES = ("UNKNOWN", "APPROXIMATED", "DIAGONAL_KNOWN", "KNOWN")
_FRAMED = {"timestamp": _TIME, "frame_id": _TEXT}

_ALL = (
    _object("foxglove.PoseInFrame", **_FRAMED, pose=_POSE),
    _object("foxglove.FrameTransforms", transforms=_list(_TRANSFORM)),
    _object("foxglove.SceneUpdate", deletions=_list(_DELETION), entities=_list(_ENTITY)),
    _object(
        "foxglove.Grid",
        **_FRAMED,
        pose=_POSE,
        column_count=_COUNT,
        cell_size=_VECTOR2,
        row_stride=_COUNT,
        cell_stride=_COUNT,
        fields=_list(_FIELD),
        data=_BYTES,
    ),
    _object(
        "foxglove.PointCloud",
        **_FRAMED,
        pose=_POSE,
        point_stride=_COUNT,
        fields=_list(_FIELD),
        data=_BYTES,
    ),
    _object(
        "foxglove.LaserScan",
        **_FRAMED,
        pose=_POSE,
        start_angle=_NUMBER,
        end_angle=_NUMBER,
        ranges=_list(_NUMBER),
        intensities=_list(_NUMBER),
    ),
    _object(
        "foxglove.LocationFix",
        **_FRAMED,
        latitude=_NUMBER,
        longitude=_NUMBER,
        altitude=_NUMBER,
        position_covariance=_list(_NUMBER, minItems=9, maxItems=9),
        position_covariance_type=_enum("foxglove.PositionCovarianceType", _COVARIANCES),
    ),
    _object(
        "foxglove.Log",
        timestamp=_TIME,
        level=_enum("foxglove.LogLevel", _LEVELS),
        message=_TEXT,
        name=_TEXT,
        file=_TEXT,
        line=_COUNT,
        code=_TEXT,  # ours: the event's code and data
        data=_ANY,
    ),
)
SCHEMAS: dict[str, Json] = {schema["title"]: schema for schema in _ALL}


@cache
def definition(name: str) -> bytes:
    """Return the JSON schema of a name as text."""
    return msgspec.json.encode(SCHEMAS[name])
