"""Lines, one after the other: taken from the receive buffer, understood, done step by step, answered with one ok or error:N.

Theory of operation. Like the firmware's main loop there is one line in hand at a time. Understanding it gives steps; each is done when it can be
(a move when the planner has room, a dwell when the axes stand still and the time has passed) and the line is answered when none is left. Until then
later lines wait in the receive buffer, which is what a sender sees as `Bf`. `work` goes as far as it can and is called again
whenever something may have changed: a line came, a block ended, an input switched, a button was pressed.
"""

from typing import TYPE_CHECKING

from rigless.motion import planner as p
from rigless.robots.welder import codes, moves, paths, program, reports, system
from rigless.robots.welder import settings as s
from rigless.robots.welder.arcs import chord_end
from rigless.robots.welder.gcode import GcodeError, read_block
from rigless.robots.welder.meaning import interpret
from rigless.robots.welder.modal import Step, after_program_end
from rigless.robots.welder.parameters import PROBE_TOUCHED, PROBED, WAITED, Place
from rigless.robots.welder.state import NOBODY, Arrival
from rigless.robots.welder.tip import Tip

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

SUSPENDED = ("Hold", "Door", "Sleep")  # the main loop stands still in these
STORED = ("system", "g92", "store")  # go to permanent memory, which the firmware writes at rest


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
        if not state.rx or state.mode in SUSPENDED or state.cancelling or state.alarm_at_rest or state.probe.mode:
            return
        take(robot, state.rx.pop(0))


def take(robot: "Welder", line: Arrival) -> None:
    """Begin a line. Some are answered at once."""
    state = robot.state
    state.line, state.steps, state.until_ns, state.resumed = line, [], -1, False
    program.take(robot, line)
    sticky = state.error
    if line.pendant:
        state.error = codes.OK  # what the sender did wrong, and what the panel does, is no matter of the other
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
    state.modal, steps = interpret(block, state.modal, state.coordinates, place.position, robot.profile)
    state.parameters.assign(block.assignments)
    state.steps = list(steps)
    if (
        state.switches.single_block
        and not (state.line is not None and state.line.startup)
        and not block.m.get("stopping")
    ):
        state.steps.append(("stop", 0))
    if block.g.get("coordinates"):
        state.schedule.offsets = True
    robot.count("gcode_lines")


def where(robot: "Welder") -> Place:
    """What expressions can ask for."""
    state = robot.state

    def seen() -> dict[int, float]:
        probed = {PROBED + axis: value for axis, value in enumerate(state.probe.position)}
        return probed | {PROBE_TOUCHED: float(state.probe.touched), WAITED: float(state.waited)}

    return Place(state.parameters, state.modal, state.coordinates, tuple(state.position), robot.profile, seen)


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
        if not do(robot, state.steps[0]):
            return False
        if state.steps:  # a reset may have emptied them
            state.steps.pop(0)
            state.until_ns, state.resumed = -1, False
    return state.mode not in SUSPENDED or state.line is None


def do(robot: "Welder", step: Step) -> bool:
    """One step; False if it cannot be done yet."""
    if step[0] in STORED and robot.state.run[p.COUNT] and robot.state.mode != "Check":
        return False
    match step[0]:
        case "line" | "jog" | "arc":
            return move(robot, step)
        case "course":
            return follow(robot)
        case "probe":
            return probe(robot, step)
        case "home":
            return home(robot, step)
        case "message":
            robot.say(f"[MSG:{step[1]}]\r\n")
            return True
        case "digital" | "analog":
            return put_out(robot, step)
        case "system":
            robot.state.coordinates.systems[int(step[1])] = [float(value) for value in step[2:]]
            return offsets_changed(robot)
        case "g92":
            robot.state.coordinates.g92 = [float(value) for value in step[1:]]
            return offsets_changed(robot)
        case "length":
            robot.state.coordinates.tool = [float(value) for value in step[1:]]
            robot.state.schedule.offsets = True
            return True
        case "store":
            stored = list(robot.state.position)
            if step[1] == 28:
                robot.state.coordinates.g28 = stored
            else:
                robot.state.coordinates.g30 = stored
            robot.store()
            return True
        case _:
            return do_at_rest(robot, step)


