"""Routes as data, after VDA 5050: nodes and edges in one sequence, with a base and a horizon.

Nodes have even sequence ids, edges odd ones. The released base comes first, the horizon after it.
"""

from collections.abc import Sequence
from itertools import pairwise

from rigless.robots.agv.machine.path import Waypoint
from rigless.robots.agv.messages import Edge, Node
from rigless.robots.agv.params import LONGEST, LONGEST_ID
from rigless.robots.agv.state import Route

MOST_NODES = 1000
FARTHEST_M = 1e6
SAME_M = 1e-3
MOST_REPORTED = 5  # problems in one reply


def problems(nodes: Sequence[Node], edges: Sequence[Edge]) -> list[str]:
    """Return the problems of a route; empty if it is valid."""
    if not nodes:
        return ["a route has at least one node"]
    if len(nodes) > MOST_NODES:
        return [f"a route has at most {MOST_NODES} nodes"]
    found = []
    if len(edges) != len(nodes) - 1:
        found.append(f"{len(nodes)} nodes need {len(nodes) - 1} edges, not {len(edges)}")
    if nodes[0].sequenceId % 2 or nodes[0].sequenceId < 0:
        found.append(f"node {nodes[0].nodeId}: sequenceId {nodes[0].sequenceId} is not even")
    if not nodes[0].released:
        found.append(f"node {nodes[0].nodeId}: the first node is not released")
    for before, node in pairwise(nodes):
        if node.sequenceId != before.sequenceId + 2:
            found.append(
                f"node {node.nodeId}: sequenceId is {node.sequenceId}, not {before.sequenceId + 2}"
            )
        if node.released and not before.released:
            found.append(f"node {node.nodeId} is released, but {before.nodeId} before it is not")
    for edge, before, after in zip(edges, nodes, nodes[1:], strict=False):
        if edge.sequenceId != before.sequenceId + 1:
            found.append(
                f"edge {edge.edgeId}: sequenceId is {edge.sequenceId}, not {before.sequenceId + 1}"
            )
        if (edge.startNodeId, edge.endNodeId) != (before.nodeId, after.nodeId):
            found.append(f"edge {edge.edgeId} does not lead from {before.nodeId} to {after.nodeId}")
        if edge.maxSpeed is not None and not 0 < edge.maxSpeed <= 100:
            found.append(
                f"edge {edge.edgeId}: maxSpeed {edge.maxSpeed:g} is not above 0 and at most 100 m/s"
            )
    found += [
        f"node {node.nodeId} has no valid position" for node in nodes if not _has_position(node)
    ]
    named = [*(node.nodeId for node in nodes), *(edge.edgeId for edge in edges)]
    long = next((name for name in named if not 1 <= len(name) <= LONGEST_ID), None)
    if long is not None:
        found.insert(0, f"an id has {len(long)} characters, not 1 to {LONGEST_ID}")
    return [why[:LONGEST] for why in found[:MOST_REPORTED]]


def _has_position(node: Node) -> bool:
    return (
        abs(node.x) <= FARTHEST_M and abs(node.y) <= FARTHEST_M and abs(node.theta or 0.0) <= 1000
    )


def in_order(nodes: Sequence[Node], edges: Sequence[Edge]) -> tuple[list[Node], list[Edge]]:
    return sorted(nodes, key=lambda node: node.sequenceId), sorted(
        edges, key=lambda edge: edge.sequenceId
    )


def base_end(nodes: Sequence[Node]) -> int:
    """Return the index of the last released node."""
    return max((index for index, node in enumerate(nodes) if node.released), default=-1)


def stitched(old: Route, new: Route) -> tuple[Route, list[str]]:
    """Join a new route to the base of the old one, and return it with its problems.

    They must meet at the end of the base or before.
    """
    end = old.nodes[base_end(old.nodes)]
    known = {node.sequenceId: node for node in old.nodes if node.released}
    found = []
    if not any(node.sequenceId == end.sequenceId for node in new.nodes):
        found.append(f"it does not contain the end of the base, {end.nodeId} ({end.sequenceId})")
    for node in new.nodes:
        same = known.get(node.sequenceId)
        if same is not None and (
            same.nodeId != node.nodeId or abs(same.x - node.x) + abs(same.y - node.y) > SAME_M
        ):
            found.append(
                f"node {node.nodeId} ({node.sequenceId}) is {same.nodeId} in the released base"
            )
        elif same is not None and not node.released:
            found.append(f"node {node.nodeId} ({node.sequenceId}) is already released")
    if found:
        return old, [why[:LONGEST] for why in found[:MOST_REPORTED]]
    nodes = [node for node in old.nodes if node.sequenceId <= end.sequenceId]
    nodes += [node for node in new.nodes if node.sequenceId > end.sequenceId]
    edges = [edge for edge in old.edges if edge.sequenceId < end.sequenceId]
    edges += [edge for edge in new.edges if edge.sequenceId > end.sequenceId]
    return Route(old.routeId, new.revision, nodes, edges), problems(nodes, edges)


def waypoints(route: Route, first: int, last: int) -> list[Waypoint]:
    """Return a range of nodes as waypoints.

    The robot stops at nodes with a heading and at the last one.
    """
    found = []
    for index in range(first, last + 1):
        node = route.nodes[index]
        speed = route.edges[index - 1].maxSpeed if index else None
        found.append(Waypoint(node.x, node.y, node.theta, speed, node.theta is not None))
    return found
