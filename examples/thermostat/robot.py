"""A room with a radiator and an on/off thermostat.

It controls the heater ten times a second, answers lines on TCP, and sends a report a second to each
subscriber. Every byte is in wire.py, every number in config.py.
"""

import math

from rigless.kernel.ports import Disconnected, Link, Port
from rigless.kernel.robot import Robot, VirtualInput, every, on

from .config import ThermostatConfig
from .state import ThermostatState
from .wire import Answer, Get, LineCodec, Report, ReportCodec, Set, Subscribe, Unknown


class Thermostat(Robot):
    Config = ThermostatConfig
    State = ThermostatState
    ports = (
        Port(
            "line",
            LineCodec,
            transport="tcp",
            address="127.0.0.1:7777",
            example="rigless send {robot} line GET",
            emits=(Answer,),
            answers=True,
        ),
        Port(
            "reports",
            ReportCodec,
            transport="udp",
            address="127.0.0.1:0",
            kind="datagram",
            direction="out",
            emits=(Report,),
        ),
    )
    inputs = {
        "window_open": VirtualInput(False, "an open window loses heat"),
        "outside_c": VirtualInput(5.0, "temperature outside"),
    }
    sensors = ("temperature",)
    actuators = ("heater",)
    own_faults = {"relay": ("welded",)}
    event_codes = ("heater",)
    metric_names = ("switched",)

    def start(self) -> None:
        self.state.temperature_c = self.config.start_c
        self.state.setpoint_c = self.config.setpoint_c

    # Control, every 1/10 s

    @every(lambda config: config.control_hz)
    def control(self) -> None:
        config, state = self.config, self.state
        noise_c = config.noise_c * self.random("temperature").standard_normal()
        state.measured_c = self.sense("temperature", state.temperature_c + noise_c)
        if state.measured_c is not None:
            if state.measured_c < state.setpoint_c - config.hysteresis_c:
                self.switch(True)
            elif state.measured_c > state.setpoint_c + config.hysteresis_c:
                self.switch(False)
        self.warm(1.0 / config.control_hz)

    def switch(self, on: bool) -> None:
        if on != self.state.heating:
            self.state.heating = on
            self.count("switched")
            self.event("heater", "heater on" if on else "heater off", on=on)

    def warm(self, dt_s: float) -> None:
        """Solve Newton's law of cooling with a constant source exactly over one period."""
        config, state = self.config, self.state
        on = state.heating or self.fault("relay", "welded") is not None
        heat_w = self.actuate("heater", config.heater_w * on, dt_s, full=config.heater_w)
        loss_w_per_k = config.loss_w_per_k
        if self.input["window_open"]:
            loss_w_per_k *= config.window_factor
        final_c = self.input["outside_c"] + heat_w / loss_w_per_k
        decay = math.exp(-dt_s * loss_w_per_k / config.heat_capacity_j_per_k)
        state.temperature_c = final_c + (state.temperature_c - final_c) * decay

    # Lines

    @on(Get)
    def get(self, message: Get, link: Link) -> None:
        state = self.state
        measured = "-" if state.measured_c is None else f"{state.measured_c:.2f}"
        self.answer(link, f"TEMP {measured} SET {state.setpoint_c:.1f} HEAT {state.heating:d}")

    @on(Set)
    def set(self, message: Set, link: Link) -> None:
        if 5.0 <= message.celsius <= 30.0:
            self.state.setpoint_c = message.celsius
            self.answer(link, "OK")
        else:
            self.answer(link, "ERR range")

    @on(Subscribe)
    def subscribe(self, message: Subscribe, link: Link) -> None:
        if not 0 < message.port < 65536:
            self.answer(link, "ERR range")
            return
        self.unsubscribe(link)
        host = link.peer.rpartition(":")[0]
        self.state.subscribers[link.id] = self.open("reports", f"{host}:{message.port}").id
        self.answer(link, "OK")

    @on(Unknown)
    def unknown(self, message: Unknown, link: Link) -> None:
        self.answer(link, "ERR unknown")

    def answer(self, link: Link, text: str) -> None:
        self.emit("line", Answer(text), to=link)

    # Reports, every second

    @every(lambda config: config.report_hz)
    def report(self) -> None:
        if self.wanted("reports"):
            report = Report(self.now_ns / 1e9, self.state.measured_c, self.state.heating)
            self.emit("reports", report)

    @on(Disconnected)
    def disconnect(self, message: Disconnected, link: Link) -> None:
        if link.port == "line":
            self.unsubscribe(link)

    def unsubscribe(self, link: Link) -> None:
        """Close the report link that belongs to a connection."""
        subscription = self.state.subscribers.pop(link.id, None)
        for report_link in self.links("reports"):
            if report_link.id == subscription:
                self.close(report_link)
