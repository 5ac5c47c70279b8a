"""Driving along the base of an order: paths of the machine, passed nodes, and what stops it.

The machine gets the nodes up to the next one where the robot has to stand: a node or an edge after
it with SOFT or HARD actions, or the end of the base. It gets more while it drives, if an update
releases more.
"""

import itertools
import math

from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.services import Services
from rigless.robots.agv.vda5050.acceptance import turned_by
from rigless.robots.agv.vda5050.actions import STANDING, Actions
from rigless.robots.agv.vda5050.core_functions import CoreFunctions
from rigless.robots.agv.vda5050.geometry.curves import Point, chords, waypoints
from rigless.robots.agv.vda5050.zones import Zones
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.state import OrderState, VdaState

STRAY_M = 0.05  # beyond a corridor before it counts as left
SEEN_NODES = 2  # after the reach of the path ahead
MOST_CURVES = 100  # whose waypoints are remembered


class Driving:
    def __init__(
        self,
        services: Services,
        state: VdaState,
        machine: Machine,
        core: CoreFunctions,
        actions: Actions,
        zones: Zones,
        tick_s: float,
    ):
        self._services, self._state, self._machine = services, state, machine
        self._core, self._actions, self._zones, self._tick_s = core, actions, zones, tick_s
        self._line: tuple[r.Edge, list[Point]] | None = None  # of a curve with a corridor
        self._rest: tuple[object, list[Waypoint], list[int]] = (None, [], [])  # see `ahead`
        self._curves: dict[int, tuple[r.Edge, float | None, list[Waypoint]]] = {}  # by sequenceId

    @property
    def held(self) -> bool:
        """True if something other than an action keeps the robot from driving."""
        state = self._state
        return bool(
            state.order.cancelling
            or state.astray
            or state.unreachable
            or state.mode == "INTERVENED"
            or (state.requests and self._zones.lost())
            or not self.localized
        )

    @property
    def localized(self) -> bool:
        return self._services.fault("localization", "lost") is None

    def tick(self) -> None:
        state, order = self._state, self._state.order
        if state.leases:
            self._zones.releases.expire()
        if order.sent:
            self._watch()
        if order.edges and order.entered == order.edges[0].sequenceId:
            self._watch_corridor(order.edges[0])
        if state.zones_changed:
            state.zones_changed = False
            self.halt()  # `_begin` goes on with what is allowed now
        if state.requests:
            self._zones.ask_again()
        if order.sent and (self.held or self._actions.standing()):
            self.halt()
        if order.nodes and not order.sent and not self.held:
            self._begin()

    # Paths

    def _begin(self) -> None:
        """Enter the next edge and drive on, as far as the base and the actions allow."""
        order = self._state.order
        node, edge = order.nodes[0], order.edges[0]
        if not node.released or self._actions.standing():
            return
        if order.entered != edge.sequenceId:
            if self._zones.against():
                self._state.unreachable, self._state.session.changed = node.nodeId, True
                return
            if not self._zones.may_enter(edge):
                return
            self._enter(edge)
            if self._actions.standing():
                return
        elif not self._zones.may_stay(edge):
            return
        order.job = self._core.hold_drive(order.job)
        if not order.job:
            return
        if self._core.charging:
            self._core.charge(False)
        order.marks, order.sent = [], self._stretch(0)
        self._machine.drive.go(self._path(0, order.sent))

    def _enter(self, edge: r.Edge) -> None:
        order = self._state.order
        order.entered = edge.sequenceId
        order.edge_start = self._machine.drive.pose[:2]
        self._actions.trigger(edge.actions, edge.sequenceId)
        self._state.session.changed = True

    def _stretch(self, first: int, last: int | None = None) -> int:
        """Return how many nodes lie up to the next one where the robot stands, at most `last`."""
        order = self._state.order
        last = len(order.nodes) if last is None else last
        for index in range(first, last):
            node = order.nodes[index]
            after = order.nodes[index + 1] if index + 1 < len(order.nodes) else None
            if after is None or not after.released or _stands(node):
                return index + 1
            edge = order.edges[index + 1]
            if _stands(edge) or not self._zones.may_enter(edge, ask=False):
                return index + 1
        return last

    def _path(self, first: int, last: int) -> list[Waypoint]:
        """Return the waypoints of nodes, and note how many lead to each."""
        marks = self._state.order.marks
        before = marks[-1] if marks else 0
        found, counts = self._waypoints(first, last)
        marks += [before + count for count in counts]
        return found

    def ahead(self, reach_m: float) -> tuple[list[Waypoint], list[Waypoint], int, int]:
        """Return the path along the base: to the next node, and after it.

        The third value is the number of its waypoints up to the next node where the robot stands,
        or a node beyond `reach_m`. The fourth is larger by some that the robot sees ahead, if it
        does not stand. The second list is the same object until the path changes.
        """
        order = self._state.order
        base = sum(node.released for node in order.nodes)
        if not base:
            return [], [], 0, 0
        first = self._waypoints(0, 1)[0]
        key = order.order_id, order.update_id, order.nodes[0].sequenceId, base, self._zones.enabled
        if self._rest[0] != key:
            self._rest = key, *self._waypoints(1, base)
        gone, nodes, at = 0.0, 0, self._machine.drive.pose[:2]
        while nodes < base and gone <= reach_m:
            to = _place(order.nodes[nodes])
            gone, at, nodes = gone + math.dist(at, to), to, nodes + 1
        _, rest, counts = self._rest
        counts = [len(first), *(len(first) + count for count in counts)]
        passed = self._stretch(0, min(nodes + SEEN_NODES, base))
        return first, rest, counts[min(nodes, passed) - 1], counts[passed - 1]

    def _waypoints(self, first: int, last: int) -> tuple[list[Waypoint], list[int]]:
        """Return the waypoints of nodes, and how many lead to each."""
        order, found, counts = self._state.order, list[Waypoint](), list[int]()
        heading = self._machine.drive.pose[2]
        at = self._machine.drive.pose[:2] if first == 0 else _place(order.nodes[first - 1])
        for index in range(first, last):
            node, edge = order.nodes[index], order.edges[index]
            speed, turn = self._zones.limit_mps(edge), edge.maxRotationSpeed
            to = _place(node)
            back = (turned_by(edge, _start(order, index, at), to) or 0.0) > 0.5 * math.pi
            if edge.trajectory is not None:
                curve = self._curve(edge, edge.trajectory, speed, back)
                found += _remainder(curve, at) if index == 0 else curve
            start = (found[-1].x, found[-1].y) if found else at
            if math.dist(start, to) > 1e-6:
                heading = math.atan2(to[1] - start[1], to[0] - start[0]) + (math.pi if back else 0)
            theta = _theta(node, heading)
            if edge.trajectory is not None and found:
                speed = min(speed or math.inf, found[-1].max_speed or math.inf)
            follows = order.edges[index + 1] if index + 1 < len(order.edges) else edge
            bend = edge.trajectory is not None or follows.trajectory is not None
            found.append(Waypoint(*to, theta, speed, theta is not None, bend, back, turn))
            heading, at = heading if theta is None else theta, to
            counts.append(len(found))
        return found, counts

    def _curve(
        self, edge: r.Edge, shape: r.Trajectory, speed: float | None, back: bool
    ) -> list[Waypoint]:
        """Return the waypoints of a trajectory; the last ones are remembered."""
        known = self._curves.get(edge.sequenceId)
        if known is None or known[0] is not edge or known[1] != speed:
            if len(self._curves) >= MOST_CURVES:
                self._curves.clear()
            found = waypoints(shape, speed, edge.maxRotationSpeed, back, self._tick_s)
            self._curves[edge.sequenceId] = known = edge, speed, found
        return known[2]

    def extend(self) -> None:
        """Drive farther without a stop, after an update that released more."""
        order = self._state.order
        if not order.sent or order.sent >= len(order.nodes) or self._machine.drive.arrived:
            return
        last = order.nodes[order.sent - 1]
        edge = order.edges[order.sent]
        if _stands(last) or _stands(edge) or not order.nodes[order.sent].released:
            return
        if not self._zones.may_enter(edge, ask=False):
            return
        farther = self._stretch(order.sent)
        path = self._path(order.sent, farther)
        order.sent = farther
        self._machine.drive.extend(path)

    def halt(self) -> None:
        """Stop within the limits of the motors; the order is kept."""
        order = self._state.order
        order.sent, order.marks = 0, []
        if self._core.holds_drive(order.job):
            self._machine.drive.halt()
        self._core.release_drive(order.job)
        order.job = 0

    # Progress

    def _watch(self) -> None:
        """Pass the nodes that the machine has reached."""
        order, drive = self._state.order, self._machine.drive
        if not self._core.holds_drive(order.job):  # a failed motor ended it
            order.sent, order.marks = 0, []
            return
        if not len(drive.state.path):  # stopped at the robot itself
            order.sent, order.marks = 0, []
            self._core.pause(True)
            return
        while order.marks and drive.reached >= order.marks[0]:
            order.marks.pop(0)
            order.sent -= 1
            self.pass_node()
        if order.sent == 0:
            self._core.release_drive(order.job)
            order.job = 0
        elif self._machine.obstacle_stop and self._machine.protection.before_wall():
            self._state.unreachable = order.nodes[0].nodeId
            self._state.session.changed = True

    def pass_node(self) -> None:
        """Pass the next node: its edge ends, its actions are triggered, the next edge begins."""
        order = self._state.order
        node, edge = order.nodes.pop(0), order.edges.pop(0)
        if order.entered == edge.sequenceId:
            self._actions.end_edge(edge.sequenceId)
        self._zones.left(edge)
        self.stand_on(node)
        if order.sent and order.edges:
            self._enter(order.edges[0])

    def stand_on(self, node: r.Node) -> None:
        order = self._state.order
        order.last_node, order.last_sequence = node.nodeId, node.sequenceId
        order.odometer_m = self._machine.drive.odometer_m
        order.last_place = self._machine.drive.pose[:2]
        if node.nodePosition is not None:
            self._machine.state.map_id = node.nodePosition.mapId
        self._actions.trigger(node.actions, node.sequenceId)
        self._state.session.changed = True

    def _watch_corridor(self, edge: r.Edge) -> None:
        """Stop while the robot is outside the corridor of its edge."""
        state, corridor = self._state, edge.corridor
        if corridor is None:
            return
        aside = _aside(self._line_of(edge), self._machine.drive.pose[:2])
        room = corridor.leftWidth if aside > 0 else corridor.rightWidth
        if corridor.corridorRefPoint == "CONTOUR":
            room -= self._machine.protection.half_width_m
        astray = edge.edgeId if abs(aside) > room + STRAY_M else ""
        if astray != state.astray:
            state.astray, state.session.changed = astray, True

    def _line_of(self, edge: r.Edge) -> list[Point]:
        """Return the line of the edge that the robot is on."""
        if edge.trajectory is None:
            return [self._state.order.edge_start, _place(self._state.order.nodes[0])]
        if self._line is None or self._line[0] is not edge:
            self._line = edge, chords(edge.trajectory)
        return self._line[1]

    @property
    def driving(self) -> bool:
        """True while the robot moves or turns, or is about to go on at once."""
        drive = self._machine.drive
        return drive.driving or bool(
            self._state.order.sent
            and self._machine.drive_allowed
            and not self._machine.obstacle_stop
            and (drive.rolling or drive.turning)
        )


