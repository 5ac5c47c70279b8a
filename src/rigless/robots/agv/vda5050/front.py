"""The VDA 5050 front end: the session with the broker, and what happens when.

Theory of operation. On CONNECTING it gives the transport the will of that connection. When the
session is up it publishes connection ONLINE, the factsheet and a state. Messages change the order
and the actions at once; the robot's tick lets them go on. All changes of one tick give one state at
its end; without any, a state follows after the state interval. While the session is down nothing is
published, and the robot drives on to the end of its base.
"""

from functools import cached_property
from typing import Any, Literal, TypeVar

import msgspec

from rigless.kernel.faults import Injected
from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.plans import Plans
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.services import Services
from rigless.robots.agv.site.place_work import PlaceWork
from rigless.robots.agv.state import CoreState
from rigless.robots.agv.vda5050.acceptance import Limits
from rigless.robots.agv.vda5050.actions import LOCAL, Actions
from rigless.robots.agv.vda5050.core_functions import CoreFunctions
from rigless.robots.agv.vda5050.driving import Driving
from rigless.robots.agv.vda5050.effects import Effects
from rigless.robots.agv.vda5050.factsheet import sections
from rigless.robots.agv.vda5050.instant import Instant
from rigless.robots.agv.vda5050.orders import TAKING, Orders
from rigless.robots.agv.vda5050.report import Report
from rigless.robots.agv.vda5050.wire import PORT
from rigless.robots.agv.vda5050.zones import Zones
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.catalogue import catalogue
from rigless.robots.agv.vda5050_model.dialect import Dialect
from rigless.robots.agv.vda5050_model.errors import Rejected
from rigless.robots.agv.vda5050_model.state import VdaState

Message = TypeVar("Message", bound=m.Header)
MODES = ("AUTOMATIC", "SEMIAUTOMATIC", "MANUAL", "SERVICE", "TEACHIN", "STARTUP", "INTERVENED")
CLEARING = ("MANUAL", "SERVICE", "TEACHIN", "STARTUP")
AWAY = (*CLEARING, "INTERVENED")  # without the master; requests for zones end
ONLY_3 = ("STARTUP", "INTERVENED")
NOT_THERE = ("SERVICE", "TEACHIN", "STARTUP")  # the last node is unknown afterwards
SILENT = ("CONNECTING", "DOWN", "CLOSED", "OFF")


