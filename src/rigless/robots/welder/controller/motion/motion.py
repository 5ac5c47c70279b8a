"""Motion: the controller's side of the planner. Queue, feed hold, cancel, homing and probing.

`watch` returns the number of an alarm that is due, or 0. Motion raises no alarm itself; the main
loop does.
"""

from typing import Any

import numpy as np

from rigless.motion import planner as p
from rigless.motion.planner import jerk_limited
from rigless.motion.planner.axis_limits import rounded_to_steps
from rigless.robots.welder.arm.guard import CollisionGuard
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.board import Board
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.motion.accessories import Accessories
from rigless.robots.welder.controller.motion.axes import AxisSetup
from rigless.robots.welder.controller.motion.homing import homing_legs
from rigless.robots.welder.controller.motion.odometer import Odometer
from rigless.robots.welder.controller.motion.program_listing import ProgramListing
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import AXES
from rigless.robots.welder.state import WelderState

DONE = 16  # blocks taken off the queue in one go


class Motion:
    def __init__(
        self,
        state: WelderState,
        config: WelderConfig,
        board: Board,
        arm: Arm,
        setup: AxisSetup,
        guard: CollisionGuard,
        accessories: Accessories,
        listing: ProgramListing,
    ):
        self.state, self.config, self.board, self.arm = state, config, board, arm
        self.setup, self.guard, self.accessories, self.listing = setup, guard, accessories, listing
        self.odometer = Odometer(state, board, arm)
        self.done = np.zeros(DONE)  # scratch

    # State

    @property
    def now_s(self) -> float:
        return self.board.now_ns * 1e-9

    def room(self) -> int:
        """Return the number of free blocks in the planner."""
        return p.free_blocks(self.state.blocks, self.state.run)

    def moving(self) -> bool:
        return self.state.run[p.COUNT] > 0.0 and not p.at_rest(self.state.run, self.now_s)

    def peek(self) -> tuple[Any, float, int]:
        """Return rows of position, velocity and acceleration, the path speed, and the block's tag.

        All are at the current time. It changes nothing.
        """
        state, out = self.state, np.zeros((3, AXES))
        if not state.run[p.COUNT]:
            out[p.AT] = state.run[p.POSITION : p.POSITION + AXES]
            return out, 0.0, 0
        blocks, run, time_s = state.blocks.copy(), state.run.copy(), self.now_s
        done = np.zeros(DONE)
        while p.advance(blocks, run, time_s, done) == DONE:
            continue
        speed = p.sample(blocks, run, time_s, out)
        if not run[p.COUNT]:
            return out, speed, 0
        block = blocks[int(run[p.FIRST])]
        tool = self.setup.tool
        if tool is not None and not block[p.SCALE]:
            speed = tool.speed(out)
        return out, speed, int(block[p.TAG])

    def joints_deg(self) -> Any:
        return self.peek()[0][p.AT]

    def torch_m(self) -> list[float]:
        place: list[float] = self.arm.torch_place(self.joints_deg()).tolist()
        return place

    def programmed_mmps(self) -> float:
        """Return the cruising speed of the torch in the current block, here; 0 at rest."""
        state = self.state
        if not state.run[p.COUNT]:
            return 0.0
        block = state.blocks[int(state.run[p.FIRST])]
        way = 1e-3 * p.nominal_speed(block, state.run) * block[p.UNIT : p.UNIT + AXES]
        joints = self.joints_deg()
        gap_m = self.arm.torch_place(joints + way) - self.arm.torch_place(joints)
        return 1e6 * float(np.linalg.norm(gap_m))

    # The queue

    def settle(self) -> None:
        """Advance the queue to the current time: remove ended blocks, set outputs of begun ones."""
        state = self.state
        first = state.run[p.FIRST]
        while p.advance(state.blocks, state.run, self.now_s, self.done) == DONE:
            continue
        if first != state.run[p.FIRST]:
            self.odometer.advance()
            self.listing.block_reached(self._current_tag())
        if state.block_outputs or state.lines:
            reached = self._current_tag()
            for tag in [tag for tag in state.block_outputs if tag <= reached]:
                for step in state.block_outputs.pop(tag):
                    self.accessories.set_output(step)
            for tag in [tag for tag in state.lines if tag < reached]:
                del state.lines[tag]
        if state.run[p.COUNT] == 0.0 and state.mode in ("Run", "Jog"):
            state.mode = "Idle"

    def _current_tag(self) -> int:
        state = self.state
        return (
            int(state.blocks[int(state.run[p.FIRST]), p.TAG]) if state.run[p.COUNT] else state.tag
        )

    def queue(self, target: Any, rate: float, kind: float, scale: float = 0.0) -> None:
        """Add a straight joint move at `rate` units/s; there must be room.

        Pending outputs go with it. A segment of a Cartesian move has a scale.
        """
        state, setup = self.state, self.setup
        self.settle()
        axes = setup.axes
        state.tag += 1
        end = (
            np.array(target)
            if setup.tool is not None
            else rounded_to_steps(np.array(target), axes.steps)
        )
        tag, probing = float(state.tag), bool(state.probe.mode)
        if not axes.append(
            state.blocks, state.run, self.now_s, end, rate, kind, tag, scale, probing
        ):
            return
        self.listing.block_queued(state.tag)
        self.guard.foresee(state.tag, end)
        if state.modal.line:
            state.lines[state.tag] = state.modal.line
        if state.pending_outputs:
            state.block_outputs[state.tag] = state.pending_outputs
            state.pending_outputs = []
            self.settle()

    def within_limits(self, target: Any) -> bool:
        """True if the target is inside the soft limits, or these are off."""
        return not self.state.settings[s.SOFT_LIMITS] or not self.setup.axes.outside(target)

    def feed_along(self, begin: Any, end: Any, feed: float) -> float:
        """Return the feed in units/s along the path. With $701, F counts linear axes only."""
        if self.state.settings[s.FEED_OF_LINEAR]:
            rotary = self.setup.profile.rotary
            squares = [(b - a) ** 2 for a, b in zip(begin, end, strict=True)]
            linear = sum(square for square, turns in zip(squares, rotary, strict=True) if not turns)
            if linear > 0.0:
                feed *= (sum(squares) / linear) ** 0.5
        return feed / 60.0

    # Hold, resume, cancel

    def change(self, hold: bool) -> None:
        """Hold or resume, with the current overrides."""
        state = self.state
        self.settle()
        jerk_limited.set_overrides(
            state.blocks,
            state.run,
            self.now_s,
            hold,
            state.feed_percent / 100 if state.feed_override else 1.0,
            state.rapid_percent / 100,
        )

    def set_overrides(self, feed: int, rapid: int, spindle: int) -> None:
        """Set the overrides in per cent and replan."""
        state = self.state
        before = (state.feed_percent, state.rapid_percent, state.spindle_percent)
        if (feed, rapid, spindle) == before:
            return
        state.feed_percent, state.rapid_percent, state.spindle_percent = feed, rapid, spindle
        state.schedule.overrides = True
        self.change(bool(state.run[p.HOLD]))

    def cancel(self) -> int:
        """Brake, then drop the queue. Return an alarm that is due, or 0."""
        self.state.cancelling = True
        self.change(True)
        return self.watch()

    def drop(self) -> None:
        """Stop at once and drop the queue; the parser's position becomes that of the axes."""
        state = self.state
        self.settle()
        p.clear(state.blocks, state.run, self.now_s)
        self.odometer.advance()
        state.program.sources.clear()
        state.block_outputs.clear()
        state.lines.clear()
        state.pending_outputs.clear()
        state.legs.clear()
        state.cancelling = False
        self.sync()
        self.guard.start()

    def sync(self) -> None:
        """Set the parser's position to the end of the queue."""
        state = self.state
        state.planned = [float(value) for value in state.run[p.POSITION : p.POSITION + AXES]]
        state.position = self.setup.axis_values(state.planned)

    def watch(self) -> int:
        """Finish a cancel, start the next homing move, or return an alarm that waited for rest."""
        state = self.state
        if state.probe.mode:
            self._watch_probe()
        if not (state.cancelling or state.alarm_at_rest or state.legs) or self.moving():
            return 0
        if state.cancelling:
            self.drop()
            if state.mode in ("Run", "Jog", "Hold"):
                state.mode = "Idle"
        if state.alarm_at_rest:
            alarm, state.alarm_at_rest = state.alarm_at_rest, 0
            self.drop()
            return alarm
        if state.legs and state.mode == "Home":
            self._next_leg()
        return 0

    # Homing

    def begin_homing(self, axes_mask: int) -> None:
        """Queue the cycles of $44 and on: seek the switch, pull off, locate it slowly."""
        state = self.state
        state.mode, state.alarm = "Home", 0
        state.legs = [*homing_legs(state.settings, self.config.homing.pose_deg, axes_mask)]
        for _, mask, *_ in state.legs:
            state.homed &= ~int(mask)
        self._next_leg()

    def _next_leg(self) -> None:
        state = self.state
        while state.legs:
            rate, mask, *goals = state.legs.pop(0)
            target = list(state.run[p.POSITION : p.POSITION + AXES])
            for axis, value in goals:
                target[int(axis)] = value
            self.queue(target, rate / 60.0, p.PLAIN)
            if not state.legs or state.legs[0][1] != mask:
                state.homed |= int(mask)
                for axis in range(AXES):
                    if int(mask) >> axis & 1:
                        state.home[axis] = self.config.homing.pose_deg[axis]
            if state.run[p.COUNT]:
                state.legs = state.legs or [(rate, mask)]  # an empty leg, to notice the end
                return
        self.sync()
        state.mode, state.schedule.homed = "Idle", True
        self.board.event("homed", f"axes homed: {state.homed:06b}", mask=state.homed)

    # Probing

    def begin_probe(self, mode: int) -> bool:
        """Start G38.x. Return False if the probe is not in the required initial state."""
        if bool(self.board.input["probe"]) == (mode in (384, 385)):
            self.state.probe.mode = mode
            return True
        return False

    def _watch_probe(self) -> None:
        """Stop at contact (G38.2, G38.3) or loss of contact (G38.4, G38.5), or at the target."""
        state = self.state
        probe = state.probe
        hit = bool(self.board.input["probe"]) == (probe.mode in (382, 383))
        if hit and not state.cancelling:
            probe.position = self.setup.axis_values(self.joints_deg().tolist())
            probe.touched = True
            state.cancelling = True
            self.change(True)
        under_way = self.setup.tool is not None and state.course.share < 1.0
        if self.moving():
            return
        if (under_way or state.mode in ("Hold", "Door")) and not state.cancelling:
            return
        if not state.cancelling:
            probe.position, probe.touched = (
                self.setup.axis_values(state.run[p.POSITION : p.POSITION + AXES].tolist()),
                False,
            )
            if probe.mode in (382, 384):
                state.alarm_at_rest = codes.ALARM_PROBE_CONTACT
        probe.mode = 0
