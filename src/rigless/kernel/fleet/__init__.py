"""Rules for many robots of one config: each has its own name on the wire and its own start.

A robot that is addressed by a name in its config (a robot id in topics or subjects) must get a name
of its own. Robots without a start get places of the world, and robots that would start at the same
place are spread around it (starts.py). A robot class opts in by inheriting from `Robot` and
`FleetMember`, and overrides what applies to it:

    class Robot(kernel.Robot, FleetMember):
        @classmethod
        def wire_name(cls, config):
            return config.robot_id
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from rigless.kernel.body import Body
from rigless.kernel.documents.requirements import Requirement
from rigless.kernel.problems import Problem


class LastPose(NamedTuple):
    """The pose at which a robot stands, and the name of the map that its config has."""

    x: float
    y: float
    theta: float
    map: str = ""


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
    def fleet_config(cls, config: Any, size: int) -> Any:
        """Return the config for a fleet of this size, for example with a world that holds it.

        It is called if neither the scenario nor an entry of the fleet names a world or a start.
        """
        return config

    @classmethod
    def offset_from(cls, config: Any, others: int) -> Any:
        """Return the config of a robot after `others` of its kind, for example with its phase."""
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

    def last_pose(self) -> LastPose | None:
        """Return the pose at which the next run starts this robot; None: start as configured."""
        return None

    # x, y and heading, assigned before `start()` to a robot without a start of its own.
    start_place: tuple[float, float, float] | None = None

    def has_own_start(self) -> bool:
        """Return True if the scenario or the config says where the robot starts."""
        return True

    def row_start(self, others: int) -> tuple[float, float, float] | None:
        """Return the start on an open plane of a robot after `others` of its class.

        It is for a robot without a start of its own.
        """
        return None

    def start_body(self) -> Body | None:
        """Return the footprint at the configured start; None if others may start there too."""
        return None

    def placed(self, pose: tuple[float, float, float]) -> tuple[float, float, float]:
        """Return the pose to start at, given the configured one."""
        return pose if self.start_place is None else self.start_place

    def exercise(self) -> None:
        """Begin usual work, such as driving, so that its cost can be measured."""

    def phase_s(self) -> float:
        """Return how much earlier than whole periods the `@every` methods run.

        Robots that were not switched on at the same instant do not tick at the same instants.
        """
        return 0.0


def fleet_rules(robot: type) -> type[FleetMember]:
    """Return the robot class if it has fleet rules, else the rules that change nothing."""
    return robot if issubclass(robot, FleetMember) else FleetMember
