"""The live simulation as something to look at."""

from typing import Protocol

from rigless.host.host import Host
from rigless.kernel.simulation import Simulation


class Source(Protocol):
    """What can be looked at: the live simulation, or a recording. `epoch` grows when time has jumped; where the past is
    `fixed`, time may go back and forth over it and what was seen stays true."""

    name: str
    fixed: bool

    @property
    def sim(self) -> Simulation | None: ...

    @property
    def epoch(self) -> int: ...

    def fill_history(self, known_ns: int) -> None:
        """Somebody begins to look at a robot that has been seen up to here."""


class LiveSource:
    name = "live"
    fixed = False

    def __init__(self, host: Host):
        self._host = host

    @property
    def sim(self) -> Simulation:
        return self._host.sim

    @property
    def epoch(self) -> int:
        return self._host.epoch

    def fill_history(self, known_ns: int) -> None:
        """What was not seen of a live run is over."""
