"""Orders of the panel: through places, or along the nodes of a layout's graph."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rigless.robots.agv.vda5050_model import received as r
from rigless.worlds.layout.graph import Graph

NEAR_M = 1.0  # from the first node, for a robot that still rolls


class Stop(NamedTuple):
    """A node of an order, with the limit of the edge that leads to it."""

    name: str
    x: float
    y: float
    theta: float | None = None
    speed_mps: float | None = None


def along_graph(graph: Graph, route: Sequence[str], theta: float | None) -> list[Stop]:
    """Return the stops of a route; without `theta` the last one has the heading of its node."""
    speeds = [None, *(graph.arcs[a][b].speed_mps for a, b in pairwise(route))]
    last = len(route) - 1
    found = []
    for k, (name, speed) in enumerate(zip(route, speeds, strict=True)):
        node = graph.nodes[name]
        heading = (node.theta if theta is None else theta) if k == last else None
        found.append(Stop(name, node.x, node.y, heading, speed))
    return found


def order_of(
    order: str, update: int, major: int, map_id: str, stops: Sequence[Stop], first: int = 0
) -> r.Order:
    """Return an order through stops, all of them released. `first`: number of the first node."""
    near = NEAR_M if major == 2 else r.Ellipse(NEAR_M, NEAR_M, 0.0)
    nodes = [
        r.Node(
            nodeId=stop.name,
            sequenceId=2 * k,
            released=True,
            actions=[],
            nodePosition=r.NodePosition(
                x=stop.x,
                y=stop.y,
                mapId=map_id,
                theta=stop.theta,
                allowedDeviationXY=near if k == 0 else None,
            ),
        )
        for k, stop in enumerate(stops, first)
    ]
    edges = [
        r.Edge(
            edgeId=f"{before.name}-{stop.name}",
            sequenceId=2 * k + 1,
            released=True,
            actions=[],
            startNodeId=before.name if major == 2 else None,
            endNodeId=stop.name if major == 2 else None,
            maxSpeed=stop.speed_mps,
        )
        for k, (before, stop) in enumerate(pairwise(stops), first)
    ]
    return r.Order(orderId=order, orderUpdateId=update, nodes=nodes, edges=edges)