def _stands(part: r.Node | r.Edge) -> bool:
    return any(action.blockingType in STANDING for action in part.actions)


def _place(node: r.Node) -> tuple[float, float]:
    assert node.nodePosition is not None
    return node.nodePosition.x, node.nodePosition.y


def _start(order: OrderState, index: int, at: Point) -> Point:
    """Return the start of an edge that is still to be driven; `at` if the robot is on it."""
    if index:
        return _place(order.nodes[index - 1])
    return order.edge_start if order.entered == order.edges[0].sequenceId else at


def _theta(node: r.Node, heading: float) -> float | None:
    """Return the heading to turn to at a node, or None if any within its deviation will do."""
    place = node.nodePosition
    assert place is not None
    if place.theta is None:
        return None
    off = abs(math.remainder(place.theta - heading, 2 * math.pi))
    return None if off <= abs(place.allowedDeviationTheta or 0.0) else place.theta


def _remainder(curve: list[Waypoint], at: Point) -> list[Waypoint]:
    """Return the part of a curve beyond its point that is nearest to the robot."""
    if not curve:
        return curve
    nearest = min(range(len(curve)), key=lambda k: math.dist((curve[k].x, curve[k].y), at))
    return curve[nearest + 1 :] if nearest else curve


def _aside(line: list[Point], at: Point) -> float:
    """Return the distance of a point from a line of chords, positive to the left of it."""
    found, nearest = 0.0, math.inf
    for start, end in itertools.pairwise(line):
        dx, dy, px, py = end[0] - start[0], end[1] - start[1], at[0] - start[0], at[1] - start[1]
        square = dx * dx + dy * dy
        if square < 1e-18:
            continue
        part = min(max((px * dx + py * dy) / square, 0.0), 1.0)
        off = math.hypot(px - part * dx, py - part * dy)
        if off < nearest:
            nearest, found = off, math.copysign(off, dx * py - dy * px)
    return found
