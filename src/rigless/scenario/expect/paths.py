"""Read values of robots and fields of messages by a path such as truth.pose.0."""

from collections.abc import Mapping
from typing import Any

from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.robot import Robot

ROOTS = ("truth", "state", "metrics", "input", "sent", "received")


def look_up(robot: Robot, path: str) -> Any:
    """Return the value at a path such as truth.pose.0, metrics.switched or input.window_open."""
    root, *parts = path.split(".")
    if root not in ROOTS:
        raise InputError(
            Problem(
                path, f"a value starts with one of {', '.join(ROOTS)}", did_you_mean(root, ROOTS)
            )
        )
    value: Any = robot.truth() if root == "truth" else getattr(robot, root)
    for part in parts:
        if root == "metrics" and part not in value:
            return 0
        value = member(value, part, path)
    return value


def member(value: Any, part: str, path: str) -> Any:
    """Return an element or a field of a value. Raises InputError."""
    if isinstance(value, dict):
        options = [str(key) for key in value]
        if part in value:
            return value[part]
    elif hasattr(value, "__getitem__") and hasattr(value, "__len__"):
        if part.isascii() and part.isdigit() and len(part) < 10 and int(part) < len(value):
            return value[int(part)]
        if not part.isdigit():
            fix = _elements(path, part, value)
            raise InputError(Problem(path, f"there is no {part!r} here", fix))
        options = [str(index) for index in range(len(value))]
    else:
        fields = getattr(value, "__dataclass_fields__", ()) or getattr(
            value, "__struct_fields__", ()
        )
        options = [*(fields or getattr(value, "__dict__", ()))]
        if part in options:
            return getattr(value, part)
    raise InputError(Problem(path, f"there is no {part!r} here", did_you_mean(part, options)))


def _elements(path: str, part: str, value: Any) -> str:
    """Return the paths of the elements of a list, as the way to repair a wrong one."""
    if isinstance(value, str) or not len(value):
        return "it is a text" if isinstance(value, str) else "the list is empty"
    names = path.split(".")
    list_path = ".".join(names[: names.index(part)])
    last = f" to {list_path}.{len(value) - 1}" if len(value) > 1 else ""
    return f"it is a list: its elements are {list_path}.0{last}"


def matches(message: Any, where: Mapping[str, Any]) -> bool:
    """Return True if the fields of a message have these values. Raises InputError."""
    for path, wanted in where.items():
        value = message
        for part in path.split("."):
            value = None if value is None else member(value, part, path)
        if value != wanted:
            return False
    return True
