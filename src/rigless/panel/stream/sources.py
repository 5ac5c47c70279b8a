"""The simulations that clients can look at: the live one here, an open recording in `player.py`."""

from pathlib import Path
from typing import Protocol

from rigless.host.host import Host
from rigless.kernel.simulation import Simulation


class Source(Protocol):
    """A simulation to look at.

    `epoch` increases when time jumps. If the past is `fixed`, time may go back and forth over it
    and samples taken once stay valid.
    """

    name: str
    fixed: bool

    @property
    def sim(self) -> Simulation | None: ...

    @property
    def epoch(self) -> int: ...

    @property
    def path(self) -> Path | None:
        """The file of a recording; None if the simulation is live, or no recording is open."""

    def fill_history(self, known_ns: int) -> None:
        """Make up for samples that are missing after `known_ns`, where that is possible."""


class LiveSource:
    """The simulation of the running host."""

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

    @property
    def path(self) -> Path | None:
        return None

    def fill_history(self, known_ns: int) -> None:
        """Do nothing: the past of a live run cannot be sampled again."""
