"""A world with a map and a layout: robots start at its places and use its stations and chargers."""

from collections.abc import Iterator

from rigless.kernel.world import Obstacle
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.model import Layout
from rigless.worlds.layout.starts import start_nodes


class SiteWorld(GridWorld):
    """A map with a layout. `graph` is its navigation graph."""

    def __init__(self, grid: Grid, layout: Layout, obstacles: dict[str, Obstacle] | None = None):
        self.layout = layout
        self.graph = Graph(layout)
        super().__init__(grid, obstacles)

    def starts(self, seed: int) -> Iterator[tuple[float, float, float]]:
        for node in start_nodes(self.layout, self.graph, seed):
            yield node.x, node.y, node.theta or 0.0
