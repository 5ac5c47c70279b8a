"""The axes as the planner needs them and the word profile: both follow from the settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigless.motion import planner as p
from rigless.motion.planner import jerk_limited
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm.tool_kinematics import ToolKinematics
from rigless.robots.welder.arm_description import joint_names
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.gcode.modal import AXES, Profile
from rigless.robots.welder.state import WelderState

NO_LIMIT = np.full(AXES, np.inf)
SLACK_DEG = 1e-6  # a target this far beyond a limit is on it
TURN_DEG = 360.0  # a target of a joint beyond it is probably no angle
Settings = Mapping[int, float]


@dataclass(frozen=True)
class Axes:
    """Limits per second. `jerks` is None if jerk is not limited."""

    rates: NDArray[np.float64]
    accelerations: NDArray[np.float64]
    low: tuple[float, ...]
    high: tuple[float, ...]
    deviation: float
    steps: NDArray[np.float64]  # a degree
    jerks: NDArray[np.float64] | None
    names: tuple[str, ...]

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
        """Queue a straight joint move. Return False if it has no length.

        With the jerk profile, all moves are jerk-limited except feed moves, segments of Cartesian
        moves (these have a scale) and probing moves.
        """
        line = blocks, run, now_s, end, rate, kind, tag, self.rates, self.accelerations
        if self.jerks is not None and kind != p.FEED and not (scale or probing):
            return bool(jerk_limited.append(*line, self.jerks))
        return bool(p.append(*line, self.deviation, scale))

    def outside(self, target: Sequence[float]) -> list[int]:
        """Return the axes of a target that are outside their limits."""
        return [
            axis
            for axis, (low, value, high) in enumerate(zip(self.low, target, self.high, strict=True))
            if not low - SLACK_DEG <= value <= high + SLACK_DEG
        ]

    def outside_text(self, target: Sequence[float]) -> str:
        """Return a sentence that names the joints outside their limits."""
        outside = self.outside(target)
        text = ", ".join(
            f"{self.names[n]} to {target[n]:g}° is outside {self.low[n]:g}° to {self.high[n]:g}°"
            for n in outside
        )
        if any(n < 3 and abs(target[n]) > TURN_DEG for n in outside):
            text += "; if X Y Z are the torch tip in mm, set coordinates=cartesian"
        return text


class AxisSetup:
    """Axes, word profile and tool kinematics for the current settings.

    `tool` is None unless axis words are the tool centre point (the Cartesian profile).
    """

    def __init__(self, state: WelderState, config: WelderConfig, arm: Arm):
        self.state, self.config, self.arm = state, config, arm
        self.apply()

    def apply(self) -> None:
        """Follow a change of the settings."""
        settings, config = self.state.settings, self.config
        self.axes, self.profile = axes_of(settings, config), profile_of(settings, config)
        self.tool = tool_of(settings, config, self.arm)

    def axis_values(self, joints_deg: list[float]) -> list[float]:
        """Return the axis values of joints: the same, or the pose of the tool centre point."""
        if self.tool is None:
            return joints_deg
        return self.tool.pose(joints_deg, self.state.position)


def axes_of(settings: Settings, config: WelderConfig) -> Axes:
    rates, accelerations, travel, steps = (
        np.array([settings[first + axis] for axis in range(AXES)])
        for first in (s.RATES, s.ACCELERATIONS, s.TRAVEL, s.STEPS)
    )
    low = config.limits.low_deg
    high = tuple(begin + length for begin, length in zip(low, travel.tolist(), strict=True))
    jerks = np.array(config.limits.max_degps3) if config.profile == "jerk" else None
    names, junction = joint_names(config.urdf), settings[s.JUNCTION]
    return Axes(rates / 60.0, accelerations, low, high, junction, steps, jerks, names)


def profile_of(settings: Settings, config: WelderConfig) -> Profile:
    turns = int(settings[s.ROTARY])
    rotary = (False, False, False, *(bool(turns >> bit & 1) for bit in range(3)))
    cartesian = config.coordinates == "cartesian"
    return Profile(
        config.letters, rotary, settings[s.ARC_TOLERANCE], settings[s.G73_RETRACT], cartesian
    )


def tool_of(settings: Settings, config: WelderConfig, arm: Arm) -> ToolKinematics | None:
    """Return the tool kinematics, or None if axis words are joints."""
    if config.coordinates != "cartesian":
        return None
    axes, limited = axes_of(settings, config), bool(settings[s.SOFT_LIMITS])
    low, high = (axes.low, axes.high) if limited else (-NO_LIMIT, NO_LIMIT)
    return ToolKinematics(arm, low, high, axes.rates, settings[s.ARC_TOLERANCE])
