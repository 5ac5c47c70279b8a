"""Protection of the machine: the field ahead of it, and contacts.

`look` measures the gap to obstacles, walls and robots. `feel` reports contacts: a new contact is
a collision, which stops the robot until it is acknowledged.
"""

import math
from collections.abc import Callable

import numpy as np

from rigless.kernel.body import Body
from rigless.kernel.robot import Robot
from rigless.kernel.world import World
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.path import DrivePath
from rigless.robots.agv.machine.sensing import Sensing
from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.motion.contacts import SHALLOW_M
from rigless.robots.agv.motion.floor import Floor, Touch
from rigless.robots.agv.motion.footprint import Point, footprint_of, placed, reach_of, with_load
from rigless.robots.agv.motion.obstacles import Walls, box_gap, disc_gap
from rigless.robots.agv.profile import SimulationProfile
from rigless.robots.agv.services import MachineServices
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.placement import overlaps_wall

STOP_M = 0.5  # default of obstacleStopDistanceMeters
MARGIN_M = 0.05  # default of fieldMarginMeters
WARN_MARGIN_M = 0.3  # default warning distance beyond the braking distance
LOOK_AHEAD_M = 1.0  # beyond the stop and the braking distance, for robots
NEARER = 1e-6  # m: overshoot of the stop distance, so that the stop is detected
REACTION_TICKS = 2  # reaction time of an oncoming robot
DEEPER_M = 0.01  # by which a robot that drives on in a contact collides again


