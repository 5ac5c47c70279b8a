"""The controller: its parts, in order of dependence, and what it does on a tick."""

from typing import TYPE_CHECKING

from rigless.motion import planner as p
from rigless.robots.welder.arm.guard import CollisionGuard
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.board import Board
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller.alarms import Alarms
from rigless.robots.welder.controller.fast_forward import FastForward
from rigless.robots.welder.controller.line_parser import LineParser
from rigless.robots.welder.controller.main_loop import MainLoop
from rigless.robots.welder.controller.motion.accessories import Accessories
from rigless.robots.welder.controller.motion.axes import AxisSetup
from rigless.robots.welder.controller.motion.cartesian_moves import CartesianMoves
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.controller.motion.program_listing import ProgramListing
from rigless.robots.welder.controller.motion_steps import MotionSteps
from rigless.robots.welder.controller.realtime import RealtimeCommands
from rigless.robots.welder.controller.replies import Replies
from rigless.robots.welder.controller.reports import Reports
from rigless.robots.welder.controller.steps import Steps
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.process import welding
from rigless.robots.welder.process.stickout import Stickout
from rigless.robots.welder.process.weld_process import WeldProcess
from rigless.robots.welder.state import WelderState

if TYPE_CHECKING:
    from rigless.motion.arm.continuous_collision import MotionChecker

TOUCHING_MM = 0.1  # a smaller distance counts as contact


class Controller:
    """All parts share one state. After a snapshot is restored, a new controller is made."""

    def __init__(
        self,
        state: WelderState,
        config: WelderConfig,
        board: Board,
        arm: Arm,
        checker: "MotionChecker | None",
        stickout: Stickout | None = None,
    ):
        self.state, self.config, self.board, self.arm = state, config, board, arm
        self.setup = AxisSetup(state, config, arm)
        self.guard = CollisionGuard(state, checker)
        self.listing = ProgramListing(state, config.planner_blocks)
        self.accessories = Accessories(state, config.welding, board)
        self.motion = motion = Motion(
            state, config, board, arm, self.setup, self.guard, self.accessories, self.listing
        )
        self.process = WeldProcess(state, config, board, arm, motion, stickout)
        self.cartesian = CartesianMoves(state, board, motion)
        self.reports = Reports(state, config, board, motion)
        self.replies = Replies(state, board, self.listing)
        self.alarms = Alarms(state, board, self.reports, self.replies)
        parser = LineParser(state, board, motion, self.cartesian)
        motion_steps = MotionSteps(state, board, motion, self.cartesian, self.alarms, self.reports)
        steps = Steps(state, board, motion, motion_steps, self.accessories)
        self.main_loop = MainLoop(
            state, config, board, motion, self.accessories, parser, steps, self.reports,
            self.replies, self.alarms,
        )  # fmt: skip
        self.realtime = RealtimeCommands(
            state, config, board, motion, self.accessories, self.reports, self.replies,
            self.alarms, self.main_loop,
        )  # fmt: skip
        self.fast_forward = FastForward(state, board, motion, self.process)

    def tick(self) -> None:
        """Advance motion, contacts, alarms, process and main loop, in this order."""
        state = self.state
        state.ticks += 1
        if state.run[p.COUNT]:
            self.motion.settle()
        if state.forecast.contacts:
            self._collide()
        if state.cancelling or state.alarm_at_rest or state.legs or state.probe.mode:
            self.alarms.raise_alarm(self.motion.watch())
        welding_on = not welding.at_rest(state.weld) or state.mist or state.flood
        if welding_on and self.process.step():
            self.realtime.hold(forced=True)
        if state.line is not None or state.rx:
            self.main_loop.work()

    def _collide(self) -> None:
        """Report the contacts that the arm has reached; by default the drives trip."""
        while (contact := self.guard.next_contact(self.motion.joints_deg)) is not None:
            tag, _, link, other, point_mm, depth_mm, line, lasting = contact
            place = ", ".join(f"{value:.1f}" for value in point_mm)
            verb = "hits" if depth_mm > -TOUCHING_MM else f"comes within {-depth_mm:.1f} mm of"
            if lasting:
                verb = "still touches" if verb == "hits" else f"is still {verb[6:]}"
            text = f"{link} {verb} {other} at ({place}) mm"
            self.board.event(
                "collision", text, "error",
                objects=[link, other], place_mm=list(point_mm), depth_mm=depth_mm, line=line,
                lasting=lasting,
            )  # fmt: skip
            if not lasting:
                self.board.count("collisions")
            if self.board.on_collision == "stop":
                source = self.state.program.sources.get(tag, 0)
                self.motion.drop()
                self.accessories.set_spindle(5, 0.0)
                self.alarms.raise_alarm(codes.ALARM_MOTOR_FAULT, text, source)
