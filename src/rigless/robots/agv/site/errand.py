"""A robot with a low battery drives to a charger by itself, if `whenLow` is CHARGE.

A robot that speaks VDA 5050 drives by orders only.
"""

from itertools import pairwise

from rigless.robots.agv import params as p
from rigless.robots.agv import profile
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.plans import Plans
from rigless.robots.agv.params import Refused
from rigless.robots.agv.services import Clock
from rigless.robots.agv.site.place_work import PlaceWork
from rigless.robots.agv.state import AgvState
from rigless.worlds.layout.site_world import SiteWorld


class Errands:
    def __init__(
        self,
        clock: Clock,
        state: AgvState,
        config: RobotConfig,
        machine: Machine,
        site: SiteWorld | None,
        plans: Plans,
        jobs: Jobs,
        work: PlaceWork,
    ):
        self._clock, self._state, self._machine, self._site = clock, state, machine, site
        self._plans, self._jobs, self._work = plans, jobs, work
        given = config.runtime.simulationProfile
        battery = (given.battery if given is not None else None) or profile.Battery()
        drives = battery.whenLow == "CHARGE" and config.vda5050 is None  # a master sends it
        self._low = battery.lowSoc if drives else 0.0
        self._enough = battery.chargeToSoc

    def tick(self) -> None:
        """Go to a charger when idle and low, charge there, and stop when it is enough."""
        core, machine = self._state.core, self._machine.state
        if core.errand:
            done = self._jobs.take(core.errand)
            if done is None:
                return
            core.errand = 0
            charger = self._work.charger_here()
            if done.state == "SUCCEEDED" and charger is not None:
                self._work.plug_in(charger)
                core.charges_itself = True
            else:
                self._work.unplug()
        elif core.charges_itself:
            if not machine.charger or machine.soc >= self._enough:
                core.charges_itself = False
                self._work.unplug()
        elif machine.soc < self._low and not machine.charger and self._is_idle():
            self._go()

    def _is_idle(self) -> bool:
        state = self._state
        busy = state.jobs.by_id or state.commands.running or state.task.active or state.task.queue
        return not busy and state.core.may_drive

    def _go(self) -> None:
        """Begin the route to the nearest free charger that the graph leads to."""
        assert self._site is not None
        graph, (x, y, _) = self._site.graph, self._machine.drive.pose
        free = {charger.node: charger.id for charger in self._work.free_chargers()}
        route = graph.route_to_any(graph.nearest(x, y), list(free)) if free else None
        if route is None:
            return
        nodes = [graph.nodes[name] for name in route]
        params = {
            "nodes": [
                {
                    "nodeId": node.id, "sequenceId": 2 * n, "x": node.x, "y": node.y,
                    "released": True, "theta": node.theta if n == len(nodes) - 1 else None,
                }
                for n, node in enumerate(nodes)
            ],
            "edges": [
                {
                    "edgeId": f"{a}-{b}", "sequenceId": 2 * n + 1, "startNodeId": a, "endNodeId": b,
                    "maxSpeed": graph.arcs[a][b].speed_mps,
                }
                for n, (a, b) in enumerate(pairwise(route))
            ],
        }  # fmt: skip
        try:
            job = self._plans.plan("FOLLOW_ROUTE", params, "battery", p.COMMANDS)
            self._plans.check(job)
        except Refused:
            return
        if self._work.claim(free[route[-1]]):
            self._state.core.errand = self._jobs.begin(job).id