def do_at_rest(robot: "Welder", step: Step) -> bool:
    """Steps that wait until all motion has ended."""
    state = robot.state
    checking = state.mode == "Check"
    if state.run[p.COUNT] and not checking:
        return False
    match step[0]:
        case "spindle":
            if not checking:
                robot.set_spindle(int(step[1]), float(step[2]))
        case "coolant":
            if not checking:
                robot.set_coolant(bool(step[1]), bool(step[2]))
        case "dwell":
            return checking or passed(robot, float(step[1]))
        case "wait":
            return checking or wait(robot, step)
        case "tool":
            return checking or change_tool(robot, int(step[1]))
        case "stop":
            return stop(robot, int(step[1]), checking)
    return True


def passed(robot: "Welder", seconds: float) -> bool:
    """Whether a time has passed since this was first asked for this step."""
    state = robot.state
    if state.until_ns < 0:
        state.until_ns = robot.now_ns + round(seconds * 1e9)
        if state.until_ns > robot.now_ns:
            robot.after(seconds, robot.wake)
    return robot.now_ns >= state.until_ns


def offsets_changed(robot: "Welder") -> bool:
    robot.state.schedule.offsets = True
    robot.store()
    return True


def put_out(robot: "Welder", step: Step) -> bool:
    """M62, M63 and M67 go with the start of the next motion, the others at once."""
    if robot.state.mode == "Check":
        return True
    if step[3]:
        robot.state.unattached.append(step)
    else:
        robot.set_output(step)
    return True


def move(robot: "Welder", step: Step) -> bool:
    """Lines, jogs and the chords of an arc, as the planner has room for them."""
    state = robot.state
    if robot.tip is not None:
        return in_space(robot, robot.tip, step)
    if step[0] == "arc":
        done, count = int(step[8]), int(step[7])
        while done < count:
            if not go(robot, chord_end(step, done + 1), float(step[1]), rapid=False):
                break
            done += 1
        if state.steps:
            state.steps[0] = (*step[:8], done, *step[9:])
        return done == count or state.line is None
    target = tuple(float(value) for value in step[3:])
    if step[0] == "jog":
        return jog(robot, target, float(step[2]))
    return go(robot, target, float(step[2]), rapid=bool(step[1]))


def in_space(robot: "Welder", tip: Tip, step: Step) -> bool:
    """A move of the torch tip. One that cannot be ends in the alarm of a target beyond the limits."""
    if step[0] == "line" and step[1]:
        try:
            return paths.jump(robot, tip, tuple(float(value) for value in step[3:]))
        except GcodeError:
            give_up(robot, codes.ALARM_SOFT_LIMIT)
            return False
    if not set_out(robot, tip, step):
        return False
    robot.state.steps[0] = ("course",)
    return follow(robot)


def set_out(robot: "Welder", tip: Tip, step: Step) -> bool:
    """Begin the course of a step."""
    try:
        paths.begin(robot, tip, step)
    except GcodeError:
        give_up(robot, codes.ALARM_SOFT_LIMIT)
        return False
    return True


def follow(robot: "Welder") -> bool:
    """Queue more of the course in hand."""
    assert robot.tip is not None
    try:
        return paths.go_on(robot, robot.tip)
    except GcodeError:
        give_up(robot, codes.ALARM_SOFT_LIMIT)
        return False


def go(robot: "Welder", target: tuple[float, ...], feed: float, rapid: bool) -> bool:
    state = robot.state
    if not moves.within(robot, target):
        tell_beyond(robot, target)
        give_up(robot, codes.ALARM_SOFT_LIMIT)
        return False
    if state.mode != "Check":
        moves.settle(robot)
        if not moves.room(robot):
            return False
        rate = 0.0 if rapid else moves.feed_along(robot, state.position, target, feed)
        moves.queue(robot, target, rate, p.RAPID if rapid else p.FEED)
        if state.run[p.COUNT] and state.mode == "Idle":
            state.mode = "Run"
    state.position = list(target)
    return True


def tell_beyond(robot: "Welder", target: tuple[float, ...]) -> None:
    """Which joints a target would bring out of their limits; the alarm on the wire says only that some would."""
    axes, outside = robot.axes, moves.beyond(robot, target)
    text = ", ".join(
        f"joint {n + 1} to {target[n]:g}° is outside {axes.low[n]:g}° to {axes.high[n]:g}°" for n in outside
    )
    robot.event("soft-limit", text, "error", joints=[n + 1 for n in outside], line=robot.state.modal.line)


def give_up(robot: "Welder", alarm: int) -> None:
    """The line in hand led to an alarm: brake, and tell when at rest. Like the firmware, which resets itself, the line gets no answer."""
    state = robot.state
    state.line, state.steps, state.probe.mode = None, [], 0
    state.rx.clear()
    if state.mode == "Check":
        state.mode = "Idle"
    state.alarm_at_rest = alarm
    moves.change(robot, True)
    moves.watch(robot)


