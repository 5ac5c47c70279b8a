"""Collision checks of an arm against its cell and against itself, by coal.

Every pair of solids is checked each time: first in the broad phase (boxes and spheres), then by
coal where the broad phase does not separate them (coal's own broad phase was seen to miss
contacts). Two solids are in contact if their distance is at most their margin plus TOUCH_M. A mesh
that is not convex is preceded by its convex hull: only what touches the hull is checked against the
triangles. A solid inside a closed mesh is in contact, too.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.motion.arm.broad_phase import bounding_boxes, near_pairs
from rigless.motion.arm.point_in_mesh import is_inside
from rigless.motion.arm.rigid_body import RigidBodyModel, import_pinocchio
from rigless.motion.arm.urdf import JOINTS
from rigless.worlds.cells.cell import Cell
from rigless.worlds.cells.solids import Solid

TOUCH_M = 5e-5
SAMPLES = 64  # poses in which two links must collide to count as always colliding
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Contact:
    """Two bodies that are closer than allowed.

    `depth_m` is the penetration depth; it is negative if they are apart but within the margin. `at`
    is the position along a motion: the number of the row, plus the share of the way to the next
    row.
    """

    link: str
    other: str
    point_m: tuple[float, float, float]
    depth_m: float
    at: float = 0.0


@dataclass(frozen=True)
class Nearest:
    """The two bodies with the smallest distance."""

    distance_m: float
    link: str
    other: str


@dataclass(frozen=True)
class Body:
    """A solid that takes part in collision checks. `joint` carries it (0: it does not move)."""

    name: str
    link: int  # −1: of the cell
    joint: int
    solid: Solid


class Collider:
    """Collision checks of an arm in a cell. Joints are radians.

    `pairs` are the links (by number: 0 the base, 7 the tool) that may collide with each other.
    Without `pairs`, they are determined; `()` means none. `margin_m` applies to everything in the
    cell, in addition to the margins of the cell and of its objects.
    """

    def __init__(
        self,
        model: RigidBodyModel,
        cell: Cell | None = None,
        pairs: Pairs | None = None,
        margin_m: float = 0.0,
    ):
        self.model, self.cell = model, cell or Cell()
        self._pin, self._coal = import_pinocchio()
        self.links = [
            Body(
                link.name,
                number,
                min(number, JOINTS),
                Solid(solid.name, solid.kind, solid.size_m, at @ solid.pose, solid.mesh),
            )
            for number, link in enumerate(model.links)
            for at in (model.link_in_joint(number),)
            for solid in link.solids
        ]
        self.bodies = [
            *self.links,
            *(Body(thing.name, -1, 0, thing.solid) for thing in self.cell.things),
        ]
        self._geometry = self._pin.GeometryModel()
        shapes = [shapes_of(body.solid) for body in self.bodies]
        self._surface = {
            n: self._add(body, shape)
            for n, (body, (shape, _)) in enumerate(zip(self.bodies, shapes, strict=True))
        }
        self._surface |= {
            n: self._add(self.bodies[n], exact)
            for n, (_, exact) in enumerate(shapes)
            if exact is not None
        }
        solids = [body.solid for body in self.bodies]
        self.boxes = bounding_boxes(
            model.description.joints, [body.joint for body in self.bodies], solids
        )
        self.self_pairs = tuple(self._checked(pairs)) if pairs is not None else self._able()
        pairs_of_bodies, self.margins_m = self._pairs(margin_m + self.cell.margin_m)
        self._use(pairs_of_bodies, self.margins_m)

    # One configuration

    def free(self, joints_rad: NDArray[np.float64]) -> bool:
        """Return True if nothing is in contact. The fastest check."""
        return next(self._touching(joints_rad), None) is None

    def check(self, joints_rad: ArrayLike) -> Contact | None:
        """Return the deepest contact, or None."""
        return max(self.contacts(joints_rad), key=lambda contact: contact.depth_m, default=None)

    def contacts(self, joints_rad: ArrayLike) -> list[Contact]:
        """Return the deepest contact of each two bodies, in the order of links and cell."""
        joints = np.ascontiguousarray(joints_rad, float)
        found: dict[tuple[str, str], Contact] = {}
        for pair in self._touching(joints):
            contact = self.contact(pair)
            key = contact.link, contact.other
            if key not in found or contact.depth_m > found[key].depth_m:
                found[key] = contact
        return list(found.values())

    def _touching(self, joints_rad: NDArray[np.float64]) -> Iterator[int]:
        """Yield the pairs in contact."""
        count = self._near(joints_rad, self._limits_m)
        if not count:
            return
        self.place(joints_rad)
        pin, geometry, data = self._pin, self._geometry, self._data
        for pair in self._found[:count].tolist():
            if pin.computeCollision(geometry, data, pair) and (
                pair not in self._exact or self.distance_m(pair) <= self._limits_m[pair]
            ):
                yield pair

    def _near(self, joints_rad: NDArray[np.float64], limits_m: NDArray[np.float64]) -> int:
        """Return the number of pairs that may be within their limits.

        Their numbers go to `_found`, the lower bounds of all pairs to `_least_m`.
        """
        b = self.boxes
        count: int = near_pairs(
            joints_rad,
            b.origins,
            b.axes,
            b.joints,
            b.frames,
            b.halves_m,
            b.radii_m,
            self._numbers,
            limits_m,
            self._least_m,
            self._found,
        )
        return count

    def distance(self, joints_rad: ArrayLike) -> float:
        """Return the smallest distance between two bodies in metres, negative if they intersect.

        Margins are ignored. The distance is infinite if there are no pairs.
        """
        return self.nearest(joints_rad).distance_m

    def nearest(self, joints_rad: ArrayLike) -> Nearest:
        """Return the two bodies with the smallest distance."""
        joints = np.ascontiguousarray(joints_rad, float)
        self.place(joints)
        best, which = np.inf, -1
        least = self.distance_bounds_m(joints)
        for pair in np.argsort(least, kind="stable").tolist():
            if least[pair] >= max(best, 0.0):  # a negative bound is no measure of depth
                break
            apart_m = self.distance_m(pair, best)
            if apart_m < best:
                best, which = apart_m, pair
        first, second = (
            (self.bodies[body].name for body in self.pairs[which]) if which >= 0 else ("", "")
        )
        return Nearest(best, first, second)

    # Steps of a check, for continuous collision checking

    def place(self, joints_rad: NDArray[np.float64]) -> None:
        """Move the links to where these joints bring them."""
        self._pin.updateGeometryPlacements(
            self.model.model, self.model.data, self._geometry, self._data, joints_rad
        )

    def distance_m(self, pair: int, near_m: float = np.inf) -> float:
        """Return the distance between two solids as they are placed, negative if they intersect.

        If a mesh's hull is further away than `near_m`, the hull's distance is returned, which is
        not larger.
        """
        found: float = self._pin.computeDistance(self._geometry, self._data, pair).min_distance
        exact = self._exact.get(pair)
        if exact is None or found > near_m:
            return found
        distance: float = self._pin.computeDistance(self._geometry, self._data, exact).min_distance
        if distance > 0 >= found:
            for outer, inner in (self.pairs[pair], self.pairs[pair][::-1]):
                at = self._data.oMg[outer].actInv(self._data.oMg[inner].translation)
                if is_inside(self.bodies[outer].solid.mesh, at):
                    return -distance
        return distance

    def distance_bounds_m(self, joints_rad: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return lower bounds of the distances of all pairs, from the broad phase."""
        self._near(joints_rad, self._limits_m)
        return self._least_m.copy()

    def contact(self, pair: int, at: float = 0.0) -> Contact:
        """Return the contact of two solids as they are placed. They need not quite touch."""
        first, second = self.pairs[pair]
        found = self._pin.computeDistance(self._geometry, self._data, self._exact.get(pair, pair))
        middle = (np.asarray(found.getNearestPoint1()) + np.asarray(found.getNearestPoint2())) / 2
        x, y, z = middle.ravel().tolist()
        depth_m = -found.min_distance if pair not in self._exact else -self.distance_m(pair)
        return Contact(self.bodies[first].name, self.bodies[second].name, (x, y, z), depth_m, at)

    @cached_property
    def speed_bounds(self) -> NDArray[np.float64]:
        """Pairs × 6: metres by which two solids can approach per radian of each joint, in any pose.

        Let one solid be carried by joint k and the other by joint l < k (0: the cell). Seen from
        the other, only joints l+1 to k move it, and a radian of joint i moves a point p by its
        distance from the axis of i. With o_n the origins of the joints' frames, for i < k

            |p, axis i| ≤ |o_(i+1), axis i| + |o_(i+2) − o_(i+1)| + … + |o_k − o_(k−1)| + |p − o_k|

        where every term is a constant of the mechanism: the first because a rotation about an axis
        keeps the distance from it, the others because both points are on one link. For i = k it is
        the distance of the solid's furthest corner from that axis. The distance between two bodies
        changes no faster than a point of one moves as seen from the other, so the sum over the
        joints bounds it. A rotation about an axis of symmetry of one of the two solids changes
        nothing, if that axis is the first or the last between them.
        """
        joints = self.model.description.joints
        steps = [float(np.linalg.norm(joint.origin[:3, 3])) for joint in joints]
        bounds = np.zeros((len(self.pairs), JOINTS))
        for row, (first, second) in enumerate(self.pairs):
            one, two = sorted(
                (self.bodies[first], self.bodies[second]), key=lambda body: body.joint
            )
            furthest_m = two.solid.furthest_m
            for i in range(one.joint + 1, two.joint + 1):
                axis = joints[i - 1].axis
                if i == one.joint + 1 and is_round(one.solid, joints[i - 1].origin, axis):
                    continue
                if i == two.joint and is_round(two.solid, np.eye(4), axis):
                    continue
                if i == two.joint:
                    bounds[row, i - 1] = min(furthest_m, _from_axis(two.solid.points_m(), axis))
                else:
                    begin = _from_axis(joints[i].origin[None, :3, 3], axis)
                    bounds[row, i - 1] = begin + sum(steps[i + 1 : two.joint]) + furthest_m
        return bounds

    # Construction

    def _add(self, body: Body, shape: Any) -> int:
        number: int = len(self._geometry.geometryObjects)
        place = self._pin.SE3(body.solid.pose)
        self._geometry.addGeometryObject(
            self._pin.GeometryObject(str(number), body.joint, place, shape)
        )
        return number

    def _use(self, pairs: Sequence[tuple[int, int]], margins_m: Sequence[float]) -> None:
        """Set the collision pairs. After the pairs of bodies come the exact pairs of meshes."""
        self.pairs = pairs
        meshes = [
            n for n, pair in enumerate(pairs) if any(self._surface[body] != body for body in pair)
        ]
        self._exact = {n: len(pairs) + count for count, n in enumerate(meshes)}
        surfaces = [tuple(self._surface[body] for body in pairs[n]) for n in meshes]
        self._geometry.removeAllCollisionPairs()
        for first, second in (*pairs, *surfaces):
            self._geometry.addCollisionPair(self._pin.CollisionPair(first, second))
        self._data = self._geometry.createData()
        with warnings.catch_warnings():  # pinocchio sets this deprecated option
            warnings.simplefilter("ignore", DeprecationWarning)
            for requests in (self._data.distanceRequests, self._data.collisionRequests):
                for number in range(len(requests)):
                    requests[
                        number
                    ].enable_cached_gjk_guess = False  # else results depend on earlier ones
        self._limits_m = np.array(margins_m, float) + TOUCH_M
        for number, limit_m in enumerate(self._limits_m.tolist()):
            self._data.collisionRequests[number].security_margin = limit_m
        self._numbers = np.array(pairs, np.int64).reshape(-1, 2)
        self._least_m, self._found = np.zeros(len(pairs)), np.zeros(len(pairs), np.int64)

    def _pairs(self, margin_m: float) -> tuple[list[tuple[int, int]], list[float]]:
        """Return the pairs of solids and their margins.

        They pair links with links, and moving links with the cell.
        """
        pairs, margins = list[tuple[int, int]](), list[float]()
        wanted = {(min(pair), max(pair)) for pair in self.self_pairs}
        for first, body in enumerate(self.links):
            for second in range(first + 1, len(self.links)):
                if (body.link, self.links[second].link) in wanted:
                    pairs.append((first, second))
                    margins.append(0.0)
            for second, thing in enumerate(self.cell.things, len(self.links)):
                if body.joint > 0 and body.name not in thing.ignore:
                    pairs.append((first, second))
                    margins.append(margin_m + thing.margin_m)
        return pairs, margins

    def _checked(self, pairs: Pairs) -> Iterable[tuple[int, int]]:
        most = len(self.model.links) - 1
        for first, second in pairs:
            if not (0 <= first <= most and 0 <= second <= most) or first == second:
                raise ValueError(
                    f"[{first}, {second}] is not a pair of links; links are 0 (the base) to {most}"
                )
            yield min(first, second), max(first, second)

    def _able(self) -> tuple[tuple[int, int], ...]:
        """Return the pairs of links that can collide.

        Neighbours are left out, and so are links that collide in every pose of a sample.
        """
        numbers = sorted({body.link for body in self.links})
        able = [(i, j) for i in numbers for j in numbers if min(j, JOINTS) - i > 1]
        groups = {
            pair: [
                (a, b)
                for a, x in enumerate(self.links)
                for b, y in enumerate(self.links)
                if (x.link, y.link) == pair
            ]
            for pair in able
        }
        solids = [(pair, one) for pair, group in groups.items() for one in group]
        self._use([one for _, one in solids], [0.0] * len(solids))
        always = set(able)
        for joints in spread(self.model.low_rad, self.model.high_rad, SAMPLES):
            always &= {solids[n][0] for n in self._touching(joints)}
        return tuple(pair for pair in able if pair not in always)


