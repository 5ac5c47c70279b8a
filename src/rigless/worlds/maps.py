"""Maps as ROS map_server reads them: a YAML file and its images become a Grid.

Brightness x (0 to 255) becomes p = (255 − x) / 255, or x / 255 with `negate`, and p an occupancy: 0
free, 100 occupied, −1 unknown. A grid has only these three; the values 1 to 99 of `scale` and `raw`
count as free, as in costmap_2d.
"""

from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.documents import Document
from rigless.kernel.problems import InputError, unknown
from rigless.worlds.grid import Grid
from rigless.worlds.map_file import MapFile, read_map_file
from rigless.worlds.pgm import Image, read_image

Dialect = Literal["ros1", "nav2"]
IMAGES = ("image", "cliff_mask", "materials")
UNKNOWN, FREE, OCCUPIED = -1, 0, 100


def load_map(path: str | Path, dialect: Dialect = "ros1") -> Grid:
    """Return the grid of a map's YAML file.

    Raises InputError with all problems of the file and its images.
    """
    if dialect not in get_args(Dialect):
        raise unknown("map dialect", str(dialect), get_args(Dialect), "dialect")
    config, document = read_map_file(Path(path))
    images = _images(document, Path(path).parent)
    if config is None or document.problems:
        raise InputError(document.problems)
    image = images["image"]
    values = occupancy_of_levels(image.maxval, config, dialect)[image.gray]
    if image.clear is not None and config.mode != "raw":
        values[image.clear] = UNKNOWN
    cliffs, materials = images.get("cliff_mask"), images.get("materials")
    return Grid(
        (values >= OCCUPIED)[::-1],  # an image begins at the top, a grid at the bottom
        config.resolution,
        config.origin,
        unknown=(values == UNKNOWN)[::-1],
        cliff=None if cliffs is None else (_brightness(cliffs.maxval) < 128)[cliffs.gray][::-1],
        material=None if materials is None else _materials(materials.maxval)[materials.gray][::-1],
    )


def occupancy_of_levels(maxval: int, config: MapFile, dialect: Dialect) -> NDArray[np.int16]:
    """Return the occupancy of each grey level, as the two servers calculate it."""
    x = _brightness(maxval)
    if config.mode == "raw":
        if dialect == "nav2":  # ignores negate; only percentages are valid
            value = np.floor(x + 0.5)
            return np.where(value <= OCCUPIED, value, UNKNOWN).astype(np.int16)
        value = np.floor(255 - x if config.negate else x)  # a byte; 255 is −1
        return np.where(value < 255, value, UNKNOWN).astype(np.int16)
    p = x / 255 if config.negate else (255 - x) / 255
    if dialect == "nav2":
        occupied, free = p >= config.occupied_thresh, p <= config.free_thresh
    else:
        occupied, free = p > config.occupied_thresh, p < config.free_thresh
    between = np.full(p.shape, float(UNKNOWN))
    if config.mode == "scale":
        low, high = config.free_thresh, config.occupied_thresh
        share = (np.clip(p, low, high) - low) / ((high - low) or 1.0)
        between = np.floor(100 * share + 0.5) if dialect == "nav2" else np.trunc(99 * share)
    return np.select([free, occupied], [FREE, OCCUPIED], between).astype(np.int16)


def _brightness(maxval: int) -> NDArray[np.float64]:
    """Return the brightness (0 to 255) of each grey level."""
    return np.arange(maxval + 1) * 255.0 / maxval


def _materials(maxval: int) -> NDArray[np.uint8]:
    """Return the material of each grey level: 255 plain, 170 glass, 85 dark, 0 mirror."""
    return np.rint((255 - _brightness(maxval)) / 85).astype(np.uint8)


def _images(document: Document, folder: Path) -> dict[str, Image]:
    """Return the images that the keys name, and report those that are missing or do not fit."""
    images: dict[str, Image] = {}
    for key in IMAGES:
        name = document.data.get(key)
        if not isinstance(name, str) or not name:
            continue
        try:
            images[key] = read_image(folder / name)
        except InputError as error:
            for problem in error.problems:
                document.report((key,), f"{problem.file}: {problem.what}", problem.fix)
    for key in IMAGES[1:]:
        if (
            key in images
            and "image" in images
            and images[key].gray.shape != images["image"].gray.shape
        ):
            what = f"its image is {_size(images[key])}, the map's is {_size(images['image'])}"
            document.report((key,), what, "make both of equal size")
    return images


def _size(image: Image) -> str:
    height, width = image.gray.shape
    return f"{width} × {height} pixels"
