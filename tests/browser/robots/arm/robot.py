"""An arm that swings about its foot until its emergency stop is pressed."""

import math
from dataclasses import dataclass, field
from typing import Any

from rigless.kernel.robot import Robot, VirtualInput, every

HZ = 50.0
PART_S = 0.6  # lengths of both limbs
FOOT_S = 0.4


@dataclass
class ArmState:
    angle_rad: float = 0.0
    bend_rad: float = 0.6
    swings: int = 0
    links: list[tuple[float, ...]] = field(default_factory=list)


def placed(angle_rad: float, bend_rad: float) -> list[tuple[float, ...]]:
    """Return the poses of foot, upper and lower limb. The limbs point along their z axis."""
    foot = (0.0, 0.0, 0.0, 0.0, 0.0, math.sin(angle_rad / 2), math.cos(angle_rad / 2))
    upper = (0.0, 0.0, FOOT_S, *turned(angle_rad, bend_rad))
    reach, height = PART_S * math.sin(bend_rad), FOOT_S + PART_S * math.cos(bend_rad)
    x, y = reach * math.cos(angle_rad), reach * math.sin(angle_rad)
    return [foot, upper, (x, y, height, *turned(angle_rad, 2.2 * bend_rad))]


def turned(yaw_rad: float, tilt_rad: float) -> tuple[float, float, float, float]:
    """Return a rotation about z after one about y, as a quaternion x, y, z, w."""
    (sy, cy), (st, ct) = [(math.sin(a / 2), math.cos(a / 2)) for a in (yaw_rad, tilt_rad)]
    return (-sy * st, cy * st, sy * ct, cy * ct)


class Arm(Robot):
    State = ArmState
    inputs = {
        "estop": VirtualInput(False, "the emergency stop is pressed"),
        "door_closed": VirtualInput(True, "nobody is in the cell"),
        "part_sensor": VirtualInput(False, "a part is there"),
        "speed_rad_s": VirtualInput(0.5, "how fast it swings"),
        "program": VirtualInput("swing", "what it is doing"),
        "gripper": VirtualInput("open", "state of the gripper", choices=("open", "closed")),
    }
    sensors = ("angle",)
    actuators = ("motor",)
    own_faults = {"arc": ("lost",)}

    def start(self) -> None:
        self.state.links = placed(self.state.angle_rad, self.state.bend_rad)

    @every(HZ)
    def swing(self) -> None:
        state = self.state
        speed = (
            0.0
            if self.input["estop"] or not self.input["door_closed"]
            else float(self.input["speed_rad_s"])
        )
        state.angle_rad += self.actuate("motor", speed, 1.0 / HZ, full=5.0) / HZ
        if state.angle_rad > 2 * math.pi:
            state.angle_rad -= 2 * math.pi
            state.swings += 1
            self.count("swings")
        state.links = placed(state.angle_rad, state.bend_rad)

    def view(self) -> Any:
        from .view import ArmView

        return ArmView(self)
