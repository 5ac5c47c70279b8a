"""What is around a robot on its map: the world's grid, and whatever moves in it, robots and obstacles alike."""

from typing import Any

import numpy as np

from rigless.kernel.simulation import Simulation

OCCUPIED, UNKNOWN, CLIFF = 1, 2, 4


def things(sim: Simulation) -> list[dict[str, Any]]:
    """Every body: its name, whether it is a robot, its radius or size, and its pose."""
    found: list[dict[str, Any]] = []
    for name, obstacle in sim.world.state.obstacles.items():
        pose = obstacle.pose(sim.now_ns)
        found.append(
            {"name": name, "robot": False, "radius_m": obstacle.radius_m, "size_m": obstacle.size_m, "pose": pose}
        )
    for name, robot in sim.robots.items():
        footprint = robot.footprint()
        if footprint is not None:
            x, y, radius_m = footprint
            theta = getattr(robot.truth(), "pose", (0.0, 0.0, 0.0))[2] if len(sim.robots) > 1 else 0.0
            found.append({"name": name, "robot": True, "radius_m": radius_m, "size_m": None, "pose": (x, y, theta)})
    return found


def grid(sim: Simulation) -> dict[str, Any] | None:
    """The map's measures, or None on an open plane."""
    cells = getattr(sim.world, "grid", None)
    if cells is None:
        return None
    height, width = cells.shape
    return {"width": width, "height": height, "resolution_m": cells.resolution_m, "origin": cells.origin}


def cells(sim: Simulation) -> bytes:
    """One byte a cell, row 0 at the bottom."""
    found = sim.world.grid  # type: ignore[attr-defined]
    marks = np.zeros(found.shape, np.uint8)
    for layer, mark in ((found.occupied, OCCUPIED), (found.unknown, UNKNOWN), (found.cliff, CLIFF)):
        marks |= np.where(layer, np.uint8(mark), np.uint8(0))
    return marks.tobytes()
