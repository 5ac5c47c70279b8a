"""The YAML file of a map: the keys of ROS map_server and ours, checked all at once with the lines they stand on."""

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from rigless.kernel.problems import InputError, Problem, did_you_mean

MOST_BYTES = 1_000_000


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
    """A map's YAML. `image`, `cliff_mask` and `materials` are image files of equal size, relative to the YAML's folder."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    image: FileName
    resolution: Annotated[Number, Field(gt=0)]  # metres per pixel
    origin: tuple[Number, Number, Number]  # x, y, yaw of the lower-left corner
    occupied_thresh: Share
    free_thresh: Share
    negate: bool
    mode: Annotated[Literal["trinary", "scale", "raw"], BeforeValidator(_lower)] = "trinary"
    cliff_mask: FileName | None = None  # ours: darker than half is a cliff
    materials: FileName | None = (
        None  # ours: 255 plain, 170 glass, 85 dark, 0 mirror; the nearest counts
    )

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


class Document:
    """A YAML file's keys, values and lines, and a way to say what is wrong with them."""

    def __init__(self, path: Path):
        self.file = str(path)
        self.problems: list[Problem] = []
        self.values: dict[Any, Any] = {}
        self._lines: dict[Any, int] = {}
        text = _text_of(path)
        try:
            top = yaml.compose(text, yaml.SafeLoader)
            values = yaml.safe_load(text)
        except Exception as error:  # PyYAML also lets through what its parts raise on odd scalars
            mark = getattr(error, "problem_mark", None)
            reason = getattr(error, "problem", None) or type(error).__name__
            raise InputError(
                Problem(
                    "",
                    f"this is not YAML: {reason}",
                    _YAML_FIX,
                    self.file,
                    mark.line + 1 if mark else 0,
                )
            ) from None
        if not isinstance(values, dict):
            raise InputError(
                Problem(
                    "",
                    "keys and values are expected, such as resolution: 0.05",
                    _YAML_FIX,
                    self.file,
                )
            )
        self.values = values
        for key, _ in top.value:
            if key.value in self._lines:
                self.blame(
                    str(key.value),
                    "this key is here twice",
                    "keep one of them",
                    key.start_mark.line + 1,
                )
            elif isinstance(key, yaml.ScalarNode):
                self._lines[key.value] = key.start_mark.line + 1

    def blame(self, key: str, what: str, fix: str = "", line: int = 0) -> None:
        self.problems.append(Problem(key, what, fix, self.file, line or self._lines.get(key, 0)))

    def validated(self) -> MapFile | None:
        """The model, or None with the reasons among the problems."""
        try:
            return MapFile.model_validate(self.values)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                key = str(detail["loc"][0]) if detail["loc"] else ""
                if detail["type"] in ("extra_forbidden", "invalid_key"):
                    self.blame(key, f"unknown key {key!r}", did_you_mean(key, MapFile.model_fields))
                elif detail["type"] == "missing" and len(detail["loc"]) == 1:
                    self.blame(key, "this key is missing", _FIXES[key])
                else:
                    self.blame(key, _reason(detail), _FIXES.get(key, "name an image file"))
            return None


_YAML_FIX = "name a map's YAML file, as ROS map_server takes it"


def _text_of(path: Path) -> str:
    try:
        if not path.is_file():
            raise InputError(Problem("", "there is no such map file", "check the path", str(path)))
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if data.startswith((b"P2", b"P5", b"\x89PNG")):
            raise InputError(Problem("", "this is an image", _YAML_FIX, str(path)))
        if len(data) > MOST_BYTES:
            raise InputError(
                Problem("", "this is too long for a map's YAML file", _YAML_FIX, str(path))
            )
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(
            Problem("", f"the file cannot be read: {reason}", _YAML_FIX, str(path))
        ) from None


def _reason(detail: Any) -> str:
    given, message = detail["input"], detail["msg"].removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    plain = isinstance(given, str | float | bool | None) or (
        isinstance(given, int) and abs(given) < 10**50
    )
    return f"{given!r} is not right: {message}" if plain and len(str(given)) < 60 else message
