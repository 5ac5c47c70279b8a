"""Lines, one after the other: taken from the receive buffer, understood, done step by step, answered with one ok or error:N.

Theory of operation. Like the firmware's main loop there is one line in hand at a time. Understanding it gives steps; each is done when it can be
(steps.py), and the line is answered when none is left. Until then later lines wait in the receive buffer, which is what a sender sees as `Bf`. `work` goes
as far as it can and is called again whenever something may have changed: a line came, a block ended, an input switched, a button was pressed.
"""

from typing import TYPE_CHECKING

from rigless.robots.welder.controller import cartesian_moves as paths
from rigless.robots.welder.controller import dollar_commands as system
from rigless.robots.welder.controller import moves, steps
from rigless.robots.welder.controller import program_listing as program
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.interpreter import interpret
from rigless.robots.welder.gcode.parameters import PROBE_TOUCHED, PROBED, WAITED, Place
from rigless.robots.welder.gcode.words import GcodeError, read_block
from rigless.robots.welder.state import NOBODY, Arrival

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

SUSPENDED = ("Hold", "Door", "Sleep")  # the main loop stands still in these


def work(robot: "Welder", more: bool = False) -> None:
    """Do what can be done now; `more` has come than is in the buffer yet."""
    state = robot.state
    while True:
        if state.line is not None:
            if not finish(robot):
                return
            if state.line is not None:
                answer(robot, codes.OK)
        if not (state.rx or state.arriving or more):
            state.waiting = 0
        if (
            not state.rx
            or state.mode in SUSPENDED
            or state.cancelling
            or state.alarm_at_rest
            or state.probe.mode
        ):
            return
        take(robot, state.rx.pop(0))


def take(robot: "Welder", line: Arrival) -> None:
    """Begin a line. Some are answered at once."""
    state = robot.state
    state.line, state.steps, state.until_ns, state.resumed = line, [], -1, False
    program.take(robot, line)
    sticky = state.error
    if line.pendant:
        state.error = (
            codes.OK
        )  # what the sender did wrong, and what the panel does, is no matter of the other
    text = line.text.strip()
    try:
        if line.overflow:
            raise GcodeError(codes.OVERFLOW)
        if not text:
            state.error = codes.OK
        elif text.startswith("$"):
            state.error = codes.OK
            system.execute(robot, text)
        elif state.mode in ("Alarm", "Jog"):
            if text != "%":
                raise GcodeError(codes.LOCKED)
        elif state.error:
            raise GcodeError(state.error)
        elif text != "%":
            begin_gcode(robot, text)
    except GcodeError as error:
        state.error = error.number
        answer(robot, error.number)
    if line.pendant:
        state.error = sticky


def begin_gcode(robot: "Welder", text: str) -> None:
    state, place = robot.state, where(robot)
    if text.startswith("/") and state.switches.block_delete:
        return
    block = read_block(text, robot.profile.letters, place.values())
    place.check(block.assignments)
    state.modal, found = interpret(
        block, state.modal, state.coordinates, place.position, robot.profile
    )
    state.parameters.assign(block.assignments)
    state.steps = list(found)
    if (
        state.switches.single_block
        and not (state.line is not None and state.line.startup)
        and not block.m.get("stopping")
    ):
        state.steps.append(("stop", 0))
    if block.g.get("coordinates"):
        state.schedule.offsets = True
    robot.count("gcode_lines")


def check_jog(robot: "Welder", text: str) -> None:
    """`$J=`: its step, or an error."""
    state = robot.state
    if state.mode not in ("Idle", "Jog"):
        raise GcodeError(codes.NOT_IDLE)
    place = where(robot)
    block = read_block(text, robot.profile.letters, place.values())
    place.check(block.assignments)
    _modal, found = interpret(
        block, state.modal, state.coordinates, place.position, robot.profile, jog=True
    )
    _, _, feed, *target = next(step for step in found if step[0] == "line")
    if robot.tip is not None:
        paths.begin(robot, robot.tip, ("jog", False, feed, *target))
        state.steps = [("course",)]
        return
    if state.settings[s.JOG_LIMITS]:
        target = [
            min(max(float(value), low), high)
            for value, low, high in zip(target, robot.axes.low, robot.axes.high, strict=True)
        ]
    if not moves.within(robot, target):
        raise GcodeError(codes.TRAVEL_EXCEEDED)
    state.steps = [("jog", False, feed, *target)]


def where(robot: "Welder") -> Place:
    """What expressions can ask for."""
    state = robot.state

    def seen() -> dict[int, float]:
        probed = {PROBED + axis: value for axis, value in enumerate(state.probe.position)}
        return probed | {PROBE_TOUCHED: float(state.probe.touched), WAITED: float(state.waited)}

    return Place(
        state.parameters, state.modal, state.coordinates, tuple(state.position), robot.profile, seen
    )


def answer(robot: "Welder", number: int) -> None:
    line, robot.state.line = robot.state.line, None
    robot.state.steps = []
    said = "ok" if number == codes.OK else f"error:{number}"
    if line is not None and line.startup:
        robot.say(f">{line.text}:{said}\r\n")
    elif line is not None and line.pendant and robot.state.client != NOBODY:
        if number != codes.OK:
            robot.event("pendant", f"{line.text}: error:{number} {codes.ERRORS[number]}", "warning")
    else:
        robot.say(f"{said}\r\n")
    if number != codes.OK:
        program.refuse(robot, line)
        robot.count("errors")


def finish(robot: "Welder") -> bool:
    """Do the steps of the line in hand; False while one has to wait."""
    state = robot.state
    while state.steps and state.line is not None:
        if state.cancelling or state.alarm_at_rest:
            return False
        if state.mode in SUSPENDED and not (state.steps[0][0] == "stop" and state.until_ns >= 0):
            return False
        if not steps.do(robot, state.steps[0]):
            return False
        if state.steps:  # a reset may have emptied them
            state.steps.pop(0)
            state.until_ns, state.resumed = -1, False
    return state.mode not in SUSPENDED or state.line is None
