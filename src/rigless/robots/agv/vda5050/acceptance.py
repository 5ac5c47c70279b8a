"""Acceptance of orders and updates: a pure decision in the order of the standard (figure 8).

`judge` compares a message with the held order. `check_content` looks at what the message asks for.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain, pairwise
from typing import Literal

import msgspec

from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.errors import Rejected
from rigless.robots.agv.vda5050_model.state import FINAL, OrderState

ALIGNED = 0.02  # rad between a heading and an edge along it
Point = tuple[float, float]
Verdict = Literal["new", "update", "repeated"]


def structure(order: r.Order) -> None:
    """Raise Rejected unless nodes and edges form one sequence with a base and a horizon."""
    nodes, edges = order.nodes, order.edges
    if len(edges) != len(nodes) - 1:
        what = f"{len(nodes)} nodes need {len(nodes) - 1} edges, not {len(edges)}"
        raise Rejected("invalid", what)
    if nodes[0].sequenceId % 2:
        raise _invalid(nodes[0], "the sequenceId of a node is even")
    if not nodes[0].released:
        raise _invalid(nodes[0], "the first node is released")
    for before, node in pairwise(nodes):
        if node.sequenceId != before.sequenceId + 2:
            raise _invalid(node, f"sequenceId is {node.sequenceId}, not {before.sequenceId + 2}")
        if node.released and not before.released:
            raise _invalid(node, f"it is released, but {before.nodeId} before it is not")
    for edge, before, node in zip(edges, nodes, nodes[1:], strict=False):
        if edge.sequenceId != before.sequenceId + 1:
            what = f"sequenceId is {edge.sequenceId}, not {before.sequenceId + 1}"
            raise _invalid(edge, what)
        if edge.released != node.released:
            raise _invalid(edge, f"released differs from that of its end node {node.nodeId}")
        ends = (edge.startNodeId or before.nodeId, edge.endNodeId or node.nodeId)
        if ends != (before.nodeId, node.nodeId):
            raise _invalid(edge, f"it does not lead from {before.nodeId} to {node.nodeId}")
    ids = [action.actionId for action in r.actions_of(nodes, edges)]
    twice = next((name for name, other in pairwise(sorted(ids)) if name == other), None)
    if twice is not None:
        raise Rejected("invalid", f"actionId {twice} occurs twice", actionId=twice)


def _invalid(part: r.Node | r.Edge, what: str) -> Rejected:
    if isinstance(part, r.Node):
        return Rejected("invalid", f"node {part.nodeId}: {what}", nodeId=part.nodeId)
    return Rejected("invalid", f"edge {part.edgeId}: {what}", edgeId=part.edgeId)


def content(order: r.Order) -> str:
    """Return a fingerprint of what an order says, without its header."""
    plain = msgspec.json.encode((order.orderId, order.orderUpdateId, order.nodes, order.edges))
    return blake2b(plain, digest_size=16).hexdigest()


def executing(held: OrderState) -> bool:
    """Return True if the held order still has nodes, or actions that are not final."""
    return bool(held.nodes) or any(one.status not in FINAL for one in held.actions.values())


def decision_point(held: OrderState) -> tuple[str, int]:
    """Return nodeId and sequenceId of the last node of the base."""
    base = [node for node in held.nodes if node.released]
    if base:
        return base[-1].nodeId, base[-1].sequenceId
    return held.last_node, held.last_sequence


def judge(major: int, held: OrderState, order: r.Order, near: Callable[[r.Node], bool]) -> Verdict:
    """Decide on a message whose structure is right. `near`: the robot is at a node.

    Raises Rejected.
    """
    first = order.nodes[0]
    if order.orderId != held.order_id:
        if executing(held):
            raise Rejected("active", f"order {held.order_id} is still being executed")
        if major == 3 and order.orderUpdateId != 0:
            raise Rejected(
                "stitch", f"orderUpdateId of a new order is {order.orderUpdateId}, not 0"
            )
        if not near(first):
            what = f"the robot is not at the first node {first.nodeId}"
            raise Rejected("start", what, nodeId=first.nodeId)
        return "new"
    if order.orderUpdateId < held.update_id:
        what = f"orderUpdateId {order.orderUpdateId} is lower than {held.update_id}"
        raise Rejected("outdated", what)
    repeated = order.orderUpdateId == held.update_id
    if (held.cancelled or held.cancelling) and (major == 3 or not repeated):
        raise Rejected("cancelled", f"order {held.order_id} was cancelled")
    if repeated:
        if major == 3 and content(order) != held.content:
            what = f"orderUpdateId {order.orderUpdateId} was received with other content"
            raise Rejected("same", what)
        return "repeated"
    if (first.nodeId, first.sequenceId) != (expected := decision_point(held)):
        what = (
            f"the update begins at node {first.nodeId} ({first.sequenceId}), "
            f"not at {expected[0]} ({expected[1]})"
        )
        raise Rejected("stitch", what, nodeId=first.nodeId)
    return "update"


class Limits(msgspec.Struct, frozen=True):
    """The properties of the robot that decide what it can do."""

    height_m: float
    half_width_m: float
    turns: bool  # turns in place, and drives backwards if the order says so
    maps: frozenset[str]
    most: int  # nodes of an order, and actions of a node or an edge
    here: str  # its present map
    why_not: Callable[[float, float], str]  # why it cannot be at a place of that map, or ""


def check_content(
    order: r.Order, limits: Limits, check_action: Callable[[r.Action, str], None]
) -> None:
    """Raise Rejected if the robot cannot do what an order asks for."""
    _check_size(order, limits.most)
    if order.zoneSetId:
        what = "no zone set comes with orders: leave zoneSetId out"
        raise Rejected("unsupported", what, zoneSetId=order.zoneSetId)
    for node in order.nodes:
        place = node.nodePosition
        if place is None:
            what = f"node {node.nodeId}: the robot needs a nodePosition"
            raise Rejected("unsupported", what, nodePosition=node.nodeId, nodeId=node.nodeId)
        if place.mapId not in limits.maps:
            what = f"node {node.nodeId}: map {place.mapId!r} is not enabled"
            raise Rejected("map", what, mapId=place.mapId, nodeId=node.nodeId)
        if place.mapId == limits.here and (why := limits.why_not(place.x, place.y)):
            raise Rejected("route", f"node {node.nodeId}: {why}", nodeId=node.nodeId)
        for action in node.actions:
            check_action(action, "NODE")
    for edge, before, node in zip(order.edges, order.nodes, order.nodes[1:], strict=False):
        _check_edge(edge, limits)
        _check_orientation(edge, before, node, limits)
        for action in edge.actions:
            check_action(action, "EDGE")


def _check_size(order: r.Order, most: int) -> None:
    if len(order.nodes) > most:
        raise Rejected("large", f"{len(order.nodes)} nodes are more than {most}")
    parts: Iterator[r.Node | r.Edge] = chain(order.nodes, order.edges)
    count = max(len(part.actions) for part in parts)
    if count > most:
        raise Rejected("large", f"{count} actions of a node or an edge are more than {most}")


def _check_edge(edge: r.Edge, limits: Limits) -> None:
    def refuse(key: str, what: str) -> Rejected:
        return _unsupported(edge, key, what)

    if edge.maxSpeed is not None and edge.maxSpeed <= 0.0:
        raise refuse("maxSpeed", "the robot cannot drive an edge at 0 m/s")
    if edge.maxHeight is not None and edge.maxHeight < limits.height_m:
        raise refuse("maxHeight", f"the robot is {limits.height_m:g} m high")
    if edge.minHeight is not None and edge.minHeight > 0.0:
        raise refuse("minHeight", "the load handling device has no fixed height while driving")
    if edge.maxRotationSpeed is not None and edge.maxRotationSpeed <= 0.0 and limits.turns:
        raise refuse("maxRotationSpeed", "the robot has to turn at nodes")
    if edge.direction:
        raise refuse("direction", "the robot is not line-guided")
    if edge.trajectory is not None:
        what = shape_problem(edge.trajectory)
        if what:
            raise refuse("trajectory", what)
    corridor = edge.corridor
    if corridor is not None and corridor.corridorRefPoint == "CONTOUR":
        narrow = min(corridor.leftWidth, corridor.rightWidth)
        if narrow < limits.half_width_m:
            raise refuse("corridor", f"{narrow:g} m is less than half the width of the robot")


def _unsupported(edge: r.Edge, key: str, what: str) -> Rejected:
    text = f"edge {edge.edgeId}: {key}: {what}"
    return Rejected("unsupported", text, **{key: edge.edgeId, "edgeId": edge.edgeId})


def _check_orientation(edge: r.Edge, before: r.Node, node: r.Node, limits: Limits) -> None:
    start, end = before.nodePosition, node.nodePosition
    if start is None or end is None:
        return  # it is rejected for that
    turned = turned_by(edge, (start.x, start.y), (end.x, end.y))
    if turned is None:
        raise _unsupported(edge, "orientationType", "the heading of the robot follows the curve")
    if turned > ALIGNED and not (math.pi - turned <= ALIGNED and limits.turns):
        raise _unsupported(edge, "orientation", "the robot does not drive sideways")


def turned_by(edge: r.Edge, start: Point, end: Point) -> float | None:
    """Return the angle between the edge and the heading on it, 0 to π.

    It is None for a global heading on a trajectory, where the angle changes along the way.
    """
    given = edge.orientation
    if given is not None and edge.orientationType == "GLOBAL" and start != end:
        if edge.trajectory is not None:
            return None
        given -= math.atan2(end[1] - start[1], end[0] - start[0])
    return abs(math.remainder(given or 0.0, 2 * math.pi))


def shape_problem(given: r.Trajectory) -> str:
    """Return the problem of a trajectory, or ""."""
    points, degree = given.controlPoints, given.degree or 1
    if len(points) < degree + 1:
        return f"degree {degree} needs at least {degree + 1} control points"
    if any(point.weight is not None and point.weight <= 0.0 for point in points):
        return "weights are above 0"
    knots: Sequence[float] | None = given.knotVector
    if knots is None:
        return ""
    if len(knots) != len(points) + degree + 1:
        return (
            f"{len(points)} control points of degree {degree} need {len(points) + degree + 1} knots"
        )
    if any(after < before for before, after in pairwise(knots)):
        return "knots do not decrease"
    return "" if knots[degree] < knots[len(points)] else "the knots span no curve"
