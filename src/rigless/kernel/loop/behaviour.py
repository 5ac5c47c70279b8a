"""The declarations of a robot class: its ticks (`@every`) and its handlers (`@on`)."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.inputs import SetInput
from rigless.kernel.plain import to_builtins
from rigless.kernel.ports import Connected, Disconnected
from rigless.kernel.problems import InputError, Problem, did_you_mean, unknown
from rigless.kernel.robot import RateOf, Robot

# handled, but not sent by a peer
INTERNAL = (Connected, Disconnected, SetInput, Injected, Cleared)


class Behaviour:
    """The ticks and handlers of one robot class."""

    def __init__(self, robot: type[Robot]):
        self._every: dict[str, RateOf] = {}
        self.fast_forwards: dict[str, str] = {}
        self.look_aheads: dict[str, str] = {}
        self.groups: dict[str, str] = {}  # method → class method that makes groups
        self._on: dict[type, str] = {}
        for base in reversed(robot.__mro__):
            for name, member in vars(base).items():
                if (hz := getattr(member, "__rigless_every__", None)) is not None:
                    self._every[name] = hz
                    self.fast_forwards[name] = getattr(member, "__rigless_fast_forward__", "")
                    self.look_aheads[name] = getattr(member, "__rigless_look_ahead__", "")
                    self.groups[name] = getattr(member, "__rigless_together__", "")
                for kind in getattr(member, "__rigless_on__", ()):
                    self._on[kind] = name
        # an envelope is composed by the codec of its port
        self._types = {kind.__name__: kind for kind in self._on if not hasattr(kind, "CARRIES")}
        self._handlers: dict[type, str | None] = {}

    @property
    def accepted_types(self) -> dict[str, type]:
        """The types of messages from peers that the robot handles, by name."""
        return {name: kind for name, kind in self._types.items() if kind not in INTERNAL}

    def rates(self, config: Any) -> Iterator[tuple[str, float]]:
        """Yield the names of methods with their rates, in the order of declaration."""
        for name, hz in self._every.items():
            yield name, hz(config) if callable(hz) else hz

    def handler(self, kind: type) -> str | None:
        """Return the method that handles this type, or a base of it, or None."""
        if kind not in self._handlers:
            self._handlers[kind] = next(
                (self._on[base] for base in kind.__mro__ if base in self._on), None
            )
        return self._handlers[kind]

    def message(self, type_name: str, fields: Mapping[str, Any]) -> Any:
        """Return a message object, given the name of its type and its fields. Raises InputError."""
        if type_name not in self._types:
            raise unknown("message type", type_name, self._types)
        return message_from(self._types[type_name], fields)

    def describe(self, message: Any) -> tuple[str, dict[str, Any]]:
        """Return the name of a message's type and its fields; the opposite of `message`.

        A value that is no message has no fields. Raises InputError.
        """
        if isinstance(message, Mapping):
            fields = dict(message)
            return str(fields.pop("type", "")), fields
        name = type(message).__name__
        try:
            plain = to_builtins(message)
        except TypeError as error:
            fix = 'give a message object, a dictionary with a "type", or bytes'
            raise InputError(Problem(name, str(error), fix)) from None
        return name, plain if isinstance(plain, dict) else {}


def message_from(kind: type, fields: Mapping[str, Any]) -> Any:
    """Return a message of this type with these fields. Raises InputError."""
    type_name, known = kind.__name__, _fields(kind)
    unknown_fields = [
        Problem(type_name, f"unknown field {name!r}", did_you_mean(name, known))
        for name in fields
        if name not in known
    ]
    if unknown_fields:
        raise InputError(unknown_fields)
    try:
        return msgspec.convert(dict(fields), kind, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(
            Problem(type_name, str(error), f"its fields: {', '.join(known)}")
        ) from None


def _fields(kind: type) -> list[str]:
    return [
        name for base in reversed(kind.__mro__) for name in getattr(base, "__annotations__", {})
    ]
