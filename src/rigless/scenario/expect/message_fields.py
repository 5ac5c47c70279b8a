"""Check fields of messages, and the values expected of them, against the declared types.

A field that does not exist, or a value that its type does not have, is never seen. An expectation
not to see it would always hold.
"""

import types
from collections.abc import Iterable
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from rigless.kernel.problems import InputError, Problem, did_you_mean, unknown

ANYTHING = object()  # a value that is not compared


def check_field(message: type, path: str, wanted: Any = ANYTHING) -> None:
    """Raise InputError if messages of a type have no such field, or never with that value.

    A part of the path whose type is not declared can be anything.
    """
    options: list[Any] = [message]
    for part in path.split("."):
        known = [_fields(option) for option in options]
        if any(fields is None for fields in known):
            return
        found = [fields[part] for fields in known if fields and part in fields]
        if not found:
            declared = {name for fields in known for name in fields or ()}
            raise unknown(f"field of {message.__name__}", part, declared)
        options = [option for kind in found for option in _alternatives(kind)]
    if wanted is not ANYTHING and not any(_can_be(option, wanted) for option in options):
        values = [value for option in options for value in _values(option)]
        names = [option.__name__ for option in options if isinstance(option, type)]
        fix = did_you_mean(str(wanted), values) if values else f"it is {' or '.join(names)}"
        what = f"{message.__name__}.{path} is never {wanted!r}"
        raise InputError(Problem("where", what, fix))


def _alternatives(kind: Any) -> Iterable[Any]:
    """Return the types of a union, without None: a field that is None has no value."""
    if get_origin(kind) in (Union, types.UnionType):
        return [each for one in get_args(kind) for each in _alternatives(one)]
    return [] if kind is type(None) else [kind]


def _fields(kind: Any) -> dict[str, Any] | None:
    """Return the types of the fields of a class, or None if they are not declared."""
    names = getattr(kind, "__dataclass_fields__", None) or getattr(kind, "__struct_fields__", None)
    if not names:
        return {} if _is_plain(kind) else None
    try:
        hints = get_type_hints(kind)
    except (NameError, TypeError):  # types that are imported for the type checker only
        hints = {}
    return {name: hints.get(name, Any) for name in names}


def _is_plain(kind: Any) -> bool:
    return kind in (bool, int, float, str) or bool(_values(kind))


def _values(kind: Any) -> list[Any]:
    """Return all values of a type, or nothing if they cannot be listed."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return list(kind) if isinstance(kind, type) and issubclass(kind, Enum) else []


def _can_be(kind: Any, wanted: Any) -> bool:
    values = _values(kind)
    if values:
        return any(value == wanted for value in values)
    if kind is int:
        return isinstance(wanted, int | float) and wanted == int(wanted)
    if kind is float:
        return isinstance(wanted, int | float)
    if kind is bool:
        return wanted in (True, False)
    return isinstance(wanted, str) if kind is str else True
