"""The collision guard: finds the contacts of a block when it is queued, reports them when reached.

A block is a straight line in joint space, so all its contacts are known before it runs
(motion/arm/continuous_collision.py, nothing is stepped over), and the 1000 Hz tick only compares
distances. A jog that ends before a contact causes none. The checker's memory of each pair is part
of the state, so a run from a snapshot finds the same contacts.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError
from rigless.motion import planner as p
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.gcode.modal import AXES
from rigless.robots.welder.state import WelderState

if TYPE_CHECKING:
    from rigless.motion.arm.collision import Collider, Contact
    from rigless.motion.arm.continuous_collision import MotionChecker
    from rigless.worlds.cells.cell import Cell

DEPTH_SAMPLES = 9
Log = Callable[[str, str, Any], None]  # event code, text, severity


def make_checker(config: WelderConfig, cell: "Cell | None", log: Log) -> "MotionChecker | None":
    """Return the collision look-ahead, or None if collision checking is off.

    Without a cell, a missing library only disables it; with a cell, InputError is raised.
    """
    collision = config.collision
    if not collision.enable or not (
        collision.check_self_collision or (collision.check_environment and cell is not None)
    ):
        return None
    try:
        return _make_checker(config, cell, log)
    except InputError as error:
        if cell is not None:
            raise
        text = f"self-collision checking is off: {error}"
        log("collisions-not-watched", text, "warning")
        return None


def make_collider(config: WelderConfig, cell: "Cell | None") -> "Collider":
    """Return the collider of the configured pairs of bodies."""
    from rigless.motion.arm.collision import Collider
    from rigless.robots.welder.arm.body import model, self_pairs

    collision = config.collision
    pairs = self_pairs(config)[0] if collision.check_self_collision else ()
    return Collider(
        model(config),
        cell if collision.check_environment else None,
        pairs,
        collision.margin_mm / 1000,
    )


def _make_checker(config: WelderConfig, cell: "Cell | None", log: Log) -> "MotionChecker":
    from rigless.motion.arm.continuous_collision import MotionChecker
    from rigless.robots.welder.arm.body import self_pairs

    collision = config.collision
    left_out = self_pairs(config)[1] if collision.check_self_collision else ()
    if left_out and collision.self_collision_pairs:
        pairs = ", ".join(f"[{first}, {second}]" for first, second in left_out)
        text = f"self_collision_pairs that touch at the start or home pose are ignored: {pairs}"
        log("self-collision-pairs", text, "warning")
    checker = MotionChecker(make_collider(config, cell))
    list(checker.move_through(checker.at))  # has numba compile it, so that no first move stalls
    return checker


class CollisionGuard:
    """`checker` is None if collision checking is off."""

    def __init__(self, state: WelderState, checker: "MotionChecker | None"):
        self.state, self.checker = state, checker

    def start(self) -> None:
        """Start at the current joints with an empty queue. Existing contacts are not reported."""
        checker, state = self.checker, self.state
        state.forecast.contacts.clear()
        state.forecast.touched.clear()
        if checker is not None:
            checker.start(np.radians(state.run[p.POSITION : p.POSITION + AXES]))
            self._save(checker)

    def foresee(self, tag: int, target_deg: Any) -> None:
        """Add the contacts of a block that was queued behind all others."""
        checker, forecast = self.checker, self.state.forecast
        if checker is None:
            return
        if checker.left_m is not forecast.left_m:  # a snapshot was restored
            checker.left_m, checker.touching, checker.at = (
                forecast.left_m,
                dict(forecast.touching),
                np.array(forecast.at_rad),
            )
        begin, end, line = checker.at.copy(), np.radians(target_deg), self._line(tag)
        for contact in self._lasting(checker, begin, line):
            forecast.contacts.append(
                _row(contact, tag, _deepest_m(checker, contact, begin, end), line, True)
            )
        for contact in list(checker.move_through(end)):
            forecast.contacts.append(
                _row(contact, tag, _deepest_m(checker, contact, begin, end), line, False)
            )
            forecast.touched[f"{contact.link}\n{contact.other}"] = line
        self._save(checker)

    def _line(self, tag: int) -> int:
        """Return the line of a block: its N word, or its number in the program as received."""
        state = self.state
        return state.modal.line or state.program.sources.get(tag, 0)

    def _lasting(self, checker: "MotionChecker", at_rad: Any, line: int) -> list["Contact"]:
        """Return the contacts that last from earlier lines into this one, once for each line."""
        touched = self.state.forecast.touched
        lasting = {"\n".join(bodies) for bodies in checker.touching.values()}
        for bodies in touched.keys() - lasting:
            del touched[bodies]
        if all(last == line for last in touched.values()):
            return []
        found = []
        for contact in checker.collider.contacts(at_rad):
            bodies = f"{contact.link}\n{contact.other}"
            if touched.get(bodies, line) != line:
                found.append(contact)
                touched[bodies] = line
        return found

    def is_near(self) -> bool:
        """True if the current block has a contact."""
        state = self.state
        return (
            not state.run[p.COUNT]
            or int(state.blocks[int(state.run[p.FIRST]), p.TAG]) >= state.forecast.contacts[0][0]
        )

    def next_contact(self, joints_deg: Callable[[], NDArray[np.float64]]) -> tuple[Any, ...] | None:
        """Remove and return the next contact if the arm has reached it."""
        contacts = self.state.forecast.contacts
        if contacts and self._is_reached(contacts[0], joints_deg):
            return contacts.pop(0)
        return None

    def _is_reached(
        self, contact: tuple[Any, ...], joints_deg: Callable[[], NDArray[np.float64]]
    ) -> bool:
        """True if the contact's block has come that far, or has ended."""
        state = self.state
        if not state.run[p.COUNT]:
            return True
        tag, share = contact[:2]
        block = state.blocks[int(state.run[p.FIRST])]
        if int(block[p.TAG]) != tag:
            return int(block[p.TAG]) > tag
        rest = block[p.END : p.END + AXES] - joints_deg()
        left = float(np.dot(rest, block[p.UNIT : p.UNIT + AXES]))
        return bool(block[p.LENGTH] - left >= share * block[p.LENGTH])

    def _save(self, checker: "MotionChecker") -> None:
        forecast = self.state.forecast
        forecast.left_m, forecast.touching, forecast.at_rad = (
            checker.left_m,
            dict(checker.touching),
            checker.at.tolist(),
        )


def _deepest_m(checker: "MotionChecker", contact: "Contact", begin: Any, end: Any) -> float:
    """Return the largest depth up to the block's end, from samples."""
    depth_m = contact.depth_m
    for share in np.linspace(contact.at, 1.0, DEPTH_SAMPLES)[1:]:
        for sample in checker.collider.contacts(begin + share * (end - begin)):
            if (sample.link, sample.other) == (contact.link, contact.other):
                depth_m = max(depth_m, sample.depth_m)
    return depth_m


def _row(contact: "Contact", tag: int, depth_m: float, line: int, lasting: bool) -> tuple[Any, ...]:
    point_mm = tuple(round(1000 * value, 3) for value in contact.point_m)
    depth_mm = round(1000 * depth_m, 3)
    return tag, contact.at, contact.link, contact.other, point_mm, depth_mm, line, lasting
