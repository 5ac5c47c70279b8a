"""Grids, point clouds, laser scans and position fixes in Foxglove's schemas."""

import base64
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel import drawing as d
from rigless.kernel.recording.foxglove import primitives as p
from rigless.kernel.recording.foxglove.schemas import DIAGONAL_KNOWN, FLOAT32, UINT8, Json
from rigless.kernel.world import World

MOST_CELLS = 1_000_000  # of a map; a larger one is sent with larger cells
FREE, WALL, UNKNOWN, CLIFF = (
    (58, 70, 86, 255),
    (201, 209, 221, 255),
    (18, 22, 28, 160),
    (240, 82, 95, 255),
)
BELOW_M = -0.005  # the map, so that it does not flicker with parts on the floor
LARGEST_SCAN = 4096


def _framed(frame: str, **content: Any) -> Json:
    return {"timestamp": p.stamp(0), "frame_id": frame, **content}


def _text(data: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(data).tobytes()).decode()


def grid(frame: str, world: World) -> Json:
    """Return the map of a world. Foxglove shows fields red, green, blue and alpha as they are."""
    found: Any = world.grid  # type: ignore[attr-defined]
    height, width = found.shape
    step = max(1, math.ceil(math.sqrt(height * width / MOST_CELLS)))
    cells = np.full((-(-height // step), -(-width // step), 4), FREE, np.uint8)
    for layer, paint in ((found.unknown, UNKNOWN), (found.cliff, CLIFF), (found.occupied, WALL)):
        cells[_coarse(layer, step)] = paint
    x, y, yaw = found.origin
    size_m = found.resolution_m * step
    names = ("red", "green", "blue", "alpha")
    return _framed(
        frame,
        pose=p.pose((x, y, BELOW_M), p.about_z(yaw), 6),
        column_count=cells.shape[1],
        cell_size={"x": size_m, "y": size_m},
        row_stride=4 * cells.shape[1],
        cell_stride=4,
        fields=[{"name": name, "offset": at, "type": UINT8} for at, name in enumerate(names)],
        data=_text(cells),
    )


def _coarse(layer: Any, step: int) -> NDArray[np.bool_]:
    """Return a layer with cells of `step` cells; one of them is enough."""
    found = np.asarray(layer, bool)
    if step == 1:
        return found
    height, width = found.shape
    padded = np.pad(found, ((0, -height % step), (0, -width % step)))
    shape = (padded.shape[0] // step, step, padded.shape[1] // step, step)
    return np.asarray(padded.reshape(shape).any(axis=(1, 3)), bool)


def cloud(frame: str, part: d.Part, rows: NDArray[np.float64]) -> Json:
    """Return dots as a point cloud."""
    points = np.zeros((len(rows), 3), "<f4")
    if isinstance(part, d.Points):
        points[:, :2], points[:, 2] = rows, part.height_m
    else:
        points[:] = rows[:, :3]
    names = ("x", "y", "z")
    return _framed(
        frame,
        pose=p.pose(p.ORIGIN),
        point_stride=12,
        fields=[{"name": name, "offset": 4 * n, "type": FLOAT32} for n, name in enumerate(names)],
        data=_text(points),
    )


def scan(frame: str, found: d.Scan) -> Json:
    """Return a scan with beams at even angles; a beam without a reading has the range 0.

    The last of several readings of one beam counts.
    """
    beams = min(max(found.beams, 1), LARGEST_SCAN)
    step = 2 * math.pi / beams
    ranges = np.zeros(beams)
    angles, distances = np.asarray(found.angles_rad, float), np.asarray(found.ranges_m, float)
    good = np.isfinite(distances) & np.isfinite(angles)
    ranges[np.round(angles[good] / step).astype(int) % beams] = distances[good]
    x, y, theta = found.pose
    return _framed(
        frame,
        pose=p.pose((x, y, found.height_m), p.about_z(theta), 6),
        start_angle=0.0,
        end_angle=round(step * (beams - 1), 9),
        ranges=np.round(ranges, 3).tolist(),
        intensities=[],
    )


def fix(frame: str, found: d.Fix) -> Json:
    """Return a position fix. The covariance is diagonal: east, north, up."""
    level, up = found.variance_m2, found.up_variance_m2
    return _framed(
        frame,
        latitude=round(found.latitude_deg, 9),
        longitude=round(found.longitude_deg, 9),
        altitude=round(found.height_m, 4),
        position_covariance=[level, 0.0, 0.0, 0.0, level, 0.0, 0.0, 0.0, up],
        position_covariance_type=DIAGONAL_KNOWN,
    )
