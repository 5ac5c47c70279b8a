"""An AGV in a fleet of several processes: the pose that they exchange."""

from rigless.kernel.robot import Robot
from rigless.kernel.shard import Whereabouts
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.motion import drive as d


class SharedPose(Robot):
    """Exchanges the pose of an AGV with the processes that do not step it."""

    machine: Machine

    def whereabouts(self) -> Whereabouts:
        x, y, theta, v, omega = self.machine.state.drive[: d.ODOMETER].tolist()
        return Whereabouts(x, y, theta, v, omega)

    def follow(self, place: Whereabouts) -> None:
        state = self.machine.state
        state.drive[: d.ODOMETER] = place[: d.ODOMETER]
        state.wake()
