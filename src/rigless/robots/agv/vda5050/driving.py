"""Driving along the base of an order: paths of the machine, passed nodes, and what stops it.

The machine gets the nodes up to the next one where the robot has to stand: a node or an edge after
it with SOFT or HARD actions, or the end of the base. It gets more while it drives, if an update
releases more.
"""

import math

from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.services import Services
from rigless.robots.agv.vda5050.actions import STANDING, Actions
from rigless.robots.agv.vda5050.core_functions import CoreFunctions
from rigless.robots.agv.vda5050.curves import waypoints
from rigless.robots.agv.vda5050.zones import Zones
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.state import VdaState

STRAY_M = 0.05  # beyond a corridor before it counts as left


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

    @property
    def held(self) -> bool:
        """True if something other than an action keeps the robot from driving."""
        state = self._state
        return bool(
            state.order.cancelling
            or state.astray
            or self._zones.holds
            or self._services.fault("localization", "lost") is not None
        )

    def tick(self) -> None:
        order = self._state.order
        if order.sent:
            self._watch()
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
            if not self._zones.may_enter(edge):
                return
            self._enter(edge)
            if self._actions.standing():
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

    def _stretch(self, first: int) -> int:
        """Return how many nodes lie up to the next one where the robot stands."""
        order = self._state.order
        for index in range(first, len(order.nodes)):
            node = order.nodes[index]
            after = order.nodes[index + 1] if index + 1 < len(order.nodes) else None
            if after is None or not after.released or _stands(node):
                return index + 1
            edge = order.edges[index + 1]
            if _stands(edge) or not self._zones.may_enter(edge, ask=False):
                return index + 1
        return len(order.nodes)

    def _path(self, first: int, last: int) -> list[Waypoint]:
        """Return the waypoints of nodes, and note how many lead to each."""
        order, found = self._state.order, list[Waypoint]()
        before = order.marks[-1] if order.marks else 0
        heading = self._machine.drive.pose[2]
        at = self._machine.drive.pose[:2] if first == 0 else _place(order.nodes[first - 1])
        for index in range(first, last):
            node, edge = order.nodes[index], order.edges[index]
            speed = self._zones.limit_mps(edge)
            if edge.trajectory is not None:
                found += waypoints(edge.trajectory, speed, self._tick_s)
            to = _place(node)
            start = (found[-1].x, found[-1].y) if found else at
            if math.dist(start, to) > 1e-6:
                heading = math.atan2(to[1] - start[1], to[0] - start[0])
            theta = _theta(node, heading)
            if edge.trajectory is not None and found:
                speed = min(speed or math.inf, found[-1].max_speed or math.inf)
            follows = order.edges[index + 1] if index + 1 < len(order.edges) else edge
            bend = edge.trajectory is not None or follows.trajectory is not None
            found.append(Waypoint(*to, theta, speed, theta is not None, bend))
            heading, at = heading if theta is None else theta, to
            order.marks.append(before + len(found))
        return found

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
        else:
            self._watch_corridor()

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
        if node.nodePosition is not None:
            self._machine.state.map_id = node.nodePosition.mapId
        self._actions.trigger(node.actions, node.sequenceId)
        self._state.session.changed = True

    def _watch_corridor(self) -> None:
        """Stop if the robot has left the corridor of its edge."""
        order = self._state.order
        edge = order.edges[0]
        if edge.corridor is None or edge.trajectory is not None:
            return
        aside = _aside(order.edge_start, _place(order.nodes[0]), self._machine.drive.pose[:2])
        room = edge.corridor.leftWidth if aside > 0 else edge.corridor.rightWidth
        if edge.corridor.corridorRefPoint == "CONTOUR":
            room -= self._machine.protection.half_width_m
        if abs(aside) > room + STRAY_M:
            self._state.astray = edge.edgeId
            self._state.session.changed = True

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


def _theta(node: r.Node, heading: float) -> float | None:
    """Return the heading to turn to at a node, or None if any within its deviation will do."""
    place = node.nodePosition
    assert place is not None
    if place.theta is None:
        return None
    off = abs(math.remainder(place.theta - heading, 2 * math.pi))
    return None if off <= abs(place.allowedDeviationTheta or 0.0) else place.theta


def _aside(start: tuple[float, float], end: tuple[float, float], at: tuple[float, float]) -> float:
    """Return the distance of a point from a line, positive to the left of it."""
    length = math.dist(start, end)
    if length < 1e-9:
        return 0.0
    cross = (end[0] - start[0]) * (at[1] - start[1]) - (end[1] - start[1]) * (at[0] - start[0])
    return cross / length
