"""Messages that show a simulation in Foxglove's 3-D, map and plot panels.

Topics begin with `/rigless/`. Each message of a topic is complete, so that a reader that starts in
the middle sees everything. `Pictures.take` returns the topics whose content has changed.

Frames: `world` is the main world, `world/<robot>` the own world of a robot, `<robot>` the robot,
and `<robot>/<part>/<n>` a link of an arm.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import is_
from typing import Any, NamedTuple

import msgspec
import numpy as np

from rigless.kernel import drawing as d
from rigless.kernel.plain import to_json
from rigless.kernel.recording.foxglove import entities, fields
from rigless.kernel.recording.foxglove import primitives as p
from rigless.kernel.recording.foxglove.attached import Attached, Place
from rigless.kernel.recording.foxglove.schemas import MATCHING_ID, Json
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import World

PREFIX = "/rigless"
TRANSFORMS = f"{PREFIX}/tf"
MAP = f"{PREFIX}/map"
OBSTACLES = f"{PREFIX}/obstacles"
PICTURE_HZ = 10.0
OBSTACLE_HEIGHT_M = 0.4
_NO_TIME = b'"timestamp":{"sec":0,"nsec":0}'  # replaced when a message is sent

Wanted = Callable[[str], bool]


class Shape(NamedTuple):
    """An encoded entity of a scene."""

    name: str
    json: msgspec.Raw


def shaped(entity: Json) -> Shape:
    """Encode an entity. Its time stamp is filled in when it is sent."""
    return Shape(entity["id"], msgspec.Raw(to_json({"timestamp": p.stamp(0), **entity})))


class Picture(NamedTuple):
    """A message in one of Foxglove's schemas, as JSON."""

    topic: str
    schema: str
    data: bytes


def world_frame(simulation: Simulation, robot: Robot) -> str:
    """Return the frame of the world that a robot is drawn in.

    A robot without a footprint, such as an arm, is not on the floor of the others.
    """
    try:
        main = robot.world is simulation.world and robot.footprint() is not None
    except Exception:  # user code
        main = False
    return "world" if main else f"world/{robot.name}"


