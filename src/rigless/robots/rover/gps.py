"""The rover's satellite receiver: a fix each GPS tick, of the kind that schedule, outages and faults leave, sent at once or late."""

import math
from typing import Any

import numpy as np

from rigless.robots.rover import body as b
from rigless.robots.rover import wire
from rigless.robots.rover.mounting import Mounting
from rigless.robots.rover.state import TRACK, Fix
from rigless.ros.codec import Published
from rigless.ros.messages import Header
from rigless.sensors.geodesy import Topocentric
from rigless.sensors.gps import position_variance

FARTHEST_M = 1e9  # no fault puts a fix farther away
FIX_FAULTS = {"no_fix": "none", "float": "float", "fixed": "fixed"}
JUMP_M, JUMP_PROBABILITY = 10.0, 0.2  # of a receiver that catches reflections


class Receiver(Mounting):
    plane: Topocentric
    const: b.Array

    @property
    def stamp_epoch_ns(self) -> int:
        """What stamps count from."""
        return 0 if self.config.use_sim_time else self.state.epoch_ns

    def fix(self) -> None:
        """What the receiver does at one of its ticks."""
        state = self.state
        state.fixes += 1
        kind = self.fix_kind()
        scale = 0.0 if kind == "none" else float(getattr(self.config.gps.scale, kind))
        place = np.zeros(3)
        b.read_gps(state.body, self.const, state.mount, scale, state.keys, state.fixes, place)
        if not state.gps_mounted:
            return
        found = self.sense_fix(place) if self.faults else place
        if found is None:
            return
        east, north, up = found.tolist()
        state.fix = Fix(east, north, up, self.fix_variance(scale), kind, self.now_ns)
        if kind != "none":
            state.track[state.fixes % TRACK] = east, north
        if self.config.gps.latency_s:
            self.after(
                self.config.gps.latency_s, self.send_fix, self.now_ns, kind, east, north, up, scale
            )
        else:
            self.send_fix(self.now_ns, kind, east, north, up, scale)

    def fix_variance(self, scale: float) -> float:
        return position_variance(self.config.gps.noise_std_m, self.config.gps.drift_std_m, scale)

    def fix_kind(self) -> str:
        """The kind of fix there is now: faults win over outages, those over the schedule."""
        for fault in self.faults:
            if fault.target == "gps" and fault.kind in FIX_FAULTS:
                return FIX_FAULTS[fault.kind]
        gps, now_s = self.config.gps, self.now_ns / 1e9
        if any(begin <= now_s < end for begin, end in gps.outages_s):
            return "none"
        kinds = [entry.fix for entry in gps.fix_schedule if entry.at_s <= now_s]
        return kinds[-1] if kinds else "fix"

    def sense_fix(self, place: Any) -> Any:
        jump = self.fault("gps", "jump")
        if jump is not None:
            draw = self.random("fault/gps_jump")
            chance, angle = draw.random(), 2 * math.pi * draw.random()
            if chance < number(jump.params.get("probability"), JUMP_PROBABILITY):
                reach = number(jump.params.get("metres"), JUMP_M)
                place = place + reach * np.array([math.cos(angle), math.sin(angle), 0.0])
        sensed = self.sense("gps", place)
        return None if sensed is None else np.clip(sensed, -FARTHEST_M, FARTHEST_M)

    def send_fix(
        self, epoch_ns: int, kind: str, east_m: float, north_m: float, up_m: float, scale: float
    ) -> None:
        if not self.wanted("dds"):
            return
        header = Header(wire.stamp_of(self.stamp_epoch_ns + epoch_ns), self.config.gps_frame_id)
        if kind == "none":
            fix = wire.gps(header, kind, (math.nan, math.nan, math.nan), 0.0, 0.0)
        else:
            level, vertical = self.fix_variance(scale), self.config.gps.vertical_noise_std_m
            up = level if vertical is None else (scale * vertical) ** 2
            fix = wire.gps(header, kind, self.plane.to_geodetic(east_m, north_m, up_m), level, up)
        self.emit("dds", Published("gps", fix))


def number(value: Any, default: float) -> float:
    """A fault's own parameter; whatever is not a number is the default."""
    usable = (
        isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= FARTHEST_M
    )
    return float(value) if usable else default
