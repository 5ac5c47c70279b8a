"""Robots whose config names them on the wire, and which therefore need care in a fleet.

A scenario may hold many robots of one config. A robot that is addressed by a name in its config
(a robot id in topics or subjects) must get a name of its own. A robot class opts in by inheriting
from `Robot` and `FleetMember`, and overrides what applies to it:

    class Robot(kernel.Robot, FleetMember):
        @classmethod
        def wire_name(cls, config):
            return config.robot_id
"""

from collections.abc import Callable, Iterable
from typing import Any

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

    def phase_s(self) -> float:
        """Return how much earlier than whole periods the `@every` methods run.

        Robots that were not switched on at the same instant do not tick at the same instants.
        """
        return 0.0


def fleet_rules(robot: type) -> type[FleetMember]:
    """Return the robot class if it has fleet rules, else the rules that change nothing."""
    return robot if issubclass(robot, FleetMember) else FleetMember
