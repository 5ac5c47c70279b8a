"""Canned cycles G73, G81–G83, G85, G86 and G89, expanded into lines, dwells and spindle commands.

A cycle moves along the axis that is normal to the plane. It goes to R, over the hole, down to the
depth (in one go, or Q at a time), dwells, and retracts to R (G99) or to where it began (G98).
"""

from dataclasses import dataclass

from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import INCH, Modal, Six, Step
from rigless.robots.welder.gcode.words import GcodeError

CHIP_BREAK, PECK = 730, 830
CYCLES = (CHIP_BREAK, 810, 820, PECK, 850, 860, 890)
DWELLING = (820, 860, 890)  # with a P word
BY_STEPS = (CHIP_BREAK, PECK)  # with a Q word
FEED_RETRACT, SPINDLE_STOPS = (850, 890), 860
PECK_DWELL_S = 0.25
MAX_STEPS = 1000  # of a cycle; more are refused


@dataclass(frozen=True)
class Cycle:
    """A canned cycle in machine units. `by` is the depth of one step, 0 for all of it."""

    code: int
    linear: int  # the axis
    retract: float
    depth: float
    by: float = 0.0
    dwell_s: float = 0.0
    to_retract: bool = False  # G99
    repeats: int = 1
    between: Six = ()  # from one repetition to the next; none in absolute mode
    chip_break: float = 0.1  # retract distance of G73


def read_cycle(
    words: dict[str, float],
    code: int,
    linear: int,
    changed: bool,
    modal: Modal,
    position: Six,
    target: Six,
    deepens: bool,
    offset: float,
    chip_break: float,
) -> Cycle:
    """Take the words of a cycle. R, depth, P and Q stay until another cycle begins (`changed`).

    `deepens`: the line has a word for the linear axis, whose work offset is `offset`. Raises
    GcodeError.
    """
    repeats, unit = int(words.pop("L", 1.0)), INCH if modal.inches else 1.0
    if repeats < 1:
        raise GcodeError(codes.NOT_POSITIVE)
    retract, depth, by, dwell_s = modal.cycle or (0.0, 0.0, 0.0, 0.0)
    if "R" in words:
        retract = words.pop("R") * unit + (position[linear] if modal.incremental else offset)
    if deepens:
        depth = target[linear] + (retract - position[linear] if modal.incremental else 0.0)
    if retract < depth:
        raise GcodeError(codes.BAD_RETRACT)
    for letter, cycles in (("P", DWELLING), ("Q", BY_STEPS)):
        if changed and code in cycles and letter not in words:
            raise GcodeError(codes.VALUE_MISSING)
    if code in DWELLING:
        dwell_s = words.pop("P", dwell_s)
    if code in BY_STEPS:
        dwell_s, by = PECK_DWELL_S, words.pop("Q") * unit if "Q" in words else by
        if by <= 0.0:
            raise GcodeError(codes.NEGATIVE_VALUE)
    if code not in DWELLING + BY_STEPS:
        dwell_s = 0.0
    if code not in BY_STEPS:
        by = 0.0
    if repeats * (2 + 3 * ((retract - depth) / by if by else 1)) > MAX_STEPS:
        raise GcodeError(codes.OUT_OF_RANGE)
    modal.cycle = (retract, depth, by, dwell_s)
    between = [b - a for a, b in zip(position, target, strict=True)]
    between[linear] = 0.0
    return Cycle(
        code, linear, retract, depth, by, dwell_s, modal.retract_at_r, repeats,
        tuple(between) if modal.incremental else (), chip_break,
    )  # fmt: skip


def cycle_steps(
    cycle: Cycle, position: Six, target: Six, feed: float, spindle: tuple[int, float]
) -> list[Step]:
    """Return the steps of a cycle from a position to a hole. `spindle` is its M code and speed."""
    steps: list[Step] = []
    at, linear = list(position), cycle.linear
    stops = cycle.code == SPINDLE_STOPS and spindle[0] != 5

    def go(rapid: bool) -> None:
        steps.append(("line", rapid, 0.0 if rapid else feed, *at))

    if at[linear] < cycle.retract:
        at[linear] = cycle.retract
        go(True)
    begin = at[linear]
    end = cycle.retract if cycle.to_retract else begin
    at = [*target[:linear], begin, *target[linear + 1 :]]
    go(True)
    for repetition in range(cycle.repeats):
        if repetition and cycle.between:
            at = [value + step for value, step in zip(at, cycle.between, strict=True)]
            go(True)
        if at[linear] > cycle.retract:
            at[linear] = cycle.retract
            go(True)
        reached = at[linear]
        while reached > cycle.depth:
            reached = max(reached - cycle.by, cycle.depth) if cycle.by else cycle.depth
            at[linear] = reached
            go(False)
            if cycle.dwell_s:
                steps.append(("dwell", cycle.dwell_s))
            if stops:
                steps.append(("spindle", 5, spindle[1]))
            breaks = cycle.code == CHIP_BREAK and reached > cycle.depth
            at[linear] = reached + cycle.chip_break if breaks else end
            go(cycle.code not in FEED_RETRACT)
            if stops:
                steps.append(("spindle", *spindle))
    return steps
