"""A Pacbot in a maze: what happens 100 times a second, at each measurement of its range sensors, 60 times a second, and on each
command. Every byte is in wire.py, every number in config.py; physics is in body.py, range sensors in tof.py."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rigless.kernel.drawing import View
from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.ports import Connected, Link, Port
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Defaults, Robot, VirtualInput, every, on
from rigless.motion.contact import Touch
from rigless.motion.proximity import nearest
from rigless.robots.pacbot import body as b
from rigless.robots.pacbot.arrays import Arrays, make_arrays, tof_names
from rigless.robots.pacbot.commands import Commands
from rigless.robots.pacbot.config import WHEELS, PacbotConfig
from rigless.robots.pacbot.game.frame import GameCodec
from rigless.robots.pacbot.match import Match
from rigless.robots.pacbot.ros import RosBridge
from rigless.robots.pacbot.state import PacbotState, Ray, Truth
from rigless.robots.pacbot.tof import measure
from rigless.robots.pacbot.wire import (
    CommandCodec,
    Encoders,
    Imu,
    SensorCodec,
    Tof,
    UartCodec,
    WordCodec,
)
from rigless.ros.bridge import EPOCH, PORT
from rigless.sensors.noise import noise_key
from rigless.worlds.bundled import find_maze
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.maze import Maze, MazeWorld, is_maze, load_maze, maze_of, read_json

WILDEST = 1e9  # no fault makes a reading larger, so that the wire can carry it
# All wheels forward at 0.3 of full speed, from Python's ZeroMQ.
SPIN_LINE = (
    """python3 -c "import zmq; s = zmq.Context().socket(zmq.REQ); s.connect('tcp://{host}:{port}'); """
    """[(s.send_json(dict(command='move', id=n, params=dict(speed=.3))), print(s.recv_json())) for n in range(4)]\""""
)
MOTORS = tuple(f"wheel_{wheel}" for wheel in WHEELS)


