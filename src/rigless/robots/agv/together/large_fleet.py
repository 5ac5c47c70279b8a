"""An AGV in a large fleet: groups that tick together, poses that processes exchange and runs save.

Also the work whose cost is measured.
"""

from collections.abc import Sequence

from rigless.kernel.elementary import sin_cos
from rigless.kernel.fleet import FleetMember, LastPose
from rigless.kernel.fleet.shard import Whereabouts
from rigless.kernel.fleet.together import Group
from rigless.kernel.robot import Robot
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.profile import SimulationProfile
from rigless.robots.agv.site.site import Site
from rigless.robots.agv.state import AgvState
from rigless.robots.agv.together.fleet_tick import FleetTick, groups_of

FAR_M = 1e5
STOPPED, ROLLS, BACK, FLAGS = 1, 2, 4, 3  # bits of the extra number of the whereabouts
LENGTH_BITS = 20  # above them the length and then the width of the load, in mm


class LargeFleetMember(Robot, FleetMember):
    """An AGV that other processes may step."""

    config: RobotConfig
    machine: Machine
    site: Site
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
        state, drive = self.machine.state, self.machine.drive
        length_m, width_m = state.load_size_m or (0.0, 0.0)
        load = round(1e3 * width_m) << LENGTH_BITS | round(1e3 * length_m)
        flags = STOPPED * state.obstacle_stop | ROLLS * drive.rolling | BACK * drive.backwards
        x, y, theta, v, omega = state.drive[: d.ODOMETER].tolist()
        return Whereabouts(x, y, theta, v, omega, load << FLAGS | flags)

    def follow_pose(self, place: Whereabouts) -> None:
        state, extra = self.machine.state, int(place.extra)
        state.drive[: d.ODOMETER] = place[: d.ODOMETER]
        state.drive[d.PHASE] = d.ROLL if extra & ROLLS else d.REST
        state.drive[d.BACK] = 1.0 if extra & BACK else 0.0
        state.obstacle_stop = bool(extra & STOPPED)
        width_mm, length_mm = divmod(extra >> FLAGS, 1 << LENGTH_BITS)
        size_m = (length_mm / 1e3, width_mm / 1e3) if length_mm else None
        if size_m != state.load_size_m:
            state.load_size_m = size_m
            self.machine.protection.reshape()
        state.wake()
        self.machine.protection.moved()
        self.site.follow()

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
