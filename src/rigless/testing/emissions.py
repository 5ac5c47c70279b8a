"""Compare the events, messages and metrics of a robot with those that it declares."""

import inspect
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rigless.kernel.events import KERNEL_CODES, Event
from rigless.kernel.loop.listeners import Output
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation


@dataclass
class Emissions:
    """The undeclared emissions of a robot over all of its simulations, as sentences."""

    problems: dict[str, None] = field(default_factory=dict)

    def watch(self, simulation: Simulation, robot: Robot) -> None:
        """Note every event, message and metric of the robot that it does not declare."""
        name, codes = robot.name, {*KERNEL_CODES, *(robot.event_codes or ())}
        ports = {port.name: port.emitted_types or {} for port in robot.ports}
        seen: set[Any] = set()
        count = robot.count

        def note_event(time_ns: int, event: Event) -> None:
            if event.robot == name and event.code not in codes:
                self.problems[undeclared_event(robot, event.code)] = None

        def note_output(time_ns: int, output: Output) -> None:
            if output.robot != name or (place := (output.port, output.type_name)) in seen:
                return
            seen.add(place)
            if output.type_name not in ports[output.port]:
                self.problems[undeclared_message(robot, *place)] = None

        def note_metric(metric: str, amount: float = 1) -> None:
            if not declares_metric(robot, metric):
                self.problems[undeclared_metric(robot, metric)] = None
            count(metric, amount)

        robot.count = note_metric  # type: ignore[method-assign]
        simulation.core.observe_events(note_event)
        simulation.core.listeners.output.append(note_output)

    def check(self) -> None:
        """Raise AssertionError if an emission was not declared."""
        assert not self.problems, "\n".join(self.problems)


def undeclared_event(robot: Robot, code: str, place: str = "") -> str:
    """Return the sentence for an event that a robot does not declare."""
    kind = type(robot)
    return (
        f"{place or robot.name} emits the event {code!r}, which is not declared: "
        f"add {code!r} to event_codes of the class {kind.__name__} in {file_of(kind)}"
    )


def declares_metric(robot: Robot, metric: str) -> bool:
    """Return True if the name of a metric, or a pattern that it fits, is in `metric_names`."""
    return any(fnmatchcase(metric, name) for name in robot.metric_names or ())


def undeclared_metric(robot: Robot, metric: str) -> str:
    """Return the sentence for a metric that a robot does not declare."""
    kind = type(robot)
    return (
        f"{robot.name} counts the metric {metric!r}, which is not declared: "
        f"add {metric!r} to metric_names of the class {kind.__name__} in {file_of(kind)}"
    )


def undeclared_message(robot: Robot, port: str, message: str) -> str:
    """Return the sentence for a message that a port does not declare."""
    return (
        f"{robot.name} emits the message {message} on its port {port!r}, which is not declared: "
        f"add {message} to emits=(…) of Port({port!r}, …) in {file_of(type(robot))}"
    )


def file_of(kind: type) -> Path:
    """Return the file of a class, relative to the working directory if it is below it."""
    path = Path(inspect.getfile(kind))
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
