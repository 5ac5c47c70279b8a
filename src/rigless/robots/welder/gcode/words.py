"""Read a line of G-code into words, each checked as grblHAL checks it.

The interpreter gives them their meaning. Reading fails only with grblHAL's error numbers.
"""

import re
from dataclasses import dataclass, field
from typing import Protocol

from rigless.robots.welder.gcode import codes

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
LARGEST = 1e7  # larger numbers are errors
VALUE_LETTERS = "DEFHIJKLNOPQRSTUVW"  # those without a use here are error:36
# Modal groups of G codes, by ten times the code (G38.2 is 382).
GROUPS: dict[int, str] = {
    **dict.fromkeys((0, 10, 20, 30, 382, 383, 384, 385, 800), "motion"),
    **dict.fromkeys((730, 810, 820, 830, 850, 860, 890), "motion"),
    **dict.fromkeys((40, 100, 280, 281, 300, 301, 530, 920, 921, 922, 923), "once"),
    **dict.fromkeys((170, 180, 190), "plane"),
    **dict.fromkeys((200, 210), "units"),
    **dict.fromkeys((900, 910), "distance"),
    **dict.fromkeys((930, 940), "feed mode"),
    **dict.fromkeys((540, 550, 560, 570, 580, 590, 591, 592, 593), "coordinates"),
    911: "arc distance",
    400: "cutter",
    **dict.fromkeys((431, 490), "tool length"),
    **dict.fromkeys((500, 510), "scaling"),
    610: "path",
    **dict.fromkeys((980, 990), "retract"),
}
M_GROUPS: dict[int, str] = {
    **dict.fromkeys((0, 1, 2, 30, 60), "stopping"),
    **dict.fromkeys((3, 4, 5), "spindle"),
    **dict.fromkeys((6, 61), "tool change"),
    **dict.fromkeys((48, 49, 50, 51, 53), "overrides"),
    **dict.fromkeys((70, 71, 72, 73), "saved state"),
    **dict.fromkeys((62, 63, 64, 65, 66, 67, 68), "ports"),
}
# One of these in a line.
AXIS_COMMANDS = (
    0, 10, 20, 30, 382, 383, 384, 385, 100, 280, 300, 510, 920,
    730, 810, 820, 830, 850, 860, 890,
)  # fmt: skip
WITH_FRACTION = (28, 30, 38, 43, 59, 61, 91, 92)
LARGEST_LINE = 10_000_000
COOLANT = (7, 8, 9)  # M7 and M8 may be in one line


class GcodeError(Exception):
    """A line to which grblHAL replies with error:N. `cause` says more than the number."""

    def __init__(self, number: int, cause: str = ""):
        super().__init__(f"error:{number} {codes.ERRORS.get(number, '')}")
        self.number, self.cause = number, cause


class Values(Protocol):
    """Reader of values that may be expressions."""

    def value(self, text: str, at: int) -> tuple[float, int]: ...

    def assignment(self, text: str, at: int) -> tuple[int | str, float, int]: ...


@dataclass
class Block:
    """One line of G-code.

    `g` and `m` are the codes by modal group (G codes ten times), `words` the value words by letter,
    `assignments` the parameters that it sets, `message` the text of a (MSG,…) comment.
    """

    g: dict[str, int] = field(default_factory=dict)
    m: dict[str, int] = field(default_factory=dict)
    coolant: list[int] = field(default_factory=list)
    words: dict[str, float] = field(default_factory=dict)
    assignments: list[tuple[int | str, float]] = field(default_factory=list)
    message: str | None = None


def strip(text: str) -> tuple[str, str | None]:
    """Return the line in capitals without spaces and comments, and the text of (MSG,…)."""
    if "(" not in text and ")" not in text and ";" not in text:
        return "".join(text.split()).upper(), None
    kept: list[str] = []
    message, comment = None, None
    for char in text:
        if char == "(":  # a nested one starts over
            comment = ""
        elif char == ")":
            if comment is not None and message is None and comment[:4].upper() == "MSG,":
                message = comment[4:].strip()
            comment = None
        elif comment is not None:
            comment += char
        elif char == ";":
            break
        elif not char.isspace() and char != ")":
            kept.append(char)
    return "".join(kept).upper(), message


def read_number(text: str, at: int) -> tuple[float, int]:
    """Return the number at this position and its end. grblHAL has no exponents."""
    found = NUMBER.match(text, at)
    if not found or not abs(value := float(found[0])) <= LARGEST:
        raise GcodeError(codes.BAD_NUMBER)
    return value, found.end()


def read_block(text: str, axis_letters: str, values: Values | None = None) -> Block:
    """Return the words of a line. Raises GcodeError.

    `values` reads parameters and expressions; without it, values are plain numbers.
    """
    line, message = strip(text)
    block = Block(message=message)
    at = int(line.startswith("/"))
    while at < len(line):
        letter = line[at]
        if letter == "#" and values:
            key, value, at = values.assignment(line, at + 1)
            block.assignments.append((key, value))
            continue
        if not ("A" <= letter <= "Z"):
            raise GcodeError(codes.EXPECTED_LETTER)
        if letter == "O":
            if line[at + 1 :].isdigit():
                raise GcodeError(codes.UNUSED_WORDS)
            raise GcodeError(codes.FLOW_IN_MACROS_ONLY if values else codes.UNSUPPORTED)
        value, at = values.value(line, at + 1) if values else read_number(line, at + 1)
        if letter == "G":
            _take_g(block, value)
        elif letter == "M":
            _take_m(block, value)
        else:
            _take_value(block, letter, value, axis_letters)
    return block


def _take_g(block: Block, value: float) -> None:
    tenths = round(value * 10)
    if abs(value * 10 - tenths) > 1e-6:
        raise GcodeError(codes.NOT_INTEGER)
    group = GROUPS.get(tenths)
    if (
        group is None
        and tenths % 10
        and tenths // 10 not in WITH_FRACTION
        and tenths // 10 * 10 in GROUPS
    ):
        raise GcodeError(codes.NOT_INTEGER)
    if group is None or value < 0:
        raise GcodeError(codes.UNSUPPORTED)
    if group == "once" and tenths == 530:
        group = "absolute"
    if tenths in AXIS_COMMANDS and any(other in AXIS_COMMANDS for other in block.g.values()):
        raise GcodeError(codes.AXIS_CONFLICT)
    if group in block.g:
        raise GcodeError(codes.GROUP_VIOLATION)
    block.g[group] = tenths


def _take_m(block: Block, value: float) -> None:
    if value != int(value):
        raise GcodeError(codes.NOT_INTEGER)
    number = int(value)
    if number in COOLANT and value >= 0:
        if number in block.coolant:
            raise GcodeError(codes.GROUP_VIOLATION)
        block.coolant.append(number)
        return
    group = M_GROUPS.get(number)
    if group is None or value < 0:
        raise GcodeError(codes.UNSUPPORTED)
    if group in block.m:
        raise GcodeError(codes.GROUP_VIOLATION)
    block.m[group] = number


def _take_value(block: Block, letter: str, value: float, axis_letters: str) -> None:
    if letter not in axis_letters and letter not in VALUE_LETTERS:
        raise GcodeError(codes.UNSUPPORTED)
    if letter in block.words:
        raise GcodeError(codes.REPEATED)
    if letter in "FNPST" and value < 0:
        raise GcodeError(codes.NEGATIVE_VALUE)
    if letter in "LT" and value != int(value):
        raise GcodeError(codes.NOT_INTEGER)
    if letter == "N" and value > LARGEST_LINE:
        raise GcodeError(codes.BAD_LINE_NUMBER)
    block.words[letter] = value
