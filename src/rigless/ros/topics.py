"""ROS 2 nodes as data: topics with their types and quality of service.

A robot uses its own names for its topics ("imu"); namespace and remaps give the names on the wire
("/rover_1/imu").
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
LONGEST_NAME = 246  # rmw's limit of a topic's name


@dataclass(frozen=True)
class Topic:
    """One topic of a robot. `depth` is the number of messages kept for a late or slow reader."""

    name: str
    type: type
    direction: Literal["in", "out"]
    reliable: bool = True
    transient_local: bool = False
    depth: int = 10


ParameterValue = bool | int | float | str | tuple[float, ...] | tuple[str, ...]


@dataclass(frozen=True)
class Node:
    """A ROS node: its name, topics, namespace, remaps and read-only parameters."""

    name: str
    topics: tuple[Topic, ...]
    namespace: str = "/"
    remaps: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    def full_name(self, name: str) -> str:
        """Return the name on the wire of a topic."""
        rules = {self._expand(old): self._expand(new) for old, new in self.remaps.items()}
        own = self._expand(name)
        return rules.get(own, own)

    @property
    def full_namespace(self) -> str:
        return "/" + self.namespace.strip("/")

    def _expand(self, name: str) -> str:
        if name.startswith("/"):
            return name
        if name.startswith("~/"):
            name = f"{self.name}/{name[2:]}"
        return f"{self.full_namespace.rstrip('/')}/{name}"


def name_problem(name: str) -> str:
    """Return why a topic, node or namespace name is not valid in ROS; empty if it is."""
    tokens = name.removeprefix("~/").removeprefix("/").split("/") if name != "/" else []
    bad = next((token for token in tokens if not _TOKEN.match(token)), None)
    if bad is not None:
        what = f"{bad!r} in it" if bad else "an empty part of it"
        rule = "use letters, digits and _, not starting with a digit"
        return f"{name!r} is no ROS name: {what} is not allowed; {rule}"
    return f"{name[:20]!r}… is longer than {LONGEST_NAME}" if len(name) > LONGEST_NAME else ""
