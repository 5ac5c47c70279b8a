"""Whether an arm touches itself or what stands around it: solids of links against solids of a cell and of other links, by coal.

Every pair is looked at each time: roughly by boxes and spheres around them, and by coal where that does not keep them apart (coal's own broad
phase was seen to miss some). Two solids are in contact when they are apart by no more than
their margin and TOUCH_M. A mesh that is not convex has its convex hull before it: only what touches the hull is held against the triangles, and
what is inside them, if they are closed, is in contact too.
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
from rigless.worlds.cell import Cell
from rigless.worlds.solids import Solid

TOUCH_M = 5e-5
SAMPLES = (
    64  # configurations in which a pair of links must collide to count as one that always does
)
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Contact:
    """Two bodies closer than they may be. `depth_m` is how far they are within each other, below zero when apart but within the margin;
    `at` is how far along a motion it begins: the row of the path it leaves, and the share of the way to the next."""

    link: str
    other: str
    point_m: tuple[float, float, float]
    depth_m: float
    at: float = 0.0


@dataclass(frozen=True)
class Nearest:
    distance_m: float
    link: str
    other: str


@dataclass(frozen=True)
class Body:
    """A solid that takes part: `joint` carries it (0: it does not move)."""

    name: str
    link: int  # −1: of the cell
    joint: int
    solid: Solid


class Collider:
    """`pairs` are the links (by number: 0 the base, 7 the tool) that may collide with each other; those that can are found if none are
    given, `()` is none. `margin_m` is kept from everything in the cell, with the cell's and the thing's own. Joints are radians."""

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
        self.pairs, self.margins_m = self._pairs(margin_m + self.cell.margin_m)
        self._use(self.pairs, self.margins_m)

    # One configuration

    def free(self, joints_rad: NDArray[np.float64]) -> bool:
        """Whether nothing touches. The quickest question."""
        return next(self._touching(joints_rad), None) is None

    def check(self, joints_rad: ArrayLike) -> Contact | None:
        """The deepest contact, if there is one."""
        return max(self.contacts(joints_rad), key=lambda contact: contact.depth_m, default=None)

    def contacts(self, joints_rad: ArrayLike) -> list[Contact]:
        """All contacts, one for each two bodies (the deepest of their solids), in the order of links and cell."""
        joints = np.ascontiguousarray(joints_rad, float)
        found: dict[tuple[str, str], Contact] = {}
        for pair in self._touching(joints):
            contact = self.contact(pair)
            key = contact.link, contact.other
            if key not in found or contact.depth_m > found[key].depth_m:
                found[key] = contact
        return list(found.values())

    def _touching(self, joints_rad: NDArray[np.float64]) -> Iterator[int]:
        """The pairs in contact. Hulls stand before meshes."""
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
        """How many pairs may be within their limits; their numbers are in `_found`, what all pairs are apart at least in `_least_m`."""
        b = self.boxes
        count: int = near_pairs(
            joints_rad, b.origins, b.axes, b.joints, b.frames, b.halves_m, b.radii_m, self._numbers, limits_m, self._least_m, self._found
        )  # fmt: skip
        return count

    def distance(self, joints_rad: ArrayLike) -> float:
        """Between the nearest two bodies, metres; below zero inside each other. Margins do not count. Infinite if there are no pairs."""
        return self.nearest(joints_rad).distance_m

    def nearest(self, joints_rad: ArrayLike) -> Nearest:
        """The two bodies that are nearest to each other."""
        joints = np.ascontiguousarray(joints_rad, float)
        self.place(joints)
        best, which = np.inf, -1
        least = self.distance_bounds_m(joints)
        for pair in np.argsort(least, kind="stable").tolist():
            if least[pair] >= max(best, 0.0):  # a bound below zero says nothing about depth
                break
            apart_m = self.distance_m(pair, best)
            if apart_m < best:
                best, which = apart_m, pair
        first, second = (
            (self.bodies[body].name for body in self.pairs[which]) if which >= 0 else ("", "")
        )
        return Nearest(best, first, second)

    # Parts of it, for who follows a motion

    def place(self, joints_rad: NDArray[np.float64]) -> None:
        """Put the links where these joints bring them."""
        self._pin.updateGeometryPlacements(
            self.model.model, self.model.data, self._geometry, self._data, joints_rad
        )

    def distance_m(self, pair: int, near_m: float = np.inf) -> float:
        """How far two solids are from each other as they are placed, below zero inside each other. Of a mesh whose hull is further away than
        `near_m` it is the hull's, which is no more."""
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
        """What the pairs are apart at least; quick and rough."""
        self._near(joints_rad, self._limits_m)
        return self._least_m.copy()

    def contact(self, pair: int, at: float = 0.0) -> Contact:
        """The contact of two solids as they are placed: where, how deep. They need not quite touch."""
        first, second = self.pairs[pair]
        found = self._pin.computeDistance(self._geometry, self._data, self._exact.get(pair, pair))
        middle = (np.asarray(found.getNearestPoint1()) + np.asarray(found.getNearestPoint2())) / 2
        x, y, z = middle.ravel().tolist()
        depth_m = -found.min_distance if pair not in self._exact else -self.distance_m(pair)
        return Contact(self.bodies[first].name, self.bodies[second].name, (x, y, z), depth_m, at)

    @cached_property
    def speed_bounds(self) -> NDArray[np.float64]:
        """Pairs × 6: metres that two solids can come closer for a radian of each joint, whatever the arm's pose.

        Let a solid be carried by joint k and the other by joint l < k (0: the cell). Seen from the other, only joints l+1 to k move it,
        and a radian of joint i moves a point p by its distance from the axis of i. With o_n the origins of the joints' frames, for i < k

            |p, axis i| ≤ |o_(i+1), axis i| + |o_(i+2) − o_(i+1)| + … + |o_k − o_(k−1)| + |p − o_k|

        where every term is a constant of the mechanism: the first as turning about an axis keeps the distance from it, the others as
        both points are on one link. For i = k it is the distance of the solid's furthest corner from that axis. A distance between two bodies
        changes no faster than a point of one moves as seen from the other, so the sum over the joints bounds it. And a turn about an axis
        around which one of the two solids looks the same from all sides changes nothing, as long as it is the first or the last between them."""
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

    # How it is made

    def _add(self, body: Body, shape: Any) -> int:
        number: int = len(self._geometry.geometryObjects)
        place = self._pin.SE3(body.solid.pose)
        self._geometry.addGeometryObject(
            self._pin.GeometryObject(str(number), body.joint, place, shape)
        )
        return number

    def _use(self, pairs: Sequence[tuple[int, int]], margins_m: Sequence[float]) -> None:
        """Pairs of bodies; after them, and asked by number only, those of the surfaces of meshes."""
        meshes = [
            n for n, pair in enumerate(pairs) if any(self._surface[body] != body for body in pair)
        ]
        self._exact = {n: len(pairs) + count for count, n in enumerate(meshes)}
        surfaces = [tuple(self._surface[body] for body in pairs[n]) for n in meshes]
        self._geometry.removeAllCollisionPairs()
        for first, second in (*pairs, *surfaces):
            self._geometry.addCollisionPair(self._pin.CollisionPair(first, second))
        self._data = self._geometry.createData()
        with warnings.catch_warnings():  # pinocchio sets this old switch, so it must be unset
            warnings.simplefilter("ignore", DeprecationWarning)
            for requests in (self._data.distanceRequests, self._data.collisionRequests):
                for number in range(len(requests)):
                    requests[
                        number
                    ].enable_cached_gjk_guess = False  # or an answer depends on the question before
        self._limits_m = np.array(margins_m, float) + TOUCH_M
        for number, limit_m in enumerate(self._limits_m.tolist()):
            self._data.collisionRequests[number].security_margin = limit_m
        self._numbers = np.array(pairs, np.int64).reshape(-1, 2)
        self._least_m, self._found = np.zeros(len(pairs)), np.zeros(len(pairs), np.int64)

    def _pairs(self, margin_m: float) -> tuple[list[tuple[int, int]], list[float]]:
        """Links with links as the numbers say, and all that moves with all that stands; what it may touch left out."""
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
                    f"[{first}, {second}] is no pair of links; links are 0 (the base) to {most}"
                )
            yield min(first, second), max(first, second)

    def _able(self) -> tuple[tuple[int, int], ...]:
        """Links that could collide: neighbours do by their make, and those that do in every pose of a spread of poses too."""
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
    """coal's shape of a solid, or the hull of a mesh; and of a mesh that is not its hull, its triangles."""
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
    except RuntimeError:  # a mesh without a volume has none
        return surface, None
    volume = hull.computeVolume()
    return hull, None if abs(volume - surface.computeVolume()) < 1e-6 * volume else surface


def spread(low: NDArray[np.float64], high: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Points that fill a box evenly, always the same: an additive recurrence with the generalised golden ratio."""
    size, ratio = len(low), 2.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (size + 1))
    steps = ratio ** -np.arange(1.0, size + 1)
    return low + (high - low) * ((0.5 + np.outer(np.arange(1, count + 1), steps)) % 1.0)


def _from_axis(points: NDArray[np.float64], axis: NDArray[np.float64]) -> float:
    """How far the furthest point is from a line through the origin."""
    return float(np.linalg.norm(points - np.outer(points @ axis, axis), axis=1).max())


def is_round(solid: Solid, origin: NDArray[np.float64], axis: NDArray[np.float64]) -> bool:
    """Whether a sphere or cylinder looks the same however it is turned about an axis (through the origin of a frame, in it)."""
    line, off = origin[:3, :3] @ axis, solid.pose[:3, 3] - origin[:3, 3]
    centred = float(np.linalg.norm(off - off @ line * line)) < 1e-9
    return bool(
        centred
        and (
            solid.kind == "sphere"
            or (solid.kind == "cylinder" and abs(solid.pose[:3, 2] @ line) > 1 - 1e-12)
        )
    )
