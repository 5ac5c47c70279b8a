"""The map of a run: walls, obstacles, goals and paths."""

import math
from bisect import bisect_left
from itertools import pairwise
from typing import Any

from rigless.runs.reports.explanation import broke_at_s, shortened
from rigless.runs.reports.html.map_marks import NAMED, render_legend, render_marks
from rigless.runs.reports.html.map_view import View, view_of
from rigless.runs.reports.html.markup import figure, nice_step, number, text
from rigless.runs.result import Result
from rigless.runs.trace import ObstacleTrace, RegionTrace, RobotTrace, Trace, WorldPicture

MAX_MAPS = 4
LABEL = 40  # characters of the name of a region
SMALL = 0.015  # of the map: the radius of a region that needs a ring


def render_maps(result: Result, prefix: str) -> str:
    """Return the maps of all worlds with robots, at most MAX_MAPS."""
    trace = result.trace
    if trace is None:
        return ""
    drawn = worlds_drawn(trace)
    maps = [_map(result, trace, n, f"{prefix}-map{n}") for n in drawn]
    left_out = sum(bool(_robots(trace, n)) for n in range(len(trace.worlds))) - len(drawn)
    more = f'<p class="dim">{left_out} more worlds are left out.</p>' if left_out > 0 else ""
    if trace.robots_left_out:
        more += f'<p class="dim">{trace.robots_left_out} more robots are not drawn.</p>'
    return f'<section class="maps"><h3>Map</h3>{"".join(maps)}{more}</section>' if maps else ""


def worlds_drawn(trace: Trace) -> list[int]:
    """Return the numbers of the worlds with robots, at most MAX_MAPS."""
    return [n for n in range(len(trace.worlds)) if _robots(trace, n)][:MAX_MAPS]


