"""What follows from the settings: the axes as the planner needs them, and how G-code is read."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigless.motion import planner as p
from rigless.motion.planner import jerk_limited
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm.tool_kinematics import Tip
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode.modal import AXES, Profile

NO_LIMIT = np.full(AXES, np.inf)
Settings = Mapping[int, float]


@dataclass(frozen=True)
class Axes:
    """Limits per second; `jerks` is None if nothing is limited in jerk."""

    rates: NDArray[np.float64]
    accelerations: NDArray[np.float64]
    low: tuple[float, ...]
    high: tuple[float, ...]
    deviation: float
    steps: NDArray[np.float64]  # a degree
    jerks: NDArray[np.float64] | None

    def append(
        self,
        blocks: NDArray[np.float64],
        run: NDArray[np.float64],
        now_s: float,
        end: NDArray[np.float64],
        rate: float,
        kind: float,
        tag: float = 0.0,
        scale: float = 0.0,
        probing: bool = False,
    ) -> bool:
        """Queue a line to a place, limited in jerk where the profile says so: all but feeds, chords (which have a scale) and probes.
        False if it has no length."""
        line = blocks, run, now_s, end, rate, kind, tag, self.rates, self.accelerations
        if self.jerks is not None and kind != p.FEED and not (scale or probing):
            return bool(jerk_limited.append(*line, self.jerks))
        return bool(p.append(*line, self.deviation, scale))


def axes_of(settings: Settings, config: WelderConfig) -> Axes:
    rates, accelerations, travel, steps = (
        np.array([settings[first + axis] for axis in range(AXES)])
        for first in (s.RATES, s.ACCELERATIONS, s.TRAVEL, s.STEPS)
    )
    low = config.limits.low_deg
    high = tuple(begin + length for begin, length in zip(low, travel.tolist(), strict=True))
    jerks = np.array(config.limits.max_degps3) if config.profile == "jerk" else None
    return Axes(rates / 60.0, accelerations, low, high, settings[s.JUNCTION], steps, jerks)


def profile_of(settings: Settings, config: WelderConfig) -> Profile:
    turns = int(settings[s.ROTARY])
    rotary = (False, False, False, *(bool(turns >> bit & 1) for bit in range(3)))
    return Profile(
        config.letters, rotary, settings[s.ARC_TOLERANCE], config.coordinates == "cartesian"
    )


def tip_of(settings: Settings, config: WelderConfig, arm: Arm) -> Tip | None:
    """The torch tip as what the axis words mean; None where they mean joints."""
    if config.coordinates != "cartesian":
        return None
    axes, limited = axes_of(settings, config), bool(settings[s.SOFT_LIMITS])
    low, high = (axes.low, axes.high) if limited else (-NO_LIMIT, NO_LIMIT)
    return Tip(arm, low, high, axes.rates, settings[s.ARC_TOLERANCE])
