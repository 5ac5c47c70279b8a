"""A Pacbot in a maze.

Physics runs 100 times a second, sensors are published 60 times. Every byte is in wire.py, every
number in config.py; physics is in body.py, range sensors in tof.py, the game in match.py and game/.
"""

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from rigless.kernel.body import Body
from rigless.kernel.drawing import View
from rigless.kernel.elementary import sin_cos
from rigless.kernel.events import Severity
from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.fleet import FleetMember
from rigless.kernel.inputs import SetInput
from rigless.kernel.ports import Connected, Link, Port
from rigless.kernel.robot import Defaults, Robot, VirtualInput, every, on
from rigless.motion.contact import Touch
from rigless.robots.pacbot import body as b
from rigless.robots.pacbot.arrays import make_arrays, tof_names
from rigless.robots.pacbot.commands import Words, command_motor
from rigless.robots.pacbot.config import WHEELS, PacbotConfig
from rigless.robots.pacbot.faults import sense_encoders, sense_imu, sense_ranges
from rigless.robots.pacbot.game.frame import (
    Frame,
    GameCodec,
    GameCommand,
    GameQuit,
    TcpGameCodec,
)
from rigless.robots.pacbot.match import Match, MatchTimers, board_of
from rigless.robots.pacbot.motors import MOTORS, Motors
from rigless.robots.pacbot.native import read_native
from rigless.robots.pacbot.ros import RosBridge, body_shares
from rigless.robots.pacbot.state import PacbotState, Ray, Truth
from rigless.robots.pacbot.tof import measure
from rigless.robots.pacbot.wire import (
    FRAME_BYTES,
    Command,
    CommandCodec,
    Encoders,
    Imu,
    Query,
    Readings,
    Refused,
    Reply,
    SensorCodec,
    Speeds,
    Tof,
    UartCodec,
    Word,
    WordCodec,
)
from rigless.ros.bridge import PORT as ROS_PORT
from rigless.ros.codec import Published
from rigless.worlds.bundled import find_maze
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.mazes.maze import MazeWorld
from rigless.worlds.mazes.maze_file import load_maze
from rigless.worlds.placement import check_start

# All wheels forward at 0.3 of full speed: a request for each.
SPIN_LINE = "rigless send {robot} commands" + "".join(
    f""" '{{"command":"move","id":{wheel},"params":{{"speed":0.3}}}}'""" for wheel in range(4)
)
TOUCH_MPS = 0.005  # a slower contact, which rounds to 0.00 m/s, is no collision


