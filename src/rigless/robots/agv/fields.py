"""Field types of robot_config.json: strict numbers, ids, and optional keys that may be null."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, StrictBool, model_validator
from pydantic_core import PydanticCustomError

from rigless.kernel.robot import Config

ID = r"^[A-Za-z0-9_-]{1,64}$"  # valid in a subject


def _number(value: Any) -> Any:
    """Reject strings and booleans: "1.2" and true are not numbers."""
    if isinstance(value, bool | str | bytes):
        raise PydanticCustomError("number_type", "it should be a number")
    return value


_NUMBER = BeforeValidator(_number)
Number = Annotated[float, _NUMBER]
Metres = Annotated[float, Field(gt=0, le=1000), _NUMBER]
Kilograms = Annotated[float, Field(ge=0, le=1e6), _NUMBER]
Watts = Annotated[float, Field(ge=0, le=1e6), _NUMBER]
WattHours = Annotated[float, Field(gt=0, le=1e7), _NUMBER]
Coordinate = Annotated[float, Field(ge=-1e6, le=1e6), _NUMBER]
Amount = Annotated[float, Field(ge=0, le=1e9), _NUMBER]
Seconds = Annotated[float, Field(ge=0, le=1e9), _NUMBER]
Chance = Annotated[float, Field(ge=0, le=1), _NUMBER]
Hz = Annotated[float, Field(gt=0, le=1000), _NUMBER]
Version = Annotated[int, Field(ge=1), _NUMBER]
Ticks = Annotated[int, Field(ge=1, le=1000), _NUMBER]
Millimetres = Annotated[int, Field(gt=0, le=50_000), _NUMBER]
Offset = Annotated[int, Field(ge=-50_000, le=50_000), _NUMBER]
Margin = Annotated[float, Field(ge=0, le=10), _NUMBER]
Milliseconds = Annotated[int, Field(ge=1, le=600_000), _NUMBER]
Cooldown = Annotated[int, Field(ge=0, le=3_600_000), _NUMBER]
Truth = StrictBool
Id = Annotated[str, Field(pattern=ID)]
Text = Annotated[str, Field(min_length=1, max_length=256)]
Bucket = dict[str, Any]


def nullable(schema: dict[str, Any]) -> None:
    """Allow null for each optional key in the schema, as `Part` does."""
    for name, inner in schema.get("properties", {}).items():
        inner.pop("title", None)  # only the key with a capital
        if name in schema.get("required", ()) or {"type": "null"} in inner.get("anyOf", ()):
            continue
        kept = {key: inner.pop(key) for key in ("description", "default") if key in inner}
        schema["properties"][name] = {"anyOf": [dict(inner), {"type": "null"}], **kept}


class Part(Config):
    """Base of all parts.

    A null means the same as an absent key, because many JSON writers emit it.
    """

    model_config = ConfigDict(json_schema_extra=nullable)

    @model_validator(mode="before")
    @classmethod
    def _null_is_nothing(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {
            key: value for key, value in given.items() if value is not None or key not in optional
        }
