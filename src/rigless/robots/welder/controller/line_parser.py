"""Lines of G-code and jogs, parsed into steps of the line in execution."""

from rigless.robots.welder.board import Board
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.motion.cartesian_moves import CartesianMoves
from rigless.robots.welder.controller.motion.motion import Motion
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.expressions import Key
from rigless.robots.welder.gcode.interpreter import interpret
from rigless.robots.welder.gcode.modal import AXES
from rigless.robots.welder.gcode.parameters import (
    M66_RESULT,
    PROBE_TOUCHED,
    PROBED,
    ParameterScope,
)
from rigless.robots.welder.gcode.words import GcodeError, read_block
from rigless.robots.welder.state import WelderState

MOVES = ("line", "arc", "probe")


class LineParser:
    def __init__(self, state: WelderState, board: Board, motion: Motion, cartesian: CartesianMoves):
        self.state, self.board, self.motion, self.cartesian = state, board, motion, cartesian
        self.setup = motion.setup

    def parse(self, text: str) -> None:
        """Parse a line of G-code into steps. Raises GcodeError."""
        state, scope = self.state, self.scope()
        if text.startswith("/") and state.switches.block_delete:
            return
        block = read_block(text, self.setup.profile.letters, scope.values())
        scope.check(block.assignments)
        before = state.modal
        modal, steps = interpret(
            block, before, state.coordinates, scope.position, self.setup.profile
        )
        if state.mode == "Tool" and any(step[0] in MOVES for step in steps):
            raise GcodeError(codes.TOOL_CHANGE_PENDING)
        state.modal = modal
        state.schedule.tool |= (modal.tool, modal.loaded) != (before.tool, before.loaded)
        state.schedule.scaling |= modal.scale != before.scale
        state.parameters.assign(block.assignments)
        state.steps = list(steps)
        if (
            state.switches.single_block
            and not (state.line is not None and state.line.startup)
            and not block.m.get("stopping")
        ):
            state.steps.append(("stop", 0))
        if modal.system != before.system:
            state.schedule.system = True
        self.board.count("gcode_lines")

    def parse_jog(self, text: str) -> None:
        """Parse the text after `$J=` into a step. Raises GcodeError."""
        state, axes = self.state, self.setup.axes
        if state.mode not in ("Idle", "Jog", "Tool"):
            raise GcodeError(codes.NOT_IDLE)
        scope = self.scope()
        block = read_block(text, self.setup.profile.letters, scope.values())
        scope.check(block.assignments)
        _modal, steps = interpret(
            block, state.modal, state.coordinates, scope.position, self.setup.profile, jog=True
        )
        _, _, feed, *target = next(step for step in steps if step[0] == "line")
        if self.setup.tool is not None:
            self.cartesian.begin(("jog", False, feed, *target))
            state.steps = [("course",)]
            return
        if state.settings[s.JOG_LIMITS]:
            target = [
                min(max(float(value), low), high)
                for value, low, high in zip(target, axes.low, axes.high, strict=True)
            ]
        if not self.motion.within_limits(target):
            raise GcodeError(codes.TRAVEL_EXCEEDED)
        state.steps = [("jog", False, feed, *target)]

    def scope(self) -> ParameterScope:
        """Return the parameters that expressions can read."""
        state = self.state

        def measured() -> dict[Key, float]:
            found: dict[Key, float] = {
                PROBED + axis: value for axis, value in enumerate(state.probe.position)
            }
            results: dict[Key, float] = {
                PROBE_TOUCHED: state.probe.touched,
                M66_RESULT: state.m66_result,
                "_probe_state": bool(self.board.input["probe"]),
                "_homed_state": state.homed == (1 << AXES) - 1,
                "_homed_axes": state.homed,
            }
            return found | {key: float(value) for key, value in results.items()}

        return ParameterScope(
            state.parameters,
            state.modal,
            state.coordinates,
            tuple(state.position),
            self.setup.profile,
            measured,
        )
