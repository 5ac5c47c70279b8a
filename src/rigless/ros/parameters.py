"""A robot's config as the parameters of its ROS node."""

from typing import Any

from pydantic import BaseModel

from rigless.ros.topics import ParameterValue


def parameters_of(config: BaseModel, without: tuple[str, ...] = ()) -> dict[str, ParameterValue]:
    """Return the keys of a config as dotted names. Lists of tables have no type in ROS."""
    found: dict[str, ParameterValue] = {}
    for name, value in config:
        if name not in without:
            _add(found, name, value)
    return dict(sorted(found.items()))


def _add(found: dict[str, ParameterValue], name: str, value: Any) -> None:
    if isinstance(value, BaseModel):
        for key, inner in value:
            _add(found, f"{name}.{key}", inner)
    elif isinstance(value, bool | int | float | str):
        found[name] = value
    elif isinstance(value, tuple | list) and value:
        if all(isinstance(item, str) for item in value):
            found[name] = tuple(value)
        elif all(isinstance(item, int | float) and not isinstance(item, bool) for item in value):
            found[name] = tuple(float(item) for item in value)
