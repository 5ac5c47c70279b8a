"""Validation of a weld program: run in virtual time, with all problems reported by line.

The program is streamed as by a sender, byte for byte within the receive buffer, into a simulation.
The run continues after problems that would stop a real cell (a wrong line, a limit, a weld fault),
so that one run finds all: a line that is rejected or out of reach is skipped while queued motion
continues, an alarm is unlocked at the next line, a hold is resumed. Later findings are therefore as
if the operator had skipped that line. No line removes findings of the lines before it.
"""

import math
import re
from collections import deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.events import Event
from rigless.kernel.loop.listeners import Output
from rigless.kernel.simulation import Simulation
from rigless.motion import planner as p
from rigless.motion.arm.singularity import jacobian, smallest_singular_value
from rigless.robots.welder import weld_state, wire
from rigless.robots.welder.arm_description import short_names
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller.motion.odometer import METRIC
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.interpreter import interpret
from rigless.robots.welder.gcode.program_text import ProgramLine, read_program
from rigless.robots.welder.gcode.words import GcodeError, read_block
from rigless.robots.welder.offline.cycle_time import cartesian_hint
from rigless.robots.welder.offline.findings import RULES, Finding, Report
from rigless.robots.welder.offline.seam_checks import Demands, SeamChecks
from rigless.robots.welder.robot import Welder
from rigless.robots.welder.wire import Text
from rigless.worlds.cells.cell import Cell
from rigless.worlds.cells.cell_world import CellWorld

NAME = "welder"
SLICE_S, LONG_SLICE_S = (
    0.01,
    0.05,
)  # while lines are to be sent, and when all the controller can take are
STALL_S = 300.0  # without progress for this time, the program does not end
NEAR_LIMIT_DEG = 1.0
# Bytes that a controller takes out of the text and executes at once: reset, stop, overrides …
ACTING = bytes([wire.RESET, wire.STOP, *range(wire.DOOR, wire.MIST + 1)])
MARK = ProgramLine(0, "")


