"""Check the expectations of a scenario while it runs. The kinds are in `scenario.expect`."""

from dataclasses import replace
from typing import Any

from rigless.kernel.events import Event
from rigless.kernel.key_path import KeyPath, line_of
from rigless.kernel.loop.listeners import Output
from rigless.kernel.ports import Link
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.scenario.build import Built
from rigless.scenario.expect.kinds import implied_exits, watch_for
from rigless.scenario.expect.names import message_path
from rigless.scenario.expect.programs import Programs
from rigless.scenario.expect.watch import Message, Run, Watch
from rigless.scenario.model.expectation import Expectation
from rigless.scenario.planned_inputs import matching_robots
from rigless.scenario.verdict import FaultPeriod, Verdict, note_fault


class ExpectationMonitor:
    """Watch a simulation that runs for at most `duration_s`; return the verdicts at its end.

    `programs` gives the facts about the programs of the scenario. Without it, the verdicts on
    programs fail, since they were not started.
    """

    def __init__(self, built: Built, duration_s: float, programs: Programs | None = None):
        names = tuple(program.name for program in built.scenario.programs)
        self._run = Run(built.simulation, duration_s, programs=names)
        self._source = built.source
        self._watches: list[tuple[KeyPath, Watch]] = []
        self.faults: list[FaultPeriod] = []
        problems: list[Problem] = []
        expect, entries = built.scenario.expect, built.scenario.programs
        for index, e in enumerate(expect):
            watch = watch_for(e, self._run, self._selected_robots(e), programs, entries)
            self._watches.append((("expect", index), watch))
        for index, implied in implied_exits(expect, self._run, programs, entries):
            self._watches.append((("programs", index), implied))
        for place, watch in self._watches:
            try:
                watch.begin()
            except InputError as error:  # an unknown path is an error now, not at the end
                problems += built.source.place(place, error)
        if problems:
            raise InputError(problems)
        self._listen()

    def verdicts(self) -> list[Verdict]:
        """Return the verdicts as of now, in the order of the scenario.

        Expectations at the end are judged at this time, also if the run has ended early.
        """
        return [
            replace(watch.verdict(), place=self._located(place)) for place, watch in self._watches
        ]

    def decided(self) -> bool:
        """Return True if no later observation can change a verdict.

        An expectation at the end counts as decided: it is judged whenever the run ends.
        """
        return all(watch.decided() for _, watch in self._watches)

    def _listen(self) -> None:
        core, watches = self._run.simulation.core, [watch for _, watch in self._watches]
        self._of_events = [watch for watch in watches if watch.wants_events]
        core.observe_events(self._event)
        self._of_ports: dict[tuple[str, str], list[Watch]] = {}
        directions = {path[0] for watch in watches if (path := message_path(watch.e))}
        for watch in watches:
            if watch.wants_messages and watch.e.port is not None:
                directions.add(watch.e.message_direction)
                key = watch.e.message_direction, watch.e.port
                self._of_ports.setdefault(key, []).append(watch)
        if "out" in directions:
            core.recording = True
            core.listeners.output.append(self._output)
        if "in" in directions:
            core.listeners.message.append(self._received)

    def _located(self, place: KeyPath) -> str:
        line = line_of(self._source.lines or {}, place)
        return f"{self._source.file}:{line}" if line else self._source.file

    def _selected_robots(self, e: Expectation) -> dict[str, Robot]:
        robots = self._run.simulation.robots
        names = matching_robots("*" if e.robot is None else e.robot, robots)
        return {name: robots[name] for name in names}

    def _event(self, time_ns: int, event: Event) -> None:
        self._run.codes.add(event.code)
        note_fault(self.faults, event)
        for watch in self._of_events:
            watch.event(time_ns, event)

    def _output(self, time_ns: int, output: Output) -> None:
        content, kind = output.content, output.type_name
        self._run.sent[output.robot, output.port, kind] = content
        watches = self._of_ports.get(("out", output.port))
        if watches:
            self._message(time_ns, watches, output.robot, output.port, content, (kind,))

    def _received(self, time_ns: int, robot: str, port: str, link: Link, message: Any) -> None:
        content = getattr(message, getattr(type(message), "CARRIES", ""), message)
        kinds = tuple(kind.__name__ for kind in type(content).__mro__[:-1])
        for kind in kinds:
            self._run.received[robot, port, kind] = content
        watches = self._of_ports.get(("in", port))
        if watches:
            self._message(time_ns, watches, robot, port, content, kinds)

    def _message(
        self,
        time_ns: int,
        watches: list[Watch],
        robot: str,
        port: str,
        content: Any,
        kinds: tuple[str, ...],
    ) -> None:
        message = Message(robot, port, kinds[0], content, kinds)
        for watch in watches:
            watch.message(time_ns, message)