class Pictures:
    """The derived messages of a simulation. Views only observe, so a run is not affected."""

    def __init__(self, simulation: Simulation):
        self._sim = simulation
        self._robots: dict[str, _RobotPictures] = {}
        self._sent: dict[str, bytes] = {}
        self._shown: dict[str, tuple[Shape, ...]] = {}  # entities of a scene as last sent
        self._gone: dict[str, list[str]] = {}  # entities that a scene had before
        self._worlds: list[tuple[str, str, World]] = []  # topic, frame, world
        self._placed: tuple[list[Json], list[Shape]] = ([], [])
        self._follow()

    def _follow(self) -> None:
        """Make the pictures of robots that are new, as after a reset."""
        if self._robots and all(
            self._sim.robots[name] is one.robot for name, one in self._robots.items()
        ):
            return
        self._robots = {
            name: _RobotPictures(robot, world_frame(self._sim, robot))
            for name, robot in self._sim.robots.items()
        }
        known = {id(self._sim.world): (MAP, "world", self._sim.world)}
        for name, robot in self._sim.robots.items():
            frame = world_frame(self._sim, robot)
            known.setdefault(id(robot.world), (f"{MAP}/{name}", frame, robot.world))
        self._worlds = list(known.values())

    def topics(self) -> dict[str, str]:
        """Return the topics that can have messages, with their schemas."""
        found = {TRANSFORMS: "foxglove.FrameTransforms", OBSTACLES: "foxglove.SceneUpdate"}
        for topic, _, world in self._worlds:
            if getattr(world, "grid", None) is not None:
                found[topic] = "foxglove.Grid"
        for one in self._robots.values():
            found |= one.topics()
        return found

    def forget(self, topic: str | None = None) -> None:
        """Send a topic again even if it has not changed; all topics without a name."""
        if topic is None:
            self._sent.clear()
        else:
            self._sent.pop(topic, None)

    def take(self, wanted: Wanted = lambda topic: True) -> Iterator[Picture]:
        """Yield the wanted topics whose content differs from the last one that was taken."""
        self._follow()
        transforms: list[Json] = []
        for topic, frame, world in self._worlds:
            if wanted(topic) and topic not in self._sent and getattr(world, "grid", None):
                yield from self._changed(topic, "foxglove.Grid", fields.grid(frame, world))
        if wanted(OBSTACLES):
            yield from self._scene(OBSTACLES, self._obstacles())
        for robot in self._robots.values():
            if not robot.failed and any(wanted(topic) for topic in (TRANSFORMS, *robot.topics())):
                for topic, schema, content in robot.take(transforms):
                    if not wanted(topic):
                        continue
                    if schema == "foxglove.SceneUpdate":
                        yield from self._scene(topic, content)
                    else:
                        yield from self._changed(topic, schema, content)
        if wanted(TRANSFORMS) and transforms:
            content = {"transforms": transforms}
            yield from self._changed(TRANSFORMS, "foxglove.FrameTransforms", content)

    def _changed(self, topic: str, schema: str, content: Json) -> Iterator[Picture]:
        data = to_json(content)
        if self._sent.get(topic) != data:
            self._sent[topic] = data
            sec, nsec = divmod(self._sim.now_ns, 1_000_000_000)
            stamp = b'"timestamp":{"sec":%d,"nsec":%d}' % (sec, nsec)
            yield Picture(topic, schema, data.replace(_NO_TIME, stamp))

    def _scene(self, topic: str, shapes: list[Shape]) -> Iterator[Picture]:
        """Yield an update with all entities of a topic, without those that are gone."""
        before, now = self._shown.get(topic, ()), tuple(shapes)
        known = topic in self._sent
        if known and len(before) == len(now) and all(map(is_, before, now)):
            return
        if not now and not known:
            return
        self._shown[topic] = now
        names = {shape.name for shape in now}
        gone = [*self._gone.get(topic, ()), *(shape.name for shape in before)]
        gone = [name for name in dict.fromkeys(gone) if name not in names]
        self._gone[topic] = gone  # repeated, for readers that missed the update
        content = {
            "deletions": [
                {"timestamp": p.stamp(0), "type": MATCHING_ID, "id": name} for name in gone
            ],
            "entities": [shape.json for shape in now],
        }
        yield from self._changed(topic, "foxglove.SceneUpdate", content)

    def _obstacles(self) -> list[Shape]:
        found: list[Json] = []
        for _, frame, world in self._worlds:
            for name, obstacle in world.state.obstacles.items():
                x, y, theta = obstacle.pose(self._sim.now_ns)
                at = p.pose((x, y, OBSTACLE_HEIGHT_M / 2), p.about_z(theta))
                paint, shape = p.colour("plain"), "cubes"
                if obstacle.size_m is not None:
                    solid = p.cube(at, (*obstacle.size_m, OBSTACLE_HEIGHT_M), paint)
                else:
                    shape = "cylinders"
                    solid = p.cylinder(at, obstacle.radius_m, OBSTACLE_HEIGHT_M, paint)
                found.append(p.entity(frame, f"{frame}/{name}", **{shape: [solid]}))
        if self._placed[0] != found:
            self._placed = (found, [shaped(one) for one in found])
        return self._placed[1]


