"""Collect the trace of a run while it runs, without an effect on it.

The tracer only observes: it samples places after everything else of an instant, counts messages
that are encoded in any case, and keeps events. It never sets `core.recording`, so that no output
is encoded for its sake.
"""

from typing import Any

from rigless.kernel import inputs as inp
from rigless.kernel.events import Event
from rigless.kernel.loop.listeners import Output
from rigless.kernel.robot import Robot
from rigless.kernel.timing.rate import to_ns
from rigless.runs.trace import MessageLane, ObstacleTrace, RegionTrace, RobotTrace, Trace
from rigless.runs.world_picture import picture_of
from rigless.scenario.build import Built
from rigless.scenario.kinds import kind_of
from rigless.scenario.planned_inputs import matching_robots

MAX_POINTS = 2000  # of a path
MAX_HZ = 10.0
MAX_ROBOTS = 50
BINS = 200
MAX_EVENTS = 2000  # warnings and errors; they are the reason of most failures
MAX_NOTES = 500  # events of less severity
SEVERE = ("warning", "error", "critical")
DIGITS = 4  # of metres and seconds
Place = tuple[float, float, float]  # x, y and the radius
Sample = tuple[int, Place | None, float | None]  # time in ns, place and heading


class Tracer:
    """Observe a simulation from now on; `finish` returns the trace.

    tracer = Tracer(built, duration_s=60)
    built.simulation.run(seconds=60)
    trace = tracer.finish()
    """

    def __init__(self, built: Built, duration_s: float):
        self._built, self._sim = built, built.simulation
        core = self._sim.core
        self._begin_ns = core.now_ns
        self._bin_ns = max(1, to_ns(max(duration_s, 1e-3)) // BINS)
        self._counts: dict[tuple[str, str, str], list[int]] = {}
        self._connected: set[tuple[str, str]] = set()
        self._severe: list[tuple[Event, tuple[float, float] | None]] = []
        self._notes: list[tuple[Event, tuple[float, float] | None]] = []
        self._left_out = 0
        self._last_ns = -1
        self._paths = self._find_paths()
        self._samples: dict[str, list[Sample]] = {name: [] for name in self._paths}
        self._obstacles: dict[tuple[int, str], ObstacleTrace] = {}
        self._moving = [(n, one) for n, one in enumerate(self._worlds) if one.state.obstacles]
        self._sample()
        core.listeners.input.append(self._input)
        core.listeners.output.append(self._output)
        core.observe_events(self._event)
        if self._paths:
            core.sample(min(MAX_HZ, MAX_POINTS / max(duration_s, 1e-3)), self._sample)

    def finish(self) -> Trace:
        """Stop observing and return the trace."""
        core = self._sim.core
        self._sample()
        core.stop_sampling(self._sample)
        core.listeners.input.remove(self._input)
        core.listeners.output.remove(self._output)
        core.listeners.event.remove(self._event)
        kept = sorted(self._severe + self._notes, key=lambda pair: pair[0].time_ns)
        return Trace(
            duration_s=(core.now_ns - self._begin_ns) / 1e9,
            bin_s=self._bin_ns / 1e9,
            robots=self._robots(),
            worlds=[
                picture_of(world, self._moves(number), core.now_ns)
                for number, world in enumerate(self._worlds)
            ],
            lanes=self._lanes(),
            events=[event for event, _ in kept],
            places=[place for _, place in kept],
            events_left_out=self._left_out,
            robots_left_out=self._robots_left_out,
            regions=self._regions(),
        )

    # Paths

    def _find_paths(self) -> dict[str, RobotTrace]:
        """Return an empty path for each robot that has a place, and number their worlds."""
        self._worlds: list[Any] = []
        found: dict[str, RobotTrace] = {}
        self._robots_left_out = 0
        for name, robot in self._sim.robots.items():
            place = _place(robot)
            if place is None:
                continue
            if len(found) == MAX_ROBOTS:
                self._robots_left_out += 1
                continue
            world = next((n for n, one in enumerate(self._worlds) if one is robot.world), None)
            if world is None:
                world = len(self._worlds)
                self._worlds.append(robot.world)
            kind = kind_of(type(robot))
            found[name] = RobotTrace(name, kind, world, round(float(place[2]), DIGITS))
        return found

    def _sample(self) -> None:
        now_ns = self._sim.now_ns
        if now_ns == self._last_ns:
            return
        robots = self._sim.robots
        for name, samples in self._samples.items():
            samples.append((now_ns, _place(robots[name]), _heading(robots[name])))
        for number, world in self._moving:
            for name, obstacle in world.state.obstacles.items():
                pose = obstacle.pose(now_ns)
                trace = self._obstacles.setdefault((number, name), ObstacleTrace(name, 0.0, 0.0))
                if not trace.poses or trace.poses[-1] != pose:
                    if trace.poses and trace.times_s[-1] < self._last_ns / 1e9:  # it stood still
                        trace.times_s.append(self._last_ns / 1e9)
                        trace.poses.append(trace.poses[-1])
                    trace.times_s.append(now_ns / 1e9)
                    trace.poses.append(pose)
        self._last_ns = now_ns

    def _robots(self) -> list[RobotTrace]:
        for name, path in self._paths.items():
            known = [
                (time_ns, place, heading)
                for time_ns, place, heading in self._samples[name]
                if place is not None
            ]
            path.times_s = [round(time_ns / 1e9, DIGITS) for time_ns, _, _ in known]
            path.x_m = [round(float(place[0]), DIGITS) for _, place, _ in known]
            path.y_m = [round(float(place[1]), DIGITS) for _, place, _ in known]
            headings = [round(heading, DIGITS) for *_, heading in known if heading is not None]
            if len(headings) == len(known):
                path.theta_rad = headings
            path.corners_m = _corners(self._sim.robots[name])
        return list(self._paths.values())

    def _moves(self, number: int) -> dict[str, ObstacleTrace]:
        """Return the obstacles of a world that moved."""
        return {
            name: trace
            for (world, name), trace in self._obstacles.items()
            if world == number and len(trace.poses) > 1
        }

    def _regions(self) -> list[RegionTrace]:
        found = []
        for index, expectation in enumerate(self._built.scenario.expect):
            region = expectation.region or getattr(expectation, "reaches", None)
            if region is None or not hasattr(region, "center"):
                continue
            names = matching_robots(expectation.robot or "*", self._sim.robots)
            world = next((self._paths[name].world for name in names if name in self._paths), None)
            if world is not None:
                radius_m = region.radius_m or 0.0
                found.append(RegionTrace(index, world, region.x, region.y, region.center, radius_m))
        return found

    # Messages and events

    def _count(self, time_ns: int, robot: str, port: str, direction: str) -> None:
        counts = self._counts.get((robot, port, direction))
        if counts is None:
            counts = self._counts[robot, port, direction] = [0] * BINS
        counts[min((time_ns - self._begin_ns) // self._bin_ns, BINS - 1)] += 1

    def _input(self, time_ns: int, given: inp.AnyInput, source: str) -> None:
        if isinstance(given, inp.Arrive | inp.Send):
            self._count(time_ns, given.robot, given.port, "in")
        elif isinstance(given, inp.Connect):
            self._connected.add((given.robot, given.port))

    def _output(self, time_ns: int, output: Output) -> None:
        self._count(time_ns, output.robot, output.port, "out")

    def _lanes(self) -> list[MessageLane]:
        """Return the lanes in the order of robots and ports.

        Without a recording or a peer, outputs are only encoded during wire faults. Such counts are
        misleading, so they are left out.
        """
        core = self._sim.core
        known = core.recording
        bins = -(-(core.now_ns - self._begin_ns) // self._bin_ns)  # the run may have ended early
        return [
            MessageLane(robot.name, port.name, direction, self._counts[key][: max(bins, 1)])
            for robot in core.robots.values()
            for port in robot.ports
            for direction in ("in", "out")
            if (key := (robot.name, port.name, direction)) in self._counts
            and (direction == "in" or known or key[:2] in self._connected)
        ]

    def _event(self, time_ns: int, event: Event) -> None:
        severe = event.severity in SEVERE
        events, limit = (self._severe, MAX_EVENTS) if severe else (self._notes, MAX_NOTES)
        if len(events) >= limit:
            self._left_out += 1
            return
        robot = self._sim.robots.get(event.robot)
        placed = severe or "collision" in event.code
        body = _footprint(robot) if placed and robot is not None else None
        place = (round(body[0], DIGITS), round(body[1], DIGITS)) if body else None
        events.append((event, place))


def _place(robot: Robot) -> Place | None:
    """Return x, y and radius of a robot, or the place of the torch of an arm, or None.

    The footprint comes first: `truth` may take a scan, which costs more than the whole tracer.
    """
    try:
        body = robot.footprint()
        if body is not None:
            return body
        truth = robot.truth()
        pose = getattr(truth, "pose", None)
        if pose is not None:
            return float(pose[0]), float(pose[1]), 0.0
        torch = getattr(truth, "torch_mm", None)
        return None if torch is None else (float(torch[0]) / 1000, float(torch[1]) / 1000, 0.0)
    except Exception:  # code of a user's robot: a report must not end a run
        return None


def _heading(robot: Robot) -> float | None:
    """Return the heading of a robot, or None."""
    try:
        heading = robot.heading_rad()
        return None if heading is None else float(heading)
    except Exception:  # code of a user's robot
        return None


def _corners(robot: Robot) -> list[tuple[float, float]]:
    """Return the corners of a robot's outline; none for a disc."""
    try:
        corners = robot.corners() or ()
        return [(round(float(x), DIGITS), round(float(y), DIGITS)) for x, y in corners]
    except Exception:  # code of a user's robot
        return []


def _footprint(robot: Robot) -> Place | None:
    """Return x, y and the radius of a robot, or None."""
    try:
        body = robot.footprint()
        return None if body is None else (float(body[0]), float(body[1]), float(body[2]))
    except Exception:  # code of a user's robot
        return None
