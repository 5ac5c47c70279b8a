"""Meshes from COLLADA (.dae) files: the triangles and polygons of a scene, in metres.

The unit of the file and the transforms of its nodes apply. Its up axis does not, as in RViz: the
meshes of URDFs are drawn in the axes of their links. Materials, skins and animations are ignored.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rigless.worlds.frames import Matrix

DEEPEST = 64  # nodes inside nodes
MOST_NODES = 10_000
UNREAD = "tristrips", "trifans"
Triangles = tuple[NDArray[np.float64], NDArray[np.int64]]


def read_collada(data: bytes) -> Triangles:
    """Return the vertices in metres and the triangles. Raises ValueError if there is a mistake."""
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:  # entities can expand without limit
        raise ValueError("it has a document type, which no COLLADA file needs")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, LookupError) as error:
        raise ValueError(f"it is not XML: {error}") from None
    if _tag(root) != "COLLADA":
        raise ValueError(f"it is <{_tag(root)}>, not <COLLADA>")
    return _Reading(root).mesh()


class _Reading:
    """One document."""

    def __init__(self, root: ElementTree.Element):
        self._root = root
        self._by_id = {one.get("id", ""): one for one in root.iter() if one.get("id")}
        self._geometries: dict[str, Triangles] = {}
        self._nodes = 0

    def mesh(self) -> Triangles:
        unit = next((one for one in self._root.iter() if _tag(one) == "unit"), None)
        scale = float(unit.get("meter", "1")) if unit is not None else 1.0
        places, triangles, count = list[NDArray[np.float64]](), list[NDArray[np.int64]](), 0
        for geometry, at in self._placed():
            vertices, corners = self._geometry(geometry)
            places.append(vertices @ at[:3, :3].T + at[:3, 3])
            mirrored = np.linalg.det(at[:3, :3]) < 0
            triangles.append((corners[:, ::-1] if mirrored else corners) + count)
            count += len(vertices)
        if not places:
            return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
        return np.concatenate(places) * scale, np.concatenate(triangles)

    def _placed(self) -> Iterator[tuple[str, Matrix]]:
        """Yield the geometries of the scene and their frames. Without a scene, all of them."""
        scene = next((one for one in self._root.iter() if _tag(one) == "instance_visual_scene"), "")
        if isinstance(scene, str):
            for one in self._root.iter():
                if _tag(one) == "geometry":
                    yield one.get("id", ""), np.eye(4)
        else:
            for node in _children(self._find(scene.get("url", "")), "node"):
                yield from self._below(node, np.eye(4), 0)

    def _below(
        self, node: ElementTree.Element, at: Matrix, depth: int
    ) -> Iterator[tuple[str, Matrix]]:
        self._nodes += 1
        if depth > DEEPEST or self._nodes > MOST_NODES:
            raise ValueError("its nodes are nested too deeply, or there are too many of them")
        for part in node:
            match _tag(part):
                case "matrix":
                    at = at @ _numbers(part, 16).reshape(4, 4)
                case "translate":
                    at = at @ _moved(_numbers(part, 3))
                case "scale":
                    at = at @ np.diag([*_numbers(part, 3), 1.0])
                case "rotate":
                    at = at @ _turned(_numbers(part, 4))
                case "lookat" | "skew":
                    raise ValueError(f"it has <{_tag(part)}>, which is not read")
        for part in node:
            match _tag(part):
                case "node":
                    yield from self._below(part, at, depth + 1)
                case "instance_node":
                    yield from self._below(self._find(part.get("url", "")), at, depth + 1)
                case "instance_geometry":
                    yield part.get("url", "").removeprefix("#"), at

    def _geometry(self, name: str) -> Triangles:
        if name not in self._geometries:
            places, triangles, count = list[NDArray[np.float64]](), list[NDArray[np.int64]](), 0
            for mesh in _children(self._find(name), "mesh"):
                for part in mesh:
                    if _tag(part) in UNREAD:
                        raise ValueError(f"it has <{_tag(part)}>, and only triangles are read")
                    if _tag(part) in ("triangles", "polylist", "polygons"):
                        vertices, corners = self._faces(part)
                        places.append(vertices)
                        triangles.append(corners + count)
                        count += len(vertices)
            self._geometries[name] = (
                (np.concatenate(places), np.concatenate(triangles))
                if places
                else (np.zeros((0, 3)), np.zeros((0, 3), np.int64))
            )
        return self._geometries[name]

    def _faces(self, part: ElementTree.Element) -> Triangles:
        inputs = _children(part, "input")
        stride = max((int(one.get("offset", "0")) for one in inputs), default=0) + 1
        vertex = next((one for one in inputs if one.get("semantic") == "VERTEX"), None)
        if vertex is None:
            raise ValueError(f"a <{_tag(part)}> has no input VERTEX")
        places, offset = self._positions(vertex.get("source", "")), int(vertex.get("offset", "0"))
        lists = [np.array((one.text or "").split(), np.int64) for one in _children(part, "p")]
        if any(len(one) % stride for one in lists):
            raise ValueError(f"the indices of a <{_tag(part)}> end in the middle of a corner")
        no_corners = np.zeros(0, np.int64)
        corners = np.concatenate([no_corners, *(one[offset::stride] for one in lists)])
        match _tag(part):
            case "triangles":
                sizes = np.full(len(corners) // 3, 3)
            case "polylist":
                words = [(one.text or "").split() for one in _children(part, "vcount")]
                sizes = np.array([word for text in words for word in text], np.int64)
            case _:
                sizes = np.array([len(one) // stride for one in lists], np.int64)
        if sizes.sum() != len(corners) or (sizes < 0).any():
            raise ValueError(f"the faces of a <{_tag(part)}> do not have as many corners as it has")
        if len(corners) and not 0 <= corners.min() <= corners.max() < len(places):
            raise ValueError(f"a <{_tag(part)}> names a vertex that is not there")
        return places, _fans(corners, sizes)

    def _positions(self, url: str) -> NDArray[np.float64]:
        for one in _children(self._find(url), "input"):
            if one.get("semantic") == "POSITION":
                source = self._find(one.get("source", ""))
                array = _children(source, "float_array")
                access = next((part for part in source.iter() if _tag(part) == "accessor"), None)
                if not array or access is None:
                    break
                stride = int(access.get("stride", "1"))
                numbers = np.array((array[0].text or "").split(), float)[
                    int(access.get("offset", "0")) :
                ]
                if stride < 3:
                    break
                return numbers[: len(numbers) // stride * stride].reshape(-1, stride)[:, :3]
        raise ValueError(f"{url} has no positions")

    def _find(self, url: str) -> ElementTree.Element:
        name = url.removeprefix("#")
        if name not in self._by_id:
            raise ValueError(f"{name!r} is not in the file")
        return self._by_id[name]


def _fans(corners: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the triangles of faces: the first corner with each side of the others."""
    if (sizes == 3).all():
        return corners.reshape(-1, 3)
    found, first = list[NDArray[np.int64]](), 0
    for size in sizes.tolist():
        face = corners[first : first + size]
        first += size
        if size > 2:
            found.append(np.stack([np.full(size - 2, face[0]), face[1:-1], face[2:]], axis=1))
    return np.concatenate(found) if found else np.zeros((0, 3), np.int64)


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _children(element: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    return [one for one in element if _tag(one) == tag]


def _numbers(element: ElementTree.Element, count: int) -> NDArray[np.float64]:
    found = np.array((element.text or "").split(), float)
    if len(found) != count:
        raise ValueError(f"a <{_tag(element)}> has {len(found)} numbers, not {count}")
    return found


def _moved(by: NDArray[np.float64]) -> Matrix:
    at = np.eye(4)
    at[:3, 3] = by
    return at


def _turned(axis_and_angle: NDArray[np.float64]) -> Matrix:
    """Return the rotation about an axis by degrees (Rodrigues' formula)."""
    length = float(np.linalg.norm(axis_and_angle[:3]))
    at = np.eye(4)
    if length > 0:
        x, y, z = axis_and_angle[:3] / length
        angle = np.radians(axis_and_angle[3])
        cross = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
        at[:3, :3] += np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return at
