"""The cache of compiled numba code for tests.

`python tests/compiled.py` fills it before they start and does nothing if it is full. Without it
each worker compiles the same functions at first; set-up does it once, on all cores. It needs no
package of the tests.
"""

import hashlib
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "rigless"
FOLDER = ROOT / ".numba_cache"  # stays valid: compiled code is stamped with its sources
LIDAR_ON = {"type": "Control", "id": "lidar", "action": "enable"}


def full() -> Path:
    """Return the marker file that exists if the cache is full for these sources."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(
        path
        for part in ("kernel", "worlds", "motion", "sensors", "robots")
        for path in (SOURCES / part).rglob("*.py")
    ):
        digest.update(path.read_bytes())
    return FOLDER / f"full-{digest.hexdigest()}"


def fill() -> None:
    """Run every robot and the weld cell briefly, so that numba compiles their functions."""
    kinds = sorted(path.parent.name for path in SOURCES.glob("robots/*/robot.py"))
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for part in [
            pool.submit(fill_weld_cell),
            *(pool.submit(fill_robot, kind) for kind in reversed(kinds)),
        ]:
            part.result()


def fill_robot(kind: str) -> None:
    import rigless

    sim = rigless.load(kind)
    if kind == "vacuum":
        sim.send(kind, "commands", LIDAR_ON)
    sim.run(0.5)
    sim.robots[kind].view().draw()


def fill_weld_cell() -> None:
    """Use the arm in its cell: reach, maps, checked motions."""
    import numpy as np

    from rigless.motion.arm.continuous_collision import contacts_along
    from rigless.motion.arm.point_in_mesh import is_inside
    from rigless.motion.arm.reach_map import count_reached, tool_turns
    from rigless.robots.welder.arm.body import reach
    from rigless.worlds.cell import Cell

    arm = reach(cell=Cell.load("weld_table"))
    arm.pose(arm.collider.model.tool(np.zeros(6)))
    count_reached(arm, np.zeros((1, 3)), tool_turns())
    contacts_along(arm.collider, np.zeros((2, 6)))
    is_inside(arm.collider.cell["part"].solid.mesh, np.zeros(3))


if __name__ == "__main__":
    os.environ.setdefault("NUMBA_CACHE_DIR", str(FOLDER))  # before anything imports numba
    if not full().exists():
        fill()
        full().touch()