def map_data(trace: Trace, most: int = 12_000) -> list[dict[str, Any]]:
    """Return the paths for the cursor, in metres of the drawings."""
    found = []
    budget = max(most // max(len(trace.robots), 1), 50)
    for n in worlds_drawn(trace):
        robots, view = _robots(trace, n), view_of(trace, n)
        found.append(
            {
                "width": round(view.width, 4),
                "height": round(view.height, 4),
                "robots": [_moves(robot, view, budget) for robot in robots],
                "obstacles": [
                    {
                        "t": one.times_s,
                        "p": [
                            (*view.to_drawing(x, y), round(-math.degrees(theta), 2))
                            for x, y, theta in one.poses
                        ],
                    }
                    for one in trace.worlds[n].obstacles
                ],
            }
        )
    return found


def _moves(robot: RobotTrace, view: View, budget: int) -> dict[str, Any]:
    step = math.ceil(len(robot.times_s) / budget)
    places = [view.to_drawing(x, y) for x, y in zip(robot.x_m, robot.y_m, strict=False)][::step]
    return {
        "t": [round(time_s, 3) for time_s in robot.times_s[::step]],
        "x": [round(x, 3) for x, _ in places],
        "y": [round(y, 3) for _, y in places],
        "turn": _turns_deg(robot)[::step],
    }


def _turns_deg(robot: RobotTrace) -> list[float]:
    """Return the headings in the drawing, clockwise and without jumps; none without a heading."""
    turns: list[float] = []
    for theta in robot.theta_rad:
        turn = -math.degrees(theta)
        last = turns[-1] if turns else 0.0
        turns.append(round(last + math.remainder(turn - last, 360.0), 2))
    return turns


def _robots(trace: Trace, world: int) -> list[RobotTrace]:
    return [robot for robot in trace.robots if robot.world == world and robot.times_s]


def _map(result: Result, trace: Trace, n: int, name: str) -> str:
    view, world, robots = view_of(trace, n), trace.worlds[n], _robots(trace, n)
    moment = broke_at_s(result)
    drawing = [
        _floor(world, view, name),
        *(_obstacle(one, view) for one in world.obstacles),
        *(_region(one, result, view) for one in trace.regions if one.world == n),
        *(_path(robot, result, moment, view) for robot in robots),
        *(_body(robot, view) for robot in robots),
    ]
    ratio = view.width / view.height
    shown = ", ".join(robot.name for robot in robots[:NAMED])
    return (
        f'<figure class="map" style="--ratio:{number(ratio)}">'
        f'<div class="ground"><svg viewBox="0 0 {_metres(view.width)} {_metres(view.height)}" '
        f'role="img" aria-label="{text(f"Path of {shown} from above")}">{"".join(drawing)}</svg>'
        f"{_goals(result, [one for one in trace.regions if one.world == n], view)}"
        f"{render_marks(result, trace, robots, moment, view)}"
        f'<span class="bar" style="width:{number(100 * view.bar_m / view.width)}%">'
        f"<span>{figure(view.bar_m)} m</span></span></div>"
        f"{render_legend(result, trace, moment)}</figure>"
    )


def _floor(world: WorldPicture, view: View, name: str) -> str:
    if not world.png:
        step = nice_step(max(view.width, view.height) / 12)
        columns = range(math.ceil(view.x0 / step), math.floor(view.x1 / step) + 1)
        rows = range(math.ceil(view.y0 / step), math.floor(view.y1 / step) + 1)
        lines = "".join(f"M{_metres(n * step - view.x0)} 0V{_metres(view.height)}" for n in columns)
        lines += "".join(f"M0 {_metres(view.y1 - n * step)}H{_metres(view.width)}" for n in rows)
        size = f'width="{_metres(view.width)}" height="{_metres(view.height)}"'
        return f'<rect class="floor" {size}/><path class="grid" d="{lines}"/>'
    x, y = view.to_drawing(world.x_m, world.y_m)
    turn = f"translate({_metres(x)} {_metres(y)}) rotate({number(-math.degrees(world.yaw_rad))})"
    size = f'width="{world.width_m:.4f}" height="{world.height_m:.4f}" y="{-world.height_m:.4f}"'
    return (
        f'<g transform="{turn}"><rect class="floor" {size}/>'
        f'<mask id="{name}" maskUnits="userSpaceOnUse" x="0" {size}>'
        f'<image {size} preserveAspectRatio="none" href="data:image/png;base64,{world.png}"/>'
        "</mask>"
        f'<rect class="wall" {size} mask="url(#{name})"/></g>'
    )


def _obstacle(one: ObstacleTrace, view: View) -> str:
    x, y = view.to_drawing(one.x_m, one.y_m)
    place = f"translate({x} {y}) rotate({number(-math.degrees(one.theta_rad))})"
    if one.size_m is None:
        shape = f'<circle r="{one.radius_m:.4f}"/>'
    else:
        length, width = one.size_m
        shape = (
            f'<rect x="{-length / 2:.4f}" y="{-width / 2:.4f}" '
            f'width="{length:.4f}" height="{width:.4f}"/>'
        )
    title = f"<title>obstacle {text(one.name)}</title>"
    trail = ""
    if len(one.poses) > 1:
        places = [view.to_drawing(x, y) for x, y, _ in one.poses]
        trail = f'<path class="trail" d="{_drawn(places, view)}"/>'
    return f'{trail}<g class="obstacle" transform="{place}">{title}{shape}</g>'


def _region(region: RegionTrace, result: Result, view: View) -> str:
    known = region.expectation < len(result.verdicts)
    verdict = result.verdicts[region.expectation] if known else None
    state = "" if verdict is None or verdict.passed else " bad"
    state += " small" if _size_m(region, view) < SMALL * max(view.width, view.height) else ""
    title = f"<title>{text(verdict.text)}</title>" if verdict is not None else ""
    if region.center_m is not None:
        x, y = view.to_drawing(*region.center_m)
        shape = f'cx="{x}" cy="{y}" r="{region.radius_m:.4f}"'
        return f'<circle class="goal{state}" {shape}>{title}</circle>'
    (x0, x1), (y0, y1) = _sides(region, view)
    left, top = view.to_drawing(x0, y1)
    size = f'x="{left}" y="{top}" width="{x1 - x0:.4f}" height="{y1 - y0:.4f}"'
    return f'<rect class="goal{state}" {size}>{title}</rect>'


def _goals(result: Result, regions: list[RegionTrace], view: View) -> str:
    """Return the names of the first expected regions, and rings around those too small to see."""
    found = []
    for region in regions[:NAMED]:
        if region.expectation >= len(result.verdicts):
            continue
        verdict = result.verdicts[region.expectation]
        (x0, x1), (y0, y1) = _sides(region, view)
        x, y = region.center_m or ((x0 + x1) / 2, (y0 + y1) / 2)
        state = "" if verdict.passed else " failed"
        place = view.style(x, y)
        if _size_m(region, view) < SMALL * max(view.width, view.height):
            found.append(f'<i class="mark aim{state}" style="{place}"></i>')
        if region.center_m is None:  # the name of a rectangle is inside, at its upper side
            state += " inside"
            place = view.style(x, y1)
        name = text(shortened(verdict.text, LABEL))
        found.append(f'<span class="tag of-goal{state}" style="{place}">{name}</span>')
    return "".join(found)


def _size_m(region: RegionTrace, view: View) -> float:
    """Return the radius of a region, or half of its shorter side."""
    if region.center_m is not None:
        return region.radius_m
    return min(end - begin for begin, end in _sides(region, view)) / 2


def _sides(region: RegionTrace, view: View) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ranges of x and y of a region; one that is not limited has that of the view."""
    return region.x_m or (view.x0, view.x1), region.y_m or (view.y0, view.y1)


def _path(robot: RobotTrace, result: Result, moment: float | None, view: View) -> str:
    """Return the path in pieces: while a fault is active, and after the moment of failure."""
    faults = [fault for fault in result.faults if fault.robot in ("", robot.name)]
    times = {fault.begin_s for fault in faults} | {fault.end_s for fault in faults if fault.end_s}
    cuts = sorted(times | ({moment} if moment is not None else set()))
    indexes = [bisect_left(robot.times_s, time_s) for time_s in cuts]
    bounds = sorted({0, *(i for i in indexes if i < len(robot.times_s)), len(robot.times_s) - 1})
    places = [view.to_drawing(x, y) for x, y in zip(robot.x_m, robot.y_m, strict=False)]
    pieces = []
    for begin, end in pairwise(bounds):
        middle = (robot.times_s[begin] + robot.times_s[end]) / 2
        during = any(
            fault.begin_s <= middle and (fault.end_s is None or middle <= fault.end_s)
            for fault in faults
        )
        style = "path" + (" during" if during else "")
        style += " after" if moment is not None and middle > moment else ""
        pieces.append(f'<path class="{style}" d="{_drawn(places[begin : end + 1], view)}"/>')
    return "".join(pieces)


def _drawn(places: list[tuple[float, float]], view: View) -> str:
    """Return a path without points that nobody could tell apart."""
    least = max(view.width, view.height) / 1500
    kept = places[:1]
    for place in places[1:-1]:
        if math.dist(place, kept[-1]) >= least:
            kept.append(place)
    kept += places[-1:]
    return "M" + "L".join(f"{_metres(x)} {_metres(y)}" for x, y in kept)


def _metres(value: float) -> str:
    """Return a length in tenths of a millimetre: the seam of a welder has few centimetres."""
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _body(robot: RobotTrace, view: View) -> str:
    x, y = view.to_drawing(robot.x_m[-1], robot.y_m[-1])
    radius = robot.radius_m or max(view.width, view.height) / 120
    shape, front = f'<circle r="{radius:.4f}"/>', radius
    if robot.corners_m:
        corners = " ".join(f"{_metres(x)},{_metres(-y)}" for x, y in robot.corners_m)
        shape = f'<polygon points="{corners}"/>'
        front = max(x for x, _ in robot.corners_m)
    turns = _turns_deg(robot)
    nose = f'<path d="M0 0H{_metres(front)}"/>' if turns else ""
    place = f"translate({x} {y}) rotate({number(turns[-1] if turns else 0.0)})"
    title = f"<title>{text(robot.name)}</title>"
    return f'<g class="robot" transform="{place}">{title}{shape}{nose}</g>'
