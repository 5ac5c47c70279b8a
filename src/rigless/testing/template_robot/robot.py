"""A motor that turns a table to an angle: its ports, its control loop, its commands."""

from rigless.kernel.ports import Link, Port
from rigless.kernel.robot import Robot, VirtualInput, every, on

from .config import TemplateRobotConfig
from .state import TemplateRobotState
from .wire import Get, LineCodec, Move, Reply, Stop, Unknown


class TemplateRobot(Robot):
    """The robot. Read it from top to bottom: what it offers, then what happens when."""

    Config = TemplateRobotConfig
    State = TemplateRobotState
    config: TemplateRobotConfig
    state: TemplateRobotState
    ports = (
        Port(
            "line",
            LineCodec,
            transport="tcp",
            address="127.0.0.1:7790",
            example="rigless send {robot} line GET",
            example_label="read the angle",
            emits=(Reply,),
            answers=True,
        ),
    )
    inputs = {"blocked": VirtualInput(False, "something holds the table")}
    sensors = ("angle",)
    actuators = ("motor",)
    random_streams = ("angle",)
    event_codes = ("move",)

    @every(lambda config: config.control_hz)
    def control(self) -> None:
        """Turn towards the target at a constant speed and read the sensor."""
        config, state = self.config, self.state
        dt_s = 1.0 / config.control_hz
        step_deg = config.speed_deg_per_s * dt_s
        wanted_deg = max(-step_deg, min(step_deg, state.target_deg - state.angle_deg))
        moved_deg = self.actuate("motor", wanted_deg, dt_s, full=step_deg)
        if not self.input["blocked"]:
            state.angle_deg += moved_deg
        noise_deg = config.noise_deg * float(self.random("angle").standard_normal())
        state.measured_deg = self.sense("angle", state.angle_deg + noise_deg)

    @on(Get)
    def get(self, message: Get, link: Link) -> None:
        """Reply with the measured angle; `-` if the sensor gives no reading."""
        measured = self.state.measured_deg
        angle = "-" if measured is None else f"{measured:.2f}"
        self.reply(f"ANGLE {angle} TARGET {self.state.target_deg:.1f}", link)

    @on(Move)
    def move(self, message: Move, link: Link) -> None:
        """Set the target, if it is within the stops."""
        if abs(message.degrees) <= self.config.travel_deg:
            self.state.target_deg = message.degrees
            self.event("move", f"turns to {message.degrees:g}°", target_deg=message.degrees)
            self.reply("OK", link)
        else:
            self.reply("ERR range", link)

    @on(Stop)
    def stop(self, message: Stop, link: Link) -> None:
        """Stop at the present angle."""
        self.state.target_deg = self.state.angle_deg
        self.reply("OK", link)

    @on(Unknown)
    def unknown(self, message: Unknown, link: Link) -> None:
        """Reject a line that is no command."""
        self.reply("ERR unknown", link)

    def reply(self, text: str, link: Link) -> None:
        """Send a reply to the peer that asked."""
        self.emit("line", Reply(text), to=link)