def jog(robot: "Welder", target: tuple[float, ...], feed: float) -> bool:
    state = robot.state
    moves.settle(robot)
    if not moves.room(robot):
        return False
    moves.queue(robot, target, moves.feed_along(robot, state.position, target, feed), p.PLAIN)
    if state.run[p.COUNT] and state.mode == "Idle":
        state.mode = "Jog"
    state.position = list(target)
    return True


def probe(robot: "Welder", step: Step) -> bool:
    """G38.x: the line is answered when the probing has ended."""
    state = robot.state
    target = tuple(float(value) for value in step[3:])
    if state.mode == "Check":
        if robot.tip is not None:
            return in_space(robot, robot.tip, step)
        state.position = list(target)
        return True
    if state.until_ns < 0:
        if state.run[p.COUNT]:
            return False
        if robot.tip is not None:
            if not set_out(robot, robot.tip, step):
                return False
        elif not moves.within(robot, target):
            tell_beyond(robot, target)
            give_up(robot, codes.ALARM_SOFT_LIMIT)
            return False
        state.until_ns = robot.now_ns
        if not moves.begin_probe(robot, int(step[1])):
            return state.line is None
        if robot.tip is None:
            moves.queue(robot, target, moves.feed_along(robot, state.position, target, float(step[2])), p.PLAIN)
            state.mode = "Run"
    if robot.tip is not None and state.probe.mode:
        follow(robot)
    moves.watch(robot)
    if state.probe.mode or moves.moving(robot):
        return False
    moves.sync(robot)
    robot.say(reports.probe(robot))
    return True


def home(robot: "Welder", step: Step) -> bool:
    state = robot.state
    if state.until_ns < 0:
        if state.run[p.COUNT]:
            return False
        state.until_ns = robot.now_ns
        moves.begin_homing(robot, int(step[1]))
    return state.mode != "Home"


def wait(robot: "Welder", step: Step) -> bool:
    """M66: the value of an input, now or when it does what is waited for; −1 if that did not happen in time."""
    state = robot.state
    _, port, analog, mode, seconds = step
    if analog:
        state.waited = int(robot.analog_input(int(port)) * 1000)
    else:
        level = bool(robot.input[f"di{port}"])
        first = state.until_ns < 0
        over = passed(robot, float(seconds))
        if mode in (1, 2) and first:
            state.resumed = level != (mode == 1)  # the edge may still come
        if mode in (1, 2) and level != (mode == 1):
            state.resumed = True
        happened = {0: True, 1: state.resumed and level, 2: state.resumed and not level, 3: level, 4: not level}[
            int(mode)
        ]
        if not happened and not over:
            return False
        state.waited = int(level) if happened else -1
    state.schedule.input = True
    return True


def change_tool(robot: "Welder", tool: int) -> bool:
    """M6: wait for the operator; `~` goes on."""
    state = robot.state
    if state.until_ns < 0:
        state.until_ns, state.mode = robot.now_ns, "Tool"
        robot.say(f"[MSG:Tool change: T{tool} - press cycle start to continue.]\r\n")
        return False
    if state.mode == "Tool":
        return False
    state.tool = tool
    return True


def stop(robot: "Welder", number: int, checking: bool) -> bool:
    """M0 and M60 wait for `~`; so does M1, unless its switch is off; M2 and M30 end the program."""
    state = robot.state
    if (number in (0, 60) or (number == 1 and not state.switches.optional_stop_off)) and not checking:
        if state.until_ns < 0:
            state.until_ns, state.mode = robot.now_ns, "Hold"
        return state.mode != "Hold"
    if number in (2, 30):
        for step in state.unattached:
            robot.set_output(step)
        state.unattached = []
        state.modal = after_program_end(state.modal)
        state.schedule.offsets = True
        if not checking:
            robot.set_spindle(5, 0.0)
            robot.set_coolant(False, False)
            robot.set_overrides(100, 100, 100)
        state.program.ended = True
        robot.say("[MSG:Pgm End]\r\n")
    return True


def check_jog(robot: "Welder", text: str) -> None:
    """`$J=`: its step, or an error."""
    state = robot.state
    if state.mode not in ("Idle", "Jog"):
        raise GcodeError(codes.NOT_IDLE)
    place = where(robot)
    block = read_block(text, robot.profile.letters, place.values())
    place.check(block.assignments)
    _modal, steps = interpret(block, state.modal, state.coordinates, place.position, robot.profile, jog=True)
    _, _, feed, *target = next(step for step in steps if step[0] == "line")
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
