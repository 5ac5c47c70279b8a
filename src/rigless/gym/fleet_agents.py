"""A fleet of AGVs for several agents, each with a destination in the warehouse.

from rigless.gym.fleet_agents import AgvFleetAgents
env = AgvFleetAgents(count=6)
observations, infos = env.reset(seed=1)
"""

import heapq
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from rigless.gym.parallel import Agents, Floats, Rewards
from rigless.gym.tasks import box
from rigless.kernel.elementary import sin_cos
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.simulation import Simulation
from rigless.robots.agv import messages as m
from rigless.scenario.load import build_raw
from rigless.scenario.source import Source

STEP_S = 1.0
FAR_M = 50.0
PORT = "nats"


class AgvFleetAgents(Agents):
    """Drive AGVs from node to node. At its destination an AGV gets the next one.

    A step is 1 s. Action 0 waits, action k drives to the k-th next node by a command MOVE on the
    robot's own wire. A node is reserved for the robot that stands there or drives there: an action
    to a reserved node waits, and so does an action while the robot drives. infos hold `action_mask`
    and the number of `arrivals`. An agent observes the way to its destination and whether it
    drives, and of each next node: if it exists, its direction, by how much it is nearer to the
    destination, and if it is reserved. The reward is the metres of the way that were gained,
    in hundreds, and 1 at the destination.
    """

    def __init__(
        self,
        count: int = 4,
        max_cycles: int = 300,
        map: str | None = None,
        config: Mapping[str, Any] | None = None,
    ):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise InputError(Problem("count", f"{count!r} is no number of AGVs", "give 1 or more"))
        self._entry = {"kind": "agv", "count": count, "config": dict(config or {})}
        self._top: dict[str, Any] = {"world": {"map": map}} if map else {}
        self.sim = self._build(0)
        super().__init__("agv_fleet", list(self.sim.robots), max_cycles)
        graph = getattr(self.sim.world, "graph", None)
        if graph is None:
            what = "the map has no nodes to drive to"
            raise InputError(Problem("map", what, "give a map with a layout, as warehouse_100"))
        self.graph = graph
        self.nodes = sorted(graph.nodes)
        self._next = {node: sorted(graph.arcs[node]) for node in self.nodes}
        self._into: dict[str, list[Any]] = {node: [] for node in self.nodes}
        for arc in graph.all_arcs():
            self._into[arc.end].append(arc)
        self.ways = max(len(ends) for ends in self._next.values())
        for agent in self.possible_agents:
            self.observation_spaces[agent] = box(4 + 5 * self.ways)
            self.action_spaces[agent] = spaces.Discrete(1 + self.ways)

    def _build(self, seed: int) -> Simulation:
        raw = {"name": "fleet", "robots": [self._entry], **self._top}
        return build_raw(raw, Source(), (), seed, collect=False).simulation

    def begin(self, seed: int, generator: np.random.Generator) -> None:
        self.sim, self._draw = self._build(seed), generator
        self._sent = 0
        self.at = {name: self.graph.nearest(*self.pose(name)[:2]) for name in self.agents}
        self.goals: dict[str, str] = {}
        self.left: dict[str, dict[str, float]] = {}  # metres to the destination from each node
        self.arrivals = dict.fromkeys(self.agents, 0)
        for agent in self.agents:
            self._new_goal(agent)

    def recorded(self) -> Simulation:
        return self.sim

    def _new_goal(self, agent: str) -> None:
        """Draw a destination that the robot can reach."""
        while True:
            goal = self.nodes[int(self._draw.integers(len(self.nodes)))]
            left = self._distances(goal)
            if goal != self.at[agent] and self.at[agent] in left:
                self.goals[agent], self.left[agent] = goal, left
                return

    def _distances(self, goal: str) -> dict[str, float]:
        """Return the metres to a node from each node that leads there."""
        found, queue = {goal: 0.0}, [(0.0, goal)]
        while queue:
            far, node = heapq.heappop(queue)
            for arc in self._into[node] if far <= found[node] else ():
                if far + arc.length_m < found.get(arc.start, math.inf):
                    found[arc.start] = far + arc.length_m
                    heapq.heappush(queue, (found[arc.start], arc.start))
        return found

    def pose(self, agent: str) -> tuple[float, float, float]:
        robot: Any = self.sim.robots[agent]
        x, y, theta = robot.machine.drive.pose
        return float(x), float(y), float(theta)

    def drives(self, agent: str) -> bool:
        robot: Any = self.sim.robots[agent]
        return robot.commands.current() is not None

    def options(self, agent: str) -> list[str]:
        """Return the nodes that the robot may drive to now."""
        if self.drives(agent):
            return []
        reserved = set(self.at.values())
        return [
            node
            for node in self._next[self.at[agent]]
            if node not in reserved and node in self.left[agent]
        ]

    def play(self, actions: Mapping[str, int]) -> tuple[Rewards, bool]:
        before = {agent: self.left[agent][self.at[agent]] for agent in self.agents}
        for agent in self.agents:
            ends = self._next[self.at[agent]]
            node = ends[actions[agent] - 1] if 1 <= actions[agent] <= len(ends) else None
            if node is not None and node in self.options(agent):
                self._drive(agent, self.graph.nodes[node])
                self.at[agent] = node
        self.sim.run(STEP_S)
        rewards = {}
        for agent in self.agents:
            left = self.left[agent][self.at[agent]]
            rewards[agent] = (before[agent] - left) / 100.0
            if left == 0.0 and not self.drives(agent):
                rewards[agent] += 1.0
                self.arrivals[agent] += 1
                self._new_goal(agent)
        return rewards, False

    def _drive(self, agent: str, node: Any) -> None:
        self._sent += 1
        to = {"x": node.x, "y": node.y}
        self.sim.send(agent, PORT, m.CommandRequest(f"{agent}-{self._sent}", "MOVE", to))

    def observe(self, agent: str) -> Floats:
        (x, y, theta), here, left = self.pose(agent), self.at[agent], self.left[agent]
        goal, reserved = self.graph.nodes[self.goals[agent]], set(self.at.values())
        values = [*_towards(goal.x - x, goal.y - y, theta)]
        values += [left[here] / (2.0 * FAR_M), float(self.drives(agent))]
        for node in self._next[here]:
            end = self.graph.nodes[node]
            gained = (left[here] - left.get(node, left[here] + FAR_M)) / FAR_M
            way = _towards(end.x - x, end.y - y, theta)
            values += [1.0, *way, gained, float(node in reserved)]
        values += [0.0] * (4 + 5 * self.ways - len(values))
        return np.clip(np.array(values, np.float32), -1.0, 1.0)

    def info(self, agent: str) -> dict[str, Any]:
        options = self.options(agent)
        mask = np.zeros(1 + self.ways, np.int8)
        mask[0] = 1
        for k, node in enumerate(self._next[self.at[agent]], 1):
            mask[k] = node in options
        return {"action_mask": mask, "arrivals": self.arrivals[agent]}


def _towards(dx: float, dy: float, theta: float) -> tuple[float, float]:
    """Return a direction on the axes of a robot with this heading."""
    sine, cosine = sin_cos(theta)
    far = max(math.sqrt(dx * dx + dy * dy), 1e-9)
    return (cosine * dx + sine * dy) / far, (cosine * dy - sine * dx) / far
