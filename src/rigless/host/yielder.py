"""The face of a program that yields robots, for parts of the host that drive one themselves."""

from collections.abc import Set
from typing import Protocol


class Yielder(Protocol):
    """A program that drives robots only while nothing else does."""

    @property
    def robots(self) -> Set[str]: ...

    @property
    def driving(self) -> bool:
        """True until the program has ended."""

    def claim(self, robot: str, by: str) -> None:
        """Withdraw the program and keep it away until `release`. `by` is for the log."""

    def release(self, robot: str) -> None:
        """End a claim; the program returns after its time."""
