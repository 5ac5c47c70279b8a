"""Search of deadlocks and detours for a robot that is blocked."""

from rigless.kernel.world import World
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.plans import Plans
from rigless.robots.agv.modules.route import Routing
from rigless.robots.agv.services import Services
from rigless.robots.agv.site.deadlock import DEADLOCK, Deadlocks
from rigless.robots.agv.site.detour import Detours
from rigless.robots.agv.site.errand import Errands
from rigless.robots.agv.site.place_work import PlaceWork
from rigless.robots.agv.state import AgvState
from rigless.worlds.layout.site_world import SiteWorld

PERIOD_NS = 1_000_000_000
NEVER_NS = 2**62

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
        plans: Plans,
        jobs: Jobs,
        world: World,
    ):
        self._state, self._clock, self._machine = state, services, machine
        self._world = world if isinstance(world, SiteWorld) else None
        if self._world is not None:
            self._world.sharing.join(services.name)
        self.work = PlaceWork(services, config, machine, world, events, jobs)
        plans.check_place, jobs.place = self.work.check, self.work
        self._errands = Errands(
            services, state, config, machine, self._world, plans, jobs, self.work
        )
        self._deadlocks = Deadlocks(services, state.core, machine, events)
        self._detours = Detours(services, state.route, config, machine, route)

    @property
    def due_ns(self) -> int:
        """The time until which `tick` has nothing to do while the robot stands or drives on."""
        state = self._state
        due_ns = state.core.site_due_ns if self._world is not None else NEVER_NS
        if state.machine.obstacle_stop or state.core.circle_ns or state.route.blocked_ns:
            due_ns = min(due_ns, self._deadlocks.due_ns, self._detours.due_ns)
        return due_ns

    def tick(self) -> None:
        state = self._state
        if state.machine.lift:
            self.work.devices.ride()
        if state.machine.obstacle_stop or state.core.circle_ns or state.route.blocked_ns:
            self._deadlocks.tick()
            self._detours.tick()
        if self._world is not None and self._clock.now_ns >= state.core.site_due_ns:
            state.core.site_due_ns = self._clock.now_ns + PERIOD_NS
            self._world.tick(self._clock.now_ns)
            self._world.approach(*self._machine.drive.pose[:2], self._clock.now_ns)
            if state.machine.charger and self.work.charger_here() is None:
                self.work.unplug()  # it was put elsewhere
            self.work.devices.leave_strange()
            self._errands.tick()

    def follow(self) -> None:
        """Open the doors near a robot that another shard steps."""
        if self._world is not None and self._clock.now_ns >= self._state.core.site_due_ns:
            self._state.core.site_due_ns = self._clock.now_ns + PERIOD_NS
            self._world.approach(*self._machine.drive.pose[:2], self._clock.now_ns)
