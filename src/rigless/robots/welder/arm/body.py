"""The body of the arm: its URDF with the torch."""

from functools import lru_cache

import numpy as np

from rigless.motion.arm.collision import Collider, Pairs
from rigless.motion.arm.reach import Reach
from rigless.motion.arm.rigid_body import RigidBodyModel
from rigless.motion.arm.urdf import Link
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm_description import describe, joint_names
from rigless.robots.welder.config import Torch, WelderConfig
from rigless.worlds.cells.cell import Cell
from rigless.worlds.cells.solids import Solid
from rigless.worlds.frames import Matrix, frame

TORCH = "torch"
NECK_MM = 60.0  # [ours] length of the nozzle
WIRE_MM = 1.0  # [ours] radius of the wire in drawings


def model(config: WelderConfig | None = None) -> RigidBodyModel:
    """Return the arm with its torch; the tool centre point is the end of the wire."""
    config = config or WelderConfig()
    tip = Arm(config).flange_T_torch
    description = describe(config.urdf, config.tcp_link)
    return RigidBodyModel(description, torch(config, tip, description.tool is not None), tip)


def torch(config: WelderConfig, tip: Matrix, drawn: bool = False) -> Link:
    """Return the torch in the flange's frame, with its end at `tip`.

    Handle and nozzle can collide. The bare wire at the end may touch the work. If the torch is
    `drawn` in the arm's URDF, only the wire is added.
    """
    own, found = config.torch, Link(TORCH)
    length_mm = 0.0 if drawn else max(own.length_mm - own.wire_mm, 0.0)
    nozzle_mm = min(NECK_MM, length_mm)
    wire = (WIRE_MM, 0.0, own.wire_mm if drawn else min(own.wire_mm, own.length_mm), "#e0b080")
    handle_mm = own.wire_mm + nozzle_mm, 0.0 if drawn else own.length_mm
    handle = (own.radius_mm, *handle_mm, "#2f343a")
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
    poses_deg, urdf = (config.homing.pose_deg, config.start_deg), (config.urdf, config.tcp_link)
    return _self_pairs(urdf, config.torch, config.collision.self_collision_pairs, poses_deg)


@lru_cache(maxsize=8)
def _self_pairs(
    urdf: tuple[str, str],
    torch: Torch,
    pairs: tuple[tuple[int, int], ...],
    poses_deg: tuple[tuple[float, ...], ...],
) -> tuple[Pairs, Pairs]:
    config = WelderConfig(urdf=urdf[0], tcp_link=urdf[1], torch=torch)
    found = Collider(model(config), pairs=pairs or None)
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
    config = config or WelderConfig()
    arm, checked = Arm(config), collider(config, cell)
    names, tool = joint_names(config.urdf), arm.flange_T_torch
    return Reach(arm.geometry, arm.low_rad, arm.high_rad, checked, tool, names=names)
