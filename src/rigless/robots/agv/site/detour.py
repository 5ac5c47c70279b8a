"""Detours: a motion that an obstacle blocks for a while asks the backend for another route."""

from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.route import Routing
from rigless.robots.agv.services import Clock
from rigless.robots.agv.state import RouteState

NEVER = 2**62
AFTER_S = 10.0  # default of rerouteAfterSeconds


class Detours:
    def __init__(
        self,
        clock: Clock,
        state: RouteState,
        config: RobotConfig,
        machine: Machine,
        route: Routing,
    ):
        self._clock, self._state, self._machine, self._route = clock, state, machine, route
        given = config.safety.rerouteAfterSeconds
        self._after_ns = to_ns(AFTER_S if given is None else given)

    @property
    def due_ns(self) -> int:
        """The time of the next request, if the robot stays as it is."""
        if not self._machine.protection.waits:
            return NEVER if not self._state.blocked_ns else 0
        since_ns = self._state.blocked_ns
        return since_ns + self._after_ns if since_ns and self._after_ns else NEVER * (since_ns > 0)

    def tick(self) -> None:
        """Request a route once the robot has been blocked for long enough, and again after it."""
        state, now_ns = self._state, self._clock.now_ns
        if not self._machine.protection.waits:
            state.blocked_ns = 0
        elif not state.blocked_ns:
            state.blocked_ns = now_ns
        elif self._after_ns and now_ns - state.blocked_ns >= self._after_ns:
            state.blocked_ns = now_ns
            edge, _, _ = self._route.progress()
            self._route.request_detour([edge] if edge else [])
