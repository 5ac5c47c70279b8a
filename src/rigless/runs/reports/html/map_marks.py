"""The marks on the map of a run: starts, faults, collisions and the moment of failure."""

from bisect import bisect_left

from rigless.runs.reports.explanation import seconds
from rigless.runs.reports.html.map_view import View
from rigless.runs.reports.html.markup import text
from rigless.runs.result import Result
from rigless.runs.trace import RobotTrace, Trace
from rigless.scenario.verdict import FaultPeriod

MAX_MARKS = 40  # of collisions, and of faults
NAMED = 12  # more robots than this have no names on the map


def render_marks(
    result: Result, trace: Trace, robots: list[RobotTrace], moment: float | None, view: View
) -> str:
    """Return the marks over the drawing: start, faults, collisions, failure, robots."""
    found = [
        f'<i class="mark start" style="{view.style(robot.x_m[0], robot.y_m[0])}" '
        f'title="{text(robot.name)}: start"></i>'
        for robot in robots
    ]
    if len(robots) == 1:
        place = view.style(robots[0].x_m[0], robots[0].y_m[0])
        found.append(f'<span class="tag" style="{place}">start</span>')
    elif len(robots) <= NAMED:
        found += [
            f'<span class="tag" style="{view.style(one.x_m[-1], one.y_m[-1])}">'
            f"{text(one.name)}</span>"
            for one in robots
        ]
    found += [_fault_mark(*each, view) for each in _faults(result, robots)[:MAX_MARKS]]
    names = {robot.name for robot in robots}
    hits = [
        (event, place)
        for event, place in zip(trace.events, trace.places, strict=False)
        if "collision" in event.code and event.robot in names and place and view.holds(*place)
    ]
    for event, where in hits[:MAX_MARKS]:
        time_s = event.time_ns / 1e9
        found.append(
            f'<button type="button" class="mark hit" style="{view.style(*where)}" '
            f'data-jump="{time_s:.4f}" title="{seconds(time_s)} {text(event.text)}">'
            f'<span class="sr">{text(event.code)} at {seconds(time_s)}</span></button>'
        )
    found.append(_failure_mark(result, robots, moment, view))
    found += ['<i class="mark here"></i>' for _ in robots]
    return "".join(found)


def _faults(result: Result, robots: list[RobotTrace]) -> list[tuple[FaultPeriod, RobotTrace]]:
    """Return each fault with its robot. One of a program is drawn if there is only one robot."""
    by_name = {robot.name: robot for robot in robots}
    only = robots[0] if len(robots) == 1 else None
    found = [(fault, by_name.get(fault.robot) if fault.robot else only) for fault in result.faults]
    return [(fault, robot) for fault, robot in found if robot is not None]


def _fault_mark(fault: FaultPeriod, robot: RobotTrace, view: View) -> str:
    """Return the mark of the place at which a fault begins."""
    place = view.style(*_place(robot, fault.begin_s))
    return (
        f'<button type="button" class="mark fault-begin" style="{place}" '
        f'data-jump="{fault.begin_s:.4f}" title="{text(fault)}">'
        f'<span class="sr">{text(fault)}</span></button>'
    )


def _place(robot: RobotTrace, time_s: float) -> tuple[float, float]:
    index = min(bisect_left(robot.times_s, time_s), len(robot.times_s) - 1)
    return robot.x_m[index], robot.y_m[index]


def _failure_mark(
    result: Result, robots: list[RobotTrace], moment: float | None, view: View
) -> str:
    if moment is None:
        return ""
    first = next((one for one in result.verdicts if one.broke_at_s == moment), None)
    names = [first.robot] if first is not None and first.robot else [robot.name for robot in robots]
    chosen = [robot for robot in robots if robot.name in names]
    if len(chosen) != 1:
        return ""
    robot = chosen[0]
    place = view.style(*_place(robot, moment))
    return (
        f'<i class="mark failure" style="{place}"></i>'
        f'<span class="tag bad" style="{place}">failed at {seconds(moment)}</span>'
    )


def render_legend(result: Result, trace: Trace, moment: float | None) -> str:
    items = ['<span><i class="key path"></i>path</span>']
    if moment is not None:
        items.append('<span><i class="key after"></i>after the failure</span>')
    if any(fault.robot in ("", *(r.name for r in trace.robots)) for fault in result.faults):
        items.append('<span><i class="key fault-begin"></i>fault begins</span>')
        items.append('<span><i class="key during"></i>fault active</span>')
    if trace.regions:
        items.append('<span><i class="key goal"></i>expected region</span>')
    if any("collision" in event.code for event in trace.events):
        items.append('<span><i class="key hit"></i>collision</span>')
    return f"<figcaption>{''.join(items)}</figcaption>"
