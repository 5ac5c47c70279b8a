"""A world with a map and a layout: robots start at its places and use its stations and chargers."""

from collections.abc import Iterator

from rigless.kernel.world import Obstacle
from rigless.worlds.grid import Grid
from rigless.worlds.grid_world import GridWorld
from rigless.worlds.layout.graph import Graph
from rigless.worlds.layout.model import Layout
from rigless.worlds.layout.starts import start_nodes
from rigless.worlds.layout.stock import SiteState, Stock, fill, settle


class SiteWorld(GridWorld):
    """A map with a layout. `graph` is its navigation graph."""

    State = SiteState
    state: SiteState

    def __init__(self, grid: Grid, layout: Layout, obstacles: dict[str, Obstacle] | None = None):
        self.layout = layout
        self.graph = Graph(layout)
        self.stations = {station.id: station for station in layout.stations}
        super().__init__(grid, obstacles)

    def reset(self) -> None:
        """Return obstacles and loads to their first places."""
        super().reset()
        fill(self.state, self.layout)

    def tick(self, now_ns: int) -> None:
        """Let sources and sinks act until now."""
        for station in self.layout.stations:
            if station.kind != "storage":
                settle(self.state, station, now_ns)

    def stock(self, station: str, now_ns: int) -> Stock:
        """Return the loads of a station now."""
        return settle(self.state, self.stations[station], now_ns)

    def starts(self, seed: int) -> Iterator[tuple[float, float, float]]:
        for node in start_nodes(self.layout, self.graph, seed):
            yield node.x, node.y, node.theta or 0.0
