"""Rules for many robots of one config: each has its own name on the wire and its own start.

A robot that is addressed by a name in its config (a robot id in topics or subjects) must get a name
of its own. Robots that would start at the same place are spread around it. A robot class opts in by
inheriting from `Robot` and `FleetMember`, and overrides what applies to it:

    class Robot(kernel.Robot, FleetMember):
        @classmethod
        def wire_name(cls, config):
            return config.robot_id
"""

from collections.abc import Callable, Iterable
from typing import Any

from rigless.kernel.body import Body
from rigless.kernel.problems import Problem
from rigless.kernel.requirements import Requirement


class FleetMember:
    """The fleet rules of a robot class. As they stand here, they change nothing.

    class Cart(rigless.Robot, rigless.FleetMember):
        @classmethod
        def wire_name(cls, config):
            return config.serial_number
    """

    @classmethod
    def wire_name(cls, config: Any) -> str | None:
        """Return the name that peers use for a robot of this config; it must be unique."""
        return None

    @classmethod
    def with_name(cls, given: Any, name: str) -> Any:
        """Return the given config with the scenario's name in it, unless it has a name already."""
        return given

    @classmethod
    def fleet_member(cls, config: Any, number: int) -> Any:
        """Return the config of one robot of a fleet, numbered from 1. Raises InputError."""
        return config

    @classmethod
    def offset_from(cls, config: Any, others: int) -> Any:
        """Return the config with another start, so that it is clear of `others` like it."""
        return config

    @classmethod
    def with_saved_settings(
        cls,
        config: Any,
        saved: Iterable[tuple[str, bytes]],
        missing: Callable[[Iterable[Requirement]], list[Problem]],
    ) -> tuple[Any, list[str]]:
        """Return the config with the settings saved by an earlier run, and notes for the user.

        `saved` holds the subjects and payloads that the transport has kept, oldest first.
        `missing` returns a finding for each requirement that this computer does not meet.
        """
        return config, []

    # Assigned before `start()` if an earlier robot has the configured start.
    start_place: tuple[float, float] | None = None

    def start_body(self) -> Body | None:
        """Return the footprint at the configured start; None if others may start there too."""
        return None

    def placed(self, pose: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return the pose to start at, given the configured one."""
        return pose if self.start_place is None else (*self.start_place, pose[2])

    def phase_s(self) -> float:
        """Return how much earlier than whole periods the `@every` methods run.

        Robots that were not switched on at the same instant do not tick at the same instants.
        """
        return 0.0


def fleet_rules(robot: type) -> type[FleetMember]:
    """Return the robot class if it has fleet rules, else the rules that change nothing."""
    return robot if issubclass(robot, FleetMember) else FleetMember


def spread_starts(robots: Iterable[Any]) -> list[Problem]:
    """Assign a free place to each robot whose configured start an earlier one has.

    The place is the free one nearest to the start. Robots with different starts keep theirs.
    Return a problem for each robot without a place.
    """
    bodies: dict[int, list[Body]] = {}  # by world
    starts: set[tuple[int, float, float]] = set()
    waiting: list[tuple[Any, Body]] = []
    for robot in robots:
        if not isinstance(robot, FleetMember) or (body := robot.start_body()) is None:
            continue
        world = id(robot.world)  # type: ignore[attr-defined]
        if (world, body.x, body.y) in starts:
            waiting.append((robot, body))
        else:
            starts.add((world, body.x, body.y))
            bodies.setdefault(world, []).append(body)
    problems = []
    for robot, body in waiting:
        taken = bodies[id(robot.world)]
        robot.start_place = robot.world.nearest_free(
            body, [*taken, *robot.world.bodies(robot.now_ns)]
        )
        if robot.start_place is None:
            what = f"there is no free place near the start ({body.x:g}, {body.y:g})"
            fix = "use fewer robots, a world with more room, or a start for each"
            problems.append(Problem(robot.name, what, fix))
            break  # the next ones have none either
        taken.append(body.at(*robot.start_place))
    return problems
