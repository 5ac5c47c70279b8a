"""What the robot hears: its link, faults and inputs, its real parts, and each message of its backend, which goes to the module that it is for.

A module that `supportedModules` switches off takes nothing; whoever speaks to it is told.
"""

from typing import Any

from rigless.hardware.messages import HEARD, Said
from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.inputs import SetInput
from rigless.kernel.ports import Connected, Disconnected, Link
from rigless.kernel.robot import Robot, on
from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link.publisher import OF_THE_HOST, PORT, Publisher
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.machine.remote import RemoteDrivers
from rigless.robots.agv.modules.commands import Commands
from rigless.robots.agv.modules.core import Core
from rigless.robots.agv.modules.route import Routing
from rigless.robots.agv.modules.settings import Settings
from rigless.robots.agv.modules.status import may_drive
from rigless.robots.agv.modules.task import Tasks
from rigless.robots.agv.modules.teach import Teach
from rigless.robots.agv.modules.traffic import Traffic
from rigless.robots.agv.state import AgvState


class Dispatch(Robot):
    state: AgvState
    machine: Machine
    publisher: Publisher
    core: Core
    commands: Commands
    settings: Settings
    tasks: Tasks
    traffic: Traffic
    route: Routing
    teach: Teach

    effective: RobotConfig  # the configuration, with what was set since
    may_drive: bool
    _known: Any = None  # the state for which what follows from it was made
    _enabled: set[str]

    def enabled(self, module: str) -> bool:
        return module in self._enabled

    def revive(self) -> None:
        """The state is new, or was restored: what follows from it is made again."""
        self._known = self.state
        self.effective = self.settings.effective()
        self.machine.configure(self.effective)
        self.core.forget()
        self.may_drive = may_drive(
            self.state.core.status, self.effective.runtime.healthPolicy.allowDriveInWarning
        )

    # The way to the backend

    @on(Connected)
    def link_up(self, message: Connected, link: Link) -> None:
        if link.port == PORT:
            self.publisher.link_up()

    @on(Disconnected)
    def link_down(self, message: Disconnected, link: Link) -> None:
        if link.port == PORT and not self.links(PORT):
            self.publisher.link_down()

    @on(m.LinkReport)
    def hear_of_link(self, message: m.LinkReport, link: Link) -> None:
        core = self.state.core
        core.reported, core.outbox_depth = message.connected, max(message.outboxDepth, 0)

    @on(Injected, Cleared)
    def faults_changed(self, message: Injected | Cleared, link: Link) -> None:
        self.publisher.wire_changed()
        self.machine.resample()

    @on(SetInput)
    def input_set(self, message: SetInput, link: Link) -> None:
        if message.name not in OF_THE_HOST:
            self.machine.resample()
        elif message.name == "boot_id":
            self.publisher.boot()
        elif message.name == "epoch_s":
            self.publisher.set_date()

    @on(*HEARD)
    def hear_part(self, message: Said, link: Link) -> None:
        """Of a real part, on the hardware port. It is judged at the next tick, together with what the other parts say."""
        if self.state is not self._known:
            self.revive()
        drivers = self.machine.drivers
        if isinstance(drivers, RemoteDrivers):  # nobody else has that port
            drivers.take(message)

    # What is heard

    @on(m.CommandRequest)
    def hear_command(self, message: m.CommandRequest, link: Link) -> None:
        self._ready()
        self.commands.hear(message)

    @on(m.SettingsDesired)
    def hear_settings(self, message: m.SettingsDesired, link: Link) -> None:
        if self._takes("settings", "settings.desired"):
            self.settings.hear(message)

    @on(m.TaskAssign)
    def hear_assign(self, message: m.TaskAssign, link: Link) -> None:
        if self._takes("task", "task.assign"):
            self.tasks.assign(message)

    @on(m.TaskCancel)
    def hear_cancel(self, message: m.TaskCancel, link: Link) -> None:
        if self._takes("task", "task.cancel"):
            self.tasks.cancel(message)

    @on(m.TrafficControl)
    def hear_control(self, message: m.TrafficControl, link: Link) -> None:
        if self._takes("traffic", "traffic.control"):
            self.traffic.hear(message)

    @on(m.RouteResponse)
    def hear_route(self, message: m.RouteResponse, link: Link) -> None:
        if self._takes("route", "route.response"):
            self.route.hear(message)

    @on(m.TeachStart)
    def hear_teach_start(self, message: m.TeachStart, link: Link) -> None:
        if self._takes("teach", "teach.start"):
            self.teach.start(message)

    @on(m.TeachRecord)
    def hear_teach_record(self, message: m.TeachRecord, link: Link) -> None:
        if self._takes("teach", "teach.record"):
            self.teach.record(message)

    @on(m.TeachStop)
    def hear_teach_stop(self, message: m.TeachStop, link: Link) -> None:
        if self._takes("teach", "teach.stop"):
            self.teach.stop(message)

    @on(m.Malformed)
    def hear_nonsense(self, message: m.Malformed, link: Link) -> None:
        if message.type == "command.request":
            self.commands.malformed(message)
        elif message.type == "task.assign" and message.taskId and self.enabled("task"):
            self.tasks.malformed(message)
        self.core.notice(message.code, "WARNING", message.type, f"{message.type}: {message.what}")

    @on(m.Recalled)
    def remember(self, message: m.Recalled, link: Link) -> None:
        self._ready()
        if message.type == "command.ack":
            self.commands.recall(message)
        elif message.type == "settings.reported" and self.enabled("settings"):
            self.settings.recall(message)
        elif message.type.startswith("task.") and self.enabled("task"):
            self.tasks.recall(message)

    def _ready(self) -> None:
        """What is heard is judged by how things are now, not as they were at the last tick."""
        if self.state is not self._known:
            self.revive()
        self.core.watch()

    def _takes(self, module: str, type: str) -> bool:
        """Whether this robot has the module; one that has not says so."""
        self._ready()
        if module not in self._enabled:
            what = f"{type}: this robot has supportedModules.{module} false"
            self.core.notice("NOT_SUPPORTED", "WARNING", type, what)
        return module in self._enabled