def validate_program(
    text: str,
    config: WelderConfig | None = None,
    cell: Cell | None = None,
    demands: Demands | None = None,
    *,
    name: str = "program",
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Report:
    """Run a program in virtual time and report its problems.

    `progress` is called with the completed share.
    """
    sim = Simulation(
        [Welder(NAME, config or WelderConfig())], CellWorld(cell) if cell else None, seed=seed
    )
    return validate_in(sim, NAME, text, demands, name=name, progress=progress)


def validate_in(
    sim: Simulation,
    robot: str,
    text: str,
    demands: Demands | None = None,
    *,
    name: str = "program",
    progress: Callable[[float], None] | None = None,
) -> Report:
    """Validate in a simulation that holds a welder and the rest of its cell."""
    run = _Run(read_program(text), sim, robot, demands or Demands(), name)
    report = run.run_to_end(progress or (lambda share: None))
    outside = [found.what for found in report.findings if found.code == "soft-limit"]
    report.hint = cartesian_hint(text, run.robot.config, outside)
    return report


class _Run:
    def __init__(
        self,
        program: list[ProgramLine],
        sim: Simulation,
        robot: str,
        demands: Demands,
        name: str,
    ):
        self.program, self.demands = [line for line in program if not line.empty], demands
        self.lines = {line.number: line for line in self.program}
        self.sim, self.name = sim, robot
        found = sim.robot(robot)
        assert isinstance(found, Welder), f"{robot} is not a welder"
        self.robot = found
        self.robot.on_collision = "report"  # all of them, not the first only
        self.robot.on_limit = "skip"
        self.sim.core.listeners.event.append(self.on_event)
        self.sim.core.listeners.output.append(self.on_output)
        self.report = Report(name, seed=sim.seed, joints=short_names(found.config.urdf))
        self.next = 0  # of the lines to send
        self.unanswered: deque[tuple[int, int]] = (
            deque()
        )  # lines not answered: index (−1: not the program's) and size
        self.skipping = False
        self.rest = ""
        self.last_output_s = 0.0
        self.noted: set[tuple[object, ...]] = set()
        self.torch: tuple[float, float, float] | None = None
        self.seams = SeamChecks(self, self.robot.config.welding, demands)

    def run_to_end(self, progress: Callable[[float], None]) -> Report:
        begun_s = self.sim.now_s
        while not self.is_over():
            self.send()
            busy = self.robot.controller.motion.room() == 0 or self.next == len(self.program)
            slice_s = LONG_SLICE_S if busy else SLICE_S
            self.sim.run(slice_s)
            self.receive()
            self.resume()
            self.look(slice_s)
            progress(self.next / max(len(self.program), 1))
        if self.robot.state.mode == "Check":
            line = next((one for one in reversed(self.program) if one.command), MARK)
            self.find("unfinished", "check mode ($C) is still on: nothing moved since", line)
        weld, report = self.robot.state.weld, self.report
        report.cycle_time_s = max(self.last_output_s, float(self.robot.state.run[p.TIME])) - begun_s
        report.arc_on_s, report.weld_length_mm = weld.arc_s, weld.length_mm
        report.distance_mm = float(self.robot.metrics.get(METRIC, 0.0))
        report.gcode_executed = int(self.robot.metrics.get("gcode_lines", 0))
        report.findings.sort(key=lambda found: found.order)
        report.collisions = int(self.robot.metrics.get("collisions", 0))
        return report

    def is_over(self) -> bool:
        state = self.robot.state
        if self.next < len(self.program) or self.unanswered or self.rest:
            if (
                self.sim.now_s - max(self.last_output_s, state.until_ns * 1e-9) < STALL_S
                or self.robot.controller.motion.moving()
            ):
                return False
            line = self.program[min(self.next, len(self.program) - 1)]
            self.find(
                "unfinished", f"nothing has happened for {STALL_S:g} s in state {state.mode}", line
            )
            return True
        return state.mode in ("Idle", "Alarm", "Sleep", "Check")

    # Serial line to the controller

    def send(self) -> None:
        """Send as much as the receive buffer takes.

        A `$` command is sent alone, so that an earlier error is not mistaken for its own.
        """
        while self.next < len(self.program) and not self.skipping:
            line = self.program[self.next]
            data = line.sent().encode("latin-1", "replace") + b"\n"
            data, removed = data.translate(None, ACTING), set(data) & set(ACTING)
            alone = line.command or (
                self.unanswered and self.program[self.unanswered[-1][0]].command
            )
            if self.unanswered and (
                alone
                or sum(size for _, size in self.unanswered) + len(data)
                >= self.robot.config.rx_bytes
            ):
                return
            if removed:
                names = ", ".join(f"0x{byte:02X}" for byte in sorted(removed))
                text = f"the line contains {names}: a controller executes it at once; remove it"
                self.find("gcode", text, line, 1, once=(line.number, "byte"))
            self.send_line(data, self.next)
            self.next += 1

    def send_line(self, data: bytes, index: int) -> None:
        self.sim.send(self.name, "grbl", data)
        self.unanswered.append((index, len(data)))

    def receive(self) -> None:
        texts = [
            message.text
            for message in self.sim.take(self.name, "grbl")
            if isinstance(message, Text)
        ]
        *lines, self.rest = (self.rest + "".join(texts)).split("\n")
        for text in (line.strip() for line in lines):
            if found := re.fullmatch(r"ok|error:(\d+)|ALARM:(\d+)", text):
                if found[2]:
                    self.alarmed(int(found[2]))
                else:
                    self.answered(int(found[1] or 0))

    def answered(self, error: int) -> None:
        if not self.unanswered:
            return
        index, _ = self.unanswered.popleft()
        if index < 0:
            self.skipping = False
        if index < 0 or self.skipping:
            return
        line = self.program[index]
        if error:
            self.find(
                "gcode", f"error:{error} {codes.ERRORS.get(error, '')}", line, self.wrong_word(line)
            )
            self.skip_line(index, b"\n")
        elif re.search(r"M66", line.text, re.IGNORECASE) and self.robot.state.m66_result < 0:
            self.find(
                "no-answer",
                "M66 timed out: the input did not switch",
                line,
                line.column_of("M"),
            )

    def wrong_word(self, line: ProgramLine) -> int:
        """Return the column of the wrong word: without it, the controller accepts the line."""
        robot, state = self.robot, self.robot.state
        for column, text in line.without_one_word():
            try:
                block = read_block(text, robot.controller.setup.profile.letters)
                interpret(
                    block,
                    state.modal,
                    state.coordinates,
                    tuple(state.position),
                    robot.controller.setup.profile,
                )
            except GcodeError:
                continue
            return column
        return line.column_of("GM" + robot.config.letters)

    def skip_line(self, index: int, unlock: bytes) -> None:
        """Skip a line. Lines behind it are rejected until `unlock`, and sent again."""
        self.next, self.skipping = index + 1, True
        self.send_line(unlock, -1)

    def alarmed(self, number: int) -> None:
        index = next((index for index, _ in self.unanswered if index >= 0), max(self.next - 1, 0))
        line = self.program[index] if self.program else MARK
        self.find("alarm", f"ALARM:{number} {codes.ALARMS.get(number, '')}", line)
        if number not in (
            codes.ALARM_PROBE_INITIAL,
            codes.ALARM_PROBE_CONTACT,
        ):  # whose lines are still answered
            self.unanswered.clear()
        if self.robot.state.critical:
            self.reset()
        self.skip_line(index, b"$X\n")

    def reset(self) -> None:
        """Reset, but keep feed, units and offsets for the rest of the program."""
        state = self.robot.state
        modal, shift = replace(state.modal), list(state.coordinates.g92)
        self.sim.send(self.name, "grbl", b"\x18")
        self.sim.run(SLICE_S)
        self.sim.take(self.name, "grbl")
        state.modal, state.coordinates.g92 = modal, shift

    def resume(self) -> None:
        """Resume a hold or tool change, as an operator would."""
        if self.robot.state.mode in ("Hold", "Tool") and not self.robot.controller.motion.moving():
            self.sim.send(self.name, "grbl", b"~")

    # Observations

    def on_output(self, time_ns: int, output: Output) -> None:
        if output.robot == self.name:
            self.last_output_s = time_ns * 1e-9

    def on_event(self, time_ns: int, event: Event) -> None:
        if event.robot != self.name:
            return
        self.seams.on_event(event)
        line = self.lines.get(event.data.get("line", 0)) or self.at_line()
        if event.code == "weld-fault":
            self.find("arc-fault", event.text, line)
        elif event.code in ("soft-limit", "unreachable"):
            if self.robot.state.line is not None and self.robot.state.line.text.startswith("$"):
                return  # a jog: its reply is an error
            letters = self.robot.config.letters
            wrong = "".join(letters[joint - 1] for joint in event.data.get("joints", ())) or letters
            self.find(event.code, event.text, line, line.column_of(wrong))
        elif event.code == "collision":
            found = event.data
            self.find(
                event.code, event.text, line, objects=tuple(found["objects"]),
                place_mm=tuple(found["place_mm"]),
                depth_mm=found["depth_mm"],
            )  # fmt: skip

    def at_line(self) -> ProgramLine:
        """Return the line of the current motion, or the last parsed line at rest."""
        state = self.robot.state
        number = state.lines.get(self.robot.controller.motion.peek()[2]) or state.modal.line
        return self.lines.get(number) or (self.program[0] if self.program else MARK)

    def torch_mm(self) -> tuple[float, ...]:
        return tuple(1000 * value for value in self.robot.controller.motion.torch_m())

    def look(self, slice_s: float) -> None:
        robot, report = self.robot, self.report
        rows, _, tag = robot.controller.motion.peek()
        x, y, z = (1000 * value for value in robot.arm.torch_place(rows[p.AT]).tolist())
        moved_mm = math.dist(self.torch, (x, y, z)) if self.torch else 0.0
        self.torch = (x, y, z)
        self.seams.look(robot.state.weld, moved_mm, slice_s)
        self.look_at_limits(rows[p.AT])
        if moved_mm and (robot.state.weld.phase == weld_state.WELDING or self.follows_path()):
            self.look_at_singularity(np.radians(rows[p.AT]))
        if moved_mm or robot.state.weld.current_a or not len(report.samples):
            samples = report.samples
            samples.time_s.append(self.sim.now_s)
            samples.joints_deg.append(tuple(rows[p.AT].tolist()))
            samples.torch_mm.append((x, y, z))
            samples.speed_mmps.append(moved_mm / slice_s)
            samples.current_a.append(robot.state.weld.current_a)
            samples.line.append(robot.state.lines.get(tag, 0))

    def look_at_limits(self, joints_deg: NDArray[np.float64]) -> None:
        limits, names = self.robot.config.limits, self.robot.arm.names
        for name, low, value, high in zip(
            names, limits.low_deg, joints_deg, limits.high_deg, strict=True
        ):
            if not low + NEAR_LIMIT_DEG <= value <= high - NEAR_LIMIT_DEG:
                text = (
                    f"{name} at {value:.1f}° is within {NEAR_LIMIT_DEG:g}° of its limit"
                    f" ({low:g}° to {high:g}°)"
                )
                self.find("limit-margin", text, self.at_line(), objects=(name,), once=(name,))
            else:
                self.noted.discard(("limit-margin", name))

    def follows_path(self) -> bool:
        """True if a Cartesian path is followed; joint moves have no singularities."""
        state = self.robot.state
        feeds = bool(state.run[p.COUNT]) and state.blocks[int(state.run[p.FIRST]), p.KIND] == p.FEED
        return feeds and self.robot.controller.setup.tool is not None

    def look_at_singularity(self, joints_rad: NDArray[np.float64]) -> None:
        arm, line = self.robot.arm, self.at_line()
        value = smallest_singular_value(jacobian(arm.links, joints_rad, arm.tool_m))
        if value < self.demands.singular_value:
            text = f"close to a singularity: the smallest singular value is {value:.3f} m/rad"
            self.find("singularity", text, line, once=(line.number,))

    def find(
        self,
        rule: str,
        message: str,
        line: ProgramLine,
        column: int = 0,
        objects: tuple[str, ...] = (),
        place_mm: tuple[float, float, float] | None = None,
        depth_mm: float | None = None,
        once: tuple[object, ...] = (),
    ) -> None:
        """Add a finding; with `once`, only the first of its kind."""
        if once:
            if (rule, *once) in self.noted:
                return
            self.noted.add((rule, *once))
        column = column or line.column_of("G" + self.robot.config.letters)
        found = Finding(
            where="",
            what=message,
            file=self.report.program,
            line=line.number,
            code=rule,
            severity=RULES[rule].level,
            column=column,
            time_s=round(self.sim.now_s, 6),
            objects=objects,
            place_mm=place_mm,
            depth_mm=depth_mm,
        )
        self.report.findings.append(found)
