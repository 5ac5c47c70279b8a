"""Collisions as they happen: what a block will hit is found when it is queued, and told when the arm gets there.

A block is a straight line of the joints, so its contacts are known for all of it before it runs (motion/follow.py, nothing is stepped over), and the 1000 Hz tick
has only to compare distances. A jog that is let go before it hits something hits nothing. What the follower remembers of each pair
is in the state, so that a run from a snapshot finds the very same.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from rigless.kernel.problems import InputError
from rigless.motion import planner as p
from rigless.robots.welder.controller import alarms, moves
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import AXES

LOOKS = 9
TOUCHING_MM = 0.1  # less than this apart is as good as touching

if TYPE_CHECKING:
    from rigless.motion.arm.collision import Collider, Contact
    from rigless.motion.arm.continuous_collision import MotionChecker
    from rigless.robots.welder.robot import Welder
    from rigless.worlds.cell import Cell


def follower(robot: "Welder", cell: "Cell | None") -> "MotionChecker | None":
    """Who looks ahead; None if nothing is to be looked for, or if it cannot be and there is no cell that asks for it."""
    config = robot.config.collision
    if not config.enable or not (
        config.check_self_collision or (config.check_environment and cell is not None)
    ):
        return None
    try:
        return _follower(robot, cell)
    except InputError as error:
        if cell is not None:
            raise
        robot.event(
            "collisions-not-watched", f"self-collisions are not watched: {error}", "warning"
        )
        return None


def collider(robot: "Welder", cell: "Cell | None") -> "Collider":
    """What may touch what, as configured."""
    from rigless.motion.arm.collision import Collider
    from rigless.robots.welder.arm.body import model, self_pairs

    config = robot.config.collision
    pairs = self_pairs(robot.config)[0] if config.check_self_collision else ()
    return Collider(
        model(robot.config),
        cell if config.check_environment else None,
        pairs,
        config.margin_mm / 1000,
    )


def _follower(robot: "Welder", cell: "Cell | None") -> "MotionChecker":
    config = robot.config.collision
    from rigless.motion.arm.continuous_collision import MotionChecker
    from rigless.robots.welder.arm.body import self_pairs

    left_out = self_pairs(robot.config)[1] if config.check_self_collision else ()
    if left_out and config.self_collision_pairs:
        text = (
            "self_collision_pairs that touch at the start or home pose are not watched: "
            + ", ".join(f"[{first}, {second}]" for first, second in left_out)
        )
        robot.event("self-collision-pairs", text, "warning")
    found = MotionChecker(collider(robot, cell))
    list(found.move_through(found.at))  # has numba compile it, so that no first move stalls
    return found


def start(robot: "Welder") -> None:
    """The arm stands where it is, with nothing ahead; what it touches already is not told again."""
    found, state = robot.follower, robot.state
    state.ahead.contacts.clear()
    if found is not None:
        found.start(np.radians(state.run[p.POSITION : p.POSITION + AXES]))
        _keep(robot, found)


def foresee(robot: "Welder", tag: int, target_deg: Any) -> None:
    """A block to this place was queued behind all others."""
    found, ahead = robot.follower, robot.state.ahead
    if found is None:
        return
    if found.left_m is not ahead.left_m:  # a snapshot was restored
        found.left_m, found.touching, found.at = (
            ahead.left_m,
            dict(ahead.touching),
            np.array(ahead.at_rad),
        )
    begin, end = found.at.copy(), np.radians(target_deg)
    contacts = list(found.move_through(end))
    ahead.contacts += [
        _told(contact, tag, _deepest_m(found, contact, begin, end)) for contact in contacts
    ]
    _keep(robot, found)


def near(robot: "Welder") -> bool:
    """Whether the block that runs hits something."""
    state = robot.state
    return (
        not state.run[p.COUNT]
        or int(state.blocks[int(state.run[p.FIRST]), p.TAG]) >= state.ahead.contacts[0][0]
    )


def watch(robot: "Welder") -> None:
    """Tell of the contacts that the arm has come to."""
    state = robot.state
    while state.ahead.contacts and _reached(robot, state.ahead.contacts[0]):
        _, _, link, other, point_mm, depth_mm = state.ahead.contacts.pop(0)
        place = ", ".join(f"{value:.1f}" for value in point_mm)
        what = "hits" if depth_mm > -TOUCHING_MM else f"comes within {-depth_mm:.1f} mm of"
        robot.event(
            "collision", f"{link} {what} {other} at ({place}) mm", "error", objects=[link, other],
            place_mm=list(point_mm), depth_mm=depth_mm,
        )  # fmt: skip
        robot.count("collisions")
        if robot.on_collision == "stop":
            moves.drop(robot)
            robot.set_spindle(5, 0.0)
            alarms.raise_alarm(robot, codes.ALARM_MOTOR_FAULT)


def _reached(robot: "Welder", contact: tuple[Any, ...]) -> bool:
    """Whether the block of a contact has come so far; a block that is gone has."""
    state = robot.state
    if not state.run[p.COUNT]:
        return True
    tag, share = contact[:2]
    block = state.blocks[int(state.run[p.FIRST])]
    if int(block[p.TAG]) != tag:
        return int(block[p.TAG]) > tag
    here = moves.peek(robot)[0][p.AT]
    left = float(np.dot(block[p.END : p.END + AXES] - here, block[p.UNIT : p.UNIT + AXES]))
    return bool(block[p.LENGTH] - left >= share * block[p.LENGTH])


def _deepest_m(found: "MotionChecker", contact: "Contact", begin: Any, end: Any) -> float:
    """How deep it gets until the block's end, by a look at some places on the way."""
    depth_m = contact.depth_m
    for share in np.linspace(contact.at, 1.0, LOOKS)[1:]:
        for one in found.collider.contacts(begin + share * (end - begin)):
            if (one.link, one.other) == (contact.link, contact.other):
                depth_m = max(depth_m, one.depth_m)
    return depth_m


def _told(contact: "Contact", tag: int, depth_m: float) -> tuple[Any, ...]:
    point_mm = tuple(round(1000 * value, 3) for value in contact.point_m)
    return tag, contact.at, contact.link, contact.other, point_mm, round(1000 * depth_m, 3)


def _keep(robot: "Welder", found: "MotionChecker") -> None:
    ahead = robot.state.ahead
    ahead.left_m, ahead.touching, ahead.at_rad = (
        found.left_m,
        dict(found.touching),
        found.at.tolist(),
    )
