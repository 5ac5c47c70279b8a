"""The arm's page."""

from rigless.kernel.drawing import (
    Action,
    Button,
    Gauge,
    Lamp,
    Links,
    Plot,
    Solid,
    Switch,
    Trail,
    View,
)
from rigless.kernel.inputs import AnyInput, SetInput

from .robot import FOOT_S, PART_S

FOOT = (Solid("cylinder", (0.16, FOOT_S), (0.0, 0.0, FOOT_S / 2), "plain"),)
BREAK = "break the view"
LIMB = (
    Solid("sphere", (0.1,), colour="plain"),
    Solid("box", (0.11, 0.11, PART_S), (0.0, 0.0, PART_S / 2), "accent"),
)


class ArmView(View):
    parts = (
        Links("links", "Arm", (FOOT, LIMB, LIMB)),
        Trail("elbow", "Elbow"),
        Gauge("angle", "Angle", "rad", digits=3),
        Lamp("part", "Part seen"),
        Lamp("arc", "Arc lost", "bad"),
        Switch("door_closed", "Door closed"),
        Switch("speed_rad_s", "Swing rate"),
        Switch("program", "Program"),
        Button("part_sensor", "Part sensor"),
        Action("faster", "Faster"),
        Plot("angles", "Angle", (("angle", "joint 1"),), "rad"),
    )

    def draw(self):
        if self.robot.input["program"] == BREAK:
            raise RuntimeError("<b>told to</b>")
        tone = float(self.robot.fault("arc") is not None)
        return {"links": [(*link, tone) for link in self.robot.state.links]}

    def measure(self):
        robot = self.robot
        return {
            "angle": robot.state.angle_rad,
            "part": float(robot.input["part_sensor"]),
            "arc": float(robot.fault("arc") is not None),
        }

    def trace(self):
        x, y = self.robot.state.links[2][:2] if self.robot.state.links else (0.0, 0.0)
        return {"elbow": (x, y)}

    def act(self, name: str) -> list[AnyInput]:
        return [
            SetInput(self.robot.name, "speed_rad_s", 2 * float(self.robot.input["speed_rad_s"]))
        ]
