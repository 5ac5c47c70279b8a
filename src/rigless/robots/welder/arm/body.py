"""The body of the arm: its URDF (of scripts/draw-arm, or as configured) with the torch."""

from functools import lru_cache
from pathlib import Path

import numpy as np

from rigless.motion.arm.closed_form import ClosedForm, closed_form
from rigless.motion.arm.collision import Collider, Pairs
from rigless.motion.arm.reach import Reach
from rigless.motion.arm.rigid_body import RigidBodyModel
from rigless.motion.arm.urdf import Description, Link, read_urdf
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.config import Torch, WelderConfig
from rigless.worlds.cell import Cell
from rigless.worlds.frames import Matrix, frame
from rigless.worlds.solids import Solid

ARM = Path(__file__).parents[1] / "arm.urdf"
TORCH = "torch"
NECK_MM = 60.0  # [ours] length of the nozzle
WIRE_MM = 1.0  # [ours] radius of the wire in drawings


@lru_cache(maxsize=8)
def describe(urdf: str = "") -> Description:
    return read_urdf(Path(urdf) if urdf else ARM)


def model(config: WelderConfig | None = None) -> RigidBodyModel:
    """Return the arm with its torch; the tool centre point is the end of the wire."""
    config = config or WelderConfig()
    tip = Arm(config).flange_T_torch
    return RigidBodyModel(describe(config.urdf), torch(config, tip), tip)


def torch(config: WelderConfig, tip: Matrix) -> Link:
    """Return the torch in the flange's frame, with its end at `tip`.

    Handle and nozzle can collide. The bare wire at the end may touch the work.
    """
    own, found = config.torch, Link(TORCH)
    length_mm = max(own.length_mm - own.wire_mm, 0.0)
    nozzle_mm = min(NECK_MM, length_mm)
    wire = (WIRE_MM, 0.0, min(own.wire_mm, own.length_mm), "#e0b080")
    handle = (own.radius_mm, own.wire_mm + nozzle_mm, own.length_mm, "#2f343a")
    nozzle = (own.nozzle_radius_mm, own.wire_mm, own.wire_mm + nozzle_mm, "#c08050")
    for radius_mm, begin_mm, end_mm, colour in (handle, nozzle, wire):
        if end_mm > begin_mm:
            at, size_m = (
                tip @ frame((0, 0, -(begin_mm + end_mm) / 2000)),
                (radius_mm / 1000, (end_mm - begin_mm) / 1000),
            )
            found.visuals.append(Solid(TORCH, "cylinder", size_m, at, colour=colour))
            if colour != wire[-1]:
                found.solids.append(found.visuals[-1])
    if length_mm > 0:
        centre = (tip @ frame((0, 0, -own.length_mm / 2000)))[:3, 3]
        turn, length_m, radius_m = tip[:3, :3], own.length_mm / 1000, own.radius_mm / 1000
        across = own.mass_kg * (3 * radius_m**2 + length_m**2) / 12
        inertia = turn @ np.diag([across, across, own.mass_kg * radius_m**2 / 2]) @ turn.T
        found.masses.append((own.mass_kg, centre, inertia))
    return found


def self_pairs(config: WelderConfig) -> tuple[Pairs, Pairs]:
    """Return the pairs of links that are checked against each other, and those left out.

    A pair is left out if it touches at the start or home pose, as motion planners do. ([wire]'s
    home pose folds this arm's wrist onto its column.)
    """
    poses_deg = (config.homing.pose_deg, config.start_deg)
    return _self_pairs(config.urdf, config.torch, config.collision.self_collision_pairs, poses_deg)


@lru_cache(maxsize=8)
def _self_pairs(
    urdf: str,
    torch: Torch,
    pairs: tuple[tuple[int, int], ...],
    poses_deg: tuple[tuple[float, ...], ...],
) -> tuple[Pairs, Pairs]:
    found = Collider(model(WelderConfig(urdf=urdf, torch=torch)), pairs=pairs or None)
    numbers = {body.name: body.link for body in found.links}
    touching = [
        {numbers[contact.link], numbers[contact.other]}
        for pose_deg in poses_deg
        for contact in found.contacts(np.radians(pose_deg))
    ]
    kept = tuple(pair for pair in found.self_pairs if set(pair) not in touching)
    return kept, tuple(pair for pair in found.self_pairs if pair not in kept)


def collider(
    config: WelderConfig | None = None, cell: Cell | None = None, pairs: Pairs | None = None
) -> Collider:
    """Return the collider of the arm in a cell."""
    return Collider(model(config), cell, pairs)


def reach(config: WelderConfig | None = None, cell: Cell | None = None) -> Reach:
    """Return the reach of the tool centre point; poses are in the base frame."""
    arm, urdf = Arm(config), config.urdf if config is not None else ""
    form = (
        closed_form(describe(urdf))
        if urdf
        else ClosedForm(arm.table, np.ones(6), np.eye(4), np.eye(4))
    )
    return Reach(form, arm.low_rad, arm.high_rad, collider(config, cell), arm.flange_T_torch)
