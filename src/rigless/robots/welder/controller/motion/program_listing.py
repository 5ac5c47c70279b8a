"""The program as received over the wire, for display: its last lines, and the current one.

A sender streams lines and does not say where a program begins, so lines are counted from the last
program end, stop, reset or new client. The controller itself does not depend on the listing.
"""

from rigless.kernel.drawing import Lines
from rigless.motion import planner as p
from rigless.robots.welder.state import Arrival, WelderState

KEPT = 200  # lines that are kept; more if the planner holds more
BEFORE, AHEAD = 20, 40  # lines shown around the current one


def is_part(line: Arrival | None) -> bool:
    """True for a line of the sender's program: not a `$` command, and not from the panel."""
    return (
        line is not None and not (line.pendant or line.startup) and line.text[:1] not in ("", "$")
    )


class ProgramListing:
    def __init__(self, state: WelderState, planner_blocks: int):
        self.state = state
        self.kept = max(KEPT, 2 * planner_blocks)

    def add(self, line: Arrival) -> None:
        """Add a line when it is read."""
        if not is_part(line):
            return
        program = self.state.program
        if program.ended:
            program.texts, program.wrong, program.read, program.ended = [], [], 0, False
            program.sources.clear()
        program.texts.append(line.text)
        program.read += 1
        del program.texts[: -self.kept]

    def mark_rejected(self, line: Arrival | None) -> None:
        """Mark the line in execution: its reply was an error."""
        if is_part(line):
            self.state.program.mark_wrong(self.state.program.read)

    def block_queued(self, tag: int) -> None:
        """Note that a block belongs to the line in execution."""
        if is_part(self.state.line):
            self.state.program.sources[tag] = self.state.program.read

    def block_reached(self, tag: int) -> None:
        """Forget the blocks before this one."""
        sources = self.state.program.sources
        while sources and (first := next(iter(sources))) < tag:
            del sources[first]

    def current(self, tag: int) -> int:
        """Return the number of the current line, given the tag of the block that moves.

        If all lines are done, it is one more than the number of lines read.
        """
        state = self.state
        if tag in state.program.sources and state.run[p.COUNT]:
            return state.program.sources[tag]
        return state.program.read + (not is_part(state.line))

    def lines(self, tag: int) -> Lines:
        """Return the lines around the current one, and those in the receive buffer."""
        state, program = self.state, self.state.program
        at, kept = self.current(tag), program.read - len(program.texts) + 1
        first = max(kept, min(at, program.read) - BEFORE)
        waiting = [line.text for line in state.rx[:AHEAD] if is_part(line)]
        texts = (program.texts[first - kept :] + waiting)[: at - first + AHEAD]
        wrong = tuple(number for number in program.wrong if first <= number < first + len(texts))
        return Lines(first, tuple(texts), at, program.read, wrong)
