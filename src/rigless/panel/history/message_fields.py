"""Fields of sent and received messages over time, from the moment that somebody picks them.

Messages are observed as they pass. Nothing is encoded or decoded for a plot: if a robot has no
peer on a port and is not recorded, it sends nothing there.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from math import inf, isfinite, nextafter
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from rigless.kernel.loop.listeners import Output
from rigless.kernel.plain import numbers_in, to_builtins
from rigless.kernel.ports import Link
from rigless.kernel.problems import InputError
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.panel.history.names import MESSAGES, Name
from rigless.panel.history.points import Points, points_of
from rigless.panel.history.pyramid import Pyramid
from rigless.scenario.expect.names import message_types
from rigless.scenario.expect.paths import member

BINS = 4096
MAX_PICKED = 64  # fields; the one not asked for the longest is dropped
MAX_SEEN = 1000  # types of messages, over all ports
MIN_STEP_S = 1e-3  # of two messages that are closer, the second is left out
MAX_DEPTH = 4  # of nested types

Key = tuple[str, str, str, str]  # robot, section, port, type


class _Field:
    """One field of one type of message."""

    def __init__(self, path: list[str]):
        self.path = path
        self.pyramid = Pyramid(1, BINS)
        self.finished = False  # all of a recording is read

    def add(self, time_s: float, content: Any) -> None:
        end_s = self.pyramid.end_s
        if self.finished:
            return
        if time_s < end_s:
            self.pyramid.forget_from(time_s)
        elif time_s < end_s + MIN_STEP_S:
            return
        try:
            value = content
            for part in self.path:
                value = member(value, part, "")
            number = float(value)
        except (InputError, TypeError, ValueError):
            return
        if isfinite(number):
            self.pyramid.append(time_s, number)


class MessageFields:
    """The picked fields of one simulation, and the types of messages that were seen."""

    def __init__(self, sim: Simulation):
        self.sim = sim
        self.seen: dict[Key, Any] = {}  # the newest message of each type
        self._fields: OrderedDict[str, _Field] = OrderedDict()
        self._by_type: dict[Key, list[_Field]] = {}
        self._listening = False

    def listen(self, on: bool) -> None:
        """Observe messages. Picked fields are observed until the end of the run."""
        on = on or bool(self._fields)
        if on == self._listening:
            return
        listeners = self.sim.core.listeners
        if on:
            listeners.output.append(self._sent)
            listeners.message.append(self._received)
        else:
            listeners.output.remove(self._sent)
            listeners.message.remove(self._received)
        self._listening = on

    def pick(self, name: Name) -> bool:
        """Keep a field from now on; return True if it is new."""
        text = str(name)
        if text in self._fields:
            self._fields.move_to_end(text)
            return False
        port, kind, path = name.message
        self._fields[text] = field = _Field(path)
        self._by_type.setdefault((name.robot, name.section, port, kind), []).append(field)
        if len(self._fields) > MAX_PICKED:
            _, dropped = self._fields.popitem(last=False)
            for fields in self._by_type.values():
                if dropped in fields:
                    fields.remove(dropped)
        self.listen(True)
        return True

    def read(self, name: Name, from_s: float, to_s: float, points: int) -> Points:
        """Return the points of a picked field in a time range."""
        field = self._fields.get(str(name))
        if field is None:
            return Points()
        return points_of(field.pyramid.read(from_s, to_s, points), 0, inf)

    def finish(self) -> None:
        """Keep the fields as they are: a recording is read to its end."""
        for field in self._fields.values():
            field.finished = True

    def start_over(self) -> None:
        """Empty the fields that are not finished: a recording is read from its start."""
        for field in self._fields.values():
            if not field.finished:
                field.pyramid = Pyramid(1, BINS)

    def forget_from(self, time_s: float) -> bool:
        """Drop the values after this time. One of this instant may be of a message just now."""
        after_s = nextafter(time_s, inf)
        return sum(field.pyramid.forget_from(after_s) for field in self._fields.values()) > 0

    def _sent(self, time_ns: int, output: Output) -> None:
        key = (output.robot, "out", output.port, output.type_name)
        self._note(time_ns, key, output.content)

    def _received(self, time_ns: int, robot: str, port: str, link: Link, message: Any) -> None:
        content = getattr(message, getattr(type(message), "CARRIES", ""), message)
        self._note(time_ns, (robot, "in", port, type(content).__name__), content)

    def _note(self, time_ns: int, key: Key, content: Any) -> None:
        if key in self.seen or len(self.seen) < MAX_SEEN:
            self.seen[key] = content
        for field in self._by_type.get(key, ()):
            field.add(time_ns / 1e9, content)

    def names(self, robot: Robot) -> list[Name]:
        """Return the fields with numbers: of the declared types, and of messages seen."""
        found: dict[Name, None] = {}
        for (name, section, port, kind), content in list(self.seen.items()):
            if name == robot.name:
                for path, _ in numbers_in(_plain(content), longest=16):
                    found[Name(name, section, f"{port}/{kind}.{path}")] = None
        for port_ in robot.ports:
            for section in MESSAGES:
                types = message_types(robot, port_, section) or {}
                for kind, type_ in types.items():
                    if (robot.name, section, port_.name, kind) in self.seen:
                        continue
                    for path in fields_of(type_):
                        found[Name(robot.name, section, f"{port_.name}/{kind}.{path}")] = None
        return list(found)


def _plain(content: Any) -> Any:
    try:
        return to_builtins(content)
    except (TypeError, ValueError, RecursionError):
        return {}


def fields_of(kind: Any, depth: int = MAX_DEPTH) -> Iterator[str]:
    """Yield the paths of numbers in a type of message, as far as the type tells."""
    if not depth or not (is_dataclass(kind) or _is_struct(kind)):
        return
    try:
        hints = get_type_hints(kind)
    except (NameError, TypeError, AttributeError):
        return
    names = getattr(kind, "__struct_fields__", None) or kind.__dataclass_fields__
    for name in names:
        for path in _paths(hints.get(name), depth - 1):
            yield f"{name}.{path}" if path else name


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _paths(hint: Any, depth: int) -> Iterator[str]:
    """Yield the paths of numbers in a value of this type; the empty path is the value itself."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield from _paths(args[0], depth)
    elif origin in (Union, UnionType):
        options = [option for option in args if option is not NoneType]
        if len(options) == 1 or all(option in (bool, int, float) for option in options):
            yield from _paths(options[0], depth)
    elif isinstance(hint, type) and issubclass(hint, (bool, int, float, np.number)):
        yield ""
    elif origin is tuple and Ellipsis not in args:
        for index, inner in enumerate(args):
            for path in _paths(inner, depth):
                yield f"{index}.{path}" if path else str(index)
    elif not isinstance(hint, Mapping):
        yield from fields_of(hint, depth)
