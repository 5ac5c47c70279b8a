"""An AGV in a large fleet: groups that tick together, poses that processes exchange and runs save.

Also the work whose cost is measured.
"""

from collections.abc import Sequence

from rigless.kernel.elementary import sin_cos
from rigless.kernel.fleet import FleetMember, LastPose
from rigless.kernel.robot import Robot
from rigless.kernel.shard import Whereabouts
from rigless.kernel.together import Group
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.profile import SimulationProfile
from rigless.robots.agv.state import AgvState
from rigless.robots.agv.together.fleet_tick import FleetTick, groups_of

FAR_M = 1e5


class LargeFleetMember(Robot, FleetMember):
    """An AGV that other processes may step."""

    config: RobotConfig
    machine: Machine
    _state: AgvState
    group: FleetTick | None

    @classmethod
    def tick_groups(cls, robots: Sequence[Robot]) -> Sequence[Group]:
        """Return groups of robots that tick together."""
        return groups_of(robots)

    @property
    def parts(self) -> AgvState:
        """The state, for the group."""
        return self._state

    def neighbour_robots(self) -> list[Robot]:
        """Return all robots of this world, with this one."""
        return [robot for robot in self.all_robots.values() if robot.world is self.world]

    def whereabouts(self) -> Whereabouts:
        x, y, theta, v, omega = self.machine.state.drive[: d.ODOMETER].tolist()
        return Whereabouts(x, y, theta, v, omega)

    def follow_pose(self, place: Whereabouts) -> None:
        state = self.machine.state
        state.drive[: d.ODOMETER] = place[: d.ODOMETER]
        state.wake()
        self.machine.protection.moved()

    def last_pose(self) -> LastPose | None:
        runtime = self.config.runtime
        if not runtime.startupPolicy.resumePose:
            return None
        profile = runtime.simulationProfile or SimulationProfile()
        return LastPose(*self.machine.drive.pose, profile.map or "")

    def exercise(self) -> None:
        x, y, theta = self.machine.drive.pose
        sine, cosine = sin_cos(theta)
        self.machine.drive.go([Waypoint(x + FAR_M * cosine, y + FAR_M * sine)])