class Pacbot(Commands, Match, RosBridge, Robot):
    Config = PacbotConfig
    State = PacbotState
    config: PacbotConfig
    state: PacbotState
    actuators = MOTORS

    @property
    def sensors(self) -> tuple[str, ...]:  # type: ignore[override]
        tof = (f"tof_{name}" for name in tof_names(self.config))
        return ("gyro", "accel", *(f"encoder_{wheel}" for wheel in WHEELS), *tof)

    @property
    def inputs(self) -> Mapping[str, VirtualInput]:  # type: ignore[override]
        return EPOCH if self.config.ros.enabled else {}

    @property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        config, network = self.config, self.config.network
        rep, pub, pull = ({"pattern": pattern} for pattern in ("rep", "pub", "pull"))
        found = [
            Port(
                "commands",
                CommandCodec,
                "zmq",
                network.commands,
                "datagram",
                options=rep,
                example=SPIN_LINE,
            ),
            Port("sensors", SensorCodec, "zmq", network.sensors, "datagram", "out", pub),
        ]
        if config.strings:
            found.append(Port("strings", WordCodec, "zmq", network.strings, "datagram", "in", pull))
        if config.uart:
            found.append(Port("uart", UartCodec, "pty", "/dev/pts/", "stream", "in"))
        if config.game.enabled:
            found.append(Port("game", GameCodec, "websocket", network.game, "message"))
        return (*found, *self.ros_ports)

    @classmethod
    def read_file(cls, path: Path) -> Mapping[str, Any] | None:
        if path.suffix != ".json":
            return None
        data = read_json(path)
        if not is_maze(data):
            return None
        maze_of(data, str(path))
        return {"maze": str(path.resolve())}

    def defaults(self) -> Defaults:
        path = find_maze(self.config.maze)
        return Defaults(MazeWorld(load_maze(path)), world_name=str(path.resolve()))

    def begin_at(self, maze: Maze | None) -> tuple[float, float, float]:
        config = self.config
        if self.start_pose is not None:
            return self.start_pose
        if config.start_x_m is not None and config.start_y_m is not None:
            return config.start_x_m, config.start_y_m, config.start_theta_rad
        x_m, y_m = maze.centre(*maze.start) if maze is not None else (0.0, 0.0)
        return x_m, y_m, config.start_theta_rad

    def start(self) -> None:
        assert isinstance(self.world, GridWorld), "a Pacbot needs a world with walls"
        state, seed = self.state, self.simulation.seed
        self.grid = self.world.grid
        self.arrays: Arrays = make_arrays(self.config, self.grid)
        self._scratch = np.zeros(b.SCRATCH_SIZE)
        state.keys = np.array(
            [noise_key(seed, f"{self.name}/{part}") for part in ("wheels", "imu", "tof")]
        )
        maze = self.world.maze if isinstance(self.world, MazeWorld) else None
        state.body[b.X : b.THETA + 1] = self.begin_at(maze)
        self.check_fit(state.body.item(b.X), state.body.item(b.Y))
        state.body[b.BIAS] = self.config.imu.gyro_bias_radps
        count = len(self.arrays.names)
        state.ranges, state.rays = np.zeros(count), np.zeros((count, 5))
        self.measure_ranges()
        self.read()
        self.start_match()
        self.advance(state.body.copy(), 0)  # so that no live run waits for numba

    def check_fit(self, x_m: float, y_m: float) -> None:
        radius_m, size_m = self.config.body.radius_m, self.grid.resolution_m
        x, y = self.grid.to_cells(x_m, y_m)
        gap = nearest(
            self.grid.occupied, self.arrays.clear, float(x), float(y), 2 * radius_m / size_m
        )[0]
        if gap * size_m < radius_m:
            what = f"a robot {2 * radius_m:g} m wide does not fit where it starts, at ({x_m:g}, {y_m:g})"
            fix = "a maze with a larger cell_size, a smaller body.radius_m, or another start"
            raise InputError(Problem(self.name, what, fix))

    # Motion

    @every(lambda config: config.physics_hz)
    def move(self) -> None:
        state = self.state
        state.ticks += 1
        if self.config.motors.watchdog_s:
            self.watch()
        if self.faults:
            self.obey_faults()
        hit = self.advance(state.body, state.ticks)
        if hit != state.hit:
            state.hit = hit
            if hit:
                self.count("collisions")
                speed = state.body.item(b.IMPACT)
                self.event("collision", f"met something at {speed:.2f} m/s", impact_mps=speed)

    def advance(self, body: Any, number: int) -> bool:
        discs, boxes = self.around()
        shapes = self.grid.occupied, self.arrays.clear, discs, boxes
        return bool(
            b.step(body, self.arrays.const, *shapes, self.state.keys, number, self._scratch)
        )

    def obey(self, commands: tuple[float, float, float, float]) -> None:
        """These are the commands from now on; the motors lag behind."""
        self.state.commands = commands
        self.state.body[b.GOAL : b.GOAL + 4] = commands

    def obey_faults(self) -> None:
        dt_s = 1.0 / self.config.physics_hz
        for place, (motor, command) in enumerate(zip(MOTORS, self.state.commands, strict=True)):
            self.state.body[b.GOAL + place] = self.actuate(motor, command, dt_s)

    @on(Injected)
    def remember(self, message: Injected, link: Link) -> None:
        """A fault with a lag begins at what the motor does now."""
        for place, motor in enumerate(MOTORS):
            self.actuated[motor] = self.state.body.item(b.GOAL + place)

    @on(Cleared)
    def recover(self, message: Cleared, link: Link) -> None:
        self.obey(self.state.commands)

    def around(self) -> tuple[Any, Any]:
        """What moves in the world besides this robot, in cells."""
        assert isinstance(self.world, GridWorld)
        return self.world.around(self)

    def footprint(self) -> tuple[float, float, float]:
        return self.state.body.item(b.X), self.state.body.item(b.Y), self.config.body.radius_m

    # Sensors

    @every(lambda config: config.tof.rate_hz)
    def measure_ranges(self) -> None:
        state, arrays = self.state, self.arrays
        state.measured += 1
        discs, boxes = self.around()
        measure(state.body, arrays.const, arrays.setup, arrays.bearings, self.grid.squares, discs, boxes, state.keys[2],
                state.measured, state.ranges, state.rays)  # fmt: skip
        for place, name in enumerate(arrays.names if self.faults else ()):
            sensed = self.sense(f"tof_{name}", state.ranges.item(place))
            state.ranges[place] = (
                self.config.tof.max_range_m if sensed is None else _bounded(sensed)
            )

    @every(lambda config: config.sensors_hz)
    def publish(self) -> None:
        self.read()
        heard, bridged = self.wanted("sensors"), self.ros_wanted()
        if not (heard or bridged):
            return
        tof, encoders, imu = self.readings()
        if heard:
            self.emit("sensors", Tof(tof))
            self.emit("sensors", Encoders(encoders))
            self.emit("sensors", Imu(*imu))
        if bridged:
            self.ros_readings(tof, encoders, imu)

    @on(Connected)
    def meet(self, message: Connected, link: Link) -> None:
        if link.port == PORT:
            self.ros_greet()

    def read(self) -> None:
        """Take the encoders and the IMU; a silent encoder holds its count, a silent IMU says 0."""
        state = self.state
        ticks: list[float] = np.floor(state.body[b.TICKS : b.TICKS + 4] + 0.5).tolist()
        imu = list(b.read_imu(state.body, self.arrays.const, state.keys[1], state.ticks))
        if self.faults:
            for place, wheel in enumerate(WHEELS):
                sensed = self.sense(f"encoder_{wheel}", ticks[place])
                ticks[place] = state.encoders[place] if sensed is None else _bounded(sensed)
            accel = self.sense("accel", np.array(imu[:2]))
            gyro = self.sense("gyro", imu[2])
            imu = [0.0, 0.0] if accel is None else [_bounded(value) for value in accel.tolist()]
            imu.append(0.0 if gyro is None else _bounded(gyro))
        state.encoders = (ticks[0], ticks[1], ticks[2], ticks[3])
        state.imu = (imu[0], imu[1], imu[2])

    def readings(self) -> tuple[dict[str, float], dict[str, float], tuple[float, float, float]]:
        """The last readings as they go on the wire: ToF by direction, encoders by wheel, and the IMU."""
        state = self.state
        tof = {
            name: round(value, 4)
            for name, value in zip(self.arrays.names, state.ranges.tolist(), strict=True)
        }
        ax, ay, omega = state.imu
        return (
            tof,
            dict(zip(WHEELS, state.encoders, strict=True)),
            (round(ax, 5), round(ay, 5), round(omega, 6)),
        )

    def view(self) -> View:
        from rigless.robots.pacbot.view import PacbotView

        return PacbotView(self)

    def truth(self) -> Truth:
        state, body = self.state, self.state.body.tolist()
        c, s = math.cos(body[b.THETA]), math.sin(body[b.THETA])
        vx, vy, w = body[b.VX : b.W + 1]
        touching = (
            [Touch(*body[b.TOUCH_X : b.TOUCH_Y + 1], *body[b.NORMAL_X : b.NORMAL_Y + 1])]
            if state.hit
            else []
        )
        measured = zip(
            self.arrays.names, *state.rays.T.tolist(), state.ranges.tolist(), strict=True
        )
        return Truth(
            pose=(body[b.X], body[b.Y], body[b.THETA]),
            velocity=(vx, vy, w),
            body_velocity=(c * vx + s * vy, c * vy - s * vx, w),
            acceleration=(body[b.AX], body[b.AY]),
            commands=dict(zip(WHEELS, state.commands, strict=True)),
            wheels=dict(zip(WHEELS, body[b.U : b.U + 4], strict=True)),
            ticks=dict(zip(WHEELS, body[b.TICKS : b.TICKS + 4], strict=True)),
            tof=[Ray(*one) for one in measured],
            contacts=touching,
            radius_m=self.config.body.radius_m,
            distance_m=body[b.ODOMETER],
            impact_mps=body[b.IMPACT],
            game=self.frame() if state.game is not None else None,
        )


def _bounded(value: Any) -> float:
    return min(max(float(value), -WILDEST), WILDEST)