class Front:
    """`state` holds everything that changes; the rest can be made again from it."""

    def __init__(
        self,
        services: Services,
        state: VdaState,
        config: RobotConfig,
        core: CoreState,
        machine: Machine,
        publisher: Publisher,
        plans: Plans,
        jobs: Jobs,
        work: PlaceWork,
    ):
        assert config.vda5050 is not None
        self._services, self.state, self._config = services, state, config
        self._given, self._machine, self._publisher = config.vda5050, machine, publisher
        tick_s, major = 1.0 / config.runtime.tickHz, self._given.major
        self._kinds = catalogue(self._given)
        self._functions = functions = CoreFunctions(services, core, machine, plans, jobs, work)
        self.zones = Zones(services, state, machine, self._deadline_ns, self._check_action)
        dialect, weight_kg = Dialect(self._given.version), self._given.loadWeightKg
        effects = Effects(state, machine, functions, self.zones, dialect, weight_kg)
        self.actions = Actions(services, state, self._kinds, functions, effects, tick_s)
        self.driving = Driving(
            services, state, machine, functions, self.actions, self.zones, tick_s
        )
        self.orders = Orders(state, self._given, machine, self.actions, self.driving, self._limits)
        self.instant = Instant(
            state,
            major,
            self._kinds,
            functions,
            self.actions,
            self.orders,
            self._deadline_ns,
            lambda: not machine.drive.driving,
            self._publish_factsheet,
        )
        auto = config.safety.estopAcknowledge == "AUTO"
        version: str = self._given.version
        self.report = Report(
            services, state, core, machine, self.driving, self.zones, version, auto, self._eta
        )
        self._interval_ns = to_ns(self._given.stateIntervalS)
        self._serial = self._given.serialNumber or config.identity.robotId
        if not state.maps:
            given = [(one.mapId, one.mapVersion) for one in self._given.maps]
            for name, version in given or [(machine.state.map_id, "1")]:
                state.maps[f"{name}\n{version}"] = [name, version, "ENABLED"]

    def _limits(self) -> Limits:
        const, machine = self._machine.const, self._machine
        enabled = [entry[0] for entry in self.state.maps.values() if entry[2] == "ENABLED"]
        return Limits(
            self._config.dimensions.heightMm / 1000,
            machine.protection.half_width_m,
            bool(const[d.MODEL] == d.DIFFERENTIAL),
            frozenset(enabled),
            r.MOST,
            machine.state.map_id,
            machine.protection.why_not,
        )

    def _check_action(self, action: r.Action, scope: str) -> None:
        self.actions.check(action, scope)

    def _deadline_ns(self, text: str) -> int:
        """Return the simulated time of a time of the master. Raises ValueError."""
        return self._publisher.deadline_ns(text, None)

    # Time

    def tick(self) -> None:
        state, session = self.state, self.state.session
        if not session.begun:
            self._begin()
        self._follow_mode()
        self._read_buttons()
        order = state.order
        if state.enabled_zones:
            for zone, entered in self.zones.crossed_outlines():
                self.actions.cross(zone, entered)
        if order.queue or state.zone_queue or state.instant or order.cancelling:
            self.actions.tick()
            self.instant.tick()
        if order.nodes or order.sent:
            self.driving.tick()
        if order.cancelling:
            self.orders.tick()
            self._follow_mode()
        facts = self.report.facts()
        if facts != session.facts:
            session.facts, session.changed = facts, True
        late = self._services.now_ns - session.state_ns >= self._interval_ns
        if session.changed or late:
            self.publish_state()
        if session.falls_asleep:
            self._become_silent()
        elif session.hibernating and 0 < session.wake_ns <= self._services.now_ns:
            session.hibernating = False
            self._begin()

    def _follow_mode(self) -> None:
        """Follow the operating mode, which is an input of the robot."""
        state, mode = self.state, self._services.input["operating_mode"]
        if mode != state.mode and mode in MODES:
            if mode in ONLY_3 and self._given.major == 2:
                mode = "SEMIAUTOMATIC" if mode == "INTERVENED" else "SERVICE"
            if mode != state.mode:
                self._change_mode(mode)

    def _read_buttons(self) -> None:
        """Follow the buttons of the robot, and a robot that is moved by hand."""
        given, state = self._services.input, self.state
        if given["trigger"] != state.trigger:
            state.trigger = bool(given["trigger"])
            if state.trigger:
                self.actions.triggered(LOCAL)
        if given["acknowledge"] != state.acknowledge:
            state.acknowledge = bool(given["acknowledge"])
            if state.acknowledge and not state.clearing:
                state.clearing = self._functions.acknowledge()
        if state.clearing and self._functions.ended(state.clearing) is not None:
            state.clearing = 0
        if given["switch_on"] != state.switch:
            state.switch = bool(given["switch_on"])
            if state.switch and state.session.off:
                self._switch_on()
        moved = state.mode == "MANUAL" and state.order.last_node and self._given.major == 3
        if moved and not self.orders.at_last_node():
            state.order.last_node, state.order.last_sequence = "", 0
            state.session.changed = True

    def _change_mode(self, mode: str) -> None:
        """Change the operating mode, after the actions of an order that it clears have ended."""
        state = self.state
        if mode in CLEARING:
            self.orders.clear(f"the operating mode is {mode}")
            if state.order.cancelling:
                return
        if mode in NOT_THERE and self._given.major == 3:
            state.order.last_node, state.order.last_sequence = "", 0
        if mode in AWAY:
            state.requests, state.leases, state.spans = {}, {}, {}
        if mode in TAKING:
            self.orders.mode_allows()
        state.mode, state.session.changed = mode, True

    # The session

    def reported(self, report: r.SessionReport) -> None:
        """Follow the session: give the will, greet, or say goodbye."""
        session = self.state.session
        if report.session == "CONNECTING":
            session.state = "CONNECTING"
            session.will = self._emit(m.Will(connectionState="CONNECTIONBROKEN"))
        elif report.session == "UP":
            session.state, session.begun = "UP", False
            self._begin()
        elif report.session == "CLOSING":
            self._emit(m.Connection(connectionState="OFFLINE"))
            session.state = "CLOSED"
        else:
            session.state = report.session

    def _become_silent(self) -> None:
        """Hibernate, or leave the broker after shutdown."""
        session = self.state.session
        session.falls_asleep = False
        if session.off:
            self._emit(m.Connection(connectionState="OFFLINE"))
            self._services.emit(PORT, m.Session("leave"))
            session.state = "OFF"
        else:
            session.hibernating = True
            self._emit(m.Connection(connectionState="HIBERNATING"))

    def _switch_on(self) -> None:
        """Return to the broker after shutdown."""
        session = self.state.session
        session.off, session.begun = False, False
        session.state = "" if session.will is None else "DOWN"
        self._services.emit(PORT, m.Session("return"))

    def _begin(self) -> None:
        """Publish the first messages of a session."""
        session = self.state.session
        if session.state in SILENT:
            return
        session.begun = True
        online: Literal["HIBERNATING", "ONLINE"]
        online = "HIBERNATING" if session.hibernating else "ONLINE"
        self._emit(m.Connection(connectionState=online))
        self._publish_factsheet()
        self.publish_state()

    # Messages

    def ordered(self, order: r.Order) -> None:
        if not (self.state.session.hibernating or self.state.session.off):
            self.orders.receive(order)

    def act(self, message: r.InstantActions) -> None:
        before = self.state.session.hibernating
        if self.state.session.off:
            return
        self.instant.receive(message)
        if self.state.session.hibernating != before:
            self._begin()

    def zone_set(self, message: r.ZoneSets) -> None:
        try:
            self.zones.receive(message.zoneSet)
        except Rejected as rejected:
            references = {"topic": "zoneSet", "headerId": str(message.headerId)}
            self.orders.report(rejected, {**references, **rejected.references})
            self.state.session.changed = True

    def answered(self, message: r.Responses) -> None:
        try:
            for response in message.responses:
                self.zones.releases.answer(response)
        except Rejected as rejected:
            references = {"topic": "responses", "headerId": str(message.headerId)}
            self.orders.report(rejected, references)
            self.state.session.changed = True

    def downloaded(self, file: r.Downloaded) -> None:
        record = self.state.instant.get(file.id)
        if record is not None and record.due_ns:
            record.file = file

    def unreadable(self, message: r.Unreadable) -> None:
        rejected = Rejected("invalid", f"{message.topic}: {message.what}")
        self.orders.report(rejected, {"topic": message.topic, **message.references})
        self.state.session.changed = True

    def faulted(self, fault: Injected) -> None:
        """Carry out a fault that happens once."""
        last = self.state.last_order
        match fault.target, fault.kind:
            case "session", "cut" | "takeover":
                self._services.emit(PORT, m.Session(fault.kind))
            case "session", "broker_restart":
                self._services.emit(PORT, m.Session("restart"))
            case "session", "stale_online":
                self._services.emit(PORT, m.Session(f"leave {fault.params['seconds']:g}"))
            case "session", "late_will":
                self._publish_late_will()
            case "session", "stale_order" if last is not None:
                self.orders.receive(last)
        self.state.session.changed = True

    def _publish_late_will(self) -> None:
        """Publish the will of this connection now, as a broker does that delivers it late."""
        will = self.state.session.will
        if will is None:  # without a transport
            self._emit(m.Connection(connectionState="CONNECTIONBROKEN"))
        else:
            self._services.emit(PORT, m.Connection(**msgspec.structs.asdict(will)))

    # Publishing

    def publish_state(self) -> None:
        session = self.state.session
        session.changed, session.state_ns = False, self._services.now_ns
        if session.hibernating or not self._wanted("state"):
            return
        self._emit(self.report.state())

    def publish_visualization(self) -> None:
        session = self.state.session
        if session.begun and not session.hibernating and self._wanted("visualization"):
            self._emit(self.report.visualization())

    def _publish_factsheet(self) -> None:
        if self._wanted("factsheet"):
            self._emit(m.Factsheet(**self._sections))

    @cached_property
    def _sections(self) -> dict[str, Any]:
        return sections(self._config, self._machine, self._kinds)

    def _wanted(self, topic: str) -> bool:
        """Return True if a message has a receiver; count it in any case."""
        if self.state.session.state in SILENT:
            return False
        if self._services.wanted(PORT):
            return True
        headers = self.state.session.headers
        headers[topic] = (headers.get(topic, 0) + 1) % 2**32
        return False

    def _emit(self, message: Message) -> Message:
        headers, topic = self.state.session.headers, m.PUBLISHED[type(message)]
        number = headers.get(topic, 0)
        headers[topic] = (number + 1) % 2**32
        stamp = self._eta(0.0)
        head = {
            "headerId": number,
            "timestamp": stamp if self._given.major == 3 else f"{stamp[:-2]}Z",
            "version": self._given.version,
            "manufacturer": self._given.manufacturer,
            "serialNumber": self._serial,
        }
        whole = msgspec.structs.replace(message, **head)
        self._services.emit(PORT, whole)
        return whole

    def _eta(self, seconds: float) -> str:
        """Return the time in a number of seconds, by the robot's clock."""
        now_ns = self._services.now_ns - self._behind_ns()
        return self._publisher.at(now_ns + to_ns(seconds))

    def _behind_ns(self) -> int:
        fault = self._services.fault("clock", "behind")
        return 0 if fault is None else to_ns(float(fault.params["seconds"]))
