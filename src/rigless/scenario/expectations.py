"""Check the expectations of a scenario while it runs. The kinds are in `scenario.expect`."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rigless.kernel.events import Event
from rigless.kernel.key_path import KeyPath, line_of
from rigless.kernel.listeners import Output
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.scenario.build import Built
from rigless.scenario.expect.counts import EventWatch, MessageWatch
from rigless.scenario.expect.names import message_path
from rigless.scenario.expect.values import ValueWatch
from rigless.scenario.expect.watch import Message, Run, Watch
from rigless.scenario.expectation_model import Expectation
from rigless.scenario.planned_inputs import matching_robots
from rigless.scenario.verdict import FaultPeriod, Verdict

KINDS: dict[str, Callable[[Expectation, Run, dict[str, Robot]], Watch]] = {
    "value": ValueWatch,
    "region": ValueWatch,
    "event": EventWatch,
    "port": MessageWatch,
}


class ExpectationMonitor:
    """Watch a simulation that runs for at most `duration_s`; return the verdicts at its end."""

    def __init__(self, built: Built, duration_s: float):
        self._run = Run(built.simulation, duration_s)
        self._source = built.source
        self._watches: list[tuple[KeyPath, Watch]] = []
        self.faults: list[FaultPeriod] = []
        problems: list[Problem] = []
        for index, e in enumerate(built.scenario.expect):
            watch = KINDS[e.subject](e, self._run, self._selected_robots(e))
            self._watches.append((("expect", index), watch))
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

    def _located(self, place: KeyPath) -> str:
        line = line_of(self._source.lines or {}, place)
        return f"{self._source.file}:{line}" if line else self._source.file

    def _selected_robots(self, e: Expectation) -> dict[str, Robot]:
        robots = self._run.simulation.robots
        names = matching_robots("*" if e.robot is None else e.robot, robots)
        return {name: robots[name] for name in names}

    def _event(self, time_ns: int, event: Event) -> None:
        self._run.codes.add(event.code)
        self._note_fault(time_ns, event)
        for watch in self._of_events:
            watch.event(time_ns, event)

    def _note_fault(self, time_ns: int, event: Event) -> None:
        target, kind = event.data.get("target"), event.data.get("kind")
        if event.code == "fault-injected":
            self.faults.append(FaultPeriod(event.robot, str(target), str(kind), time_ns / 1e9))
        elif event.code == "fault-cleared":
            for fault in self.faults:
                same = (fault.robot, fault.target, fault.kind) == (event.robot, target, kind)
                if same and fault.end_s is None:
                    fault.end_s = time_ns / 1e9

    def _output(self, time_ns: int, output: Output) -> None:
        content, kind = output.content, output.type_name
        self._run.sent[output.robot, output.port, kind] = content
        watches = self._of_ports.get(("out", output.port))
        if watches:
            self._message(time_ns, watches, output.robot, output.port, content, (kind,))

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
