"""Trajectories through waypoints: run on the simulated controller, or only planned.

Waypoints are joints, or poses of the tool centre point for a controller in the Cartesian profile.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigless.motion import planner as p
from rigless.motion.arm import rotation
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm.tool_kinematics import ReachError, ToolKinematics, path_of
from rigless.robots.welder.arm_description import joint_names
from rigless.robots.welder.controller import settings
from rigless.robots.welder.controller.motion.axes import axes_of
from rigless.robots.welder.offline.motion_controller import AXES, JointState
from rigless.robots.welder.offline.sim_controller import VirtualController

SAMPLE_S = 0.01
Move = tuple[NDArray[np.float64], float, float, float]  # target, rate, kind, scale


@dataclass(frozen=True)
class Waypoint:
    """Target joints (rad) and the speed there (rad/s, all joints); None: as fast as possible."""

    joints: Sequence[float]
    speed: float | None = None


@dataclass(frozen=True)
class PoseWaypoint:
    """Target pose (X Y Z in mm, A B C in degrees), and the speed on a straight line.

    The speed is in mm/s, or degrees/s for a pure rotation. None: a joint move, as fast as possible.
    """

    pose: Sequence[float]
    speed: float | None = None


AnyWaypoint = Waypoint | PoseWaypoint


@dataclass
class SimulationResult:
    """Result of a run. Maxima are over all joints, in rad/s and rad/s²."""

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

    def simulate_trajectory(self, waypoints: Sequence[AnyWaypoint]) -> SimulationResult:
        """Move the simulated arm through the waypoints; it must be connected and enabled."""
        result, controller = SimulationResult(), self.controller
        if problem := self._problem(waypoints):
            result.error_message = problem
            return result
        begin_s = controller.simulation_time_s
        for number, point in enumerate(waypoints, 1):
            if not controller.send_gcode(_line(point, controller.letters)):
                reason = controller.status().error_message or "not enabled"
                result.error_message = f"waypoint {number} was refused: {reason}"
                return result
        while controller.status().moving:
            controller.run(SAMPLE_S)
            result.note(controller.joint_state())
            if self._recording:
                self._recorded.append(result.trajectory_log[-1])
        result.total_time_s = controller.simulation_time_s - begin_s
        result.success = not waypoints or self._is_at(waypoints[-1])
        result.error_message = (
            "" if result.success else f"stopped on the way: {controller.status().state}"
        )
        return result

    def dry_run(self, waypoints: Sequence[AnyWaypoint]) -> SimulationResult:
        """Plan the trajectory only; the arm does not move."""
        result = SimulationResult()
        if problem := self._problem(waypoints):
            result.error_message = problem
            return result
        axes = axes_of(
            settings.defaults(settings.table(self.controller.config)), self.controller.config
        )
        start = np.degrees(self.controller.joint_state().positions)
        try:
            moves = self._moves(waypoints, start)
        except ReachError as error:
            result.error_message = str(error)
            return result
        blocks, run = p.new_queue(max(len(moves), 1)), p.new_run(start)
        for target, rate, kind, scale in moves:
            axes.append(blocks, run, 0.0, target, rate, kind, scale=scale)
        done, look, samples = np.zeros(len(blocks)), np.zeros((3, AXES)), 0
        while True:
            p.advance(blocks, run, samples * SAMPLE_S, done)
            p.sample(blocks, run, samples * SAMPLE_S, look)
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

    def _moves(self, waypoints: Sequence[AnyWaypoint], start: NDArray[np.float64]) -> list[Move]:
        """Return the moves for the planner, as the controller makes them. Raises ReachError."""
        config, found, joints = self.controller.config, [], start
        limits = config.limits
        tip = ToolKinematics(
            Arm(config), limits.low_deg, limits.high_deg, limits.max_degps, config.arc_tolerance
        )
        place = tip.pose(start, [0.0] * AXES)
        for point in waypoints:
            kind = p.RAPID if point.speed is None else p.FEED
            if isinstance(point, Waypoint):
                joints = np.degrees(np.array(point.joints, float))
                found.append((joints, math.degrees(point.speed or 0.0), kind, 0.0))
                continue
            pose = [float(value) for value in point.pose]
            if point.speed is None:
                joints = np.array(tip.joints(pose, joints.tolist()))
                found.append((joints, 0.0, kind, 0.0))
            else:
                path = path_of(("line", False, 0.0, *pose), place)
                found += [
                    (end, point.speed * scale, kind, scale)
                    for end, scale in tip.segments(path, joints)
                ]
                joints = found[-1][0] if found else joints
            place = pose
        return found

    def _is_at(self, point: AnyWaypoint) -> bool:
        robot, joints = self.controller.robot, self.controller.joint_state().positions
        if isinstance(point, Waypoint):
            return np.allclose(joints, point.joints, atol=1e-4)
        place = robot.controller.setup.axis_values(np.degrees(joints).tolist())
        return np.allclose(place[:3], point.pose[:3], atol=1e-2) and np.allclose(
            rotation.from_rpy(*place[3:]), rotation.from_rpy(*map(float, point.pose[3:])), atol=1e-4
        )

    def _problem(self, waypoints: Sequence[AnyWaypoint]) -> str:
        """Return the problem with the waypoints as a sentence, or an empty string."""
        limits, wanted = (
            self.controller.config.limits,
            PoseWaypoint if self.controller.cartesian else Waypoint,
        )
        for number, point in enumerate(waypoints, 1):
            if not isinstance(point, wanted):
                coordinates = self.controller.config.coordinates
                return (
                    f"waypoint {number} is a {type(point).__name__}; with coordinates ="
                    f" {coordinates!r} it must be a {wanted.__name__}"
                )
            if isinstance(point, PoseWaypoint):
                if len(point.pose) != AXES or not np.isfinite(point.pose).all():
                    form = "X Y Z in mm, A B C in degrees"
                    return f"waypoint {number} is not six finite numbers: {form}"
                if point.speed is not None and not point.speed > 0.0:
                    return f"waypoint {number} has the speed {point.speed:g}; it must be above zero"
                continue
            if len(point.joints) != AXES:
                return f"waypoint {number} has {len(point.joints)} joints; the arm has {AXES}"
            if point.speed is not None and not point.speed > 0.0:
                return f"waypoint {number} has the speed {point.speed:g}; it must be above zero"
            for name, value, low, high in zip(
                joint_names(self.controller.config.urdf),
                point.joints,
                limits.low_deg,
                limits.high_deg,
                strict=True,
            ):
                if not low - 1e-6 <= math.degrees(value) <= high + 1e-6:
                    angle = f"{math.degrees(value):.1f}°"
                    limits_text = f"{low:g}° to {high:g}°"
                    return f"waypoint {number}: {name} at {angle} is outside {limits_text}"
        return ""


def _line(point: AnyWaypoint, letters: str) -> str:
    if isinstance(point, Waypoint):
        values, speed = (
            [math.degrees(value) for value in point.joints],
            math.degrees(point.speed or 0.0),
        )
    else:
        values, speed = list(point.pose), point.speed or 0.0
    words = " ".join(f"{letter}{value:.6f}" for letter, value in zip(letters, values, strict=True))
    return (
        f"G21 G90 G53 G0 {words}"
        if point.speed is None
        else f"G21 G90 G53 G1 {words} F{speed * 60:.4f}"
    )
