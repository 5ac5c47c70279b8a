"""The steps of the line in hand, each done when it can be: a move when the planner has room, a dwell when the axes stand still and the time has passed.

A step is asked again until it is done, so each function gives whether it is. What has to be remembered meanwhile is in the state, as `until_ns`, which is
below zero until a step has begun.
"""

from typing import TYPE_CHECKING

from rigless.motion import planner as p
from rigless.robots.welder.controller import motion_steps
from rigless.robots.welder.gcode.modal import Step, after_program_end

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

STORED = ("system", "g92", "store")  # go to permanent memory, which the firmware writes at rest


def do(robot: "Welder", step: Step) -> bool:
    """One step; False if it cannot be done yet."""
    if step[0] in STORED and robot.state.run[p.COUNT] and robot.state.mode != "Check":
        return False
    match step[0]:
        case "line" | "jog" | "arc":
            return motion_steps.move(robot, step)
        case "course":
            return motion_steps.follow(robot)
        case "probe":
            return motion_steps.probe(robot, step)
        case "home":
            return motion_steps.home(robot, step)
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
        happened = {
            0: True,
            1: state.resumed and level,
            2: state.resumed and not level,
            3: level,
            4: not level,
        }[int(mode)]
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
    if (
        number in (0, 60) or (number == 1 and not state.switches.optional_stop_off)
    ) and not checking:
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
