"""Observers of compilation, for progress bars.

Compiling a robot's functions takes a minute after an installation. This module does not import
numba, so that a command which compiles nothing costs nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Observer(Protocol):
    """Receives the progress of compilation: a call before each function and one after it.

    `total` is the number of compiled functions in the modules that are imported so far. Not all of
    them are needed, and more may follow.
    """

    def begin(self, function: str) -> None: ...

    def end(self, done: int, total: int) -> None: ...


observers: list[Observer] = []  # only the last one is notified


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Notify an observer of everything that is compiled inside the block."""
    observers.append(observer)
    try:
        yield
    finally:
        observers.remove(observer)
