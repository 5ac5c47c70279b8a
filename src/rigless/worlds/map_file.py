"""The YAML file of a map: the keys of ROS map_server, and two of our own."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from rigless.kernel.documents import Document, parse_yaml
from rigless.kernel.documents.validation import examine
from rigless.kernel.problems import InputError, Problem
from rigless.worlds.text_file import read_text

MAX_BYTES = 1_000_000


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a number is expected")
    return value


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


Number = Annotated[float, BeforeValidator(_no_bool), Field(allow_inf_nan=False)]
Share = Annotated[Number, Field(ge=0, le=1)]
FileName = Annotated[str, StringConstraints(min_length=1)]


class MapFile(BaseModel):
    """The keys of a map's YAML file.

    `image`, `cliff_mask` and `materials` are image files of equal size. All files are relative to
    the YAML's folder.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    image: FileName
    resolution: Annotated[Number, Field(gt=0)]  # metres per pixel
    origin: tuple[Number, Number, Number]  # x, y, yaw of the lower-left corner
    occupied_thresh: Share = 0.65  # maps of the upstream mock lack one or more of these three
    free_thresh: Share = 0.196
    negate: bool = False
    mode: Annotated[Literal["trinary", "scale", "raw"], BeforeValidator(_lower)] = "trinary"
    cliff_mask: FileName | None = None  # ours: darker than half is a cliff
    # ours: 255 plain, 170 glass, 85 dark, 0 mirror; the nearest counts
    materials: FileName | None = None
    layout: FileName | None = None  # ours: a layout file of a warehouse, or a LIF file

    @model_validator(mode="after")
    def _thresholds_in_order(self) -> "MapFile":
        if self.free_thresh > self.occupied_thresh:
            raise ValueError(
                f"free_thresh {self.free_thresh} is above occupied_thresh {self.occupied_thresh}"
            )
        return self


_FIXES = {
    "image": "name the image file: image: map.pgm",
    "resolution": "metres per pixel: resolution: 0.05",
    "origin": "three numbers, the lower-left corner's x, y and yaw: origin: [-10.0, -10.0, 0.0]",
    "occupied_thresh": "a number from 0 to 1: occupied_thresh: 0.65",
    "free_thresh": "a number from 0 to 1: free_thresh: 0.196",
    "negate": "0 where white is free, 1 where black is free: negate: 0",
    "mode": "choose from: trinary, scale, raw",
    "": "let free_thresh be the smaller one, as in 0.196 and 0.65",
}


_YAML_FIX = "name a map's YAML file, as ROS map_server takes it"


def read_map_file(path: Path) -> tuple[MapFile | None, Document]:
    """Read a map's YAML file. Return its keys, or None, and the document with its problems.

    Raises InputError if the file cannot be read at all.
    """
    text = _text_of(path)
    document = parse_yaml(text, str(path))
    if not isinstance(document.data, dict):
        unreadable = [replace(problem, fix=_YAML_FIX) for problem in document.problems]
        what = "keys and values are expected, such as resolution: 0.05"
        raise InputError(unreadable or document.problem((), what, _YAML_FIX))
    config, problems = examine(MapFile, document.data)
    for problem in problems:
        key = str(problem.path[0]) if problem.path else ""
        fix = problem.fix or _FIXES.get(key, "name an image file")
        document.report(problem.path[:1], problem.what, fix)
    return config, document


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except (OSError, ValueError):
        head = b""
    if head.startswith((b"P2", b"P5", b"\x89PNG")):
        raise InputError(Problem("", "this is an image", _YAML_FIX, str(path)))
    return read_text(path, MAX_BYTES, _YAML_FIX)
