"""The navigation graph of a layout: arcs in their directions, the nearest node, fastest routes."""

import heapq
import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from rigless.worlds.layout.model import Layout, Node

USUAL_MPS = 1.0  # for the duration of an arc without a limit


class Arc(NamedTuple):
    """A straight line from one node to another, in the direction of travel."""

    start: str
    end: str
    length_m: float
    speed_mps: float | None
    width_m: float | None

    @property
    def id(self) -> str:
        """The edgeId in routes and in LIF files."""
        return f"{self.start}-{self.end}"


class Graph:
    """The graph of one layout, which does not change."""

    def __init__(self, layout: Layout):
        self.nodes = {node.id: node for node in layout.nodes}
        self.arcs: dict[str, dict[str, Arc]] = {node: {} for node in self.nodes}
        for edge in layout.edges:
            for a, b in zip(edge.nodes, edge.nodes[1:], strict=False):
                for start, end in ((a, b), (b, a)) if edge.direction == "both" else ((a, b),):
                    length_m = _distance_m(self.nodes[start], self.nodes[end])
                    arc = Arc(start, end, length_m, edge.speed_mps, edge.width_m)
                    self.arcs[start].setdefault(end, arc)
        self._into: dict[str, list[str]] = {node: [] for node in self.nodes}
        for arc in self.all_arcs():
            self._into[arc.end].append(arc.start)
        self._ids = list(self.nodes)
        self._points = np.array([(node.x, node.y) for node in layout.nodes])

    def all_arcs(self) -> list[Arc]:
        """Return all arcs, in the order of the file."""
        return [arc for arcs in self.arcs.values() for arc in arcs.values()]

    def nearest(self, x: float, y: float) -> str:
        """Return the node nearest to a point."""
        away = np.hypot(self._points[:, 0] - x, self._points[:, 1] - y)
        return self._ids[int(np.argmin(away))]

    def distance_m(self, node: str, x: float, y: float) -> float:
        """Return the distance of a point to a node."""
        return math.hypot(self.nodes[node].x - x, self.nodes[node].y - y)

    def route(self, start: str, end: str, without: Collection[str] = ()) -> list[str] | None:
        """Return the nodes of the fastest route, both ends included; None if there is none.

        It passes none of the nodes in `without`. Of equally fast routes it is always the same one.
        """
        return self.route_to_any(start, (end,), without)

    def route_to_any(
        self, start: str, ends: Collection[str], without: Collection[str] = ()
    ) -> list[str] | None:
        """Return the fastest route to the nearest of several nodes; None if there is none."""
        before: dict[str, str] = {}
        best = {start: 0.0}
        queue = [(0.0, 0, start)]
        pushed = 0
        while queue:
            seconds, _, node = heapq.heappop(queue)
            if seconds > best[node]:
                continue
            if node in ends:
                route = [node]
                while route[-1] != start:
                    route.append(before[route[-1]])
                return route[::-1]
            for end, arc in self.arcs[node].items():
                after_s = seconds + arc.length_m / (arc.speed_mps or USUAL_MPS)
                if end not in without and after_s < best.get(end, math.inf):
                    best[end], before[end] = after_s, node
                    pushed += 1
                    heapq.heappush(queue, (after_s, pushed, end))
        return None

    def neighbours(self, node: str) -> set[str]:
        """Return the nodes that an arc leads to, or comes from."""
        return {*self.arcs[node], *self._into[node]}

    def reachable(self, start: str, backwards: bool = False) -> set[str]:
        """Return the nodes that can be reached from a node, or from which it can be reached."""
        steps: Mapping[str, Iterable[str]] = self._into if backwards else self.arcs
        found, open_ = {start}, [start]
        while open_:
            for end in steps[open_.pop()]:
                if end not in found:
                    found.add(end)
                    open_.append(end)
        return found


def _distance_m(a: Node, b: Node) -> float:
    return math.hypot(b.x - a.x, b.y - a.y)
