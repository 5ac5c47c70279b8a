"""Zone sets of 3.0, and what they ask of edges.

Zones act on whole edges: an edge whose swept body touches a BLOCKED zone is not entered, one that
touches a RELEASE zone is entered after the zone is granted, and a SPEED_LIMIT holds on all of the
edge. For a COORDINATED_REPLANNING zone the request has the path along the base through it. Only
ACTION zones are entered and left where the body crosses their outline. Without an answer nothing is
granted. If a release is revoked, or its lease ends, a robot that uses it stops, unless the order or
the zone says otherwise.

DIRECTED and BIDIRECTED zones act on the centre of the robot, on edges without a trajectory: such an
edge in a forbidden direction is not entered. LINE_GUIDED, PRIORITY and PENALTY ask for nothing,
because the robot always follows its edges and plans no path of its own.
"""

import itertools
import math
from collections.abc import Callable, Iterator

from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules import zones as shapes
from rigless.robots.agv.services import Services
from rigless.robots.agv.vda5050.geometry.ahead import polyline
from rigless.robots.agv.vda5050.geometry.curves import Point, chords
from rigless.robots.agv.vda5050.releases import (
    GRANTED,
    LOST,
    MOST_REQUESTS,
    Named,
    Releases,
    key_of,
)
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.errors import Rejected
from rigless.robots.agv.vda5050_model.state import VdaState

REPLANNING = "COORDINATED_REPLANNING"
BY_OUTLINE = ("ACTION", "BLOCKED", REPLANNING, "RELEASE", "SPEED_LIMIT")
BY_CENTRE = ("DIRECTED", "BIDIRECTED")
SUPPORTED = (*BY_OUTLINE, *BY_CENTRE, "LINE_GUIDED", "PRIORITY", "PENALTY")
NEEDED = {  # fields of a type of zone
    "SPEED_LIMIT": ("maximumSpeed",),
    "PRIORITY": ("priorityFactor",),
    "PENALTY": ("penaltyFactor",),
    "DIRECTED": ("direction", "directedLimitation"),
    "BIDIRECTED": ("direction", "bidirectedLimitation"),
}
ALONG_RAD = 0.1  # tolerated difference from the direction of a zone
STEP_M = 0.2  # between the places of the body that are checked along an edge
MOST_EDGES = 2000  # whose zones are remembered
GOES_ON = ("CONTINUE", "EVACUATE", "RETURN")  # on its line it is where these lead