class Protection:
    """The protection of one robot. `neighbours` returns all robots of its world."""

    def __init__(
        self,
        services: MachineServices,
        config: RobotConfig,
        profile: SimulationProfile,
        world: World,
        drive: DrivePath,
        const: m.Array,
        neighbours: Callable[[], list[Robot]],
    ):
        self._services, self._world, self._neighbours = services, world, neighbours
        self._drive, self._const = drive, const
        self.name, self._dt_s = config.identity.robotId, 1.0 / config.runtime.tickHz
        self.footprint = footprint_of(config.dimensions)
        self.sees_robots = profile.robotsAreObstacles
        mapped = config.runtime.mode == "MOCK" or profile.map is not None
        self._walls: Walls | None = None
        if mapped and isinstance(world, GridWorld):
            self._walls = Walls(world.grid)
        self._floor: Floor | None = None
        self.number = 0  # index on the floor
        self.version = 0  # of the footprint and the safety
        self._shown = -1  # the floor's obstacles at the last look at rest
        self._alone = False
        self._last: tuple[float, float, bool] | None = None  # that of the floor, at rest

    def bind(self, state: MachineState) -> None:
        """Use this state from now on."""
        self.state, self._last, self._shown = state, None, -1
        self.reshape()

    def reshape(self) -> None:
        """Use the footprint with the load that the robot carries."""
        self.version += 1
        load = self.state.load_size_m
        self._outline: tuple[bytes, list[Point]] | None = None  # the pose, and its corners
        self.corners: list[Point] = with_load(self.footprint, load) if load else self.footprint
        xs, ys = [x for x, _ in self.corners], [y for _, y in self.corners]
        self.front_m, self.rear_m = max(xs), -min(xs)
        self.half_width_m = max(max(ys), -min(ys))
        self._turn_m = reach_of(self.corners) - self.front_m  # extra room for corners in a turn
        if self._floor is not None:
            self._floor.changed()

    @property
    def size_m(self) -> tuple[float, float]:
        """The length and width of a rectangle around the robot's middle that holds it."""
        return 2 * max(self.front_m, self.rear_m), 2 * self.half_width_m

    def configure(self, config: RobotConfig) -> None:
        """Apply the safety of a config."""
        self.version += 1
        safety = config.safety
        self._stop_on_obstacle, self._stop_on_contact = (
            safety.stopOnObstacle,
            safety.stopOnCollision,
        )
        self._margin_m = MARGIN_M if safety.fieldMarginMeters is None else safety.fieldMarginMeters
        top, slowing = float(self._const[d.TOP_V]), float(self._const[d.DEC_V])
        brakes_m = 0.5 * top * top / slowing if slowing > 0.0 else 0.0
        self.stop_m = safety.obstacleStopDistanceMeters or STOP_M
        self._warn_m = safety.obstacleWarnDistanceMeters or self.stop_m + brakes_m + WARN_MARGIN_M
        self._range_m = max(self._warn_m, self.stop_m + brakes_m + LOOK_AHEAD_M)
        if self._floor is not None:
            self._floor.changed()

    def warm_up(self, state: MachineState) -> None:
        """Compile or load the numba functions, so that no live run waits for them."""
        place = (0.0, 0.0, 0.0, 1.0, 1.0)
        disc_gap(state.placed, *place)
        box_gap(np.zeros((0, 5)), *place)
        if self._walls is not None:
            self._walls.gap(*place, 1.0)
        if self._walls is not None or self.sees_robots:
            Floor((self,), (), World()).look(0, 0)

    # As the floor uses it

    @property
    def has_walls(self) -> bool:
        """True if the walls of a map are obstacles to the robot."""
        return self._walls is not None

    @property
    def walls(self) -> Walls | None:
        """The walls of the map, if they are obstacles to the robot."""
        return self._walls

    @property
    def last_look(self) -> tuple[float, float, bool] | None:
        """The gap, the free part of it, and if the turn is blocked, as last seen."""
        return self._last

    @property
    def knows_all(self) -> bool:
        """True if the robot has looked at all that it sees, at rest."""
        seen = self._floor is not None and self._floor.version in (0, self._shown)
        return seen and (self._last is not None or not self.sees_robots)

    def knobs(self) -> tuple[float, ...]:
        """Return the columns STOP_M to WALLED of a machine in together/step.py."""
        return (
            self.stop_m, self._warn_m, self._turn_m, self.front_m, self.rear_m, self.half_width_m,
            self._margin_m, self._stop_on_obstacle, self.sees_robots, self.has_walls,
        )  # fmt: skip

    @property
    def waits(self) -> bool:
        """True while the robot stands before an obstacle and has a path.

        The path of a robot that another process steps is not known here: such a robot drives.
        """
        state = self.state
        if not state.obstacle_stop:
            return False
        read = state.drive.item  # this runs in every tick of a blocked robot
        stands = read(d.V) == 0.0 and read(d.OMEGA) == 0.0
        return stands and (len(state.path) > int(read(d.LEG)) or read(d.PHASE) == d.ROLL)

    def footprint_message(self) -> list[Point]:
        """Return the corners on the map as they are published."""
        exact = self.state.drive[: d.V].tobytes()
        if self._outline is None or self._outline[0] != exact:
            corners = placed(self.corners, self._drive.pose)
            self._outline = exact, [(round(x, 4), round(y, 4)) for x, y in corners]
        return self._outline[1]

    def field_kind(self) -> tuple[float, ...]:
        """Return the robot's row of `kinds` in motion/field.py."""
        const = self._const
        return (
            float(const[d.DEC_V]),
            float(const[d.DEC_OMEGA]),
            REACTION_TICKS * self._dt_s,
            self._margin_m,
            reach_of(self.corners),
            0.0,
            self._range_m,
            1.0 if self.sees_robots else 0.0,
        )

    def floor(self) -> Floor:
        """Return the floor, which all robots of this world share."""
        if self._floor is None:
            near = self._neighbours()
            found = [getattr(getattr(robot, "machine", None), "protection", None) for robot in near]
            machines = [one for one in found if isinstance(one, Protection)]
            others = [robot for robot, one in zip(near, found, strict=True) if one is None]
            floor = Floor(machines, others, self._world)
            for number, protection in enumerate(machines):
                protection._floor, protection.number = floor, number
            self._alone = len(near) == 1 and self._walls is None
            assert self._floor is not None
        return self._floor

    def why_not(self, x_m: float, y_m: float) -> str:
        """Return why the robot cannot stand at a place of its map with any heading, or ""."""
        if self._walls is None:
            return ""
        body = Body(x_m, y_m, 0.0, min(self.half_width_m, self.front_m, self.rear_m))
        if why := self._world.why_outside(body):
            return f"it is {why}"
        assert isinstance(self._world, GridWorld)
        return "the robot would overlap a wall" if overlaps_wall(self._world.grid, body) else ""

    def before_wall(self) -> bool:
        """Return True if the robot stands before a wall of the map and has a path beyond it."""
        state = self.state
        if self._walls is None or not self.waits or int(state.drive[d.PHASE]) != d.ROLL:
            return False
        x, y, theta = self._drive.pose
        back = self._drive.backwards
        place = x, y, theta + (math.pi if back else 0.0), self.rear_m if back else self.front_m
        ahead = min(d.stretch(state.drive, state.path, self._const), 2.0 * self._warn_m)
        return bool(self._walls.gap(*place, self.half_width_m, ahead) <= self.stop_m)

    # The field

    def watches(self, state: MachineState) -> bool:
        """Return True if something may be in the path."""
        return bool(
            self._walls is not None
            or state.obstacle_m < math.inf
            or len(state.placed)
            or self._world.state.obstacles
            or (self.sees_robots and not self._is_alone)
        )

    def disturbed(self, now_ns: int) -> bool:
        """Return True if the field of a robot at rest may have changed."""
        if self._world.state.obstacles or self._shown > 0:
            shown = (self._floor or self.floor()).shown(self.number, now_ns)
            if shown != self._shown:
                self._shown = shown
                return True
        if not self.sees_robots or self._is_alone:
            return False
        floor = self._floor or self.floor()
        return floor.look(self.number, now_ns) != self._last

    @property
    def _is_alone(self) -> bool:
        if self._floor is None:
            self.floor()
        return self._alone

    def look(self, state: MachineState, sensing: Sensing, now_ns: int) -> float:
        """Update the distance to the nearest obstacle. Return how far the robot may drive."""
        drive = state.drive
        given = self._services.input.get("obstacle_m", -1.0)
        found = min(state.ahead_m, state.remote.ahead_m, given if given >= 0.0 else math.inf)
        read = drive.item  # far quicker than indexing
        phase = int(read(d.PHASE))
        back, turns = phase != d.REST and read(d.BACK) > 0.0, phase in (d.SWING, d.ALIGN)
        pose = read(d.X), read(d.Y), read(d.THETA) + (math.pi if back else 0.0)
        length_m = self.rear_m if back else self.front_m
        place = *pose, length_m, self.half_width_m + self._margin_m
        if len(state.placed):
            found = min(found, disc_gap(state.placed, *place))
        if self._world.state.obstacles:
            discs, boxes = (self._floor or self.floor()).shapes(self.number, now_ns)
            found = min(found, disc_gap(discs, *place), box_gap(boxes, *place))
        if self._walls is not None and phase == d.ROLL:
            # A wall beyond the next stop is no obstacle.
            ahead = min(d.stretch(drive, state.path, self._const), 2.0 * self._warn_m)
            found = min(found, self._walls.gap(*pose, length_m, self.half_width_m, ahead))
        free, blocked = math.inf, found <= (self._turn_m if turns else self.stop_m)
        if self.sees_robots and not self._is_alone:
            floor = self._floor or self.floor()
            self._last = floor.look(self.number, now_ns)
            gap, free, turn = self._last
            if floor.others_here:
                others = floor.gap_to_others(place)
                gap, free = min(gap, others), min(free, others)
            found = 0.0 if turns and turn else min(found, gap)
            blocked = blocked or (turn if turns else gap <= self.stop_m)
        if blocked != state.blocked:
            state.blocked = blocked
            if sensing.guards:
                sensing.sample(state)
        violated = state.remote.violated or state.guarded
        stop = self._stop_on_obstacle and (blocked or violated)
        near = found <= self._warn_m or violated
        if found != state.obstacle_m or near != state.field_violation:
            state.changes += 1
        state.obstacle_m, state.obstacle_stop, state.field_violation = found, stop, near
        room = min(found if near else math.inf, free) - self.stop_m + NEARER
        return room if self._stop_on_obstacle else math.inf

    def circle(self) -> list[str]:
        """Return the robots that block each other in a circle with this one, or []."""
        if not self.sees_robots or not self.waits or self._is_alone:
            return []
        return self.floor().circle(self.number)

    def is_taken(self, x_m: float, y_m: float) -> bool:
        """Return True if another robot stands at a point."""
        return (self._floor or self.floor()).is_taken(self.number, x_m, y_m, self._services.now_ns)

    # Contacts

    def feel(self, state: MachineState, now_ns: int) -> bool:
        """Report new contacts. Return True if one of them stops the robot."""
        if not state.touching and not self._world.state.obstacles and self._is_alone:
            return False
        touches = (self._floor or self.floor()).touches(self.number, now_ns)
        if not touches and not state.touching:
            return False
        found = {f"{touch.kind}:{touch.other}": touch for touch in touches}
        state.touching = {key: depth for key, depth in state.touching.items() if key in found}
        hit = False
        for key, touch in found.items():
            before = state.touching.get(key)
            deeper = before is not None and touch.depth_m > before + DEEPER_M
            if deeper and touch.closing_mps == 0.0:  # the obstacle moves: it is the same contact
                state.touching[key], deeper = touch.depth_m, False
            if (before is None and touch.depth_m > SHALLOW_M) or (deeper and self._stop_on_contact):
                state.touching[key] = touch.depth_m
                state.collisions.append(_data(touch))
                hit = True
        state.collided = state.collided or (hit and self._stop_on_contact)
        return hit and self._stop_on_contact

    def moved(self) -> None:
        """Note that the robot has moved."""
        if self._floor is not None:
            self._floor.moved()


def _data(touch: Touch) -> dict[str, str | float]:
    """Return a contact as the data of an event."""
    return {
        "other": touch.other,
        "kind": touch.kind,
        "x": round(touch.x_m, 3),
        "y": round(touch.y_m, 3),
        "closingMps": round(touch.closing_mps, 3),
    }