class Pacbot(Robot, FleetMember):
    Config = PacbotConfig
    State = PacbotState
    config: PacbotConfig
    state: PacbotState
    actuators = MOTORS
    random_streams = ("wheels", "imu", "tof", "ghosts", "camera")
    event_codes = (
        "collision", "watchdog", "unknown-word", "game-kick-off", "game-life", "game-over",
        "game-level", "game-ghost", "game-fruit", "game-penalty", "game-long",
    )  # fmt: skip
    metric_names = ("collisions", "refused", "game_refused")

    @property
    def sensors(self) -> tuple[str, ...]:  # type: ignore[override]
        tof = (f"tof_{name}" for name in tof_names(self.config))
        return ("gyro", "accel", *(f"encoder_{wheel}" for wheel in WHEELS), *tof)

    @property
    def inputs(self) -> Mapping[str, VirtualInput]:  # type: ignore[override]
        return {
            "estop": VirtualInput(False, "cuts the power of the wheels, whatever is commanded"),
            **self.ros.bridge.inputs,
        }

    @property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        config, network = self.config, self.config.network
        rep = {"pattern": "rep", "frame_bytes": FRAME_BYTES}
        pub, pull = {"pattern": "pub"}, {"pattern": "pull"}
        commands = Port(
            "commands",
            CommandCodec,
            "zmq",
            network.commands,
            "datagram",
            options=rep,
            example=SPIN_LINE,
            example_label="turn all wheels forward",
            emits=(Reply, Readings),
            answers=True,
        )
        ports = [
            commands,
            Port(
                "sensors",
                SensorCodec,
                "zmq",
                network.sensors,
                "datagram",
                "out",
                pub,
                emits=(Tof, Encoders, Imu),
            ),
        ]
        if config.strings:
            ports.append(Port("strings", WordCodec, "zmq", network.strings, "datagram", "in", pull))
        if config.uart:
            ports.append(Port("uart", UartCodec, "pty", "/dev/pts/", "stream", "in"))
        if config.game.enabled:
            frames, tcp = partial(GameCodec, config.game.frame), network.game_tcp
            game = Port("game", frames, "websocket", network.game, "message", emits=(Frame,))
            frames_tcp = partial(TcpGameCodec, config.game.frame)
            ports += [game, Port("game_tcp", frames_tcp, "tcp", tcp, emits=(Frame,))]
        return (*ports, *self.ros.bridge.ports)

    @cached_property
    def ros(self) -> RosBridge:
        return RosBridge(self, self.config, self.drive_by_ros, self.ros_timeout)

    @classmethod
    def read_file(cls, path: Path) -> Mapping[str, Any] | None:
        return read_native(path)

    def defaults(self) -> Defaults:
        path = find_maze(self.config.maze)
        return Defaults(MazeWorld(load_maze(path)), world_name=str(path.resolve()))

    def start(self) -> None:
        assert isinstance(self.world, GridWorld), "a Pacbot needs a world with walls"
        config, state = self.config, self.state
        self.grid = self.world.grid
        self.arrays = make_arrays(config, self.grid)
        self.motors = Motors(self, config)
        self.words = Words(self, config, self.motors, self.end_tile)
        self._scratch = np.zeros(b.SCRATCH_SIZE)
        state.keys = np.array([self.noise_key(part) for part in ("wheels", "imu", "tof")])
        home = self.placed(self.home())
        state.body[b.X : b.THETA + 1] = home
        body = Body(*home, config.body.radius_m)
        check_start(self, body, ("start_x_m", "start_y_m"))
        state.body[b.BIAS] = config.imu.gyro_bias_radps
        count = len(self.arrays.names)
        state.ranges, state.rays = np.zeros(count), np.zeros((count, 5))
        self.measure_ranges()
        self.read()
        self.match: Match | None = None
        if config.game.enabled:
            maze = self.world.maze if isinstance(self.world, MazeWorld) else None
            timers = MatchTimers(self.report, self.kick_off)
            board = board_of(maze, self.name)
            self.match = Match(self, config.game, board, home, self.motors, timers)
        self.advance(state.body.copy(), 0)  # compile, so that no live run waits for numba

    @property
    def can_relocate(self) -> bool:
        return True

    def relocate(self, x_m: float, y_m: float, theta_rad: float) -> None:
        """Stand at another pose. Encoders and gyro do not notice it."""
        body = self.state.body
        body[b.X : b.THETA + 1] = x_m, y_m, theta_rad
        body[b.VX : b.W + 1] = 0.0
        body[b.U : b.U + 4] = 0.0

    def start_body(self) -> Body:
        return Body(*self.home(), self.config.body.radius_m)

    def home(self) -> tuple[float, float, float]:
        """Return the configured start pose: the scenario's, the config's, or the maze's."""
        config, world = self.config, self.world
        if self.start_pose is not None:
            return self.start_pose
        if config.start_x_m is not None and config.start_y_m is not None:
            return config.start_x_m, config.start_y_m, config.start_theta_rad
        maze = world.maze if isinstance(world, MazeWorld) else None
        x_m, y_m = maze.centre(*maze.start) if maze is not None else (0.0, 0.0)
        return x_m, y_m, config.start_theta_rad

    # The game: its clock and its camera

    @every(lambda config: config.game.rate_hz if config.game.enabled else 0)
    def play(self) -> None:
        assert self.match is not None
        self.match.play()

    @every(lambda config: config.game.camera.rate_hz if config.game.enabled else 0)
    def look(self) -> None:
        assert self.match is not None
        self.match.look()

    def report(self, row: int, column: int) -> None:
        assert self.match is not None
        self.match.report(row, column)

    def kick_off(self) -> None:
        assert self.match is not None
        self.match.kick_off()

    @on(GameCommand)
    def accept_game_command(self, message: GameCommand, link: Link) -> None:
        if self.match is None:
            self.count("game_refused")
        else:
            self.match.accept(message)

    @on(GameQuit)
    def disconnect_game_client(self, message: GameQuit, link: Link) -> None:
        self.close(link)

    # Motion, every 1/100 s

    @every(lambda config: config.physics_hz)
    def move(self) -> None:
        state = self.state
        state.ticks += 1
        if self.config.motors.watchdog_s:
            self.motors.stop_if_silent()
        if self.faults:
            self.motors.apply_faults()
        hit = self.advance(state.body, state.ticks)
        if hit != state.hit:
            state.hit = hit
            speed = state.body.item(b.IMPACT)
            if hit and speed >= TOUCH_MPS:
                self.count("collisions")
                self.event("collision", f"contact at {speed:.2f} m/s", impact_mps=speed)

    def advance(self, body: Any, number: int) -> bool:
        """Do step `number` of the body; True if it touches something."""
        shapes = self.grid.occupied, self.arrays.clear, *self.around()
        return bool(
            b.step(body, self.arrays.const, *shapes, self.state.keys, number, self._scratch)
        )

    def around(self) -> tuple[Any, Any]:
        """Return the discs and boxes that move in this robot's world, in cells."""
        assert isinstance(self.world, GridWorld)
        return self.world.around(self)

    def footprint(self) -> tuple[float, float, float]:
        return self.state.body.item(b.X), self.state.body.item(b.Y), self.config.body.radius_m

    def heading_rad(self) -> float:
        return self.state.body.item(b.THETA)

    @on(SetInput)
    def set_input(self, given: SetInput, link: Link) -> None:
        if given.name == "estop":
            self.motors.restore_goal()

    @on(Injected)
    def inject_fault(self, message: Injected, link: Link) -> None:
        self.motors.remember_goals()

    @on(Cleared)
    def clear_faults(self, message: Cleared, link: Link) -> None:
        self.motors.restore_goal()

    # Sensors: ranges at their own rate, messages 60 times a second

    @every(lambda config: config.tof.rate_hz)
    def measure_ranges(self) -> None:
        state, arrays = self.state, self.arrays
        state.measured += 1
        discs, boxes = self.around()
        measure(
            state.body, arrays.const, arrays.setup, arrays.bearings, self.grid.squares,
            discs, boxes, state.keys[2], state.measured, state.ranges, state.rays,
        )  # fmt: skip
        if self.faults:
            sense_ranges(self, arrays.names, state.ranges, self.config.tof.max_range_m)

    @every(lambda config: config.sensors_hz)
    def publish(self) -> None:
        self.read()
        if self.config.ros.enabled:
            self.ros.update_odometry(self.state.encoders)
        listening, bridged = self.wanted("sensors"), self.ros.bridge.wanted
        if not (listening or bridged):
            return
        tof, encoders, imu = self.readings()
        if listening:
            self.emit("sensors", Tof(tof))
            self.emit("sensors", Encoders(encoders))
            self.emit("sensors", Imu(*imu))
        if bridged:
            self.ros.publish_readings(tof, encoders, imu)

    def read(self) -> None:
        """Read encoders and IMU into the state."""
        state = self.state
        ticks: list[float] = np.floor(state.body[b.TICKS : b.TICKS + 4] + 0.5).tolist()
        imu = b.read_imu(state.body, self.arrays.const, state.keys[1], state.ticks)
        if self.faults:
            ticks = sense_encoders(self, ticks, state.encoders)
            imu = sense_imu(self, imu)
        state.encoders = (ticks[0], ticks[1], ticks[2], ticks[3])
        state.imu = (imu[0], imu[1], imu[2])

    def readings(self) -> tuple[dict[str, float], dict[str, float], tuple[float, float, float]]:
        """Return the last readings as on the wire: ranges by direction, ticks by wheel, IMU."""
        state = self.state
        ranges = zip(self.arrays.names, state.ranges.tolist(), strict=True)
        tof = {name: round(value, 4) for name, value in ranges}
        encoders = dict(zip(WHEELS, state.encoders, strict=True))
        ax, ay, omega = state.imu
        return tof, encoders, (round(ax, 5), round(ay, 5), round(omega, 6))

    # Commands

    @on(Command)
    def command(self, message: Command, link: Link) -> None:
        self.emit("commands", command_motor(message, self.config, self.motors), to=link)

    @on(Refused)
    def refuse(self, message: Refused, link: Link) -> None:
        self.count("refused")
        self.emit("commands", Reply("error", message.message, message.said), to=link)

    @on(Query)
    def answer(self, message: Query, link: Link) -> None:
        tof, encoders, imu = self.readings()
        self.emit("commands", Readings(tof, encoders, Imu(*imu)), to=link)

    @on(Speeds)
    def accept_serial(self, message: Speeds, link: Link) -> None:
        self.motors.drive({wheel: getattr(message, wheel) for wheel in WHEELS})

    @on(Word)
    def accept_word(self, message: Word, link: Link) -> None:
        self.words.execute(message.text)

    def end_tile(self, move: int) -> None:
        self.words.end_tile(move)

    # ROS

    @on(Connected)
    def connect(self, message: Connected, link: Link) -> None:
        if link.port == ROS_PORT:
            self.ros.greet()

    def event(self, code: str, text: str, /, severity: Severity = "info", **data: Any) -> None:
        super().event(code, text, severity, **data)
        self.ros.bridge.log(code, text, severity)

    @on(Published)
    def accept_ros(self, message: Published, link: Link) -> None:
        self.ros.bridge.accept_command(message.message)

    def drive_by_ros(self, forward: float, left: float, turn: float) -> None:
        self.motors.drive_body(*body_shares(self.config.body, forward, left, turn))

    def ros_timeout(self, number: int) -> None:
        self.ros.bridge.expire_command(number)

    # The panel and ground truth

    def view(self) -> View:
        from rigless.robots.pacbot.view import PacbotView

        return PacbotView(self)

    def truth(self) -> Truth:
        state, body = self.state, self.state.body.tolist()
        s, c = sin_cos(body[b.THETA])
        vx, vy, w = body[b.VX : b.W + 1]
        touch = Touch(*body[b.TOUCH_X : b.TOUCH_Y + 1], *body[b.NORMAL_X : b.NORMAL_Y + 1])
        rays = zip(self.arrays.names, *state.rays.T.tolist(), state.ranges.tolist(), strict=True)
        return Truth(
            pose=(body[b.X], body[b.Y], body[b.THETA]),
            velocity=(vx, vy, w),
            body_velocity=(c * vx + s * vy, c * vy - s * vx, w),
            acceleration=(body[b.AX], body[b.AY]),
            commands=dict(zip(WHEELS, state.commands, strict=True)),
            wheels=dict(zip(WHEELS, body[b.U : b.U + 4], strict=True)),
            ticks=dict(zip(WHEELS, body[b.TICKS : b.TICKS + 4], strict=True)),
            tof=[Ray(*ray) for ray in rays],
            contacts=[touch] if state.hit else [],
            radius_m=self.config.body.radius_m,
            distance_m=body[b.ODOMETER],
            impact_mps=body[b.IMPACT],
            game=self.match.frame() if self.match is not None else None,
        )
