"""The live simulation as something to look at."""

from rigless.host.host import Host
from rigless.kernel.simulation import Simulation


class Live:
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

    def watched(self, known_ns: int) -> None:
        """What was not seen of a live run is over."""
