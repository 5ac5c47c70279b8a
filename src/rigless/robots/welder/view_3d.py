"""The welder in 3D: arm, cell, a ghost at the end of the queue, planned path, weld, and reach.

Contacts of the drawn pose come from a collider of its own, so drawing does not affect the collision
look-ahead of the run.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel import drawing
from rigless.kernel.drawing import Axes, Cloud, Curve, Links, Scene, Trail
from rigless.kernel.problems import InputError
from rigless.motion import planner as p
from rigless.motion.arm import kinematics
from rigless.motion.arm.broad_phase import box_frames
from rigless.motion.arm.reach_map import read_map
from rigless.robots.welder.arm.body import torch
from rigless.robots.welder.arm.guard import make_collider
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm_description import describe
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.gcode.modal import AXES
from rigless.robots.welder.process import bead
from rigless.worlds.cells.cell import Cell
from rigless.worlds.cells.solids import Solid
from rigless.worlds.frames import Matrix, frame

if TYPE_CHECKING:
    from rigless.motion.arm.collision import Collider, Contact

Rows = NDArray[np.float32]
NOTHING: Rows = np.empty((0, 4), np.float32)
BROKEN = np.full((1, 4), np.nan)
HIT = 1.0  # the tone of what touches, or is within its margin
THERE_DEG = 0.05  # nearer to the end of the queue than this, no ghost is needed
CHORD_DEG = 3.0
WAY_MOST, REACH_MOST = 400, 40_000  # points that are drawn
COLD, HOT = "#4a7bd0", "#ff3a1c"
FRESH, OLD = "#fff6d8", "#6b5535"
ARC = "#e4f4ff"
OLD_S, AGED_S = 60.0, 2.0  # age of the last colour; step of the age
REACHED = ("#d8503c", "#e8c33a", "#35b37e")  # from one direction to all
TURNS, HEIGHTS = 13, 25


class View3D:
    def __init__(self, robot: Any):
        self.robot = robot
        self.cell: Cell = robot.cell or Cell()
        self._collider: Collider | None = None
        self._way: tuple[Any, Rows] = ((), NOTHING)
        config: WelderConfig = robot.config
        description = describe(config.urdf, config.tcp_link)
        drawn = description.tool is not None
        links = (*description.links, torch(config, robot.arm.flange_T_torch, drawn))
        self.names = tuple(link.name for link in links)
        self._origins = np.array([joint.origin for joint in description.joints])
        self._axes = np.array([joint.axis for joint in description.joints])
        self._carriers = np.array([*range(AXES + 1), AXES])
        self._frames = np.array([*[np.eye(4)] * (AXES + 1), description.flange])
        self._reach, trouble = _reach(config.visualization.reach_map)
        self.parts = tuple(self._parts(config, links, trouble))

    def _parts(self, config: WelderConfig, links: Any, trouble: str) -> Any:
        look = config.visualization
        robot, ghost, collision = (
            _paint(one) for one in (look.robot_color, look.ghost_robot_color, look.collision_color)
        )
        tones = (collision,)
        bodies = [link.visuals or link.solids for link in links]
        yield Links("arm", "Robot", _links(bodies, robot), tones, colour=robot)
        if self.cell.things:
            yield Scene(
                "cell",
                "Cell",
                tuple(drawn(one.solid, one.colour or "plain") for one in self.cell.things),
                tones,
            )
        yield Links(
            "ghost",
            "Ghost at the target",
            _links(bodies, ghost, True),
            tones,
            "ghost",
            colour=ghost,
        )
        way = _paint(look.trajectory_color)
        yield Curve("way", "Planned path", way, width_px=2.5, shown=look.show_trajectory_preview)
        yield Curve("preview", "Program path", "ghost", width_px=1.5)
        weld = _paint(look.weld_color)
        ramp = (COLD, weld, HOT) if look.weld_trail_by == "heat" else (FRESH, weld, OLD)
        label = "Weld, by heat" if look.weld_trail_by == "heat" else "Weld, by age"
        yield Curve("weld", label, weld, ramp, 6.0, shown=look.show_weld_trail)
        yield Cloud("arc", "Arc", ARC, size_m=0.03)
        yield Trail("torch", "Torch path", shown=False)
        yield Axes("frames", "Work and torch frames", 0.12)
        around = [
            drawn(_grown(one.solid, self._margin_m(one.margin_m)), collision)
            for one in self.cell.things
        ]
        volumes = (*_links([link.solids for link in links], collision, True), tuple(around))
        yield Links(
            "volumes",
            "Collision volumes",
            volumes,
            tones,
            "wire",
            colour=collision,
            shown=look.show_collision_volumes,
        )
        yield Curve(
            "boundary", "Workspace", "path", width_px=1.5, shown=look.show_workspace_boundary
        )
        if look.reach_map:
            size_m = 0.14 * self._reach.resolution_m if self._reach else 0.02
            label = f"Reach map {trouble}" if trouble else "Reachable places"
            yield Cloud("reach", label, REACHED[-1], REACHED, size_m)

    def _margin_m(self, own_m: float) -> float:
        return own_m + self.cell.margin_m + self.robot.config.collision.margin_mm / 1000

    def draw_static(self) -> dict[str, Any]:
        found: dict[str, Any] = {"boundary": _boundary(self.robot.arm, self.robot.config)}
        if self._reach is not None:
            found["reach"] = _reached(self._reach)
        return found

    def draw(self, at_deg: NDArray[np.float64]) -> dict[str, Any]:
        state, contacts = self.robot.state, self._contacts(np.radians(at_deg))
        tones = {name: HIT for one in contacts for name in (one.link, one.other)}
        target_deg = state.run[p.POSITION : p.POSITION + AXES]
        arm = self.frames(at_deg)
        poses = [pose(one) for one in arm]
        tip = arm[-1] @ self.robot.arm.flange_T_torch
        found = {
            "arm": [
                (*one, tones.get(name, 0.0)) for name, one in zip(self.names, poses, strict=True)
            ],
            "volumes": [(*one, 0.0) for one in (*poses, pose(frame()))],
            "frames": [*([pose(self.cell.work)] if self.cell.things else []), pose(tip)],
            "way": self._way_rows(),
            "preview": self.robot.preview,
            "weld": self._weld_rows(),
        }
        if self.cell.things:
            found["cell"] = [(tones.get(thing.name, 0.0),) for thing in self.cell.things]
        if state.weld.arc_on:
            found["arc"] = [(*tip[:3, 3], 0.0)]
        if np.abs(target_deg - at_deg).max() > THERE_DEG:
            found["ghost"] = [(*pose(one), 0.0) for one in self.frames(target_deg)]
        return found

    def frames(self, joints_deg: NDArray[np.float64]) -> list[Matrix]:
        """Return the frames of base, links and torch holder in the base frame."""
        placed = box_frames(
            self._origins, self._axes, np.radians(joints_deg), self._carriers, self._frames
        )
        return [np.vstack((one, (0, 0, 0, 1))) for one in placed]

    def _contacts(self, joints_rad: NDArray[np.float64]) -> "list[Contact]":
        if self.robot.checker is None:
            return []
        if self._collider is None:
            self._collider = make_collider(self.robot.config, self.robot.cell)
        return self._collider.contacts(joints_rad)

    def _way_rows(self) -> Rows:
        """Return the torch path through the current block and all queued ones."""
        state = self.robot.state
        count = int(state.run[p.COUNT])
        key = (state.tag, int(state.run[p.FIRST]), count)
        if key != self._way[0]:
            self._way = (key, self._through(count) if count else NOTHING)
        return self._way[1]

    def _through(self, count: int) -> Rows:
        state, robot = self.robot.state, self.robot
        rows = (int(state.run[p.FIRST]) + np.arange(count)) % (len(state.blocks) - p.PIECE_ROWS)
        ends, first = state.blocks[rows, p.END : p.END + AXES], state.blocks[rows[0]]
        begin = first[p.END : p.END + AXES] - first[p.LENGTH] * first[p.UNIT : p.UNIT + AXES]
        corners = np.vstack((begin, ends))
        turned = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(corners, axis=0)).max(axis=1))))
        between = np.linspace(0.0, turned[-1], min(int(turned[-1] / CHORD_DEG) + 2, WAY_MOST))
        marks = np.union1d(between, turned[:: -(-len(turned) // WAY_MOST)])
        joints = np.column_stack(
            [np.interp(marks, turned, corners[:, axis]) for axis in range(AXES)]
        )
        return _curve(kinematics.tool_places(robot.arm.links, robot.arm.tool_m, joints), 0.0)

    def _weld_rows(self) -> Rows:
        robot, config = self.robot, self.robot.config
        if not robot.state.bead:
            return NOTHING
        laid = np.array(robot.state.bead)
        if config.visualization.weld_trail_by == "heat":
            process = config.welding
            usual = (
                process.efficiency
                * process.voltage_v
                * process.current_a
                / (1000 * process.travel_mmps)
            )
            shades = np.clip(laid[:, bead.HEAT_KJPMM] / (2 * usual), 0, 1)
        else:
            age_s = robot.now_ns * 1e-9 - laid[:, bead.TIME_S]
            shades = np.clip(np.floor(age_s / AGED_S) * AGED_S / OLD_S, 0, 1)
        found = _curve(laid[:, bead.PLACE_M :], shades)
        breaks = np.flatnonzero(np.diff(laid[:, bead.ARC])) + 1
        return np.insert(found, breaks, BROKEN, axis=0)


def _curve(places: NDArray[np.float64], shades: Any) -> Rows:
    return np.column_stack((places, np.broadcast_to(shades, len(places)))).astype(np.float32)


def _paint(colour: int) -> str:
    return f"#{colour:06x}"


def _links(bodies: Any, colour: str, plain: bool = False) -> tuple[tuple[drawing.Solid, ...], ...]:
    """Return each link's solids, in their own colours unless `plain`."""
    return tuple(
        tuple(drawn(one, (not plain and one.colour) or colour) for one in link) for link in bodies
    )


