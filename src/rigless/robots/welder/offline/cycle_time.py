"""Cycle time of a program without running it: planned as the controller does, block by block.

Motion is exact: the controller's own planner with its look-ahead. Moves from M3 or M4 to M5 count
as process, G4 as dwell, and M66 as I/O: until the arc detector or a linked input switches, which is
predicted, or the time-out for other inputs. M0 and M6 wait for the operator and count as nothing.
So a validation of the same program takes the same time.

With a baud rate, lines arrive as over a serial line of that rate, from a sender that keeps the
receive buffer full. Blocks shorter than their own text starve the planner, and the plan shows it.
Time at rest while waiting for a line counts as stream. The process itself (pre-flow, arc start)
delays nothing on a grblHAL controller, unless the program waits for it with M66 or G4. Settings
(`$110=…`) and `$H` in a program are taken into account.
"""

import itertools
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.motion import planner as p
from rigless.motion.arm import path_segments
from rigless.motion.planner.axis_limits import rounded_to_steps
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm.tool_kinematics import ReachError, ToolKinematics, path_of
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.dollar_commands import COMMANDS
from rigless.robots.welder.controller.motion.axes import axes_of, profile_of, tool_of
from rigless.robots.welder.controller.motion.homing import homing_legs
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.arcs import chord_end
from rigless.robots.welder.gcode.interpreter import interpret
from rigless.robots.welder.gcode.modal import AXES, Coordinates, Modal, Step, after_program_end
from rigless.robots.welder.gcode.parameters import Parameters, ParameterScope
from rigless.robots.welder.gcode.words import GcodeError, read_block
from rigless.robots.welder.offline.predicted_inputs import PredictedInputs
from rigless.robots.welder.wire import BITS_PER_BYTE
from rigless.sensors.noise import Key, noise_key

SUSPICIOUS = 3  # targets outside the joint limits


class LimitError(Exception):
    """A target outside the soft limits."""


@dataclass
class CycleTime:
    """Seconds by kind, path lengths, and errors as (line number, text, error).

    `path_deg` is the path of the joints, `path_mm` that of the tool centre point (Cartesian profile
    only).
    """

    motion_s: float = 0.0
    process_s: float = 0.0
    dwell_s: float = 0.0
    io_s: float = 0.0
    stream_s: float = 0.0
    path_deg: float = 0.0
    path_mm: float = 0.0
    lines: int = 0
    moves: int = 0
    errors: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def total_s(self) -> float:
        return self.motion_s + self.process_s + self.dwell_s + self.io_s + self.stream_s

    def seconds(self) -> dict[str, float]:
        kinds = ("motion", "process", "dwell", "io", "stream", "total")
        return {f"{kind}_s": getattr(self, f"{kind}_s") for kind in kinds}

    def summary(self) -> dict[str, Any]:
        """Return everything as data for JSON."""
        return {
            **self.seconds(),
            "path_deg": self.path_deg,
            "path_mm": self.path_mm,
            "lines": self.lines,
            "moves": self.moves,
            "errors": [
                {"line": number, "text": text, "error": error}
                for number, text, error in self.errors
            ],
        }

    def rows(self, program: str) -> list[str]:
        """Return lines of text: seconds by kind, then errors as `file:line: error`."""
        times = [
            f"{name.removesuffix('_s'):8} {value:10.3f} s" for name, value in self.seconds().items()
        ]
        errors = [f"{program}:{number}: {error}  ({text})" for number, text, error in self.errors]
        return times + errors


