"""Zone sets and requests of 3.0: BLOCKED, RELEASE and SPEED_LIMIT zones, and corridor releases.

Zones act on whole edges: an edge whose swept body touches a BLOCKED zone is not entered, one that
touches a RELEASE zone is entered after the zone is granted, and a SPEED_LIMIT holds on all of the
edge. Without an answer nothing is granted.
"""

import itertools
import math
from collections.abc import Iterator

from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules import zones as shapes
from rigless.robots.agv.services import Services
from rigless.robots.agv.vda5050.curves import chords
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.errors import Rejected
from rigless.robots.agv.vda5050_model.state import VdaState

SUPPORTED = ("BLOCKED", "RELEASE", "SPEED_LIMIT")
STEP_M = 0.2  # between the places of the body that are checked along an edge
MOST_REQUESTS = 100


class Zones:
    def __init__(self, services: Services, state: VdaState, machine: Machine):
        self._services, self._state, self._machine = services, state, machine

    # Zone sets

    def receive(self, given: r.ZoneSet) -> None:
        """Keep a zone set, disabled. Raises Rejected."""
        state = self._state
        if given.zoneSetId in state.zone_sets:
            what = f"zone set {given.zoneSetId} was received before"
            raise Rejected("zone_set_twice", what, zoneSetId=given.zoneSetId)
        foreign = next((zone for zone in given.zones if zone.zoneType not in SUPPORTED), None)
        if foreign is not None:
            what = f"zone {foreign.zoneId}: {foreign.zoneType[:40]} zones are not supported"
            raise Rejected("unsupported", what, zoneSetId=given.zoneSetId, zoneId=foreign.zoneId)
        state.zone_sets[given.zoneSetId] = given
        state.session.changed = True

    def enable(self, name: str) -> None:
        if name not in self._state.zone_sets:
            raise ValueError(f"zone set {name} is unknown")
        self._state.zone_set = name
        self._state.session.changed = True

    def delete(self, name: str) -> None:
        if name not in self._state.zone_sets:
            raise ValueError(f"zone set {name} is unknown")
        if name == self._state.zone_set:
            raise ValueError(f"zone set {name} is enabled")
        del self._state.zone_sets[name]
        self._state.session.changed = True

    def states(self) -> list[m.ZoneSetState]:
        state = self._state
        return [
            m.ZoneSetState(
                zoneSetId=name,
                mapId=given.mapId,
                zoneSetStatus="ENABLED" if name == state.zone_set else "DISABLED",
            )
            for name, given in state.zone_sets.items()
        ]

    # Edges

    def may_enter(self, edge: r.Edge, ask: bool = True) -> bool:
        """Return True if an edge may be entered; request what it needs."""
        corridor = edge.corridor
        if corridor is not None and corridor.releaseRequired:
            key = f"edge/{edge.edgeId}/{edge.sequenceId}"
            if not self._granted(key):
                if ask:
                    self._ask(key, "CORRIDOR", edgeId=edge.edgeId, sequenceId=edge.sequenceId)
                return False
        for zone in self._crossed(edge):
            if zone.zoneType == "BLOCKED":
                return False
            if zone.zoneType == "RELEASE":
                key = f"zone/{zone.zoneId}"
                if not self._granted(key):
                    if ask:
                        name = self._state.zone_set
                        self._ask(key, "ACCESS", zoneId=zone.zoneId, zoneSetId=name)
                    return False
        return True

    def blocked(self) -> tuple[str, str]:
        """Return the zone that blocks the next edge, and that edge; else ("", "")."""
        edges = self._state.order.edges
        if edges and not self._state.order.sent:
            for zone in self._crossed(edges[0]):
                if zone.zoneType == "BLOCKED":
                    return zone.zoneId, edges[0].edgeId
        return "", ""

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
        requests.pop(f"edge/{edge.edgeId}/{edge.sequenceId}", None)
        if not any(key.startswith("zone/") for key in requests):
            return
        ahead = order.edges[:1]
        kept = {f"zone/{zone.zoneId}" for near in ahead for zone in self._crossed(near)}
        for key in [key for key in requests if key.startswith("zone/") and key not in kept]:
            del requests[key]

    @property
    def holds(self) -> bool:
        """True if a release on the present edge was revoked."""
        edges = self._state.order.edges
        if not self._state.requests or not edges or not self._state.order.sent:
            return False
        return not self.may_enter(edges[0], ask=False)

    def _crossed(self, edge: r.Edge) -> Iterator[r.Zone]:
        """Yield the zones of the enabled set that the robot touches on an edge."""
        given = self._state.zone_sets.get(self._state.zone_set)
        if given is None:
            return
        poses = list(self._poses(edge))
        size = self._machine.protection.size_m
        for zone in given.zones:
            corners = [(vertex.x, vertex.y) for vertex in zone.vertices]
            bodies = (shapes.footprint(pose, *size) for pose in poses)
            if any(shapes.touches(body, corners, None) for body in bodies):
                yield zone

    def _poses(self, edge: r.Edge) -> Iterator[tuple[float, float, float]]:
        order = self._state.order
        index = order.edges.index(edge)
        end = order.nodes[index].nodePosition
        before = order.nodes[index - 1].nodePosition if index else None
        start = self._machine.drive.pose[:2] if before is None else (before.x, before.y)
        assert end is not None
        points = [start, (end.x, end.y)]
        if edge.trajectory is not None:
            points[1:1] = chords(edge.trajectory)
        for (x, y), (to_x, to_y) in itertools.pairwise(points):
            length = math.hypot(to_x - x, to_y - y)
            theta, steps = math.atan2(to_y - y, to_x - x), max(1, math.ceil(length / STEP_M))
            for step in range(steps + 1):
                part = step / steps
                yield x + part * (to_x - x), y + part * (to_y - y), theta

    # Requests

    def _granted(self, key: str) -> bool:
        found = self._state.requests.get(key)
        return found is not None and found.requestStatus == "GRANTED"

    def _ask(self, key: str, kind: str, **names: str | int) -> None:
        state = self._state
        if key in state.requests or len(state.requests) >= MOST_REQUESTS:
            return
        state.asked += 1
        state.requests[key] = m.Request(
            requestId=f"request-{state.asked}",
            requestType=kind,
            requestStatus="REQUESTED",
            **names,  # type: ignore[arg-type]
        )
        state.session.changed = True

    def answer(self, given: r.Response) -> None:
        """Take the answer to a request; an unknown one is ignored."""
        status = {"REJECTED": "REVOKED", "QUEUED": "REQUESTED"}.get(
            given.grantType, given.grantType
        )
        for key, request in list(self._state.requests.items()):
            if request.requestId == given.requestId:
                changed = {"requestStatus": status}
                self._state.requests[key] = m.Request(
                    **{name: getattr(request, name) for name in request.__struct_fields__} | changed
                )
                self._state.session.changed = True

    def requests(self, kind: str) -> list[m.Request]:
        """Return the open requests: zone or edge."""
        items = self._state.requests.items()
        return [request for key, request in items if key.startswith(kind)]