def drawn(solid: Solid, colour: str) -> drawing.Solid:
    *at, qx, qy, qz, qw = pose(solid.pose)
    mesh = solid.mesh
    points = np.asarray(mesh.vertices_m, "<f4").tobytes() if mesh is not None else b""
    triangles = np.asarray(mesh.triangles, "<u4").tobytes() if mesh is not None else b""
    turn = (qx, qy, qz, qw)
    return drawing.Solid(
        solid.kind, solid.size_m, (at[0], at[1], at[2]), colour, turn, points, triangles, solid.name
    )


def _grown(solid: Solid, by_m: float) -> Solid:
    """Return the solid enlarged by its margin; a mesh is not enlarged."""
    sizes = {"box": (2 * by_m,) * 3, "cylinder": (by_m, 2 * by_m), "sphere": (by_m,), "mesh": ()}[
        solid.kind
    ]
    size_m = tuple(side + more for side, more in zip(solid.size_m, sizes, strict=True))
    return Solid(solid.name, solid.kind, size_m, solid.pose, solid.mesh)


def _reach(file: str) -> tuple[Any, str]:
    """Return the map and a problem with it, which does not break the page."""
    try:
        return (read_map(Path(file)) if file else None), ""
    except InputError as error:
        return None, str(error.problems[0])


