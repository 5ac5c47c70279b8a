"""The area that a map of a run shows: a box in world metres, and positions in it."""

from dataclasses import dataclass

from rigless.runs.reports.html.markup import nice_step, number
from rigless.runs.trace import RegionTrace, RobotTrace, Trace, WorldPicture

WHOLE = 4.0  # a map up to this many times larger than what happened on it is shown whole
ROOM = 0.15  # around what happened, as a part of its size
LEAST_M = 0.05  # of room around what happened
NEAR = 9.0  # radii around a robot that are shown of a map
SLIMMEST = 0.32  # of the ratio of the sides
MOST_OBSTACLE_M = 30.0  # farther obstacles do not count


@dataclass
class View:
    """A box in world metres. Drawings have x to the right and y downwards, in metres."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    def to_drawing(self, x: float, y: float) -> tuple[float, float]:
        """Return a place in the drawing, in metres from the upper left corner."""
        return round(x - self.x0, 4), round(self.y1 - y, 4)

    def style(self, x: float, y: float) -> str:
        """Return the style of an element at a place."""
        left, top = self.to_drawing(x, y)
        return f"left:{number(100 * left / self.width)}%;top:{number(100 * top / self.height)}%"

    def holds(self, x: float, y: float) -> bool:
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1

    @property
    def bar_m(self) -> float:
        """The length of the scale bar: a round number, about a fifth of the width."""
        return nice_step(self.width / 8)


def view_of(trace: Trace, number_of_world: int) -> View:
    """Return the area for the map of a world."""
    world = trace.worlds[number_of_world]
    robots = [robot for robot in trace.robots if robot.world == number_of_world]
    regions = [region for region in trace.regions if region.world == number_of_world]
    box = seen = _extent(robots, regions, world)
    widest = max((robot.radius_m for robot in robots), default=0.0)
    near = NEAR if world.png else 2.0  # a robot may stand still: the map shows where
    room = max(ROOM * max(box.width, box.height), near * widest, LEAST_M)
    box = View(box.x0 - room, box.y0 - room, box.x1 + room, box.y1 + room)
    if world.png and not world.yaw_rad:
        margin = 0.02 * max(world.width_m, world.height_m)
        whole = View(  # a goal may be outside of the map
            min(world.x_m, seen.x0) - margin,
            min(world.y_m, seen.y0) - margin,
            max(world.x_m + world.width_m, seen.x1) + margin,
            max(world.y_m + world.height_m, seen.y1) + margin,
        )
        if max(whole.width, whole.height) <= WHOLE * max(box.width, box.height):
            return whole
        x0, y0 = max(box.x0, whole.x0), max(box.y0, whole.y0)
        x1, y1 = min(box.x1, whole.x1), min(box.y1, whole.y1)
        if x1 > x0 and y1 > y0:
            box = View(x0, y0, x1, y1)
    return _not_slim(box)


def _not_slim(box: View) -> View:
    """Return the area with both sides long enough for a picture."""
    least = SLIMMEST * max(box.width, box.height)
    more_x, more_y = max(least - box.width, 0) / 2, max(least - box.height, 0) / 2
    return View(box.x0 - more_x, box.y0 - more_y, box.x1 + more_x, box.y1 + more_y)


def _extent(robots: list[RobotTrace], regions: list[RegionTrace], world: WorldPicture) -> View:
    xs: list[float] = []
    ys: list[float] = []
    for robot in robots:
        for values, found in ((robot.x_m, xs), (robot.y_m, ys)):
            if values:
                found += [min(values) - robot.radius_m, max(values) + robot.radius_m]
    for region in regions:
        if region.center_m is not None:
            xs += [region.center_m[0] - region.radius_m, region.center_m[0] + region.radius_m]
            ys += [region.center_m[1] - region.radius_m, region.center_m[1] + region.radius_m]
        xs += region.x_m or ()
        ys += region.y_m or ()
    middle = (sum(xs) / len(xs), sum(ys) / len(ys)) if xs and ys else (0.0, 0.0)
    for obstacle in world.obstacles:
        places = [(obstacle.x_m, obstacle.y_m), *((x, y) for x, y, _ in obstacle.poses)]
        reach = max(obstacle.radius_m, *(obstacle.size_m or (0.0,)))
        for x, y in places:
            if max(abs(x - middle[0]), abs(y - middle[1])) < MOST_OBSTACLE_M:
                xs += [x - reach, x + reach]
                ys += [y - reach, y + reach]
    return View(min(xs, default=0), min(ys, default=0), max(xs, default=0), max(ys, default=0))