class _Estimate:
    """Times a program. Motion from stop to stop is planned as one stretch."""

    def __init__(self, config: WelderConfig, seed: int = 0, key: Key | None = None):
        self.config, self.arm, self.table = config, Arm(config), s.table(config)
        self.settings = s.defaults(self.table)
        self.apply_settings()
        self.blocks, self.run = (
            p.new_queue(config.planner_blocks),
            p.new_run(np.array(config.start_deg)),
        )
        self.begin_s = self.now_s = 0.0
        self.modal, self.coordinates, self.joints = Modal(), Coordinates(), tuple(config.start_deg)
        self.position: tuple[float, ...] = self.joints
        if self.tool is not None:
            self.position = tuple(self.tool.pose(self.joints, (0.0,) * AXES))
        self.parameters = Parameters()
        self.done = np.zeros(p.SPARE_ROWS)
        self.burning = False
        key = noise_key(seed, "welder/weld") if key is None else key
        self.inputs = PredictedInputs(config, key)
        self.tag = 0.0  # of the last block
        self.pending: list[Step] = []  # outputs that switch with the next block
        self.synced: list[tuple[float, Step]] = []  # outputs by the tag of their block
        self.result = CycleTime()
        self.byte_s = BITS_PER_BYTE / config.baud if config.baud else 0.0
        self.rx_free, self.paced_s = config.rx_bytes - 1, 0.0
        self.taken: deque[tuple[float, int]] = deque()

    def line(self, number: int, text: str) -> None:
        self.result.lines += 1
        if self.byte_s:
            self.receive(len(text.encode()) + 1)
        try:
            if text.lstrip().startswith("$"):
                self.command(text.strip())
                return
            place = ParameterScope(
                self.parameters, self.modal, self.coordinates, self.position, self.profile
            )
            block = read_block(text, self.profile.letters, place.values())
            place.check(block.assignments)
            self.modal, steps = interpret(
                block, self.modal, self.coordinates, self.position, self.profile
            )
        except GcodeError as error:
            self.result.errors.append((number, text.strip(), str(error)))
            return
        self.parameters.assign(block.assignments)
        try:
            for step in steps:
                self.step(step)
        except (ReachError, LimitError) as error:
            self.result.errors.append((number, text.strip(), str(error)))

    def command(self, text: str) -> None:
        """Do a `$` line: only settings, jogs and homing take effect. Raises GcodeError."""
        name, equals, value = text[1:].partition("=")
        name = name.replace(" ", "").upper()
        if name.isdigit() and equals and int(name[:6]) in self.table:
            self.finish_motion()
            self.settings[int(name)] = s.parse(self.table[int(name)], value)
            self.apply_settings()
        elif name == "J" and equals:
            block = read_block(value, self.profile.letters)
            position = self.position
            _, steps = interpret(block, self.modal, self.coordinates, position, self.profile, True)
            self.step(next(step for step in steps if step[0] == "line"))
            self.finish_motion()
        elif name.rstrip(self.profile.letters) == "H":
            known = self.profile.letters
            self.home(sum(1 << known.index(letter) for letter in set(name[1:])))
        elif name not in COMMANDS:
            raise GcodeError(codes.INVALID_STATEMENT)

    def apply_settings(self) -> None:
        values, config = self.settings, self.config
        self.axes, self.profile = axes_of(values, config), profile_of(values, config)
        self.tool = tool_of(values, config, self.arm)

    def home(self, axes_mask: int) -> None:
        """Move through the homing cycle; each of its moves ends at rest."""
        self.finish_motion()
        for rate, _, *goals in homing_legs(self.settings, self.config.homing.pose_deg, axes_mask):
            target = list(self.joints)
            for axis, value in goals:
                target[axis] = value
            self.queue(tuple(target), rate / 60.0, p.PLAIN)
            self.finish_motion()
        if self.tool is not None:
            self.position = tuple(self.tool.pose(self.joints, self.position))

    def step(self, step: Step) -> None:
        match step[0]:
            case "line" | "probe" | "arc" if self.tool is not None:
                self.move_tool(self.tool, step)
            case "line" | "probe":
                rapid = step[0] == "line" and bool(step[1])
                self.move(tuple(float(value) for value in step[3:]), float(step[2]) / 60.0, rapid)
            case "arc":
                for n in range(1, int(step[7]) + 1):
                    self.move(chord_end(step, n), float(step[1]) / 60.0, False)
            case "system":
                self.finish_motion()
                self.coordinates.systems[int(step[1])] = [float(value) for value in step[2:]]
            case "g92":
                self.finish_motion()
                self.coordinates.g92 = [float(value) for value in step[2:]]
                if step[1]:
                    self.coordinates.g92_saved = list(self.coordinates.g92)
            case "length":
                self.coordinates.tool = [float(value) for value in step[1:]]
            case "store":
                self.finish_motion()
                setattr(self.coordinates, f"g{step[1]}", list(self.position))
            case "dwell":
                self.result.dwell_s += self.wait(float(step[1]))
            case "wait":
                self.finish_motion()
                _, pin, analog, condition, most_s = step
                seconds = 0.0
                if condition and not analog:
                    seconds = self.inputs.wait_s(
                        int(pin), int(condition), self.now_s, float(most_s)
                    )
                self.result.io_s += self.wait(seconds)
            case "digital" | "analog" if step[3]:
                self.pending.append(step)
            case "digital" | "analog":
                self.inputs.set_output(step, self.now_s)
            case "spindle":
                self.finish_motion()
                self.set_spindle(step[1] != 5)
            case "coolant":
                self.finish_motion()
                self.inputs.set_coolant(bool(step[1] or step[2]), self.now_s)
            case "tool":
                self.finish_motion()
                self.modal.loaded = int(step[1])
            case "override control":
                self.finish_motion()
            case "stop":
                self.finish_motion()
                if step[1] in (2, 30):
                    self.modal = after_program_end(self.modal)
                    self.set_spindle(False)
                    self.inputs.set_coolant(False, self.now_s)

    def move_tool(self, tool: ToolKinematics, step: Step) -> None:
        """Move the tool centre point. A move that is not possible counts nothing."""
        end = tuple(float(value) for value in step[-AXES:])
        if step[0] == "line" and step[1]:
            self.move(tuple(tool.joints(end, self.joints)), 0.0, True)
        else:
            path, rate = (
                path_of(step, self.position),
                float(step[1] if step[0] == "arc" else step[2]) / 60.0,
            )
            for joints, ratio in list(tool.segments(path, self.joints)):
                self.move(tuple(joints.tolist()), rate * ratio, False, ratio)
            self.result.path_mm += path[path_segments.LENGTH_MM]
        self.position = end

    def set_spindle(self, on: bool) -> None:
        self.burning = on
        self.inputs.set_spindle(on, self.now_s)

    def move(self, target: tuple[float, ...], rate: float, rapid: bool, scale: float = 0.0) -> None:
        """Queue a straight joint move. Raises LimitError."""
        if self.tool is None and self.settings[s.SOFT_LIMITS] and self.axes.outside(target):
            raise LimitError(self.axes.outside_text(target))
        self.queue(target, rate, p.RAPID if rapid else p.FEED, scale)

    def queue(
        self, target: tuple[float, ...], rate: float, kind: float, scale: float = 0.0
    ) -> None:
        self.run_queue(False)
        self.tag += 1.0
        if self.pending:
            self.synced += [(self.tag, step) for step in self.pending]
            self.pending = []
        end = (
            np.array(target)
            if self.tool is not None
            else rounded_to_steps(np.array(target), self.axes.steps)
        )
        self.result.moves += self.axes.append(
            self.blocks, self.run, self.now_s, end, rate, kind, self.tag, scale
        )
        self.switch_synced()
        self.result.path_deg += math.dist(self.joints, target)
        self.joints = target
        if self.tool is None:
            self.position = target

    def finish_motion(self) -> None:
        """Run the queue to standstill."""
        self.run_queue(True)
        self.add_motion(self.now_s)

    def run_queue(self, to_rest: bool) -> None:
        """Advance until the planner has room or, with `to_rest`, until the queue is empty."""
        if not self.synced:
            self.now_s = p.advance_until_free(self.blocks, self.run, self.now_s, to_rest)
            return
        while self.run[p.COUNT] if to_rest else not p.free_blocks(self.blocks, self.run):
            self.advance(max(self.now_s, p.first_block_end_s(self.blocks, self.run)))
            self.switch_synced()

    def switch_synced(self) -> None:
        """Switch the outputs whose block has begun."""
        first = int(self.run[p.FIRST])
        reached = self.blocks[first, p.TAG] if self.run[p.COUNT] else self.tag
        while self.synced and self.synced[0][0] <= reached:
            self.inputs.set_output(self.synced.pop(0)[1], self.now_s)

    def add_motion(self, until_s: float) -> None:
        """Add the time since the last call to motion or process."""
        if self.burning:
            self.result.process_s += until_s - self.begin_s
        else:
            self.result.motion_s += until_s - self.begin_s
        self.begin_s = until_s

    def advance(self, now_s: float) -> None:
        self.now_s = now_s
        while p.advance(self.blocks, self.run, now_s, self.done) == len(self.done):
            continue

    def wait(self, seconds: float) -> float:
        """Wait at standstill; return the time."""
        self.finish_motion()
        self.now_s = self.begin_s = self.now_s + seconds
        return seconds

    def receive(self, size: int) -> None:
        """Advance to the arrival of the line. Lines in the full receive buffer may delay it."""
        while self.rx_free < size and self.taken:
            at_s, freed = self.taken.popleft()
            self.rx_free += freed
            self.paced_s = max(self.paced_s, at_s)
        self.rx_free -= size
        self.paced_s += size * self.byte_s
        if self.paced_s > self.now_s:
            self.advance(self.paced_s)
            if not self.run[p.COUNT]:
                self.add_motion(max(float(self.run[p.TIME]), self.begin_s))
                self.result.stream_s += self.now_s - self.begin_s
                self.begin_s = self.now_s
        self.taken.append((self.now_s, size))