class Zones:
    """`deadline_ns` converts a time of the master to simulated time. It raises ValueError."""

    def __init__(
        self,
        services: Services,
        state: VdaState,
        machine: Machine,
        deadline_ns: Callable[[str], int],
        check_action: Callable[[r.Action, str], None],
    ):
        self._state, self._machine, self._check_action = state, machine, check_action
        self.releases = Releases(services, state, deadline_ns)
        self._looked: tuple[object, ...] = ()  # where `crossed_outlines` has looked
        # by sequenceId: the zones of an edge, and the one that forbids its direction
        self._memo: dict[int, tuple[r.Edge, object, list[r.Zone], str]] = {}

    # Zone sets

    def receive(self, given: r.ZoneSet) -> None:
        """Keep a zone set, disabled. Raises Rejected."""
        state = self._state
        if given.zoneSetId in state.zone_sets:
            what = f"zone set {given.zoneSetId} was received before"
            raise Rejected("zone_set_twice", what, zoneSetId=given.zoneSetId)
        for zone in given.zones:
            for key in NEEDED.get(zone.zoneType, ()):
                if getattr(zone, key) is None:
                    what = f"zone {zone.zoneId}: a {zone.zoneType} zone needs {key}"
                    raise Rejected("invalid", what, zoneSetId=given.zoneSetId, zoneId=zone.zoneId)
            for action in zone.actions:
                self._check(zone, action)
        state.zone_sets[given.zoneSetId] = given
        self._memo.clear()
        state.session.changed = True

    def _check(self, zone: r.Zone, action: r.Action) -> None:
        try:
            self._check_action(action, "ZONE")
        except Rejected as why:
            what, names = f"zone {zone.zoneId}: {why.what}", {"zoneId": zone.zoneId}
            raise Rejected("unsupported", what, **names, **why.references) from None

    def check(self, name: str, deletes: bool) -> None:
        """Raise ValueError if a zone set cannot be enabled, or deleted."""
        given = self._state.zone_sets.get(name)
        if given is None:
            raise ValueError(f"zone set {name} is unknown")
        if deletes and self._state.enabled_zones.get(given.mapId) == name:
            raise ValueError(f"zone set {name} is enabled")

    def enable(self, name: str) -> None:
        """Use a zone set instead of the present one of its map."""
        given = self._state.zone_sets.get(name)
        if given is None:  # deleted after the order with this action
            return
        self._state.enabled_zones[given.mapId] = name
        for key in [key for key in self._state.requests if key.startswith("zone/")]:
            self.releases.forget(key)
        self._state.zones_changed = self._state.session.changed = True

    def delete(self, name: str) -> None:
        self._state.zone_sets.pop(name, None)
        self._state.session.changed = True

    def states(self) -> list[m.ZoneSetState]:
        enabled = self._state.enabled_zones.values()
        return [
            m.ZoneSetState(
                zoneSetId=name,
                mapId=given.mapId,
                zoneSetStatus="ENABLED" if name in enabled else "DISABLED",
            )
            for name, given in self._state.zone_sets.items()
        ]

    def in_use(self) -> list[r.Zone]:
        """Return the zones of the enabled set of the present map."""
        given = self._state.zone_sets.get(self.enabled)
        return [] if given is None else given.zones

    # Edges

    def may_enter(self, edge: r.Edge, ask: bool = True) -> bool:
        """Return True if an edge may be entered; request what it needs."""
        names: dict[str, Named]
        corridor = edge.corridor
        if corridor is not None and corridor.releaseRequired:
            names = {"edgeId": edge.edgeId, "sequenceId": edge.sequenceId}
            if not self.releases.released(key_of(edge), "CORRIDOR" if ask else "", **names):
                return False
        if self._forbids(edge):
            return False
        for zone in self._crossed(edge):
            if zone.zoneType == "BLOCKED":
                return False
            if zone.zoneType == REPLANNING and not self._path_granted(edge, zone, ask):
                return False
            if zone.zoneType == "RELEASE":
                names = {"zoneId": zone.zoneId, "zoneSetId": self.enabled}
                if not self.releases.released(key_of(zone), "ACCESS" if ask else "", **names):
                    return False
        return True

    def may_stay(self, edge: r.Edge) -> bool:
        """Return True unless an edge that was entered leads into a BLOCKED zone."""
        return not any(zone.zoneType == "BLOCKED" for zone in self._crossed(edge))

    def blocked(self) -> dict[str, str]:
        """Return references to the zone that the robot is in, or that blocks the next edge."""
        edges = self._state.order.edges
        given = self._state.zone_sets.get(self.enabled)
        if given is None or not any(zone.zoneType == "BLOCKED" for zone in given.zones):
            return {}
        for zone in self._touched([self._machine.drive.pose], ("BLOCKED",)):
            return {"zoneId": zone.zoneId}
        if edges and not self._state.order.sent:
            for zone in self._crossed(edges[0]):
                if zone.zoneType == "BLOCKED":
                    return {"zoneId": zone.zoneId, "edgeId": edges[0].edgeId}
        return {}

    def crossed_outlines(self) -> list[tuple[r.Zone, bool]]:
        """Return ACTION zones that the robot has entered, or left: False."""
        state, pose = self._state, self._machine.drive.pose
        here = (pose, self.enabled)
        if here == self._looked:
            return []
        self._looked = here
        given = state.zone_sets.get(self.enabled)
        zones = {} if given is None else {one.zoneId: one for one in given.zones}
        now = list(self._touched([pose], ("ACTION",)))
        names = [zone.zoneId for zone in now]
        left = [
            (zones[name], False) for name in state.inside if name in zones and name not in names
        ]
        entered = [(zone, True) for zone in now if zone.zoneId not in state.inside]
        state.inside = names
        return left + entered

    def limit_mps(self, edge: r.Edge) -> float | None:
        """Return the lowest speed that the edge and its zones allow, or None."""
        limits = [] if edge.maxSpeed is None else [edge.maxSpeed]
        limits += [
            max(zone.maximumSpeed, 0.01)
            for zone in self._crossed(edge)
            if zone.zoneType == "SPEED_LIMIT" and zone.maximumSpeed is not None
        ]
        return min(limits, default=None)

    def left(self, edge: r.Edge) -> None:
        """Drop the requests of an edge that the robot has left."""
        requests, order = self._state.requests, self._state.order
        self.releases.forget(key_of(edge))
        if not any(key.startswith("zone/") for key in requests):
            return
        kept = {zone.zoneId for near in order.edges[:1] for zone in self._crossed(near)}
        for key, request in list(requests.items()):
            over = self._state.spans.get(key, [0, edge.sequenceId + 1])[1] <= edge.sequenceId
            if request.zoneId is not None and (over or request.zoneId not in kept):
                self.releases.forget(key)

    # Paths through COORDINATED_REPLANNING zones

    def _path_granted(self, edge: r.Edge, zone: r.Zone, ask: bool) -> bool:
        """Return True if a path through a zone that has the edge is granted; else request it."""
        key = self._path_of(edge, zone)
        if key:
            return self._state.requests[key].requestStatus == GRANTED
        if ask and len(self._state.requests) < MOST_REQUESTS:
            self._request_path(edge, zone)
        return False

    def _path_of(self, edge: r.Edge, zone: r.Zone) -> str:
        """Return the key of the request for a path with an edge, unless it was lost, or ""."""
        state = self._state
        for key, (first, last) in state.spans.items():
            request = state.requests.get(key)
            if request is None or request.zoneId != zone.zoneId or request.requestStatus in LOST:
                continue
            if first <= edge.sequenceId <= last:
                return key
        return ""

    def _request_path(self, edge: r.Edge, zone: r.Zone) -> None:
        """Request the path along the base through a zone, from an edge on."""
        state, edges = self._state, self._state.order.edges
        if state.order.entered != edge.sequenceId:
            self.releases.forget_lost(zone.zoneId)
        edges_on, places = [edge], [self._start(edge), *self._points(edge)]
        for one in edges[edges.index(edge) + 1 :]:
            if not one.released or zone.zoneId not in (near.zoneId for near in self._crossed(one)):
                break
            edges_on.append(one)
            places += self._points(one)
        key = f"{key_of(zone)}/{state.asked}"
        state.spans[key] = [edge.sequenceId, edges_on[-1].sequenceId]
        names = {"zoneId": zone.zoneId, "zoneSetId": self.enabled}
        line = polyline([r.ControlPoint(x=x, y=y) for x, y in places])
        self.releases.released(key, "REPLANNING", **names, trajectory=line)

    def ask_again(self) -> None:
        """Request a lost path again while the robot is on it."""
        order, requests = self._state.order, self._state.requests
        if not order.edges or order.entered != order.edges[0].sequenceId:
            return
        lost = {one.zoneId for one in requests.values() if one.requestStatus in LOST}
        for zone in self._crossed(order.edges[0]) if lost else ():
            if zone.zoneType == REPLANNING and zone.zoneId in lost:
                self._path_granted(order.edges[0], zone, ask=True)

    def lost_case(self, named: dict[str, str]) -> str:
        """Return the case of the error of a lost release."""
        zones = self._crossed(self._state.order.edges[0])
        paths = [zone.zoneId for zone in zones if zone.zoneType == REPLANNING]
        return "replanning_lost" if named.get("zoneId") in paths else "release_lost"

    def lost(self) -> dict[str, str]:
        """Return references to a lost release that stops the robot on its edge, or {}."""
        order, requests = self._state.order, self._state.requests
        lost = {key for key, request in requests.items() if request.requestStatus in LOST}
        if not lost or not order.edges or order.entered != order.edges[0].sequenceId:
            return {}
        edge = order.edges[0]
        corridor = edge.corridor
        if (
            corridor is not None
            and key_of(edge) in lost
            and corridor.releaseLossBehavior != "RETURN"
        ):
            return {"edgeId": edge.edgeId}
        for zone in self._crossed(edge):
            if zone.zoneType == REPLANNING:
                key = self._path_of(edge, zone)
                if not key or requests[key].requestStatus != GRANTED:
                    return {"zoneId": zone.zoneId, "edgeId": edge.edgeId}
            elif key_of(zone) in lost and zone.releaseLossBehavior not in GOES_ON:
                return {"zoneId": zone.zoneId, "edgeId": edge.edgeId}
        return {}

    @property
    def enabled(self) -> str:
        """The enabled zone set of the present map, or ""."""
        return self._state.enabled_zones.get(self._machine.state.map_id, "")

    def _crossed(self, edge: r.Edge) -> list[r.Zone]:
        """Return the zones of the enabled set that the robot touches on an edge."""
        return self._looked_up(edge)[0]

    def against(self) -> str:
        """Return the zone that forbids the direction of the next edge, or ""."""
        edges = self._state.order.edges
        return self._forbids(edges[0]) if edges else ""

    def _forbids(self, edge: r.Edge) -> str:
        return self._looked_up(edge)[1]

    def _looked_up(self, edge: r.Edge) -> tuple[list[r.Zone], str]:
        """Return the zones that act on an edge, and the one that forbids its direction."""
        if not self.enabled:
            return [], ""
        key = self._start(edge), self.enabled, self._machine.protection.size_m
        found = self._memo.get(edge.sequenceId)
        if found is None or found[0] is not edge or found[1] != key:
            if len(self._memo) > MOST_EDGES:
                self._memo.clear()
            poses = list(self._poses(edge))
            forbids = "" if edge.trajectory is not None else self._forbidding(poses)
            found = edge, key, list(self._touched(poses)), forbids
            self._memo[edge.sequenceId] = found
        return found[2], found[3]

    def _forbidding(self, poses: list[tuple[float, float, float]]) -> str:
        """Return the first zone whose direction does not allow to drive along poses, or ""."""
        given = self._state.zone_sets.get(self.enabled)
        for zone in () if given is None else given.zones:
            if zone.zoneType in BY_CENTRE:
                corners = [(vertex.x, vertex.y) for vertex in zone.vertices]
                within = [pose[2] for pose in poses if shapes.inside(pose[:2], corners)]
                if not all(_may_head(zone, theta) for theta in within):
                    return zone.zoneId
        return ""

    def _touched(
        self, poses: list[tuple[float, float, float]], kinds: tuple[str, ...] = BY_OUTLINE
    ) -> Iterator[r.Zone]:
        """Yield the zones of these kinds that the body touches at one of the poses."""
        given = self._state.zone_sets.get(self.enabled)
        if given is None:
            return
        size = self._machine.protection.size_m
        for zone in given.zones:
            if zone.zoneType not in kinds:
                continue
            corners = [(vertex.x, vertex.y) for vertex in zone.vertices]
            bodies = (shapes.footprint(pose, *size) for pose in poses)
            if any(shapes.touches(body, corners, None) for body in bodies):
                yield zone

    def _start(self, edge: r.Edge) -> tuple[float, float]:
        """Return the start of an edge; of the first one the place of the robot."""
        order = self._state.order
        index = order.edges.index(edge)
        before = order.nodes[index - 1].nodePosition if index else None
        return self._machine.drive.pose[:2] if before is None else (before.x, before.y)

    def _points(self, edge: r.Edge) -> list[Point]:
        """Return the points of an edge after its start."""
        order = self._state.order
        end = order.nodes[order.edges.index(edge)].nodePosition
        assert end is not None
        before = [] if edge.trajectory is None else chords(edge.trajectory)
        return [*before, (end.x, end.y)]

    def _poses(self, edge: r.Edge) -> Iterator[tuple[float, float, float]]:
        points = [self._start(edge), *self._points(edge)]
        for (x, y), (to_x, to_y) in itertools.pairwise(points):
            length = math.hypot(to_x - x, to_y - y)
            theta, steps = math.atan2(to_y - y, to_x - x), max(1, math.ceil(length / STEP_M))
            for step in range(steps + 1):
                part = step / steps
                yield x + part * (to_x - x), y + part * (to_y - y), theta


def _may_head(zone: r.Zone, theta: float) -> bool:
    """Return True if a zone allows to drive in a direction."""
    off = abs(math.remainder(theta - (zone.direction or 0.0), 2 * math.pi))
    match zone.directedLimitation if zone.zoneType == "DIRECTED" else zone.bidirectedLimitation:
        case "STRICT":
            return off <= ALONG_RAD
        case "RESTRICTED" if zone.zoneType == "DIRECTED":
            return off <= 0.5 * math.pi + ALONG_RAD
        case "RESTRICTED":
            return min(off, math.pi - off) <= ALONG_RAD
    return True
