"""The vacuum's page in the panel: the robot on its map, its odometry, and its readings over time.

Lidar beams are true. Lidar points are those on the wire, with faults and noise.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.kernel.drawing import (
    Action,
    Button,
    Disc,
    Drive,
    Gauge,
    Hint,
    Lamp,
    Part,
    Plot,
    Points,
    Polygon,
    Rays,
    Scan,
    Summary,
    Switch,
    Trail,
    View,
)
from rigless.kernel.faults import Fault
from rigless.kernel.inputs import AnyInput, Send
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.arrays import CLIFFS, Arrays
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.faults import apply_scan_faults
from rigless.robots.vacuum.lidar.beams import OPTICAL
from rigless.robots.vacuum.lidar.scanner import Scanner
from rigless.robots.vacuum.motors import POWERED
from rigless.robots.vacuum.power import is_docked
from rigless.robots.vacuum.state import VacuumState
from rigless.robots.vacuum.wire import Control, Status
from rigless.worlds.coverage import covered
from rigless.worlds.grid import Grid

HEIGHT_M, LIDAR_HEIGHT_M = 0.09, 0.1
BUMPER_M = 0.018  # thickness of a drawn bumper
TOUCH = "Bumpers and cliffs"
NO_ROWS = np.empty((0, 4), np.float32)


class Drawn(Protocol):
    """The part of a vacuum that its page shows."""

    name: str
    config: VacuumConfig
    state: VacuumState
    faults: list[Fault]
    grid: Grid
    arrays: Arrays
    scanner: Scanner

    @property
    def now_ns(self) -> int: ...
    def readings(self) -> Status: ...
    def scan_now(self, beams: int) -> int: ...
    def cast_beams(self) -> NDArray[np.float64]: ...
    def sense(self, sensor: str, value: Any) -> Any: ...
    def fault(self, target: str, kind: str = "") -> Fault | None: ...
    def read_only_copy(self) -> Self: ...


class VacuumView(View):
    robot: Drawn

    def __init__(self, robot: Drawn):
        self.robot = robot
        self._scan: tuple[int, ArrayLike, ArrayLike] = (-1, NO_ROWS, NO_ROWS[:, :2])
        imu = robot.config.imu
        radius, bumpers = robot.config.robot.robot_radius, robot.config.bumpers
        self.parts = (
            Rays("beams", "Lidar beams", "accent", height_m=LIDAR_HEIGHT_M),
            Trail("swept", "Floor driven over", "ok", 2 * radius),
            Trail("odometry_trail", "Odometry trail", "ghost"),
            Trail("trail", "Trail", "path"),
            Disc("odometry", "Odometry pose", radius, "ghost", height_m=0.01),
            Disc("body", "True pose", radius, "ok", tones=("warn",), height_m=HEIGHT_M),
            *(
                Polygon(
                    f"bumper_{name}",
                    f"Bumper {name}",
                    _arc(arc, radius),
                    "plain",
                    tones=("bad",),
                    height_m=HEIGHT_M,
                )
                for name, arc in (("left", bumpers.left), ("right", bumpers.right))
            ),
            Disc(
                "cliffs",
                "Cliff sensors",
                0.014,
                "plain",
                tones=("bad",),
                height_m=HEIGHT_M + 0.01,
                heading=False,
            ),
            Points("points", "Lidar points", "sense", height_m=LIDAR_HEIGHT_M),
            Drive("drive", "Drive"),
            Gauge("speed", "Speed", "m/s"),
            Gauge("turn", "Turn rate", "rad/s"),
            Gauge("distance", "Distance", "m", digits=1),
            Gauge("coverage", "Floor covered", "%", digits=1),
            Gauge("drift", "Odometry error", "m", high=0.5, digits=3),
            Gauge("battery_level", "Battery", "%", low=20, digits=0),
            Gauge("battery_voltage", "Voltage", "V", digits=1),
            *(
                Lamp(f"bumper_{name}", f"Bumper {name}", "bad", group=TOUCH)
                for name in ("left", "right")
            ),
            *(
                Lamp(f"cliff_{name}", f"Cliff {name.replace('_', ' ')}", "bad", group=TOUCH)
                for name in CLIFFS
            ),
            Lamp("lidar", "Lidar on"),
            Lamp("drive_enabled", "Drive enabled"),
            *(Lamp(name, name.replace("_", " ").capitalize()) for name in POWERED),
            Lamp("is_charging", "Charging"),
            Lamp("docked", "On the dock"),
            Hint("lidar_off", "The lidar is off: no scan", "lidar on", "Turn on"),
            *_raw_counts(),
            Action("lidar on", "Lidar on"),
            Action("lidar off", "Lidar off"),
            Action("vacuum on", "Suction on"),
            Action("vacuum off", "Suction off"),
            Button("start_button", "Start button", 1, 0),
            Button("dock_button", "Dock button", 1, 0),
            Switch("dustbox_attached", "Dust box in place"),
            Plot("speeds", "Speed", (("speed", "true"), ("commanded", "commanded")), "m/s"),
            Plot(
                "gyro",
                "Gyro",
                (("gyro_x", "x"), ("gyro_y", "y"), ("gyro_z", "z")),
                f"LSB, {imu.gyro_lsb_per_radps:g} per rad/s",
            ),
            Plot(
                "accel",
                "Accelerometer",
                (("accel_x", "x"), ("accel_y", "y"), ("accel_z", "z")),
                f"LSB, {imu.accel_lsb_per_g:g} per g",
            ),
            Plot("wheels", "Encoders", (("wheel_left", "left"), ("wheel_right", "right")), "ticks"),
        )

    def draw(self) -> Mapping[str, ArrayLike]:
        state = self.robot.state
        pose = state.body[[b.X, b.Y, b.THETA]]
        readings = self._readings()
        cliffs = [getattr(readings, f"cliff_{name}") for name in CLIFFS]
        beams, points = self._lidar()
        return {
            "beams": beams,
            "points": points,
            "odometry": (*state.body[[b.ODO_X, b.ODO_Y, b.ODO_THETA]], 0.0),
            "body": (*pose, bool(state.flags & b.HIT)),
            "bumper_left": (*pose, readings.bumper_left),
            "bumper_right": (*pose, readings.bumper_right),
            "cliffs": _place(pose, self.robot.arrays.cliff_sensors, cliffs),
        }

    def measure(self) -> Mapping[str, float]:
        robot, state, readings = self.robot, self.robot.state, self._readings()
        body = state.body
        radius_m = robot.config.robot.robot_radius
        numbers = {name: float(getattr(readings, name)) for name in readings.__struct_fields__}
        return {
            **numbers,
            **{name: state.actuators.get(name, 0.0) for name in POWERED},
            "speed": body[b.REAL_V],
            "turn": body[b.REAL_W],
            "commanded": state.command[0],
            "distance": body[b.ODOMETER],
            "drift": math.hypot(body[b.X] - body[b.ODO_X], body[b.Y] - body[b.ODO_Y]),
            "coverage": 100.0 * covered(robot, radius_m, float(body[b.X]), float(body[b.Y])),
            "lidar_off": float(not state.lidar_on and robot.fault("lidar", "off") is None),
            "lidar": float(state.lidar_on and robot.fault("lidar", "off") is None),
            "drive_enabled": float(state.drive_enabled),
            "docked": float(is_docked(robot.config, state)),
        }

    def trace(self) -> Mapping[str, tuple[float, float]]:
        body = self.robot.state.body
        place = (body[b.X], body[b.Y])
        odometry = (body[b.ODO_X], body[b.ODO_Y])
        return {"trail": place, "odometry_trail": odometry, "swept": place}

    def place(self) -> tuple[float, float, float]:
        x, y, theta = self.robot.state.body[[b.X, b.Y, b.THETA]].tolist()
        return x, y, theta

    def summary(self) -> Summary:
        state = self.robot.state
        powered = [name.replace("_", " ") for name in POWERED if state.actuators.get(name, 0.0) > 0]
        task = "charging" if self._readings().is_charging else ", ".join(powered)
        level = float(self._readings().battery_level)
        return Summary(abs(float(state.body[b.REAL_V])), level, task)

    def scans(self) -> Mapping[str, Scan]:
        """Return the points of the wire as seen from the lidar."""
        state, lidar = self.robot.state, self.robot.config.lidar
        points = np.asarray(self._lidar()[1], float)
        x, y, theta = state.body[[b.X, b.Y, b.THETA]]
        if len(points):  # placed from the pose at the end of the turn
            x, y, theta = state.trail[(state.trail_at - 1) % len(state.trail), 1:4]
        at = np.array([x, y]) + _turned(np.array([lidar.mounting_x, lidar.mounting_y]), theta)
        away = points - at
        angles = np.arctan2(away[:, 1], away[:, 0]) - theta
        pose = (float(at[0]), float(at[1]), float(theta))
        return {
            "scan": Scan(
                pose,
                angles,
                np.hypot(away[:, 0], away[:, 1]),
                lidar.num_rays,
                LIDAR_HEIGHT_M,
                ("beams", "points"),
            )
        }

    def drive(self, forward: float, left: float, turn: float) -> list[AnyInput]:
        limits = self.robot.config.robot
        speeds = {
            "linear": forward * limits.max_linear_speed,
            "angular": turn * limits.max_angular_speed,
        }
        moving = bool(forward or turn)  # releasing the keys enables nothing
        needs_enable = moving and not self.robot.state.drive_enabled
        enable = [self._command("drive", "enable")] if needs_enable else []
        return [*enable, self._command("drive", "configure", speeds)]

    def act(self, name: str) -> list[AnyInput]:
        component, _, switch = name.partition(" ")
        return [self._command(component, "enable" if switch == "on" else "disable")]

    def stop(self, on: bool) -> list[AnyInput]:
        """Cut the power, and RESET the drive, which is the real robot's stop and does not latch."""
        reset = [self._command("drive", "reset"), self._command("drive", "disable")] if on else []
        return [*super().stop(on), *reset]

    def _command(
        self, component: str, action: str, config: dict[str, Any] | None = None
    ) -> AnyInput:
        fields = {"id": component, "action": action, "config": config or {}}
        return Send(self.robot.name, "commands", Control.__name__, fields)

    def _readings(self) -> Any:
        robot = self.robot
        return robot.read_only_copy().readings() if robot.faults else robot.readings()

    def _lidar(self) -> tuple[ArrayLike, ArrayLike]:
        """Return beams and points of the last turn, cached unless faults may change them."""
        robot, state = self.robot, self.robot.state
        if not (state.lidar_on and state.scans):
            return NO_ROWS, NO_ROWS[:, :2]
        if self._scan[0] != state.scans or robot.faults:
            beams = robot.cast_beams().astype(np.float32)
            self._scan = (state.scans, beams, self._points())
        return self._scan[1], self._scan[2]

    def _points(self) -> NDArray[np.float32]:
        """Return the points of the wire, placed from the robot's pose as clients do."""
        robot, lidar = self.robot.read_only_copy(), self.robot.config.lidar
        count = robot.scan_now(robot.scanner.beam_count(robot.state, robot.now_ns))
        points: list[Any] = [part[:count].copy() for part in robot.scanner.points]
        if robot.faults and not apply_scan_faults(robot, points):
            return NO_ROWS[:, :2]
        angles, ranges = points[0].astype(float), points[1].astype(float)
        mount = np.zeros(2)
        if robot.config.lidar_frame == "lidar_mount":
            angles, ranges = angles + lidar.angle_offset, ranges + robot.arrays.setup[OPTICAL]
            mount = np.array([lidar.mounting_x, lidar.mounting_y])
        local = np.column_stack((ranges * np.cos(angles), ranges * np.sin(angles))) + mount
        last = robot.state.trail[(robot.state.trail_at - 1) % len(robot.state.trail)]
        return _turned(local, last[3]).astype(np.float32) + last[1:3].astype(np.float32)


