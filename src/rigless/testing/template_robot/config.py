"""Every number of the robot, with its unit, bounds and source."""

from pydantic import Field

from rigless.kernel.robot import Config


class TemplateRobotConfig(Config):
    """The robot's configuration; each key can be set in a scenario or with `--set key=value`."""

    control_hz: float = Field(50.0, gt=0, description="rate of the control loop")
    speed_deg_per_s: float = Field(45.0, gt=0, description="datasheet, no load")
    travel_deg: float = Field(180.0, gt=0, description="the stops are at plus and minus this angle")
    noise_deg: float = Field(0.05, ge=0, description="standard deviation of the angle sensor")
