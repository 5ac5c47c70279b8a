"""Search of deadlocks and detours for a robot that is blocked."""

from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.modules.route import Routing
from rigless.robots.agv.services import Services
from rigless.robots.agv.site.deadlock import DEADLOCK, Deadlocks
from rigless.robots.agv.site.detour import Detours
from rigless.robots.agv.state import AgvState

__all__ = ["DEADLOCK", "Site"]


class Site:
    def __init__(
        self,
        services: Services,
        state: AgvState,
        config: RobotConfig,
        machine: Machine,
        events: Events,
        route: Routing,
    ):
        self._state = state
        self._deadlocks = Deadlocks(services, state.core, machine, events)
        self._detours = Detours(services, state.route, config, machine, route)

    def tick(self) -> None:
        state = self._state
        if state.machine.obstacle_stop or state.core.circle_ns or state.route.blocked_ns:
            self._deadlocks.tick()
            self._detours.tick()
