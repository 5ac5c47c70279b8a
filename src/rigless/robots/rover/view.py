"""The rover's page in the panel: the true path, GPS fixes and dead reckoning, and sensor errors.

Ellipses show the uncertainty of the fix and of dead reckoning.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigless.kernel.drawing import (
    Disc,
    Drive,
    Ellipse,
    Fix,
    Gauge,
    Lamp,
    Path,
    Plot,
    Points,
    Polygon,
    Summary,
    Switch,
    Trail,
    View,
)
from rigless.kernel.inputs import AnyInput, Send
from rigless.motion.diff_drive import wrap
from rigless.robots.rover import body as b
from rigless.robots.rover.wire import STATUS
from rigless.ros.messages import Twist, TwistStamped
from rigless.sensors.gps import antenna

HEIGHT_M, MAST_M = 0.3, 0.6
SPEED_MPS, TURN_RADPS = 1.0, 1.0  # full speed of the keys if the config has no limit
# Half axes, in deviations, of the ellipse that holds 95 % of a plane Gaussian: √(−2 ln 0.05).
SIGMAS_95 = 2.4477
GRID_DEG, GRID_LINES = 1e-4, 6  # 11 m of latitude; lines to each side
FARTHEST_NORTH_DEG = 89.9  # near the poles, meridians form no grid


class RoverView(View):
    def __init__(self, robot: Any):
        super().__init__(robot)
        radius = robot.config.radius_m
        wheel = ((0.3, 0.1), (-0.3, 0.1), (-0.3, -0.1), (0.3, -0.1))
        self.parts = (
            Path(
                "graticule",
                f"Latitude and longitude, {GRID_DEG:g}°",
                "plain",
                shown=not robot.config.map_file,  # a map needs no grid
            ),
            Points("fixes", "GPS fixes", "sense", height_m=MAST_M),
            Ellipse("sure", "95 % of fixes", "sense"),
            Ellipse("reckoned", "95 % of dead reckoning", "ghost"),
            Trail("odometry_trail", "Dead reckoning", "ghost"),
            Trail("trail", "True path", "path"),
            Disc("odometry", "Dead-reckoned pose", radius, "ghost", height_m=0.01),
            Disc("body", "True pose", radius, "ok", tones=("warn",), height_m=HEIGHT_M),
            Polygon(
                "wheels",
                "Wheels",
                tuple((radius * x, radius * y) for x, y in wheel),
                "plain",
                height_m=0.15,
            ),
            Disc("antenna", "Antenna", 0.06, "accent", height_m=MAST_M, heading=False),
            Drive("drive", "Drive"),
            Gauge("speed", "Speed", "m/s"),
            Gauge("turn", "Turn rate", "rad/s"),
            Gauge("latitude", "Latitude", "°", digits=7),
            Gauge("longitude", "Longitude", "°", digits=7),
            Gauge("fix_status", "Fix status", low=0, digits=0),
            Gauge("fix_age", "Age of the fix", "s", high=1.0),
            Gauge("gps_error", "GPS error", "m"),
            Gauge("odometry_error", "Odometry error", "m"),
            Gauge("distance", "Distance", "m", digits=1),
            Lamp("has_fix", "Fix"),
            Lamp("precise", "RTK fixed", "accent"),
            Lamp("stale", "No cmd_vel", "plain"),
            Lamp("waiting", "Waiting for tf_static", "warn"),
            Lamp("contact", "Contact", "warn"),
            Switch("teleport", "Teleport to x, y, yaw"),
            Plot(
                "speeds",
                "Speed",
                (("speed", "true"), ("enc_v", "encoder"), ("commanded", "commanded")),
                "m/s",
            ),
            Plot(
                "rates",
                "Turn rate",
                (("turn", "true"), ("enc_w", "encoder"), ("gyro", "gyro")),
                "rad/s",
            ),
            Plot(
                "scales",
                "Encoder scale errors",
                (("scale_v", "linear"), ("scale_w", "angular")),
                "%",
            ),
            Plot(
                "yaw",
                "Yaw error of the IMU",
                (("yaw_error", "reading − true"), ("declination", "declination")),
                "rad",
            ),
            Plot("gps", "GPS error", (("gps_east", "east"), ("gps_north", "north")), "m"),
            Plot("drift", "GPS drift", (("drift_x", "east"), ("drift_y", "north")), "m"),
        )

    def draw(self) -> Mapping[str, ArrayLike]:
        state = self.robot.state
        x, y, yaw = state.body[b.X : b.YAW + 1].tolist()
        half = SIGMAS_95 * math.sqrt(state.fix.variance_m2)
        located = state.fix.kind != "none" and half > 0
        return {
            "graticule": self._graticule(x, y),
            "fixes": state.track[np.isfinite(state.track[:, 0])],
            "sure": (state.fix.east_m, state.fix.north_m, 0.0, half, half) if located else (),
            "reckoned": self._reckoned(),
            "odometry": (*state.body[b.ODO_X : b.ODO_YAW + 1], 0.0),
            "body": (x, y, yaw, float(state.hit)),
            "wheels": self._wheels(x, y, yaw),
            "antenna": (*self._antenna(), 0.0, 0.0),
        }

    def place(self) -> tuple[float, float, float]:
        body = self.robot.state.body
        return float(body[b.X]), float(body[b.Y]), float(body[b.YAW])

    def summary(self) -> Summary:
        return Summary(abs(float(self.robot.state.body[b.V])))

    def measure(self) -> Mapping[str, float]:
        robot, state, body = self.robot, self.robot.state, self.robot.state.body.tolist()
        double = robot.read_only_copy() if robot.faults else robot
        yaw, gyro, _ = double.read_imu()
        latitude, longitude, _ = robot.plane.to_geodetic(body[b.X], body[b.Y])
        at, fix = self._antenna(), state.fix
        located = fix.kind != "none"
        east, north = (fix.east_m - at[0], fix.north_m - at[1]) if located else (0.0, 0.0)
        return {
            "speed": body[b.V],
            "turn": body[b.W],
            "commanded": body[b.GOAL_V],
            "enc_v": body[b.ENC_V],
            "enc_w": body[b.ENC_W],
            "gyro": gyro or 0.0,
            "scale_v": 100 * body[b.SCALE_V],
            "scale_w": 100 * body[b.SCALE_W],
            "yaw_error": 0.0 if yaw is None else wrap(yaw - body[b.YAW]),
            "declination": float(robot.const[b.DECLINATION]),
            "latitude": latitude,
            "longitude": longitude,
            "fix_status": STATUS[fix.kind],
            "fix_age": (robot.now_ns - max(fix.epoch_ns, 0)) / 1e9,
            "has_fix": float(located),
            "precise": float(fix.kind == "fixed"),
            "gps_east": east,
            "gps_north": north,
            "gps_error": math.hypot(east, north),
            "drift_x": body[b.DRIFT_X],
            "drift_y": body[b.DRIFT_Y],
            "odometry_error": math.hypot(body[b.ODO_X] - body[b.X], body[b.ODO_Y] - body[b.Y]),
            "distance": body[b.ODOMETER],
            "stale": float(state.stale),
            "waiting": float(bool(robot.mounting.missing())),
            "contact": float(state.hit),
        }

    def trace(self) -> Mapping[str, tuple[float, float]]:
        body = self.robot.state.body.tolist()
        return {"trail": (body[b.X], body[b.Y]), "odometry_trail": (body[b.ODO_X], body[b.ODO_Y])}

    def fixes(self) -> Mapping[str, Fix]:
        """Return the receiver's last fix."""
        fix = self.robot.state.fix
        if fix.kind == "none":
            return {"fix": Fix(math.nan, math.nan)}
        latitude, longitude, height = self.robot.plane.to_geodetic(
            fix.east_m, fix.north_m, fix.up_m
        )
        return {"fix": Fix(latitude, longitude, height, fix.variance_m2, fix.variance_m2)}

    def drive(self, forward: float, left: float, turn: float) -> list[AnyInput]:
        config = self.robot.config
        speeds = {
            "linear": {"x": forward * (config.limits.linear_mps or SPEED_MPS)},
            "angular": {"z": turn * (config.limits.angular_radps or TURN_RADPS)},
        }
        if config.twist_stamped:
            return [Send(self.robot.name, "dds", TwistStamped.__name__, {"twist": speeds})]
        return [Send(self.robot.name, "dds", Twist.__name__, speeds)]

    def _antenna(self) -> tuple[float, float]:
        body, mount = self.robot.state.body.tolist(), self.robot.state.mount.tolist()
        return antenna(body[b.X], body[b.Y], body[b.YAW], mount[b.GPS_AT], mount[b.GPS_AT + 1])

    def _reckoned(self) -> ArrayLike:
        """Return the 95 % ellipse of the dead-reckoned position; none if encoders are exact."""
        state = self.robot.state
        variances, axes = np.linalg.eigh(state.covariance[:2, :2])
        if variances[1] <= 0:
            return ()
        half = SIGMAS_95 * np.sqrt(np.maximum(variances, 0.0))
        return (
            *state.body[b.ODO_X : b.ODO_Y + 1],
            math.atan2(axes[1, 1], axes[0, 1]),
            half[1],
            half[0],
        )

    def _wheels(self, x: float, y: float, yaw: float) -> list[tuple[float, float, float, int]]:
        reach = 0.8 * self.robot.config.radius_m
        sides = [
            (reach * math.cos(yaw + side), reach * math.sin(yaw + side))
            for side in (0.9, 2.24, -2.24, -0.9)
        ]
        return [(x + dx, y + dy, yaw, 0) for dx, dy in sides]

    def _graticule(self, x: float, y: float) -> ArrayLike:
        """Return parallels and meridians around the rover."""
        plane = self.robot.plane
        latitude, longitude, _ = plane.to_geodetic(x, y)
        if abs(latitude) > FARTHEST_NORTH_DEG:
            return ()
        low, left = (round(angle / GRID_DEG) - GRID_LINES for angle in (latitude, longitude))
        reach, rows = 2 * GRID_LINES, []
        for line in range(reach + 1):
            for ends in (
                ((low + line, left), (low + line, left + reach)),
                ((low, left + line), (low + reach, left + line)),
            ):
                rows += [
                    plane.to_enu(north * GRID_DEG, east * GRID_DEG)[:2] for north, east in ends
                ]
                rows.append((math.nan, math.nan))
        return rows
