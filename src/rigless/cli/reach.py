"""`rigless welder reach`: what the arm's torch gets to; poses one by one, or a map of all places, worked out on all cores."""

import math
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from io import BytesIO, StringIO
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rigless.console import print_line, print_note, progress
from rigless.kernel.plain import to_json
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.worlds.frames import frame_mm_deg

if TYPE_CHECKING:
    from rigless.motion.arm.reach import Reach, Reached
    from rigless.motion.arm.reach_map import ReachMap

SUFFIXES = (".npz", ".csv", ".ply")
FINEST_MM = 10.0
BLOCK = 100  # places that a process works out at a time


def answer(poses: list[str], cell: str, frame: str, json: bool) -> int:
    goals = [_pose(text) for text in poses]
    if frame not in ("base", "work"):
        raise unknown("frame", frame, ("base", "work"), "--frame")
    reach = _reach(cell)
    if frame == "work":
        reach.work = _cell(cell).work
    found = [reach.pose(frame_mm_deg(goal)) for goal in goals]
    if json:
        rows = [_row(goal, one) for goal, one in zip(goals, found, strict=True)]
        print_line(to_json(rows[0] if len(rows) == 1 else rows).decode())
    else:
        for text, one in zip(poses, found, strict=True):
            print_line(f"{text}: {_sentence(one)}")
    return 0 if all(one.reachable for one in found) else 1


def _row(goal: list[float], found: "Reached") -> dict[str, Any]:
    """Always the same keys, in the same order."""
    joints, contact = found.joints_rad, found.contact
    return {
        "pose": goal,
        "reachable": found.reachable,
        "has_solution": found.has_solution,
        "within_limits": found.within_limits,
        "collision_free": found.collision_free,
        "joint_solution_deg": None if joints is None else [round(math.degrees(angle), 9) for angle in joints],
        "joint_solution_rad": None if joints is None else list(joints),
        "failure_reason": found.failure_reason,
        "singular_value": found.singular if found.has_solution else None,
        "limit_margin_deg": math.degrees(found.limit_margin_rad) if found.has_solution else None,
        "solutions": found.solutions,
        "contact": None if contact is None else {
            "link": contact.link, "other": contact.other, "depth_mm": 1000 * contact.depth_m,
            "point_mm": [1000 * value for value in contact.point_m],
        },
    }  # fmt: skip


def _sentence(found: "Reached") -> str:
    if not found.reachable:
        return f"not reachable: {found.failure_reason}"
    joints = ", ".join(f"{math.degrees(angle):.2f}" for angle in found.joints_rad or ())
    margin = f"{math.degrees(found.limit_margin_rad):.1f}° to the nearest limit, singular value {found.singular:.3f}"
    return f"reachable at joints {joints}; {margin}"


def _pose(text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) != 6 or not all(math.isfinite(value) and abs(value) <= 1e6 for value in found):
        fix = "six numbers, mm and degrees: --pose 800,0,500,180,0,0"
        raise InputError(Problem("--pose", f"{text!r} is not x,y,z,rx,ry,rz", fix))
    return found


def draw_map(
    resolution_mm: float,
    out: Path | None,
    cell: str,
    jobs: int,
    json: bool = False,
    quiet: bool = False,
) -> int:
    from rigless.motion.arm.reach_map import DIRECTIONS, ReachMap, grid

    if out is None or out.suffix not in SUFFIXES:
        raise InputError(
            Problem("--out", "a map needs a file for it", "--out reach.npz, or .csv, or .ply")
        )
    if not FINEST_MM <= resolution_mm <= 1000:
        raise InputError(
            Problem(
                "--map", f"{resolution_mm:g} mm is out of range", f"from {FINEST_MM:g} to 1000 mm"
            )
        )
    places = grid(_reach(cell), resolution_mm / 1000)
    found = ReachMap(places, _count_all(places, cell, jobs), DIRECTIONS, resolution_mm / 1000)
    try:
        out.write_bytes({".npz": npz, ".csv": csv, ".ply": ply}[out.suffix](found))
    except OSError as error:
        raise InputError(
            Problem("--out", f"{out} cannot be written: {error.strerror}", "choose another place")
        ) from None
    low, high = (corner * 1000 for corner in found.bounds_m)
    summary = {
        "file": str(out),
        "resolution_mm": resolution_mm,
        "places": len(places),
        "reached": int((found.reached > 0).sum()),
        "reached_in_all_directions": int((found.reached == len(DIRECTIONS)).sum()),
        "low_mm": low.tolist(),
        "high_mm": high.tolist(),
    }
    if json:
        print_line(to_json(summary).decode())
    elif not quiet:
        print_line(
            f"{summary['reached']} of {summary['places']} places are reached; {out} holds them"
        )
    return 0


def _count_all(places: Any, cell: str, jobs: int) -> Any:
    """The places in blocks over processes; the answer is the same however many there are."""
    workers = jobs or os.cpu_count() or 1
    blocks = [places[begin : begin + BLOCK] for begin in range(0, len(places), BLOCK)]
    done: dict[int, Any] = {}
    with progress("reach") as bar:
        task = bar.task_ids[0]
        for number, counts in _blocks(blocks, cell, min(workers, len(blocks))):
            done[number] = counts
            bar.update(task, completed=len(done) / len(blocks))
    return np.concatenate([done[number] for number in range(len(blocks))])


def _blocks(blocks: list[Any], cell: str, workers: int) -> Iterator[tuple[int, Any]]:
    if workers <= 1:
        yield from ((number, _count(cell, block)) for number, block in enumerate(blocks))
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        numbers = {pool.submit(_count, cell, block): number for number, block in enumerate(blocks)}
        try:
            for one in as_completed(numbers):
                yield numbers[one], one.result()
        except KeyboardInterrupt:
            print_note("stopping …", "dim")
            pool.shutdown(cancel_futures=True)
            raise


def _count(cell: str, places: Any) -> Any:
    from rigless.motion.arm.reach_map import count_reached, tool_turns

    return count_reached(_reach(cell), places, tool_turns())


@lru_cache(maxsize=2)
def _reach(cell: str) -> "Reach":
    from rigless.robots.welder.arm.body import reach

    return reach(cell=_cell(cell))


def _cell(name: str) -> Any:
    from rigless.worlds.cell import Cell

    return Cell.load(name) if name else Cell()


def npz(found: "ReachMap") -> bytes:
    """numpy arrays: places_m, reached, directions, resolution_m."""
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
    """Points for a mesh viewer: what is reached, from red (one direction) to green (all of them); metres."""
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
        *(f"property {one}" for one in properties),
    ]
    return "\n".join([*head, "end_header", ""]).encode() + rows.tobytes()
