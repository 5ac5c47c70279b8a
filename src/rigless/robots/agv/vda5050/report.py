"""State and visualization, made from the core and from the front end's own state."""

from collections.abc import Callable

from msgspec.structs import replace

from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.modules.core import errors_of
from rigless.robots.agv.services import Services
from rigless.robots.agv.state import CoreState
from rigless.robots.agv.vda5050.driving import Driving
from rigless.robots.agv.vda5050.geometry.ahead import (
    SEEN_M,
    control_points,
    intermediate,
    limits_of,
    polyline,
)
from rigless.robots.agv.vda5050.zones import Zones
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.errors import LEVELS, error
from rigless.robots.agv.vda5050_model.received import ControlPoint
from rigless.robots.agv.vda5050_model.state import ActionRecord, VdaState

SHORT_M = 1.0  # of the base beyond the stopping distance, before a new base is requested
VOLTS = (44.0, 52.0)  # of an empty and a full 48 V battery
MOST_FAILURES = 10  # of actions that are reported
RANGE_M = 20_000  # of a full battery


class Report:
    """`auto` is True if an e-stop ends with its release. `eta` is the time in some seconds."""

    def __init__(
        self,
        services: Services,
        state: VdaState,
        core: CoreState,
        machine: Machine,
        driving: Driving,
        zones: Zones,
        version: str,
        auto: bool,
        eta: Callable[[float], str],
    ):
        self._services, self._state, self._core, self._machine = services, state, core, machine
        self._driving, self._zones, self._auto = driving, zones, auto
        self._major, self._strict = int(version[0]), version == "2.0.0"
        self._eta, self._limits = eta, limits_of(machine.const)
        self._rest: tuple[list[Waypoint], list[ControlPoint]] = ([], [])  # of the path ahead

    def facts(self) -> tuple[object, ...]:
        """Return what triggers a state when it changes, apart from orders and actions."""
        machine, state = self._machine, self._state
        return (
            self._driving.driving,
            self._core.paused,
            state.mode,
            machine.state.estop,
            machine.field_violation,
            machine.state.charging,
            tuple(self._core.reasons),
            len(state.loads),
            machine.state.load_id,
            self._driving.localized,
            self._short() if state.order.nodes else False,
            state.enabled_zones and tuple(self._zones.blocked()),
        )

    def position(self) -> m.Position:
        x, y, theta = self._machine.drive.pose
        lost = not self._driving.localized
        return m.Position(
            x=round(x, 4),
            y=round(y, 4),
            theta=round(theta, 5),
            mapId=self._machine.state.map_id,
            positionInitialized=not lost,
            localizationScore=0.0 if lost else 1.0,
        )

    def velocity(self) -> m.Velocity:
        v, omega = self._machine.drive.velocity
        return m.Velocity(vx=round(v, 4), vy=0.0, omega=round(omega, 4))

    def visualization(self) -> m.Visualization:
        reference = self._state.session.headers.get("state", 0) - 1
        planned, near = self._paths()
        return m.Visualization(
            plannedPath=planned,
            intermediatePath=near,
            agvPosition=self.position(),
            velocity=self.velocity(),
            referenceStateHeaderId=max(reference, 0),
        )

    def _paths(self) -> tuple[m.PlannedPath | None, m.IntermediatePath | None]:
        """Return the path along the base and its first part, if the robot has one to drive."""
        if self._major == 2 or self._state.order.cancelling:
            return None, None
        first, rest, shown, seen = self._driving.ahead(SEEN_M)
        if self._rest[0] is not rest:
            self._rest = rest, control_points(rest)
        pose = self.position()
        line = polyline([ControlPoint(x=pose.x, y=pose.y), *control_points(first), *self._rest[1]])
        if line is None:
            return None, None
        names = [node.nodeId for node in self._state.order.nodes if node.released]
        planned = m.PlannedPath(trajectory=line, traversedNodes=names)
        here, near = (pose.x, pose.y, pose.theta), [*first, *rest[: seen - len(first)]]
        speed = abs(self._machine.drive.velocity[0])
        return planned, intermediate(here, speed, near, shown, self._limits, self._eta)

    def state(self) -> m.State:
        planned, near = self._paths()
        state, machine, order = self._state, self._machine, self._state.order
        three = self._major == 3
        soc, charging = machine.battery
        instant = [_action(record) for record in state.instant.values()]
        actions = [_action(record) for record in order.actions.values()]
        return m.State(
            orderId=order.order_id,
            orderUpdateId=order.update_id,
            zoneSetId=None if three else order.zone_set_id or None,
            lastNodeId=order.last_node,
            lastNodeSequenceId=order.last_sequence,
            driving=self._driving.driving,
            paused=self._core.paused,
            newBaseRequest=self._short(),
            distanceSinceLastNode=round(max(machine.drive.odometer_m - order.odometer_m, 0.0), 3),
            operatingMode=state.mode,
            nodeStates=[_node(node, self._strict) for node in order.nodes],
            edgeStates=[_edge(edge, three, self._strict) for edge in order.edges],
            agvPosition=self.position(),
            velocity=self.velocity(),
            loads=self._loads(),
            actionStates=actions if three else [*actions, *instant],
            instantActionStates=instant if three else None,
            zoneActionStates=[_action(one) for one in state.zone_actions.values()]
            if three
            else None,
            zoneSets=self._zones.states() if three else None,
            zoneRequests=self._zones.releases.open("zone/") if three else None,
            edgeRequests=self._zones.releases.open("edge/") if three else None,
            plannedPath=planned,
            intermediatePath=near,
            batteryState=m.Battery(
                batteryCharge=round(100.0 * soc, 1),
                batteryVoltage=round(VOLTS[0] + soc * (VOLTS[1] - VOLTS[0]), 1),
                batteryHealth=100,
                charging=charging,
                reach=round(RANGE_M * soc),
            ),
            errors=self.errors(),
            information=state.information,
            safetyState=m.Safety(eStop=self._estop(), fieldViolation=machine.field_violation),
            maps=[
                m.MapState(mapId=a, mapVersion=b, mapStatus=c) for a, b, c in state.maps.values()
            ],
        )

    def errors(self) -> list[m.Error]:
        state = self._state
        return [*state.order_errors, *state.action_errors, *self._conditions()]

    def _loads(self) -> list[m.Load]:
        """Return the loads of actions, and the one that the core picked at a station."""
        carried = self._machine.state
        if not carried.load_id:
            return self._state.loads
        load = m.Load(loadId=carried.load_id, loadType=carried.load_type, weight=carried.load_kg)
        return [*self._state.loads, load]

    def _estop(self) -> str:
        held = self._machine.estop
        return "AUTOACK" if held == "MANUAL" and self._auto else held

    def _short(self) -> bool:
        """Return True if the base ends soon and a horizon follows."""
        nodes = self._state.order.nodes
        base = [node for node in nodes if node.released]
        if len(base) == len(nodes) or len(base) > 1:
            return False
        if not base or base[0].nodePosition is None:
            return True
        x, y, _ = self._machine.drive.pose
        place = base[0].nodePosition
        left = abs(place.x - x) + abs(place.y - y)
        return left <= SHORT_M + 2.0 * self._machine.drive.stop_distance_m

    def _conditions(self) -> list[m.Error]:
        """Return the errors of the core, and those of driving."""
        state, found = self._state, list[m.Error]()
        for fault in errors_of(self._core.reasons):
            found.append(
                m.Error(
                    errorType=fault.code,
                    errorLevel=LEVELS[fault.level][self._major - 2],
                    errorReferences=[m.Reference(ref.key, ref.value) for ref in fault.refs],
                    errorDescription=fault.message,
                    errorHint=_hint(fault.hint or "") or None,
                )
            )
        made = self._failures()
        if state.astray:
            what = f"the robot left the corridor of edge {state.astray}"
            made.append(error(self._major, "corridor", what, {"edgeId": state.astray}))
        if not self._driving.localized:
            made.append(error(self._major, "localization", "the position is unknown", {}))
        if state.unreachable:
            what, names = f"a wall is on the way to node {state.unreachable}", dict[str, str]()
            if zone := self._zones.against():
                what = f"zone {zone} forbids the direction of the edge to node {state.unreachable}"
                names = {"zoneId": zone}
            names |= {"nodeId": state.unreachable}
            made.append(error(self._major, "unreachable", what, names))
        if named := self._zones.blocked():
            way = f"edge {named['edgeId']} leads into" if "edgeId" in named else "the robot is in"
            what = f"{way} the blocked zone {named['zoneId']}"
            made.append(error(self._major, "blocked_zone", what, named))
        if named := self._zones.lost():
            what = f"the release of {' and '.join(named.values())} was lost"
            made.append(error(self._major, self._zones.lost_case(named), what, named))
        return [*found, *(one for one in made if one is not None)]

    def _failures(self) -> list[m.Error | None]:
        """Return the errors of actions that failed by themselves, as far as they are listed."""
        state = self._state
        listed = (*state.order.actions.values(), *state.zone_actions.values())
        failed = [record for record in (*listed, *state.instant.values()) if record.failed]
        return [
            error(
                self._major,
                "failed",
                f"{record.action.actionType[:60]}: {record.result}",
                {"actionId": record.action.actionId},
            )
            for record in failed[-MOST_FAILURES:]
        ]


