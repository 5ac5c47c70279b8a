"""Plays the outputs of a recording on the real ports, at the recorded times.

Clients can connect and send, but they get what was recorded.
"""

from dataclasses import replace
from functools import partial

from rigless.host.host import Host
from rigless.host.pace import Pace
from rigless.kernel.inputs import AnyInput, Connect
from rigless.kernel.links import ALL
from rigless.kernel.listeners import Output
from rigless.kernel.ports import Port
from rigless.recordings.reader import Recording
from rigless.scenario.build import Built
from rigless.transports.capabilities import capabilities


class Playback(Host):
    """A host whose robots send only recorded outputs.

    Time starts with the first client, so that it misses nothing, or with `at_once` immediately.
    """

    def __init__(
        self, built: Built, recording: Recording, speed: float | str = 1.0, at_once: bool = False
    ):
        super().__init__(built, speed)
        self.paused = not at_once
        self.played = 0
        self.end_ns = self.sim.now_ns
        for record in recording:
            self.end_ns = max(self.end_ns, record.time_ns)
            if record.direction == "out":
                self.sim.core.call_at(
                    record.time_ns, partial(self._play, record.robot, record.port, *record.wire())
                )

    async def _open_port(self, robot: str, port: Port) -> None:
        """Open the port, but keep recorded commands away from real hardware."""
        if capabilities(port.transport).drives_hardware:
            port = replace(port, transport="memory")
        await super()._open_port(robot, port)

    def _check_pace(self, pace: Pace) -> None:
        return  # no hardware is open

    def _play(self, robot: str, port: str, data: bytes, subject: str) -> None:
        transport = self.transports.get((robot, port))
        if transport is not None:
            self.played += 1
            transport.send(ALL, data, subject)

    def _output(self, time_ns: int, output: Output) -> None:
        return  # outputs of the simulated robot are discarded

    def apply(self, given: AnyInput) -> None:
        super().apply(given)
        if isinstance(given, Connect):
            self.resume()