def _reached(found: Any) -> Rows:
    there = np.flatnonzero(found.reached > 0)
    there = there[:: -(-len(there) // REACH_MOST) or 1]
    return _curve(
        found.places_m[there], (found.reached[there] - 1) / max(len(found.directions) - 1, 1)
    )


def _boundary(arm: Arm, config: WelderConfig) -> Rows:
    """Return the limit of the torch at each height, all around, as meridians and parallels."""
    low, high = np.array(config.limits.low_deg), np.array(config.limits.high_deg)
    some = [np.linspace(low[axis], high[axis], 37 if axis < 3 else 13) for axis in (1, 2, 4)]
    grid = np.stack(np.meshgrid(*some, indexing="ij"), axis=-1).reshape(-1, 3)
    joints = np.zeros((len(grid), AXES))
    joints[:, (1, 2, 4)] = grid
    places = kinematics.tool_places(arm.links, arm.tool_m, joints)
    out_m, high_m = np.hypot(places[:, 0], places[:, 1]), places[:, 2]
    heights = np.linspace(0.0, high_m.max(), HEIGHTS)
    near = np.clip(np.round(high_m / heights[1]).astype(int), -1, HEIGHTS - 1)
    reach = np.array([out_m[near == n].max(initial=0.0) for n in range(HEIGHTS)])
    turns, fine = (
        _headings(arm, np.linspace(low[0], high[0], count)) for count in (TURNS, 6 * TURNS)
    )
    lines = [
        np.column_stack((reach * np.cos(turn), reach * np.sin(turn), heights)) for turn in turns
    ]
    lines += [
        np.column_stack(
            (reach[n] * np.cos(fine), reach[n] * np.sin(fine), np.full(len(fine), heights[n]))
        )
        for n in range(0, HEIGHTS, 4)
    ]
    return np.vstack([one for line in lines for one in (_curve(line, 0.0), BROKEN)]).astype(
        np.float32
    )


def _headings(arm: Arm, joint_1_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the directions that angles of joint 1 turn the arm to, for a vertical axis 1."""
    first = arm.links[0]
    zero = np.arctan2(first[1, 0], first[0, 0])
    found: NDArray[np.float64] = zero + np.sign(first[2, 2]) * np.radians(joint_1_deg)
    return found


def warm_up(arm: Arm) -> None:
    """Have numba compile the functions of drawing."""
    eye = np.array([np.eye(4)] * AXES)
    box_frames(
        eye, np.eye(3)[[2] * AXES], np.zeros(AXES), np.zeros(1, np.int64), np.array([frame()])
    )
    kinematics.tool_places(arm.links, arm.tool_m, np.zeros((1, AXES)))


def pose(frame: NDArray[np.float64]) -> tuple[float, ...]:
    """Return x, y, z and the quaternion x, y, z, w of a 4×4 frame."""
    r = frame[:3, :3]
    squares = 1.0 + np.array(
        [
            r[0, 0] - r[1, 1] - r[2, 2],
            r[1, 1] - r[0, 0] - r[2, 2],
            r[2, 2] - r[0, 0] - r[1, 1],
            np.trace(r),
        ]
    )
    largest = int(np.argmax(squares))
    rows = (
        (squares[0], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[2, 1] - r[1, 2]),
        (r[0, 1] + r[1, 0], squares[1], r[1, 2] + r[2, 1], r[0, 2] - r[2, 0]),
        (r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], squares[2], r[1, 0] - r[0, 1]),
        (r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], squares[3]),
    )
    quaternion = np.array(rows[largest]) / (2.0 * np.sqrt(squares[largest]))
    return (*(float(value) for value in frame[:3, 3]), *(float(value) for value in quaternion))