def estimate(
    program: str, config: WelderConfig | None = None, seed: int = 0, key: Key | None = None
) -> CycleTime:
    """Return the cycle time of a G-code program.

    The seed, or the key of a robot's stream `weld`, is that of the arc's random numbers.
    """
    work = _Estimate(config or WelderConfig(), seed, key)
    for number, text in enumerate(program.splitlines(), 1):
        if text.strip() not in ("", "%"):
            work.line(number, text)
    work.finish_motion()
    return work.result


def cartesian_hint(program: str, config: WelderConfig, outside: Sequence[str]) -> str:
    """Return a hint if a program seems to be a Cartesian one, or an empty string.

    `outside` are the messages about targets outside the joint limits. One that no joint could ever
    reach is suspicious, and so are several.
    """
    if config.coordinates == "cartesian" or config.letters != "XYZABC":
        return ""
    if not any("cartesian" in text for text in outside) and len(outside) < SUSPICIOUS:
        return ""
    cartesian = config.model_copy(update={"coordinates": "cartesian"})
    if estimate(program, cartesian).errors:
        return ""
    return "X Y Z seem to be the torch tip in mm: try --set coordinates=cartesian"


def estimate_waypoints(
    waypoints: Sequence[NDArray[np.float64]],
    travel_mmps: float,
    process_mmps: float,
    process: Sequence[bool] = (),
    config: WelderConfig | None = None,
) -> CycleTime:
    """Return the time through joint waypoints (radians) at given speeds of the torch.

    `process` marks the legs that are welds (default: none). A leg takes as long as its torch path
    at that speed, or as its slowest joint needs.
    """
    if travel_mmps <= 0 or process_mmps <= 0:
        raise ValueError("speeds must be above zero")
    config = config or WelderConfig()
    arm, work = Arm(config), _Estimate(config)
    degrees = [np.degrees(point) for point in waypoints]
    if not degrees:
        return work.result
    work.run, work.joints = p.new_run(degrees[0]), tuple(float(value) for value in degrees[0])
    for leg, (a, b) in enumerate(itertools.pairwise(degrees)):
        welds = leg < len(process) and process[leg]
        if welds != work.burning:
            work.finish_motion()
            work.burning = welds
        steps = [
            arm.torch(np.radians(a + (b - a) * share))[:3, 3] for share in np.linspace(0, 1, 21)
        ]
        path_mm = 1000 * sum(float(np.linalg.norm(y - x)) for x, y in itertools.pairwise(steps))
        length = float(np.linalg.norm(b - a))
        speed = process_mmps if welds else travel_mmps
        work.queue(
            tuple(float(value) for value in b),
            length * speed / path_mm if path_mm > 1e-9 else 1e9,
            p.FEED,
        )
    work.finish_motion()
    assert len(work.joints) == AXES
    return work.result
