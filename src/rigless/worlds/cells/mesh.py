"""Meshes from STL (binary and text), OBJ and COLLADA (.dae) files."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem
from rigless.worlds.cells.collada import read_collada
from rigless.worlds.cells.solids import Mesh

MAX_BYTES, MAX_TRIANGLES = 50_000_000, 500_000
LARGEST_M = 1000.0
_FIX = "give an STL, OBJ or DAE file of triangles, at most 500,000 of them"
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("spare", "<u2")])


def read_mesh(path: Path, scale: float = 0.001) -> Mesh:
    """Read the mesh in a file, by its suffix. Raises InputError if it is not a mesh or too large.

    `scale` converts its numbers to metres (cells are drawn in millimetres). COLLADA files have a
    unit of their own.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "this is not a file name"
        raise _wrong(path, f"cannot be read: {reason}", "check the path") from None
    if len(data) > MAX_BYTES:
        raise _wrong(path, f"is longer than {MAX_BYTES} bytes")
    readers = {".stl": _stl, ".obj": _obj, ".dae": read_collada}
    suffix = path.suffix.lower()
    if suffix not in readers:
        raise _wrong(path, f"has the suffix {path.suffix!r}, and only .stl, .obj and .dae are read")
    try:
        vertices, triangles = readers[suffix](data)
    except (ValueError, IndexError, OverflowError) as error:
        raise _wrong(path, f"is not a mesh: {error}") from None
    if suffix != ".dae":
        vertices = vertices * scale
    if not len(triangles):
        raise _wrong(path, "has no triangles")
    if len(triangles) > MAX_TRIANGLES:
        raise _wrong(path, f"has {len(triangles)} triangles, more than {MAX_TRIANGLES}")
    if not np.isfinite(vertices).all() or np.abs(vertices).max() > LARGEST_M:
        raise _wrong(
            path,
            "has vertices that are not numbers, or further away than a kilometre",
            "check its units",
        )
    return Mesh(np.ascontiguousarray(vertices, float), np.ascontiguousarray(triangles, np.int32))


def _wrong(path: Path, what: str, fix: str = _FIX) -> InputError:
    return InputError(Problem("", what, fix, str(path)))


def _stl(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:  # a text file of exactly this length is very unlikely
        corners = np.frombuffer(data, _RECORD, count, 84)["corners"].reshape(-1, 3).astype(float)
    elif data.lstrip()[:5].lower() == b"solid" and b"vertex" in data.lower():
        words = data.split()
        numbers = [
            words[n + 1 : n + 4] for n, word in enumerate(words) if word.lower() == b"vertex"
        ]
        if any(len(one) != 3 for one in numbers) or len(numbers) % 3:
            raise ValueError("its text ends in the middle of a triangle")
        corners = np.array([[float(part) for part in one] for one in numbers]).reshape(-1, 3)
    else:
        raise ValueError(
            f"its header announces {max(count, 0)} triangles, but it has {len(data)} bytes"
        )
    vertices, numbers_of = np.unique(corners, axis=0, return_inverse=True)
    return vertices, numbers_of.reshape(-1, 3)


def _obj(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for number, line in enumerate(data.splitlines(), 1):
        match line.split():
            case [b"v", x, y, z, *_]:
                vertices.append([float(x), float(y), float(z)])
            case [b"f", *corners] if len(corners) >= 3:
                face = [_corner(word, len(vertices)) for word in corners]
                triangles += [(face[0], face[n], face[n + 1]) for n in range(1, len(face) - 1)]
            case [b"v" | b"f", *_]:
                raise ValueError(f"line {number} has too few numbers")
    places = np.array(vertices, float).reshape(-1, 3)
    return places, np.array(triangles, np.int64).reshape(-1, 3)


def _corner(word: bytes, count: int) -> int:
    """Return the vertex of a face's corner: 7, 7/1/2, or −1 for the last one so far."""
    number = int(word.partition(b"/")[0])
    index = number - 1 if number > 0 else count + number
    if not 0 <= index < count:
        raise ValueError(f"a face names vertex {number} of {count}")
    return index
