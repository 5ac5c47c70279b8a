"""The program as it comes over the wire: its last lines, and which of them the arm is at. It is for people to read; nothing depends on it.

A sender streams lines and does not say where a program begins, so lines count from the last program end, stop, reset or new client.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rigless.kernel.drawing import Lines
from rigless.motion import planner as p

if TYPE_CHECKING:
    from rigless.robots.welder.robot import Welder
    from rigless.robots.welder.state import Arrival

KEPT = 200  # lines that were read; more where the planner holds more
WRONG = 50  # refused ones that are remembered
BEFORE, AHEAD = 20, 40  # lines that are shown around the current one


@dataclass
class Program:
    texts: list[str] = field(default_factory=list)  # the last ones that were read
    read: int = 0  # how many that were in all
    ended: bool = True  # the next line is the first of another program
    wrong: list[int] = field(default_factory=list)  # numbers of lines that were refused
    sources: dict[int, int] = field(default_factory=dict)  # tag of a block → the line that it is of


def is_part(line: "Arrival | None") -> bool:
    """Whether a line is of the sender's program: no `$` command, and not from the panel."""
    return (
        line is not None and not (line.pendant or line.startup) and line.text[:1] not in ("", "$")
    )


def take(robot: "Welder", line: "Arrival") -> None:
    """A line is read."""
    if not is_part(line):
        return
    program = robot.state.program
    if program.ended:
        program.texts, program.wrong, program.read, program.ended = [], [], 0, False
        program.sources.clear()
    program.texts.append(line.text)
    program.read += 1
    del program.texts[: -max(KEPT, 2 * robot.config.planner_blocks)]


def refuse(robot: "Welder", line: "Arrival | None") -> None:
    """The line in hand was answered with an error."""
    if is_part(line):
        wrong = robot.state.program.wrong
        wrong.append(robot.state.program.read)
        del wrong[:-WRONG]


def queued(robot: "Welder", tag: int) -> None:
    """A block of the line in hand is in the planner."""
    if is_part(robot.state.line):
        robot.state.program.sources[tag] = robot.state.program.read


def reached(robot: "Welder", tag: int) -> None:
    """Blocks before this one are done."""
    sources = robot.state.program.sources
    while sources and (first := next(iter(sources))) < tag:
        del sources[first]


def current(robot: "Welder", tag: int) -> int:
    """The number of the line that the arm is at, which is one more than those read if all are done; `tag` is of the block that moves."""
    state = robot.state
    if tag in state.program.sources and state.run[p.COUNT]:
        return state.program.sources[tag]
    return state.program.read + (not is_part(state.line))


def lines(robot: "Welder", tag: int) -> Lines:
    """The lines around the current one, and those that wait in the receive buffer."""
    state, program = robot.state, robot.state.program
    at, kept = current(robot, tag), program.read - len(program.texts) + 1
    first = max(kept, min(at, program.read) - BEFORE)
    waiting = [one.text for one in state.rx[:AHEAD] if is_part(one)]
    texts = (program.texts[first - kept :] + waiting)[: at - first + AHEAD]
    wrong = tuple(number for number in program.wrong if first <= number < first + len(texts))
    return Lines(first, tuple(texts), at, program.read, wrong)
