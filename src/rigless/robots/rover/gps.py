"""The rover's satellite receiver: a fix at each GPS tick, sent at once or after its latency.

Faults decide the kind of fix before outages, outages before the schedule.
"""

import math
from collections.abc import Callable

import numpy as np

from rigless.kernel.robot import Robot
from rigless.robots.rover import body as b
from rigless.robots.rover import wire
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.faults import forced_fix, sense_fix
from rigless.robots.rover.readings import stamp
from rigless.robots.rover.state import TRACK, Fix, RoverState
from rigless.robots.rover.tf.frames import frames_of
from rigless.ros.codec import Published
from rigless.ros.messages import Header
from rigless.sensors.geodesy import Topocentric
from rigless.sensors.gps import position_variance

NO_POSITION = (math.nan, math.nan, math.nan)


class Receiver:
    """Take fixes. `send_later` is the robot's method that a timer calls after the latency."""

    def __init__(
        self,
        robot: Robot,
        config: RoverConfig,
        plane: Topocentric,
        const: b.Array,
        send_later: Callable[..., None],
    ):
        self._robot, self._config, self._gps = robot, config, config.gps
        self._plane, self._const, self._send_later = plane, const, send_later
        self._frame = frames_of(config, robot.name).gps

    @property
    def _state(self) -> RoverState:
        return self._robot.state

    def take_fix(self) -> None:
        """Do one GPS tick."""
        robot, state, now_ns = self._robot, self._state, self._robot.now_ns
        state.fixes += 1
        kind = self.kind()
        scale = 0.0 if kind == "none" else float(getattr(self._gps.scale, kind))
        position = np.zeros(3)
        b.read_gps(state.body, self._const, state.mount, scale, state.keys, state.fixes, position)
        if not state.gps_mounted:
            return
        sensed = sense_fix(robot, position) if robot.faults else position
        if sensed is None:
            return
        east, north, up = sensed.tolist()
        state.fix = Fix(east, north, up, self.variance(scale), kind, now_ns)
        if kind != "none":
            state.track[state.fixes % TRACK] = east, north
        if self._gps.latency_s:
            fix = now_ns, kind, east, north, up, scale
            robot.after(self._gps.latency_s, self._send_later, *fix)
        else:
            self.send(now_ns, kind, east, north, up, scale)

    def kind(self) -> str:
        """Return the present kind of fix."""
        forced = forced_fix(self._robot)
        if forced is not None:
            return forced
        now_s = self._robot.now_ns / 1e9
        if any(begin <= now_s < end for begin, end in self._gps.outages_s):
            return "none"
        kinds = [entry.fix for entry in self._gps.fix_schedule if entry.at_s <= now_s]
        return kinds[-1] if kinds else "fix"

    def variance(self, scale: float) -> float:
        return position_variance(self._gps.noise_std_m, self._gps.drift_std_m, scale)

    def send(
        self, epoch_ns: int, kind: str, east_m: float, north_m: float, up_m: float, scale: float
    ) -> None:
        """Publish a fix that was measured at `epoch_ns`."""
        if not self._robot.wanted("dds"):
            return
        header = Header(stamp(self._config, self._state, epoch_ns), self._frame)
        if kind == "none":
            fix = wire.gps(header, kind, NO_POSITION, 0.0, 0.0)
        else:
            level, vertical = self.variance(scale), self._gps.vertical_noise_std_m
            up = level if vertical is None else (scale * vertical) ** 2
            position = self._plane.to_geodetic(east_m, north_m, up_m)
            fix = wire.gps(header, kind, position, level, up, self._config.vn300 is not None)
        self._robot.emit("dds", Published("gps", fix))
