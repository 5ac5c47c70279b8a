"""Places where the robots of a fleet start, spread by the seed."""

from collections.abc import Iterator

from rigless.kernel.streams import Streams
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.model import Layout, Node

STREAM = "world/starts"


def start_nodes(layout: Layout, graph: Graph, seed: int) -> Iterator[Node]:
    """Yield the nodes to start at, in an order that depends on the seed only.

    First come parking places, every other charger and every other station that is on no lane, then
    the other ones, then nodes of the lanes.
    """
    usable = _connected(layout, graph)
    chargers = [charger.node for charger in layout.chargers]
    stations = [station.node for station in layout.stations]
    off_lanes = [node for node in stations if node in usable and len(graph.neighbours(node)) <= 1]
    first = [*layout.parking, *chargers[::2], *off_lanes[::2]]
    lanes = [node for node in graph.nodes if node in usable]
    draw = Streams(seed).get(STREAM)
    given: set[str] = set()
    for some in (first, [*chargers, *off_lanes], lanes):
        for n in draw.permutation(len(some)).tolist():
            if some[n] not in given:
                given.add(some[n])
                yield graph.nodes[some[n]]


def _connected(layout: Layout, graph: Graph) -> set[str]:
    """Return the nodes from and to which there is a way without a lift."""
    home = (*layout.parking, *graph.nodes)[0]
    return graph.reachable(home) & graph.reachable(home, backwards=True)
