"""Reach of the torch: poses as JSON or text, and maps of the workspace as files."""

import math
import os
from functools import lru_cache
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from rigless.worlds.cells.cell import Cell

if TYPE_CHECKING:
    from rigless.motion.arm.reach import Reach, Reached
    from rigless.motion.arm.reach_map import ReachMap


def load_cell(name: str) -> Cell:
    """Return a cell by file or name; an empty one without a name."""
    return Cell.load(name) if name else Cell()


@lru_cache(maxsize=2)
def reach_of(keys: str) -> "Reach":
    """Return the reach of the arm in the cell of a config, which is given as JSON."""
    from rigless.robots.welder.arm.body import reach
    from rigless.robots.welder.config import WelderConfig

    config = WelderConfig.model_validate_json(keys)
    return reach(config, load_cell(config.cell))


def count_directions(keys: str, places: Any) -> Any:
    """Return for each place the number of torch directions that are reached."""
    from rigless.motion.arm.reach_map import count_reached, tool_turns

    return count_reached(reach_of(keys), places, tool_turns())


def row(goal: list[float], found: "Reached") -> dict[str, Any]:
    """Return a result for JSON, always with the same keys in the same order."""
    joints, contact = found.joints_rad, found.contact
    return {
        "pose": goal,
        "reachable": found.reachable,
        "has_solution": found.has_solution,
        "within_limits": found.within_limits,
        "collision_free": found.collision_free,
        "joint_solution_deg": None
        if joints is None
        else [round(math.degrees(angle), 9) for angle in joints],
        "joint_solution_rad": None if joints is None else list(joints),
        "failure_reason": found.failure_reason,
        "singular_value": found.singular if found.has_solution else None,
        "limit_margin_deg": math.degrees(found.limit_margin_rad) if found.has_solution else None,
        "solutions": found.solutions,
        "contact": None
        if contact is None
        else {
            "link": contact.link,
            "other": contact.other,
            "depth_mm": 1000 * contact.depth_m,
            "point_mm": [1000 * value for value in contact.point_m],
        },
    }


def sentence(found: "Reached") -> str:
    if not found.reachable:
        return f"not reachable: {found.failure_reason}"
    joints = ", ".join(f"{math.degrees(angle):.2f}" for angle in found.joints_rad or ())
    margin = f"{math.degrees(found.limit_margin_rad):.1f}° to the nearest limit"
    return f"reachable at joints {joints}; {margin}, singular value {found.singular:.3f}"


def npz(found: "ReachMap") -> bytes:
    """Return numpy arrays: places_m, reached, directions, resolution_m."""
    data = BytesIO()
    arrays = {
        name: getattr(found, name) for name in ("places_m", "reached", "directions", "resolution_m")
    }
    np.savez_compressed(data, **arrays)
    return data.getvalue()


def csv(found: "ReachMap") -> bytes:
    text = StringIO("x_mm,y_mm,z_mm,directions\n")
    text.seek(0, os.SEEK_END)
    for (x, y, z), count in zip(
        (found.places_m * 1000).tolist(), found.reached.tolist(), strict=True
    ):
        text.write(f"{x:.6g},{y:.6g},{z:.6g},{count}\n")
    return text.getvalue().encode()


def ply(found: "ReachMap") -> bytes:
    """Return points in metres for a mesh viewer, from red (one direction) to green (all)."""
    there = found.reached > 0
    share = (found.reached[there] - 1) / max(len(found.directions) - 1, 1)
    kinds = [("place", "<f4", 3), ("colour", "u1", 3), ("directions", "<i2")]
    rows = np.zeros(int(there.sum()), kinds)
    rows["place"], rows["directions"] = found.places_m[there], found.reached[there]
    rows["colour"] = np.column_stack((255 * (1 - share), 255 * share, np.full(len(share), 60)))
    properties = [
        "float x",
        "float y",
        "float z",
        "uchar red",
        "uchar green",
        "uchar blue",
        "short directions",
    ]
    head = [
        "ply",
        "format binary_little_endian 1.0",
        f"element vertex {len(rows)}",
        *(f"property {name}" for name in properties),
    ]
    return "\n".join([*head, "end_header", ""]).encode() + rows.tobytes()