def shapes_of(solid: Solid) -> tuple[Any, Any]:
    """Return coal's shape of a solid (of a mesh: its hull), and a mesh's triangles or None.

    The triangles are None if the hull is exact.
    """
    _, coal = import_pinocchio()
    if solid.mesh is None:
        return {"box": coal.Box, "cylinder": coal.Cylinder, "sphere": coal.Sphere}[solid.kind](
            *solid.size_m
        ), None
    surface = coal.BVHModelOBBRSS()
    surface.beginModel(len(solid.mesh.triangles), len(solid.mesh.vertices_m))
    surface.addVertices(solid.mesh.vertices_m)
    surface.addTriangles(solid.mesh.triangles)
    surface.endModel()
    surface.computeLocalAABB()
    points = coal.StdVec_Vec3s()
    for vertex in solid.mesh.vertices_m:
        points.append(vertex)
    try:
        hull = coal.Convex.convexHull(points, True, "Qt")
    except RuntimeError:  # a mesh without volume has no hull
        return surface, None
    volume = hull.computeVolume()
    return hull, None if abs(volume - surface.computeVolume()) < 1e-6 * volume else surface


def spread(low: NDArray[np.float64], high: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return points that fill a box evenly, always the same ones.

    They are an additive recurrence with the generalised golden ratio.
    """
    size, ratio = len(low), 2.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (size + 1))
    steps = ratio ** -np.arange(1.0, size + 1)
    return low + (high - low) * ((0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0)


def _from_axis(points: NDArray[np.float64], axis: NDArray[np.float64]) -> float:
    """Return the distance of the furthest point from a line through the origin."""
    return float(np.linalg.norm(points - np.outer(points @ axis, axis), axis=1).max())


def is_round(solid: Solid, origin: NDArray[np.float64], axis: NDArray[np.float64]) -> bool:
    """Return True if a rotation about an axis does not change a sphere or cylinder.

    The axis goes through the origin of a frame and is given in that frame.
    """
    line, off = origin[:3, :3] @ axis, solid.pose[:3, 3] - origin[:3, 3]
    centred = float(np.linalg.norm(off - off @ line * line)) < 1e-9
    return bool(
        centred
        and (
            solid.kind == "sphere"
            or (solid.kind == "cylinder" and abs(solid.pose[:3, 2] @ line) > 1 - 1e-12)
        )
    )