def _raw_counts() -> Iterator[Part]:
    """Return the numbers of the wire as they are, before a client scales them."""
    group = "Raw counts"
    for side in ("left", "right"):
        yield Gauge(f"wheel_{side}", f"Encoder {side}", "ticks", digits=0, group=group)
    for sensor in ("gyro", "accel", "tilt"):
        for axis in "xyz":
            label = f"{sensor.capitalize()} {axis}"
            yield Gauge(f"{sensor}_{axis}", label, "LSB", digits=0, group=group)


def _turned(points: Any, theta: float) -> Any:
    c, s = math.cos(theta), math.sin(theta)
    return points @ np.array([[c, s], [-s, c]])


def _place(pose: Any, sensors: Any, cliffs: list[bool]) -> ArrayLike:
    """Return the cliff sensors (x, y, number) in the world, and whether each sees a cliff."""
    if not len(sensors):
        return NO_ROWS
    spots = _turned(sensors[:, :2], pose[2]) + pose[:2]
    return [
        (x, y, 0.0, cliffs[int(number)])
        for (x, y), number in zip(spots, sensors[:, 2], strict=True)
    ]


def _arc(arc: Any, radius_m: float) -> tuple[tuple[float, float], ...]:
    """Return the outline of a bumper around the rim."""
    end = arc.end_angle if arc.end_angle > arc.start_angle else arc.end_angle + 2 * math.pi
    angles = np.linspace(arc.start_angle, end, 13)
    outer = [
        (float((radius_m + BUMPER_M) * np.cos(a)), float((radius_m + BUMPER_M) * np.sin(a)))
        for a in angles
    ]
    inner = [(float(radius_m * np.cos(a)), float(radius_m * np.sin(a))) for a in angles[::-1]]
    return (*outer, *inner)
