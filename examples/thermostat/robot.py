"""A room with a radiator and an on/off thermostat: what it offers, what happens ten times a second, what each line does."""

import math
from dataclasses import dataclass, field

from rigless.kernel.ports import Disconnected, Link, Port
from rigless.kernel.robot import Robot, VirtualInput, every, on

from .config import ThermostatConfig
from .wire import Answer, Get, LineCodec, Report, ReportCodec, Set, Subscribe, Unknown


@dataclass
class ThermostatState:
    temperature_c: float = 0.0
    measured_c: float | None = None
    setpoint_c: float = 0.0
    heating: bool = False
    subscribers: dict[int, int] = field(
        default_factory=dict
    )  # connection → the link its reports go to


class Thermostat(Robot):
    Config = ThermostatConfig
    State = ThermostatState
    ports = (
        Port(
            "line",
            LineCodec,
            transport="tcp",
            address="127.0.0.1:7777",
            example="echo GET | nc -w 1 {host} {port}",
        ),
        Port(
            "reports",
            ReportCodec,
            transport="udp",
            address="127.0.0.1:0",
            kind="datagram",
            direction="out",
        ),
    )
    inputs = {
        "window_open": VirtualInput(False, "an open window loses heat"),
        "outside_c": VirtualInput(5.0, "temperature outside"),
    }
    sensors = ("temperature",)
    actuators = ("heater",)
    own_faults = {"relay": ("welded",)}

    def start(self) -> None:
        self.state = ThermostatState(
            temperature_c=self.config.start_c, setpoint_c=self.config.setpoint_c
        )

    @every(lambda config: config.control_hz)
    def control(self) -> None:
        config, state = self.config, self.state
        noisy = state.temperature_c + config.noise_c * self.random("temperature").standard_normal()
        state.measured_c = self.sense("temperature", noisy)
        if state.measured_c is not None:
            if state.measured_c < state.setpoint_c - config.hysteresis_c:
                self.switch(True)
            elif state.measured_c > state.setpoint_c + config.hysteresis_c:
                self.switch(False)
        self.warm(1.0 / config.control_hz)

    def warm(self, dt_s: float) -> None:
        """Newton's law of cooling with a constant source, solved exactly over one period."""
        config, state = self.config, self.state
        on = state.heating or self.fault("relay", "welded") is not None
        heat_w = self.actuate("heater", config.heater_w * on, dt_s, full=config.heater_w)
        loss = config.loss_w_per_k * (config.window_factor if self.input["window_open"] else 1.0)
        final_c = self.input["outside_c"] + heat_w / loss
        keep = math.exp(-dt_s * loss / config.heat_capacity_j_per_k)
        state.temperature_c = final_c + (state.temperature_c - final_c) * keep

    def switch(self, on: bool) -> None:
        if on != self.state.heating:
            self.state.heating = on
            self.count("switched")
            self.event("heater", "heater on" if on else "heater off", on=on)

    @every(lambda config: config.report_hz)
    def report(self) -> None:
        if self.wanted("reports"):
            self.emit(
                "reports", Report(self.now_ns / 1e9, self.state.measured_c, self.state.heating)
            )

    @on(Get)
    def get(self, message: Get, link: Link) -> None:
        measured = "-" if self.state.measured_c is None else f"{self.state.measured_c:.2f}"
        self.answer(
            f"TEMP {measured} SET {self.state.setpoint_c:.1f} HEAT {self.state.heating:d}", link
        )

    @on(Set)
    def set(self, message: Set, link: Link) -> None:
        if 5.0 <= message.celsius <= 30.0:
            self.state.setpoint_c = message.celsius
            self.answer("OK", link)
        else:
            self.answer("ERR range", link)

    @on(Subscribe)
    def subscribe(self, message: Subscribe, link: Link) -> None:
        if not 0 < message.port < 65536:
            self.answer("ERR range", link)
            return
        self.unsubscribe(link)
        host = link.peer.rpartition(":")[0]
        self.state.subscribers[link.id] = self.open("reports", f"{host}:{message.port}").id
        self.answer("OK", link)

    @on(Disconnected)
    def gone(self, message: Disconnected, link: Link) -> None:
        if link.port == "line":
            self.unsubscribe(link)

    def unsubscribe(self, link: Link) -> None:
        subscription = self.state.subscribers.pop(link.id, None)
        for report in self.links("reports"):
            if report.id == subscription:
                self.close(report)

    @on(Unknown)
    def unknown(self, message: Unknown, link: Link) -> None:
        self.answer("ERR unknown", link)

    def answer(self, text: str, link: Link) -> None:
        self.emit("line", Answer(text), to=link)
