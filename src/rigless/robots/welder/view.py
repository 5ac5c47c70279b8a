"""The welder's page: arm in 3D, program, joints and torch, overrides, jogging, weld, I/O.

Buttons act as a pendant: they send realtime commands and lines, to which a sender on the wire gets
no reply.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.kernel.drawing import (
    Action,
    Alarm,
    Gauge,
    Jog,
    Lamp,
    Lines,
    Listing,
    Part,
    Plot,
    Slider,
    Switch,
    View,
    Word,
)
from rigless.kernel.inputs import AnyInput, Inject, Send, SetInput
from rigless.motion import planner as p
from rigless.robots.welder import pins, weld_state
from rigless.robots.welder import wire as w
from rigless.robots.welder.arm_description import short_names
from rigless.robots.welder.controller import realtime
from rigless.robots.welder.controller.motion.odometer import METRIC
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import AXES
from rigless.robots.welder.jogging import FRAMES, JOG_DEGPM, torch_lines
from rigless.robots.welder.view_3d import View3D

SLIGHT_S = 1e-4  # time step for the torch speed
BYTES = {"hold": w.HOLD, "resume": w.RESUME, "stop": w.STOP, "reset": w.RESET}
LINES = {"unlock": "$X", "home": "$H", "arc off": "M5"}
MODES = (
    ("Idle", "plain"), ("Run", "plain"), ("Jog", "plain"), ("Home", "plain"), ("Hold", "warn"),
    ("Door", "warn"), ("Check", "warn"),
    ("Tool", "warn"), ("Sleep", "warn"), ("Alarm", "bad"),
)  # fmt: skip
PHASES = tuple(
    (
        phase.replace("_", " ").capitalize(),
        "bad" if phase in (weld_state.FAULT, weld_state.EMERGENCY_STOP) else "plain",
    )
    for phase in weld_state.PHASES
)
# Overrides: the commands for 100 %, +10, −10, +1 and −1.
STEPS = {
    "feed": (w.FEED_RESET, w.FEED_PLUS_10, w.FEED_MINUS_10, w.FEED_PLUS_1, w.FEED_MINUS_1),
    "power": (
        w.SPINDLE_RESET,
        w.SPINDLE_PLUS_10,
        w.SPINDLE_MINUS_10,
        w.SPINDLE_PLUS_1,
        w.SPINDLE_MINUS_1,
    ),
}

# The torch pose in the order of the letters of the Cartesian profile.
TORCH = ("x", "y", "z", "rx", "ry", "rz")


class WelderView(View):
    def __init__(self, robot: Any):
        super().__init__(robot)
        self.view_3d = View3D(robot)
        names = list(enumerate(short_names(robot.config.urdf), 1))
        self.parts = (
            *self.view_3d.parts,
            *_program(),
            *_motion(robot),
            *_weld(robot.config),
            *_events(),
            _jog(robot.controller.setup.tool is not None, names),
            *_metrics(),
            *_io(robot.config),
            Plot("joints", "Joints", tuple((f"j{n}", name) for n, name in names), "°"),
            Plot("current_plot", "Weld current", (("measured_a", "A"),), "A"),
            Plot("voltage_plot", "Arc voltage", (("measured_v", "V"),), "V"),
            Plot("speed_plot", "Torch speed", (("speed", "mm/s"),), "mm/s"),
        )

    def draw(self) -> Mapping[str, ArrayLike]:
        return self.view_3d.draw(self._joints_deg())

    def draw_static(self) -> Mapping[str, ArrayLike]:
        return self.view_3d.draw_static()

    def measure(self) -> Mapping[str, float]:
        robot, state = self.robot, self.robot.state
        weld, (rows, _, _) = state.weld, robot.controller.motion.peek()
        torch = robot.arm.torch(np.radians(rows[p.AT]))
        ahead = robot.arm.torch_place(rows[p.AT] + SLIGHT_S * rows[p.VELOCITY])
        torques = robot.torques_nm(rows) if robot.dynamics else ()
        return {
            **{f"j{n + 1}": float(value) for n, value in enumerate(rows[p.AT])},
            **{f"torque{n}": value for n, value in enumerate(torques, 1)},
            **dict(
                zip(("torch_x", "torch_y", "torch_z"), (1000 * torch[:3, 3]).tolist(), strict=True)
            ),
            **dict(zip(("torch_rx", "torch_ry", "torch_rz"), angles_deg(torch), strict=True)),
            **{f"ao{n}": volts for n, volts in enumerate(state.outputs.analog)},
            **{f"do{n}": float(state.outputs.digital >> n & 1) for n in range(pins.DIGITAL)},
            "mode": float(next((n for n, (mode, _) in enumerate(MODES) if mode == state.mode), 0)),
            "phase": float(weld_state.PHASES.index(weld.phase)),
            "speed": 1000 * float(np.linalg.norm(ahead - torch[:3, 3])) / SLIGHT_S,
            "free": float(robot.controller.motion.room()),
            "feed": float(state.feed_percent),
            "rapid": float(state.rapid_percent),
            "power": float(state.spindle_percent),
            "current": weld.current_a,
            "voltage": weld.voltage_v,
            "wire": weld.wire_mpm,
            "gas": weld.gas_lpm,
            "heat_input": weld.heat_input_kjpmm,
            "stickout": self._stickout_mm(torch),
            "weld_length": weld.length_mm,
            "arc_time": weld.arc_s,
            "deposited": weld.deposited_g,
            "measured_a": state.measured_a,
            "measured_v": state.measured_v,
            "homed": float(state.homed == (1 << AXES) - 1),
            "arc": float(weld.arc_on),
            "gcode_lines": float(robot.metrics.get("gcode_lines", 0)),
            "collisions": float(robot.metrics.get("collisions", 0)),
            METRIC: robot.metrics.get(METRIC, 0.0)
            + robot.controller.motion.odometer.distance_mm(rows[p.AT].copy()),
        }

    def _stickout_mm(self, torch: NDArray[np.float64]) -> float:
        process = self.robot.controller.process
        if process.stickout is None or self.robot.input["stickout_mm"] > 0.0:
            return float(process.stickout_mm())
        return float(process.stickout.measure_mm(torch))

    def trace(self) -> Mapping[str, tuple[float, ...]]:
        return {"torch": tuple(self.robot.controller.motion.torch_m())}

    def lines(self) -> Mapping[str, Lines]:
        controller = self.robot.controller
        return {"program": controller.listing.lines(controller.motion.peek()[2])}

    @property
    def alarm(self) -> Alarm | None:
        state = self.robot.state
        if state.mode != "Alarm":
            return None
        text = f"ALARM:{state.alarm} {state.alarm_cause or codes.ALARMS[state.alarm]}"
        return Alarm(text, self._way_out())

    def _way_out(self) -> str:
        """Return what ends the alarm. A critical one needs a reset before it can be unlocked."""
        state = self.robot.state
        press = "press Reset and Unlock" if state.critical else "press Unlock"
        if state.alarm == codes.ALARM_HOMING_REQUIRED:
            return "press Home"
        if state.alarm == codes.ALARM_ESTOP and self.robot.input["estop"]:
            return f"release the emergency stop, then {press}"
        if state.alarm == codes.ALARM_SOFT_LIMIT:
            return f"correct the line, then {press}"
        if state.alarm_cause:
            return f"{press}, then jog the arm away from the contact"
        return f"clear the cause, then {press}" if state.critical else f"{press} or Home"

    def act(self, name: str) -> list[AnyInput]:
        if name in BYTES:
            return self._bytes(BYTES[name])
        if name in LINES:
            return [self._line(LINES[name])]
        if name == "arc fault":
            return [Inject(self.robot.name, "arc", "arc_lost", {}, self.robot.now_ns + 100_000_000)]
        if name == "part sensor":
            pin = f"di{self.robot.config.virtual_io.part_sensor_input}"
            return [SetInput(self.robot.name, pin, not self.robot.input[pin])]
        if name == "estop":
            return self.stop(True)
        raise ValueError(f"this page has no action {name}")

    def slide(self, name: str, value: float) -> list[AnyInput]:
        """Go from 100 % in steps of ten and one, whatever the override was before."""
        if name == "rapid":
            return self._bytes(
                next(code for code, percent in realtime.RAPIDS.items() if percent == value)
            )
        reset, *steps = STEPS[name]
        by = round(value) - 100
        tens, ones = divmod(abs(by), 10)
        return self._bytes(reset, *[steps[by < 0]] * tens, *[steps[2 + (by < 0)]] * ones)

    def jog(self, axis: int, by: float, speed: float) -> list[AnyInput]:
        if axis >= AXES:
            frames = FRAMES[self.robot.controller.setup.tool is not None :]
            frame = frames[axis // AXES - 1]
            lines = torch_lines(self.robot, frame, axis % AXES, by, speed)
            return [self._line(line) for line in lines]
        letter, feed = self.robot.config.letters[axis], JOG_DEGPM * speed
        if math.isfinite(by):
            return [self._line(f"$J=G91 G21 {letter}{by:.4f} F{feed:.0f}")]
        if self.robot.controller.setup.tool is not None:
            end = self.robot.controller.setup.tool.farthest(
                self.robot.state.position, axis, by > 0, self.robot.state.planned
            )
        else:
            end = (
                self.robot.controller.setup.axes.high
                if by > 0
                else self.robot.controller.setup.axes.low
            )[axis]
        return [self._line(f"$J=G53 G90 G21 {letter}{end:.4f} F{feed:.0f}")]

    def halt(self) -> list[AnyInput]:
        return self._bytes(w.JOG_CANCEL)

    def _bytes(self, *codes: int) -> list[AnyInput]:
        return [
            Send(self.robot.name, "grbl", w.RealTime.__name__, {"code": code}) for code in codes
        ]

    def _line(self, text: str) -> AnyInput:
        return Send(self.robot.name, "grbl", w.Line.__name__, {"text": text})

    def _joints_deg(self) -> Any:
        return self.robot.controller.motion.joints_deg()


def _program() -> Iterator[Part]:
    group = "Program"
    yield Word("mode", "State", MODES, group=group)  # type: ignore[arg-type]
    yield Gauge("free", "Planner room", "blocks", digits=0, group=group)
    yield Listing("program", "Program", group=group)
    least, most = float(realtime.LEAST), float(realtime.MOST)
    yield Slider("feed", "Feed", "%", least, most, normal=100.0, group=group)
    yield Slider("power", "Arc power", "%", least, most, normal=100.0, group=group)
    rapids = tuple(sorted(map(float, realtime.RAPIDS.values())))
    yield Slider(
        "rapid", "Rapid", "%", rapids[0], rapids[-1], normal=100.0, stops=rapids, group=group
    )
    for name in ("hold", "resume", "stop", "unlock", "home", "reset"):
        yield Action(name, name.capitalize(), group=group)


def _motion(robot: Any) -> Iterator[Part]:
    limits, names = robot.config.limits, short_names(robot.config.urdf)
    for n in range(AXES):
        yield Gauge(
            f"j{n + 1}",
            names[n],
            "°",
            limits.low_deg[n] + 1,
            limits.high_deg[n] - 1,
            2,
            group="Joints",
        )
    yield Lamp("homed", "Homed", group="Joints")
    for n in range(AXES if robot.dynamics else 0):
        yield Gauge(f"torque{n + 1}", names[n], "Nm", digits=1, group="Torques")
    for axis in "xyz":
        yield Gauge(f"torch_{axis}", axis.upper(), "mm", digits=1, group="Torch")
        yield Gauge(f"torch_r{axis}", f"R{axis}", "°", digits=1, group="Torch")
    yield Gauge("speed", "Speed", "mm/s", digits=1, group="Torch")


def _jog(cartesian: bool, names: list[tuple[int, str]]) -> Part:
    torch = tuple(
        (f"torch_{name}", letter, "mm" if len(name) == 1 else "°")
        for letter, name in zip(("X", "Y", "Z", "Rx", "Ry", "Rz"), TORCH, strict=True)
    )
    if cartesian:
        return Jog("jog", "Jog", torch * 2, sets=("Base", "Tool"), group="Jog")
    joints = tuple((f"j{n}", name, "°") for n, name in names)
    return Jog("jog", "Jog", joints + torch * 2, sets=("Joints", "Base", "Tool"), group="Jog")


def _weld(config: Any) -> Iterator[Part]:
    group, welding_config = "Weld", config.welding
    yield Word("phase", "Phase", PHASES, group=group)  # type: ignore[arg-type]
    yield Lamp("arc", "Arc", "warn", group=group)
    yield Gauge("current", "Current", "A", high=welding_config.most_a, digits=0, group=group)
    yield Gauge("voltage", "Voltage", "V", high=welding_config.most_v, digits=1, group=group)
    yield Gauge("wire", "Wire", "m/min", digits=1, group=group)
    yield Gauge("gas", "Gas", "l/min", digits=1, group=group)
    yield Gauge("heat_input", "Heat", "kJ/mm", digits=2, group=group)
    yield Gauge("stickout", "Stick-out", "mm", digits=1, group=group)
    yield Gauge("weld_length", "Length", "mm", digits=0, group=group)
    yield Gauge("arc_time", "Arc time", "s", digits=1, group=group)
    yield Gauge("deposited", "Deposited", "g", digits=1, group=group)
    yield Action("arc off", "Arc off", group=group)


def _events() -> Iterator[Part]:
    group = "Inject events"
    yield Action("part sensor", "Trigger part sensor", group=group)
    yield Action("arc fault", "Simulate arc fault", "warn", group=group)
    yield Action("estop", "Trigger E-stop", "bad", group=group)


def _metrics() -> Iterator[Part]:
    yield Gauge("gcode_lines", "G-codes executed", digits=0, group="Metrics")
    yield Gauge(METRIC, "Distance", "mm", digits=1, group="Metrics")
    yield Gauge("collisions", "Collisions", high=0.5, digits=0, group="Metrics")


def _io(config: Any) -> Iterator[Part]:
    """Pins with a name show it, the others are numbered squares."""
    io, process = config.virtual_io, config.welding
    inputs = {
        process.arc_detect_input: "Arc detected",
        io.part_sensor_input: "Part sensor",
        **io.input_names,
    }
    outputs = {process.arc_output: "Arc on", process.gas_output: "Gas valve", **io.output_names}
    group = "Digital I/O"
    yield Switch("estop", "Emergency stop", group=group)
    yield Switch("door", "Safety door open", group=group)
    yield Switch("probe", "Probe touches", group=group)
    for pin in range(pins.DIGITAL):
        name = inputs.get(pin)
        yield Switch(
            f"di{pin}",
            f"DI{pin} {name}" if name else f"DI{pin}",
            "" if name else str(pin),
            group=group,
        )
    for pin in range(pins.DIGITAL):
        name = outputs.get(pin)
        yield Lamp(
            f"do{pin}",
            f"DO{pin} {name}" if name else f"DO{pin}",
            short="" if name else str(pin),
            group=group,
        )
    for channel in range(pins.ANALOG):
        yield Gauge(f"ao{channel}", f"AO{channel}", "V", group="Analog I/O")
    for channel in range(pins.ANALOG):
        yield Switch(f"ai{channel}", f"AI{channel} in V", group="Analog I/O")
    yield Switch("stickout_mm", "Stick-out in mm, 0: measured", group="Analog I/O")


def angles_deg(frame: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return a frame's rotation as angles about the base's fixed x, y and z axes, in this order."""
    r = frame[:3, :3]
    level = math.hypot(r[0, 0], r[1, 0])
    ry = _degrees(-r[2, 0], level)
    if level < 1e-9:  # gimbal lock: rx and rz are not unique
        return _degrees(-r[1, 2], r[1, 1]), ry, 0.0
    return _degrees(r[2, 1], r[2, 2]), ry, _degrees(r[1, 0], r[0, 0])


def _degrees(y: float, x: float) -> float:
    """Return the angle of a direction, in (−180°, 180°]."""
    found = math.degrees(math.atan2(y, x))
    return found if found > -180.0 + 1e-6 else 180.0
