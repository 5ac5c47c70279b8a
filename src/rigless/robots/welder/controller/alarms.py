"""Alarms and resets: what stops the machine, and what lets it go on.

An alarm locks G-code out until `$X` or `$H`. A critical one (limits, emergency stop, motor fault) first wants its cause gone and a
reset. A reset in motion is itself an alarm, because a real machine loses its position then.
"""

from typing import TYPE_CHECKING

from rigless.robots.welder.controller import main_loop as lines
from rigless.robots.welder.controller import moves, reports
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import Modal
from rigless.robots.welder.process import welding
from rigless.robots.welder.state import Arrival, Schedule, Switches

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder


def raise_alarm(robot: "Welder", number: int) -> None:
    state = robot.state
    state.mode, state.alarm, state.critical = "Alarm", number, number in codes.CRITICAL
    state.steps, state.legs, state.probe.mode = [], [], 0
    robot.say(f"ALARM:{number}\r\n")
    if number == codes.ALARM_PROBE_CONTACT:
        robot.say(reports.probe(robot))
    if number in codes.PROBE_ALARMS and state.line is not None:
        lines.answer(robot, codes.OK)
    elif state.critical:
        state.rx.clear()
        robot.say(f"[MSG:{critical_text(number)}]\r\n")
    state.line = None
    robot.event("alarm", f"ALARM:{number} {codes.ALARMS[number]}", "error", number=number)
    robot.count("alarms")


def critical_text(number: int) -> str:
    what = {codes.ALARM_ESTOP: "Emergency stop", codes.ALARM_MOTOR_FAULT: "Motor fault"}.get(number)
    return f"{what} - clear, then reset to continue" if what else "Reset to continue"


def lock_text(robot: "Welder") -> str:
    if robot.state.critical:
        return f"[MSG:{critical_text(robot.state.alarm)}]\r\n"
    return "[MSG:'$H'|'$X' to unlock]\r\n"


def reset(robot: "Welder") -> None:
    """Ctrl-X: everything stops at once; an alarm if something moved."""
    state = robot.state
    if robot.input["estop"] or robot.fault("motor"):
        return
    homing, moved = state.mode == "Home", moves.moving(robot)
    locked = state.mode in ("Alarm", "Sleep")
    state.alarm_at_rest = 0
    moves.drop(robot)
    state.rx.clear()
    state.arriving = [one for one in state.arriving if one.code >= 0]
    state.line, state.steps, state.until_ns, state.error, state.critical = (
        None,
        [],
        -1,
        codes.OK,
        False,
    )
    state.probe.mode = 0
    state.program.ended = True
    state.modal = Modal(tool=state.modal.tool)
    robot.set_spindle(5, 0.0)
    robot.set_coolant(False, False)
    robot.set_overrides(100, 100, 100)
    state.schedule = Schedule()
    state.switches = Switches(reporting=state.settings[s.REPORT_INTERVAL] > 0)
    if homing or moved:
        raise_alarm(robot, codes.ALARM_HOMING_RESET if homing else codes.ALARM_ABORT)
        locked = True
    robot.say(reports.greeting(robot.config.compat))
    if locked:
        state.mode = "Alarm"
        robot.say(lock_text(robot))
    else:
        state.mode, state.alarm = "Idle", 0
        state.rx = [Arrival(robot.now_ns, -1, text, startup=True) for text in state.startup if text]
        lines.work(robot)


def stop_at_once(robot: "Welder", alarm: int) -> None:
    """The power is cut: no braking ramp, no gas, no arc."""
    moves.drop(robot)
    welding.emergency(robot.state.weld)
    robot.set_spindle(5, 0.0)
    robot.set_coolant(False, False)
    raise_alarm(robot, alarm)
