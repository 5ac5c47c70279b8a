"""Check the names in expectations: events, metrics, ports, messages and their fields, programs.

Not to see an event that no robot has, or a message that no port sends, would always hold.
"""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from rigless.kernel.events import KERNEL_CODES
from rigless.kernel.loop.behaviour import Behaviour
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.robot import Robot
from rigless.scenario.build import Built
from rigless.scenario.expect.margins import least_count, within
from rigless.scenario.expect.message_fields import check_field
from rigless.scenario.model.expectation import Expectation
from rigless.scenario.planned_inputs import matching_robots


def check_all_names(built: Built) -> None:
    """Raise InputError with all wrong names in the expectations of a scenario."""
    problems: list[Problem] = []
    robots = built.simulation.robots
    programs = [program.name for program in built.scenario.programs]
    for index, e in enumerate(built.scenario.expect):
        try:
            names = matching_robots("*" if e.robot is None else e.robot, robots)
            check_names(e, [robots[name] for name in names], programs)
        except InputError as error:
            key = "message" if e.message else e.subject
            problems += built.source.place(("expect", index, key), error)
    if problems:
        raise InputError(problems)


def check_names(e: Expectation, robots: Iterable[Robot], programs: Iterable[str] = ()) -> None:
    """Raise InputError if an expectation names something that does not exist."""
    robots = list(robots)
    if e.program is not None:
        _check_program(e.program, list(programs))
    if e.event is not None:
        _check_event(e.event, robots, least_count(e))
    if e.port is not None:
        check_message(robots, e.port, e.message, e.where, least_count(e), e.message_direction)
    if e.after is not None:
        _check_event(e.after, robots, least=1)
    if e.after_fault is not None:
        targets = {target for robot in robots for target in robot.fault_targets.seams}
        targets.update(programs)
        if e.after_fault not in targets:
            raise unknown("fault target", e.after_fault, targets)
    if e.no_collision is not None:
        _check_collisions(robots)
    if e.value is not None and e.value.startswith("metrics."):
        _check_metric(e, robots)


def message_path(e: Expectation) -> tuple[str, str, str] | None:
    """Return the direction, the port and the type of a value in messages, else None."""
    root, port, kind = [*(e.value or "").split("."), "", ""][:3]
    if root not in ("sent", "received"):
        return None
    return "out" if root == "sent" else "in", port, kind


def other_names(found: Mapping[tuple[str, str, str], Any], port: str, wanted: str | None) -> str:
    """Return the types of messages that did occur, in case the expected one is misspelt."""
    kinds = {kind for _, name, kind in found if name == port}
    if wanted in kinds or not wanted:
        return ""
    return f"; messages on {port}: {', '.join(sorted(kinds)) or 'none'}"


def check_message(
    robots: Iterable[Robot],
    port: str,
    message: str | None,
    where: Mapping[str, Any],
    least: int = 0,
    direction: str = "out",
) -> None:
    """Raise InputError unless a port of the robots can have this message with these values.

    `where` has the values of fields by their paths; a value may be ANYTHING. The robots send the
    message if the direction is "out", and receive it if it is "in".
    """
    robots = list(robots)
    ports = [(robot, one) for robot in robots for one in robot.ports if one.name == port]
    if not ports:
        raise unknown("port", port, (one.name for robot in robots for one in robot.ports))
    against = "in" if direction == "out" else "out"
    if all(one.direction == against for _, one in ports):
        raise _wrong_direction(robots, port, direction)
    if message is None:
        return
    types: dict[str, type] = {}
    for robot, one in ports:
        types |= message_types(robot, one, direction) or {}
    if message not in types:
        if any(message in (message_types(robot, one, against) or ()) for robot, one in ports):
            verb = "send" if direction == "out" else "receive"
            what = f"robots do not {verb} {message} on {port}"
            raise InputError(Problem("", what, f'add direction = "{against}"'))
        undeclared = [robot for robot, one in ports if message_types(robot, one, direction) is None]
        if not undeclared:
            raise unknown(f"message of {port}", message, types)
        if not least:
            raise _undeclared("messages", undeclared[0], f"Port({port!r}, …, emits=(…))")
        return
    for path, wanted in where.items():
        check_field(types[message], path, wanted)


def message_types(robot: Robot, port: Port, direction: str) -> dict[str, type] | None:
    """Return the types of messages that a robot has on a port; None if not declared."""
    if direction == "out":
        return port.emitted_types
    if (accepted := getattr(port.codec(), "accepted_types", None)) is not None:
        types: dict[str, type] = accepted()
        return types
    return Behaviour(type(robot)).accepted_types if port.direction != "out" else {}


def _wrong_direction(robots: list[Robot], port: str, direction: str) -> InputError:
    against = "in" if direction == "out" else "out"
    ports = [one.name for robot in robots for one in robot.ports if one.direction != against]
    fitting = ", ".join(dict.fromkeys(ports)) or "none"
    if direction == "out":
        what, other = f"the port {port!r} sends no messages", "ports that send"
        fix = f'for those that it receives, add direction = "in"; {other}: {fitting}'
    else:
        what = f"the port {port!r} receives no messages"
        fix = f"ports that receive: {fitting}"
    return InputError(Problem("", what, fix))


def _check_event(code: str, robots: list[Robot], least: int) -> None:
    codes = {*KERNEL_CODES, *(code for robot in robots for code in robot.event_codes or ())}
    if code in codes:
        if not least and code not in KERNEL_CODES:
            _check_that_they_occur([robot for robot in robots if code in robot.collision_codes])
        return
    undeclared = [robot for robot in robots if robot.event_codes is None]
    if not undeclared:
        raise unknown("event", code, codes)
    if not least:
        raise _undeclared("events", undeclared[0], "event_codes = (…)")


def _check_collisions(robots: list[Robot]) -> None:
    for robot in robots:
        if robot.event_codes is None:
            raise _undeclared("events", robot, "event_codes = (…)")
        if not set(robot.collision_codes) & set(robot.event_codes):
            what = f"{robot.name} logs no event for collisions"
            fix = "use keeps_distance_m, which measures the distance instead"
            raise InputError(Problem("no_collision", what, fix))
        _check_that_they_occur([robot])


def _check_that_they_occur(robots: list[Robot]) -> None:
    """Raise InputError if none of these robots can log a collision."""
    if robots and all(robot.why_no_collisions() for robot in robots):
        what = f"{robots[0].name} logs no collisions: {robots[0].why_no_collisions()}"
        raise InputError(Problem("", what, "change that, or use keeps_distance_m"))


def _check_metric(e: Expectation, robots: list[Robot]) -> None:
    """Raise InputError if no robot counts such a metric, so that its value is always 0."""
    name = (e.value or "").partition(".")[2]
    names = {name for robot in robots for name in robot.metric_names or ()}
    if any(fnmatchcase(name, each) for each in names):
        return
    undeclared = [robot for robot in robots if robot.metric_names is None]
    if not undeclared:
        raise unknown("metric", name, names)
    if within(e, 0):
        raise _undeclared("metrics", undeclared[0], "metric_names = (…)")


def _check_program(name: str, programs: list[str]) -> None:
    if not programs:
        what, fix = f"unknown program {name!r}", "this scenario has no [[programs]]"
        raise InputError(Problem("", what, fix))
    if name not in programs:
        raise unknown("program", name, programs)


def _undeclared(what: str, robot: Robot, where: str) -> InputError:
    """Return the error for an expectation that any name would satisfy."""
    reason = f"{robot.name} does not declare its {what}: this would hold for any name"
    return InputError(Problem("", reason, f"declare them in its class: {where}"))