class _RobotPictures:
    """The messages of one robot. If its view fails, it is left out from then on."""

    def __init__(self, robot: Robot, world: str):
        self.robot, self.world, self.failed = robot, world, ""
        self._prefix = f"{PREFIX}/{robot.name}"
        try:
            self.view = robot.view()
            static = self.view.draw_static()
        except Exception as error:  # user code
            self.view, static, self.failed = d.View(robot), {}, str(error) or repr(error)
        parts = [part for part in self.view.parts if part.columns and part.shown]
        self._bodies = [part for part in parts if isinstance(part, d.Links | d.Scene)]
        self._clouds = [part for part in parts if isinstance(part, d.Points | d.Cloud)]
        self._drawn = [part for part in parts if part not in (*self._bodies, *self._clouds)]
        self._static = {part.name: static[part.name] for part in parts if part.name in static}
        self._attached = Attached()
        self._has_place = True
        self._scans: set[str] = set()  # parts that a scan shows
        self._topics: dict[str, str] = {}
        self._cached: dict[str, tuple[tuple[str, bytes], list[Shape]]] = {}

    def topics(self) -> dict[str, str]:
        if not self._topics:
            scans, fixes = self._sensors()
            self._scans = {part for scan in scans.values() for part in scan.parts}
            kinds = {"pose": "PoseInFrame", "scene": "SceneUpdate", "drawing": "SceneUpdate"}
            kinds |= dict.fromkeys(scans, "LaserScan") | dict.fromkeys(fixes, "LocationFix")
            clouds = [part.name for part in self._clouds if part.name not in self._scans]
            kinds |= {f"points/{name}": "PointCloud" for name in clouds}
            self._topics = {
                f"{self._prefix}/{name}": f"foxglove.{kind}" for name, kind in kinds.items()
            }
        return self._topics

    def _sensors(self) -> tuple[dict[str, d.Scan], dict[str, d.Fix]]:
        try:
            return dict(self.view.scans()), dict(self.view.fixes())
        except Exception as error:  # user code
            self.failed = str(error) or repr(error)
            return {}, {}

    def take(self, transforms: list[Json]) -> Iterator[tuple[str, str, Any]]:
        """Yield topic, schema and content, or entities of a scene; add the robot's transforms."""
        try:
            yield from self._take(transforms)
        except Exception as error:  # user code
            self.failed = str(error) or repr(error)

    def _take(self, transforms: list[Json]) -> Iterator[tuple[str, str, Any]]:
        self.topics()
        drawn = {**self.view.draw(), **self._static}
        name = self.robot.name
        at = self._pose(drawn)
        if self._has_place:
            transforms.append(_transform(self.world, name, *at))
        scene: list[Shape] = []
        pose = at
        part: d.Part
        for part in self._bodies:
            rows = entities.rows_of(part, drawn)
            tones = rows[:, -1:]
            scene += self._shapes(
                part, self.world, tones, partial(entities.bodies, name, part, rows, self.world)
            )
            if isinstance(part, d.Links):
                for number, row in enumerate(rows.tolist()):
                    frame = entities.frame_of_link(name, part.name, number)
                    transforms.append(_transform(self.world, frame, row[:3], row[3:7]))
                if part is self._bodies[0] and len(rows):
                    pose = (rows[-1, :3].tolist(), rows[-1, 3:7].tolist())
        if self._has_place:
            yield self._message("pose", _in_frame(self.world, pose=p.pose(*pose, 6)))
        drawing: list[Shape] = []
        for part in self._drawn:
            rides, rows = self._attached.split(part, entities.rows_of(part, drawn), at)
            frame = name if rides else self.world
            (scene if rides else drawing).extend(
                self._shapes(part, frame, rows, partial(entities.drawing, name, part, rows, frame))
            )
        yield self._message("scene", scene)
        yield self._message("drawing", drawing)
        for part in self._clouds:
            if part.name not in self._scans:
                content = fields.cloud(self.world, part, entities.rows_of(part, drawn))
                yield self._message(f"points/{part.name}", content)
        scans, fixes = self._sensors()
        for key, scan in scans.items():
            yield self._message(key, fields.scan(self.world, scan))
        for key, fix in fixes.items():
            if np.isfinite((fix.latitude_deg, fix.longitude_deg)).all():
                yield self._message(key, fields.fix(name, fix))

    def _shapes(
        self, part: d.Part, frame: str, rows: Any, make: Callable[[], Iterable[Json]]
    ) -> list[Shape]:
        """Return the entities of a part, which are made again if its rows change."""
        key = (frame, rows.tobytes())
        known = self._cached.get(part.name)
        if known is None or known[0] != key:
            known = self._cached[part.name] = (key, [shaped(one) for one in make()])
        return known[1]

    def _message(self, name: str, content: Any) -> tuple[str, str, Any]:
        topic = f"{self._prefix}/{name}"
        return topic, self._topics.get(topic, "foxglove.SceneUpdate"), content

    def _pose(self, drawn: Any) -> Place:
        """Return position and rotation of the robot, as its view draws the part `body`."""
        for part in self._drawn:
            if part.name == "body" and isinstance(part, d.Disc | d.Polygon):
                rows = entities.rows_of(part, drawn)
                if len(rows):
                    x, y, theta, _ = rows[0].tolist()
                    return (x, y, 0.0), p.about_z(theta)
        found = getattr(self.robot.truth(), "pose", None)
        if isinstance(found, tuple | list) and len(found) == 3:
            return (float(found[0]), float(found[1]), 0.0), p.about_z(float(found[2]))
        self._has_place = bool(self._bodies)  # an arm stands at the origin
        return p.ORIGIN, p.UPRIGHT


def _in_frame(frame: str, **content: Any) -> Json:
    return {"timestamp": p.stamp(0), "frame_id": frame, **content}


def _transform(parent: str, child: str, at: Any, turn: Any) -> Json:
    return {
        "timestamp": p.stamp(0),
        "parent_frame_id": parent,
        "child_frame_id": child,
        "translation": p.vector(at, 6),
        "rotation": p.rotation(turn),
    }
