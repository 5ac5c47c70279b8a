"""IR-SIM (MIT) as a peer: its 2-D lidar on its obstacle map, read from an image of our cells."""

import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ._floor import RESOLUTION_M, Array, Cells

WORLD = """
world:
  {{height: {height}, width: {width}, step_time: {step_s}, sample_time: {step_s}, offset: [0, 0],
    obstacle_map: '{picture}', collision_mode: 'stop'}}
robot:
  - kinematics: {{name: 'diff', noise: {noise}}}
    shape: {{name: 'circle', radius: 0.17}}
    state: {pose}
    goal: [10000.0, 10000.0, 0.0]
    vel_max: [0.3, 2.0]
    vel_min: [-0.3, -2.0]
    sensors:
      - {{name: 'lidar2d', range_min: 0, range_max: {max_range_m},
          angle_range: 6.283185307179586, number: {beams},
          noise: {noise}, std: 0.005, angle_std: 0.001}}
"""


def open_world(
    cells: Cells,
    beams: int,
    max_range_m: float,
    pose: tuple[float, float, float] = (1.0, 1.0, 0.0),
    noise: bool = False,
    step_s: float = 0.1,
    resolution_m: float = RESOLUTION_M,
) -> Any:
    """Open an IR-SIM world; raise ImportError if IR-SIM is not installed."""
    # IR-SIM prints that it cannot open windows; our output may be JSON.
    with redirect_stdout(sys.stderr):
        import irsim

    height, width = cells.shape
    with tempfile.TemporaryDirectory() as folder:
        picture, world = Path(folder, "map.png"), Path(folder, "world.yaml")
        Image.fromarray(np.where(cells[::-1], 0, 255).astype(np.uint8)).save(picture)
        world.write_text(
            WORLD.format(
                height=height * resolution_m,
                width=width * resolution_m,
                step_s=step_s,
                picture=picture,
                noise=str(noise).lower(),
                pose=list(pose),
                max_range_m=max_range_m,
                beams=beams,
            )
        )
        with redirect_stdout(sys.stderr):
            return irsim.make(str(world), headless=True, log_level="ERROR")


def lidar(cells: Cells, beams: int, max_range_m: float) -> tuple[Callable[[Array], Array], Array]:
    """Return a caster and the angles of its beams; there is one at both ends of the turn."""
    world = open_world(cells, beams, max_range_m)
    sensor = world.robot.lidar

    def cast(poses: Array) -> Array:
        ranges = np.empty((len(poses), beams))
        for i, pose in enumerate(poses):
            sensor.step(pose.reshape(3, 1))
            ranges[i] = np.where(sensor.valid, sensor.range_data, np.inf)
        return ranges

    return cast, np.array(sensor.angle_list)
