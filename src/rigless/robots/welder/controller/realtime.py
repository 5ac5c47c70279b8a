"""Real-time bytes: they act when they come, whatever line is in hand."""

from typing import TYPE_CHECKING

from rigless.motion import planner as p
from rigless.robots.welder import wire as w
from rigless.robots.welder.controller import alarms, moves, reports
from rigless.robots.welder.controller import main_loop as lines
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import Modal

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder

FEED_STEPS = {w.FEED_PLUS_10: 10, w.FEED_MINUS_10: -10, w.FEED_PLUS_1: 1, w.FEED_MINUS_1: -1}
SPINDLE_STEPS = {
    w.SPINDLE_PLUS_10: 10,
    w.SPINDLE_MINUS_10: -10,
    w.SPINDLE_PLUS_1: 1,
    w.SPINDLE_MINUS_1: -1,
}
RAPIDS = {w.RAPID_100: 100, w.RAPID_50: 50, w.RAPID_25: 25}
LEAST, MOST = 10, 200  # per cent


def act(robot: "Welder", code: int, pendant: bool = False) -> None:
    """Unknown ones do nothing. A pendant's jog cancel leaves what a sender has sent alone."""
    state = robot.state
    match code:
        case w.STATUS:
            robot.say(reports.status(robot))
        case w.FULL_STATUS:
            state.schedule.all = True
            robot.say(reports.status(robot))
        case w.MODES:
            robot.say(reports.modes(robot))
        case w.RESET:
            alarms.reset(robot)
        case w.HOLD:
            hold(robot)
        case w.RESUME:
            resume(robot)
        case w.STOP:
            stop(robot)
        case w.DOOR:
            open_door(robot)
        case w.JOG_CANCEL:
            if pendant:
                state.rx = [
                    one for one in state.rx if not (one.pendant and one.text.startswith("$J"))
                ]
                end_jog(robot)
            else:
                forget_lines(robot)
                state.error = codes.OK
            if state.mode == "Jog":
                moves.cancel(robot)
        case w.OPTIONAL_STOP:
            state.switches.optional_stop_off = not state.switches.optional_stop_off
        case w.SINGLE_BLOCK:
            state.switches.single_block = not state.switches.single_block
        case w.REPORTING if state.settings[s.REPORT_INTERVAL]:
            state.switches.reporting = not state.switches.reporting
        case w.FEED_RESET:
            robot.set_overrides(100, state.rapid_percent, state.spindle_percent)
        case w.SPINDLE_RESET:
            robot.set_overrides(state.feed_percent, state.rapid_percent, 100)
        case w.SPINDLE_STOP if state.mode == "Hold" and state.spindle != 5:
            robot.set_spindle(5, state.spindle_speed)
        case w.FLOOD if state.mode in ("Idle", "Run", "Hold"):
            robot.set_coolant(state.mist, not state.flood)
            state.modal.flood = state.flood
        case w.MIST if state.mode in ("Idle", "Run", "Hold"):
            robot.set_coolant(not state.mist, state.flood)
            state.modal.mist = state.mist
        case _ if code in RAPIDS:
            robot.set_overrides(state.feed_percent, RAPIDS[code], state.spindle_percent)
        case _ if code in FEED_STEPS:
            feed = min(max(state.feed_percent + FEED_STEPS[code], LEAST), MOST)
            robot.set_overrides(feed, state.rapid_percent, state.spindle_percent)
        case _ if code in SPINDLE_STEPS:
            spindle = min(max(state.spindle_percent + SPINDLE_STEPS[code], LEAST), MOST)
            robot.set_overrides(state.feed_percent, state.rapid_percent, spindle)


def hold(robot: "Welder") -> None:
    """`!`: brake and wait. While jogging grblHAL does not heed it; grbl cancels the jog."""
    state = robot.state
    if state.mode == "Jog":
        if robot.config.compat == "grbl":
            forget_lines(robot)
            moves.cancel(robot)
    elif state.mode in ("Run", "Idle") and not state.cancelling:
        moves.change(robot, True)
        state.mode = "Hold"


def resume(robot: "Welder") -> None:
    """`~`: go on after a hold, a closed door, M0 or a tool change."""
    state = robot.state
    if state.mode == "Tool":
        state.mode = "Idle"
    elif state.mode == "Hold" or (state.mode == "Door" and not robot.input["door"]):
        if moves.moving(robot):
            return
        moves.change(robot, False)
        state.mode = "Run" if state.run[p.COUNT] else "Idle"
    lines.work(robot)


def open_door(robot: "Welder") -> None:
    """0x84, or the door itself: brake, switch off, and wait."""
    state = robot.state
    if state.mode == "Home":
        moves.drop(robot)
        alarms.raise_alarm(robot, codes.ALARM_HOMING_DOOR)
        alarms.reset(robot)
    elif state.mode == "Jog":
        forget_lines(robot)
        moves.cancel(robot)
    elif state.mode in ("Idle", "Run", "Hold"):
        moves.change(robot, True)
        state.mode = "Door"
        robot.set_spindle(5, state.spindle_speed)
        robot.say("[MSG:Check Door]\r\n")


def stop(robot: "Welder") -> None:
    """0x19: brake, drop what is queued and what has come, switch off; no alarm. It also ends an alarm that `$X` would end."""
    state = robot.state
    forget_lines(robot)
    if state.mode == "Home" or state.critical or state.alarm_at_rest:
        return
    state.line, state.steps = None, []
    state.probe.mode = 0
    state.program.ended = True
    robot.set_spindle(5, 0.0)
    robot.set_coolant(False, False)
    state.modal = Modal(system=state.modal.system, tool=state.modal.tool)
    state.error = codes.OK
    moves.cancel(robot)
    if state.mode == "Alarm" and state.alarm in codes.OUTLIVES_STOP:
        return
    if state.mode in ("Tool", "Alarm", "Check", "Sleep") or (
        state.mode == "Door" and not robot.input["door"]
    ):
        state.mode, state.alarm = "Idle", 0
    robot.say("[MSG:Stop]\r\n")


def forget_lines(robot: "Welder") -> None:
    """What has come and was not begun; a line in hand that waits for room is dropped too."""
    state = robot.state
    state.rx.clear()
    state.arriving = [one for one in state.arriving if one.code >= 0]
    end_jog(robot)


def end_jog(robot: "Welder") -> None:
    """A jog in hand that waits for room is done with."""
    state = robot.state
    step = state.steps[0] if state.line is not None and state.steps else ("",)
    if step[0] == "jog" or (step[0] == "course" and state.course.word == "jog"):
        lines.answer(robot, codes.OK)
