"""Plays the outputs of a recording on the real ports, at the recorded times.

Clients can connect and send, but they get what was recorded. Where the robot answers its clients,
`recorded_answers.py` ties the recorded answers to their requests.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from rigless.host.host import NEVER_NS, Host
from rigless.host.recorded_answers import RecordedAnswers
from rigless.host.timing.pace import Pace
from rigless.kernel.inputs import AnyInput, Arrive, Connect
from rigless.kernel.loop.links import ALL
from rigless.kernel.loop.listeners import Output
from rigless.kernel.ports import Port
from rigless.kernel.simulation import RobotError
from rigless.recordings.inputs import InputDecoder, Ports, ports_of
from rigless.recordings.reader import Record, Recording
from rigless.scenario.build import Built
from rigless.transports.capabilities import capabilities

FIRST_NS = 1  # calls of time zero are made while the host opens, before there are clients


class Playback(Host):
    """A host whose robots send only recorded outputs.

    Time starts with the first client, so that it misses nothing, or with `at_once` immediately. It
    starts at `begin_ns`, or at the start of the recording.
    """

    def __init__(
        self,
        built: Built,
        recording: Recording,
        speed: float | str = 1.0,
        at_once: bool = False,
        begin_ns: int = 0,
    ):
        super().__init__(built, speed)
        self.paused = not at_once
        self.hold_ns = NEVER_NS  # time does not go beyond this
        self.end_ns = self.sim.now_ns
        self._sent = 0
        self._ports = ports_of(self.sim.robots.values())
        self._answers = {
            place: self._answers_of(place, port)
            for place, port in self._ports.items()
            if port.answers
        }
        for record in recording:
            self.end_ns = max(self.end_ns, record.time_ns)
            if record.direction == "out":
                self._plan(record)
            elif record.direction == "in" and (record.robot, record.port) in self._answers:
                entry = record.input()
                if entry.source == "live":
                    self._answers[record.robot, record.port].add_input(record.time_ns, entry.given)
        if begin_ns > self.sim.now_ns:
            self.sim.run_until(begin_ns - 1)  # outputs at that very instant are played

    @property
    def played(self) -> int:
        """The number of recorded messages that were sent."""
        return self._sent + sum(one.sent for one in self._answers.values())

    def _answers_of(self, place: tuple[str, str], port: Port) -> RecordedAnswers:
        return RecordedAnswers(
            port,
            InputDecoder(self._ports),
            partial(self._transmit, place),
            self._call_at,
            lambda: self.sim.now_ns,
        )

    def _call_at(self, time_ns: int, call: Callable[[], None]) -> None:
        self.sim.core.call_at(max(time_ns, self.sim.now_ns), call)

    def _plan(self, record: Record) -> None:
        """Send an output as an answer, or to all clients at its time."""
        place = (record.robot, record.port)
        answers = self._answers.get(place)
        if answers is not None and answers.add_output(record, record.link()):
            return
        if answers is None or record.link() == ALL:
            time_ns = max(record.time_ns, FIRST_NS)
            self._call_at(time_ns, partial(self._play, place, *record.wire()))

    async def _open_port(self, robot: str, port: Port) -> None:
        """Open the port, but keep recorded commands away from real hardware and files."""
        if capabilities(port.transport).without_clients:
            port = replace(port, transport="memory")
        await super()._open_port(robot, port)

    def _until_end(self, time_ns: int) -> int:
        return super()._until_end(min(time_ns, self.hold_ns))

    def _check_pace(self, pace: Pace) -> None:
        return  # no hardware is open

    def _play(self, place: tuple[str, str], data: bytes, subject: str) -> None:
        if place in self.transports:
            self._sent += 1
            self._transmit(place, ALL, data, subject)

    def _transmit(self, place: tuple[str, str], link: int, data: bytes, subject: str) -> None:
        transport = self.transports.get(place)
        if transport is not None:
            transport.send(link, data, subject)

    def _output(self, time_ns: int, output: Output) -> None:
        return  # outputs of the simulated robot are discarded

    def _fail(self, error: RobotError) -> None:
        super()._fail(error)
        self.stop()  # time stands still: nothing more can be played

    def apply(self, given: AnyInput) -> None:
        super().apply(given)
        if isinstance(given, Connect) and self._is_client(given):
            self.resume()
        if isinstance(given, Connect | Arrive):
            answers = self._answers.get((given.robot, given.port))
            if answers is not None:
                answers.receive(given)

    def _is_client(self, given: Connect) -> bool:
        """Return whether a new link is a client, rather than the connection to a broker."""
        places = program_ports(self._ports)
        return not places or (given.robot, given.port) in places


def program_ports(ports: Ports) -> set[tuple[str, str]]:
    """Return the ports that report when a program connects; none if all are on a message broker.

    These are the ports of the robots themselves. If there are none, those of ROS: other nodes are
    found by discovery.
    """
    can = {place: capabilities(port.transport) for place, port in ports.items()}
    own = {place for place, one in can.items() if not (one.shared_address or one.without_clients)}
    return own or {place for place, one in can.items() if one.ros}


def first_connection_ns(ports: Ports, inputs: Iterable[tuple[int, AnyInput]]) -> int | None:
    """Return when the first program connected to a robot; None if none did."""
    places = program_ports(ports)
    for time_ns, given in inputs:
        if isinstance(given, Connect) and (given.robot, given.port) in places:
            return time_ns
    return None
