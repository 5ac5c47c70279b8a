"""Robots that tick at the same instants, and do most of these ticks in one call.

A robot class opts in with `@every(hz, together="name")`. The class method of this name gets robots
whose ticks are always due together, and returns groups of them. At each instant `Group.advance`
does the ticks of all members whose tick concerns only themselves, exactly as their own method
would, and returns the other members; these tick by themselves, in their usual order.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol


class Group(Protocol):
    """Robots that tick together."""

    robots: Sequence[Any]

    def advance(self) -> Iterable[int]:
        """Do the ticks of this instant. Return the places of members that tick by themselves."""
        ...

    def disturb(self, robot: Any, message: Any) -> None:
        """Let a robot tick by itself next time, if this message may change what its tick does."""
        ...

    def end(self) -> None:
        """Leave the members to themselves."""
        ...