def _hint(text: str) -> str:
    """Return a hint of the core, which names its commands, for a master that has none of them."""
    cause, sends, _ = text.partition(", then send ")
    return f"{cause}, then acknowledge it at the robot" if sends else text


def _action(record: ActionRecord) -> m.ActionState:
    action = record.action
    return m.ActionState(
        actionId=action.actionId,
        actionType=action.actionType,
        actionStatus=record.status,
        actionDescription=action.actionDescription,
        resultDescription=record.result or None,
    )


def _node(node: r.Node, strict: bool) -> m.NodeState:
    """Return the state of a node. With `strict`, the schema of 2.0.0, a position needs a theta."""
    place = node.nodePosition
    if strict and place is not None and place.theta is None:
        place = None
    return m.NodeState(
        nodeId=node.nodeId,
        sequenceId=node.sequenceId,
        released=node.released,
        nodeDescription=node.nodeDescription,
        nodePosition=None
        if place is None
        else m.NodeStatePosition(x=place.x, y=place.y, theta=place.theta, mapId=place.mapId),
    )


def _edge(edge: r.Edge, three: bool, strict: bool) -> m.EdgeState:
    """Return the state of an edge.

    The schemas before 3.0 require the degree of a trajectory, and that of 2.0.0 the weights too.
    """
    shape = edge.trajectory
    if shape is not None and not three:
        points = shape.controlPoints
        if strict:
            points = [one if one.weight else replace(one, weight=1.0) for one in points]
        shape = replace(shape, degree=shape.degree or 1, controlPoints=points)
    return m.EdgeState(
        edgeId=edge.edgeId,
        sequenceId=edge.sequenceId,
        released=edge.released,
        edgeDescription=edge.edgeDescription,
        trajectory=shape,
    )
