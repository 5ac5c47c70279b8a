"""Check the names in expectations: events, ports, messages and their fields.

Not to see an event that no robot has, or a message that no port sends, would always hold.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from rigless.kernel.events import KERNEL_CODES
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.robot import Robot
from rigless.scenario.build import Built
from rigless.scenario.expectation_model import Expectation
from rigless.scenario.planned_inputs import matching_robots


def check_all_names(built: Built) -> None:
    """Raise InputError with all wrong names in the expectations of a scenario."""
    problems: list[Problem] = []
    robots = built.simulation.robots
    for index, e in enumerate(built.scenario.expect):
        try:
            names = matching_robots("*" if e.robot is None else e.robot, robots)
            check_names(e, [robots[name] for name in names])
        except InputError as error:
            key = "event" if e.event is not None else "message" if e.message else "port"
            problems += built.source.place(("expect", index, key), error)
    if problems:
        raise InputError(problems)


def check_names(e: Expectation, robots: Iterable[Robot]) -> None:
    """Raise InputError if an expectation names something that the robots do not have."""
    robots = list(robots)
    if e.event is not None:
        _check_event(e, e.event, robots)
    elif e.port is not None:
        fields = [path.split(".")[0] for path in e.where]
        check_message(robots, e.port, e.message, fields, least_count(e))


def message_path(e: Expectation) -> tuple[str, str, str] | None:
    """Return the direction, the port and the type of a value in messages, else None."""
    root, port, kind = [*(e.value or "").split("."), "", ""][:3]
    return None if root not in ("sent", "received") else ("out", port, kind)


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
    fields: list[str],
    least: int = 0,
    direction: str = "out",
) -> None:
    """Raise InputError unless a port of the robots can send this message with these fields."""
    robots = list(robots)
    ports = [(robot, one) for robot in robots for one in robot.ports if one.name == port]
    if not ports:
        raise unknown("port", port, (one.name for robot in robots for one in robot.ports))
    if all(one.direction == "in" for _, one in ports):
        sending = [one.name for robot in robots for one in robot.ports if one.direction != "in"]
        fix = f"ports that send: {', '.join(dict.fromkeys(sending)) or 'none'}"
        raise InputError(Problem("", f"the port {port!r} sends no messages", fix))
    if message is None:
        return
    types: dict[str, type] = {}
    for _, one in ports:
        types |= one.emitted_types or {}
    if message not in types:
        undeclared = [robot for robot, one in ports if one.emitted_types is None]
        if not undeclared:
            raise unknown(f"message of {port}", message, types)
        if not least:
            raise _undeclared("messages", undeclared[0], f"Port({port!r}, …, emits=(…))")
        return
    known = _fields(types[message])
    for field in fields if known else ():
        if field not in known:
            raise unknown(f"field of {message}", field, known)


def least_count(e: Expectation) -> int:
    """Return the number of events or messages that an expectation needs at least."""
    once = e.seen and (e.event is not None or e.message is not None)
    return e.min_count if e.min_count is not None else 1 if once else 0


def _check_event(e: Expectation, code: str, robots: list[Robot]) -> None:
    codes = {*KERNEL_CODES, *(code for robot in robots for code in robot.event_codes or ())}
    if code in codes:
        return
    undeclared = [robot for robot in robots if robot.event_codes is None]
    if not undeclared:
        raise unknown("event", code, codes)
    if not least_count(e):
        raise _undeclared("events", undeclared[0], "event_codes = (…)")


def _undeclared(what: str, robot: Robot, where: str) -> InputError:
    """Return the error for an expectation that any name would satisfy."""
    reason = f"{robot.name} does not declare its {what}: this would hold for any name"
    return InputError(Problem("", reason, f"declare them in its class: {where}"))


def _fields(kind: type) -> list[str]:
    fields: Mapping[str, object] | tuple[str, ...]
    fields = getattr(kind, "__dataclass_fields__", ()) or getattr(kind, "__struct_fields__", ())
    return list(fields)
