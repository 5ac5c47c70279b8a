"""Replies to lines: one `ok` or `error:N` for each."""

from rigless.robots.welder.board import Board
from rigless.robots.welder.controller.motion.program_listing import ProgramListing
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.state import NO_CLIENT, WelderState


class Replies:
    def __init__(self, state: WelderState, board: Board, listing: ProgramListing):
        self.state, self.board, self.listing = state, board, listing

    def reply(self, number: int) -> None:
        """Reply to the line in execution, which ends it. Errors of the panel become events."""
        line, self.state.line = self.state.line, None
        self.state.steps = []
        text = "ok" if number == codes.OK else f"error:{number}"
        if line is not None and line.startup:
            self.board.send_text(f">{line.text}:{text}\r\n")
        elif line is not None and line.pendant and self.state.client != NO_CLIENT:
            if number != codes.OK:
                error = f"{line.text}: error:{number} {codes.ERRORS[number]}"
                self.board.event("pendant", error, "warning")
        else:
            self.board.send_text(f"{text}\r\n")
        if number != codes.OK:
            self.listing.mark_rejected(line)
            self.board.count("errors")
