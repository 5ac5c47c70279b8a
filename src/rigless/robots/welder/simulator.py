"""Trajectories through joint waypoints: run on the simulated controller, or only planned, with what happened on the way."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rigless.motion import planner as p
from rigless.robots.welder.controller import AXES, JointState
from rigless.robots.welder.virtual import VirtualController

SAMPLE_S = 0.01
LETTERS = "ABCUVW"


@dataclass(frozen=True)
class Waypoint:
    """Where the joints shall be (rad), and how fast along the line there (rad/s over all joints); None: as fast as they can."""

    joints: Sequence[float]
    speed: float | None = None


@dataclass
class SimulationResult:
    """`max_velocity` and `max_acceleration` are the largest of any joint, in rad/s and rad/s²."""

    success: bool = False
    total_time_s: float = 0.0
    max_velocity: float = 0.0
    max_acceleration: float = 0.0
    trajectory_log: list[JointState] = field(default_factory=list)
    error_message: str = ""

    def note(self, state: JointState) -> None:
        self.trajectory_log.append(state)
        self.max_velocity = max(self.max_velocity, *map(abs, state.velocities))
        self.max_acceleration = max(self.max_acceleration, *map(abs, state.accelerations))


class MotionSimulator:
    def __init__(self, controller: VirtualController):
        self.controller = controller
        self._recording = False
        self._recorded: list[JointState] = []

    def simulate_trajectory(self, waypoints: Sequence[Waypoint]) -> SimulationResult:
        """Move the simulated arm through the waypoints; it must be connected and enabled, with its joint letters A B C U V W."""
        result, controller = SimulationResult(), self.controller
        if problem := self._problem(waypoints):
            result.error_message = problem
            return result
        begin_s = controller.simulation_time_s
        for number, point in enumerate(waypoints, 1):
            if not controller.send_gcode(_line(point)):
                result.error_message = (
                    f"waypoint {number} was refused: {controller.status().error_message or 'not enabled'}"
                )
                return result
        while controller.status().moving:
            controller.run(SAMPLE_S)
            result.note(controller.joint_state())
            if self._recording:
                self._recorded.append(result.trajectory_log[-1])
        result.total_time_s = controller.simulation_time_s - begin_s
        reached = np.allclose(controller.joint_state().positions, waypoints[-1].joints if waypoints else 0.0, atol=1e-4)
        result.success = bool(reached) or not waypoints
        result.error_message = "" if result.success else f"stopped on the way: {controller.status().state}"
        return result

    def dry_run(self, waypoints: Sequence[Waypoint]) -> SimulationResult:
        """The same from the plan alone: the arm does not move."""
        result = SimulationResult()
        if problem := self._problem(waypoints):
            result.error_message = problem
            return result
        limits = self.controller.config.limits
        rates, accelerations = np.array(limits.max_degps), np.array(limits.max_degps2)
        start = np.degrees(self.controller.joint_state().positions)
        blocks, run = p.new_queue(max(len(waypoints), 1)), p.new_run(start)
        for point in waypoints:
            rapid = point.speed is None
            rate = 0.0 if point.speed is None else math.degrees(point.speed)
            kind, target = p.RAPID if rapid else p.FEED, np.degrees(np.array(point.joints, float))
            deviation = self.controller.config.junction_deviation
            p.append(blocks, run, 0.0, target, rate, kind, 0.0, rates, accelerations, deviation)
        done, look, samples = np.zeros(len(blocks)), np.zeros((3, AXES)), 0
        while True:
            p.advance(blocks, run, samples * SAMPLE_S, done)
            p.look(blocks, run, samples * SAMPLE_S, look)
            result.note(JointState(*(np.radians(row).tolist() for row in look)))
            samples += 1
            if not run[p.COUNT]:
                break
        result.total_time_s = float(run[p.TIME])
        result.success = True
        return result

    def start_recording(self) -> None:
        self._recording, self._recorded = True, []

    def stop_recording(self) -> None:
        self._recording = False

    @property
    def recorded_data(self) -> list[JointState]:
        return list(self._recorded)

    def _problem(self, waypoints: Sequence[Waypoint]) -> str:
        """What is wrong with the waypoints, in a sentence; empty if nothing."""
        limits = self.controller.config.limits
        for number, point in enumerate(waypoints, 1):
            if len(point.joints) != AXES:
                return f"waypoint {number} has {len(point.joints)} joints; the arm has {AXES}"
            if point.speed is not None and not point.speed > 0.0:
                return f"waypoint {number} has the speed {point.speed:g}; it must be above zero"
            for joint, (value, low, high) in enumerate(
                zip(point.joints, limits.low_deg, limits.high_deg, strict=True), 1
            ):
                if not low - 1e-6 <= math.degrees(value) <= high + 1e-6:
                    return f"waypoint {number}: joint {joint} at {math.degrees(value):.1f}° is outside {low:g}° to {high:g}°"
        return ""


def _line(point: Waypoint) -> str:
    words = " ".join(f"{letter}{math.degrees(value):.6f}" for letter, value in zip(LETTERS, point.joints, strict=True))
    return f"G90 G0 {words}" if point.speed is None else f"G90 G1 {words} F{math.degrees(point.speed) * 60:.4f}"
