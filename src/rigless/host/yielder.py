"""The face of a program that yields robots, for parts of the host that drive one themselves."""

from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from typing import Protocol


class Yielder(Protocol):
    """A program that drives robots only while nothing else does.

    `counts_sent` is False while messages of the panel and the API are no driving.
    """

    counts_sent: bool

    @property
    def robots(self) -> Set[str]: ...

    @property
    def driving(self) -> bool:
        """True until the program has ended."""

    def claim(self, robot: str, by: str) -> None:
        """Withdraw the program and keep it away until `release`. `by` is for the log."""

    def release(self, robot: str) -> None:
        """End a claim; the program returns after its time."""


@contextmanager
def not_driving(yielders: Iterable[Yielder]) -> Iterator[None]:
    """Send messages for which programs do not yield."""
    for one in yielders:
        one.counts_sent = False
    try:
        yield
    finally:
        for one in yielders:
            one.counts_sent = True
