"""What the Pacbot does on a command: one motor by JSON, all four by serial line, or a key or a tile by command string."""

from typing import TYPE_CHECKING, Any

from rigless.kernel.ports import Link
from rigless.kernel.robot import on
from rigless.motion.omni import wheel_speeds
from rigless.robots.pacbot.config import WHEELS
from rigless.robots.pacbot.wire import Command, Imu, Query, Readings, Refused, Reply, Speeds, Word
from rigless.worlds.maze import CELL_SIZE_M, MazeWorld

if TYPE_CHECKING:
    from rigless.robots.pacbot.config import PacbotConfig
    from rigless.robots.pacbot.state import PacbotState

STOPPED = 0.01  # [wire] a smaller speed is reported as stopped
KEYS = {
    "w": (0, 1, 0),
    "s": (0, -1, 0),
    "a": (-1, 0, 0),
    "d": (1, 0, 0),
    "q": (0, 0, 1),
    "e": (0, 0, -1),
}
TILES = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
STOPS = ("", "stop", "x")


class Commands:
    """The half of the Pacbot that listens; mixed into it."""

    if TYPE_CHECKING:
        config: PacbotConfig
        state: PacbotState
        world: Any
        now_ns: int
        after: Any
        count: Any
        emit: Any
        event: Any
        obey: Any
        readings: Any

    @on(Command)
    def command(self, message: Command, link: Link) -> None:
        said: dict[str, Any] = {"command": message.command}
        if message.id is not None:
            said["id"] = message.id
            unknown = f"Unknown motor id: {message.id}"
            wheel = WHEELS[message.id] if 0 <= message.id < len(WHEELS) else None
        else:
            said |= {"pin1": message.pin1, "pin2": message.pin2}
            unknown = f"Unknown motor pins ({message.pin1}, {message.pin2})"
            pins = {message.pin1, message.pin2}
            wheel = next(
                (name for name in WHEELS if set(getattr(self.config.pins, name)) == pins), None
            )
        if wheel is None:
            self.emit("commands", Reply("warning", unknown, said), to=link)
            return
        speed = min(max(float(message.speed), -1.0), 1.0)
        self.drive({wheel: speed})
        self.emit("commands", Reply("ok", f"{wheel} {_does(speed)}", said, wheel), to=link)

    @on(Refused)
    def refuse(self, message: Refused, link: Link) -> None:
        self.count("refused")
        self.emit("commands", Reply("error", message.message, message.said), to=link)

    @on(Query)
    def answer(self, message: Query, link: Link) -> None:
        tof, encoders, imu = self.readings()
        self.emit("commands", Readings(tof, encoders, Imu(*imu)), to=link)

    @on(Speeds)
    def take_serial(self, message: Speeds, link: Link) -> None:
        self.drive({wheel: getattr(message, wheel) for wheel in WHEELS})

    @on(Word)
    def take_word(self, message: Word, link: Link) -> None:
        word = message.text.lower()
        if word in KEYS:
            self.go(*KEYS[word])
        elif word in TILES:
            size_m = (
                self.world.maze.cell_size_m if isinstance(self.world, MazeWorld) else CELL_SIZE_M
            )
            body, motors = self.config.body, self.config.motors
            share = (
                size_m
                * (1 + body.damping_per_s * motors.tau_s)
                / (self.config.tile_s * body.wheel_speed_mps)
            )
            part = min(share, 1.0)  # a tile too long for its time takes longer
            self.go(part * TILES[word][0], part * TILES[word][1], 0)
            self.after(self.config.tile_s * share / part, self.end_tile, self.state.move)
        elif word in STOPS:
            self.go(0, 0, 0)
        else:
            self.event(
                "unknown-word", f"nobody knows the command string {message.text!r}", "warning"
            )

    def end_tile(self, move: int) -> None:
        """The tile is done, unless another command has come since."""
        if move == self.state.move:
            self.go(0, 0, 0)

    def go(self, right: float, ahead: float, turn: float) -> None:
        """Set all wheels for a motion in the body's frame, of which 1 is full speed."""
        self.drive(dict(zip(WHEELS, wheel_speeds(right, ahead, turn, 1.0), strict=True)))

    def drive(self, speeds: dict[str, float]) -> None:
        state = self.state
        state.move += 1
        state.commanded_ns, state.asleep = self.now_ns, False
        self.obey(
            tuple(
                speeds.get(wheel, before)
                for wheel, before in zip(WHEELS, state.commands, strict=True)
            )
        )

    def watch(self) -> None:
        """Stop when nobody has commanded anything for too long."""
        state = self.state
        if (
            not state.asleep
            and self.now_ns - state.commanded_ns >= self.config.motors.watchdog_s * 1e9
        ):
            state.asleep = True
            self.obey((0.0, 0.0, 0.0, 0.0))
            self.event(
                "watchdog",
                f"no motor command for {self.config.motors.watchdog_s:g} s: stopped",
                "warning",
            )


def _does(speed: float) -> str:
    if abs(speed) < STOPPED:
        return "stopped"
    return f"{'forward' if speed > 0 else 'backward'} at {abs(speed)}"
