"""Faults of sensors in a batch: they change the readings that it returns, not its robots."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.faults import Fault, sense

KINDS = ("off", "stuck", "bias", "wrong")  # those that draw no random numbers
NONE = -1


class Sensed(NamedTuple):
    """The readings of some robots under one kind of fault; `values` is None if they are silent."""

    rows: NDArray[np.intp]
    kind: str
    values: Any


class SensorFaults:
    """The faults of one sensor, at most one for each robot.

    A fault acts on the readings that follow its begin. `counter` is the column of the robots'
    counters that numbers them. Kinds in `holding` keep the first of these readings.
    """

    def __init__(self, n: int, counter: int, holding: tuple[str, ...]):
        self.counter = counter
        self._holding = [KINDS.index(kind) for kind in holding]
        self._kinds = np.full(n, NONE)
        self._values = np.zeros(n)
        self._since = np.zeros(n, np.int64)
        self._waits = np.zeros(n, bool)
        self._held: Any = None

    def begin(self, rows: Any, kind: str, value: float, counters: NDArray[np.int64]) -> None:
        """Begin a fault on some robots, in place of another one."""
        number = KINDS.index(kind)
        self._kinds[rows], self._values[rows] = number, value
        self._since[rows] = counters[rows, self.counter]
        self._waits[rows] = number in self._holding

    def end(self, rows: Any) -> None:
        """End the faults of some robots."""
        self._kinds[rows], self._waits[rows] = NONE, False

    @property
    def any(self) -> bool:
        """True if a robot has a fault."""
        return bool((self._kinds != NONE).any())

    @property
    def waiting(self) -> NDArray[np.intp]:
        """Robots whose fault will keep the next reading."""
        return np.flatnonzero(self._waits)

    def hold(self, values: NDArray[Any], counters: NDArray[np.int64]) -> None:
        """Keep the readings of waiting robots that have a new one."""
        rows = np.flatnonzero(self._waits & (counters[:, self.counter] > self._since))
        self.keep(rows, values)

    def keep(self, rows: Any, values: NDArray[Any]) -> None:
        """Keep these readings of some robots."""
        if self._held is None:
            self._held = np.zeros_like(values)
        self._held[rows] = values[rows]
        self._waits[rows] = False

    def held(self, rows: NDArray[np.intp]) -> Any:
        """Return the readings that faults of some robots keep."""
        return self._held[rows]

    def apply(self, values: NDArray[Any], counters: NDArray[np.int64]) -> Iterator[Sensed]:
        """Yield the faulty readings of all robots that have some, kind by kind.

        `values` are the true readings, a row per robot.
        """
        active = (counters[:, self.counter] > self._since) & ~self._waits
        for number, kind in enumerate(KINDS):
            rows = np.flatnonzero(active & (self._kinds == number))
            if not len(rows):
                continue
            params = {"value": self._values[rows].reshape(-1, *(1,) * (values.ndim - 1))}
            memory = {"value": self._held[rows]} if kind == "stuck" else {}
            fault = Fault(0, "", "", kind, "sensor", params, 0, memory=memory)
            nothing_drawn: Any = None
            yield Sensed(rows, kind, sense(fault, values[rows], nothing_drawn))
