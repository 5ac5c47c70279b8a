"""The welder's page: the arm in space, joints and torch, the weld's gauges and plots, all I/O, and an operator's buttons.

Buttons speak to the controller as a pendant does: real-time bytes and lines that a sender on the wire gets no answer for.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.kernel.drawing import Action, Gauge, Lamp, Links, Part, Plot, Solid, Switch, Trail, View
from rigless.kernel.inputs import AnyInput, Inject, Send
from rigless.motion import planner as p
from rigless.robots.welder import io, moves
from rigless.robots.welder import wire as w
from rigless.robots.welder.modal import AXES

JOG_DEG, JOG_DEGPM = 5.0, 1200
# Own drawing of the arm from its DH frames: base, six links, torch.
BODIES: tuple[tuple[Solid, ...], ...] = (
    (Solid("cylinder", (0.15, 0.06), (0, 0, 0.03), "plain"), Solid("cylinder", (0.11, 0.24), (0, 0, 0.18), "plain")),
    (Solid("cylinder", (0.12, 0.14), (0, 0, -0.06)), Solid("sphere", (0.1,), (0.02, 0, 0))),
    (Solid("cylinder", (0.085, 0.2), (0, 0, 0), "plain"), Solid("box", (0.56, 0.11, 0.12), (0.28, 0, 0))),
    (Solid("cylinder", (0.075, 0.18), (0, 0, 0), "plain"), Solid("box", (0.1, 0.4, 0.1), (0.035, 0.22, 0))),
    (Solid("cylinder", (0.045, 0.16), (0, 0, -0.09)),),
    (Solid("sphere", (0.055,), (0, 0, 0), "plain"),),
    (Solid("cylinder", (0.04, 0.03), (0, 0, -0.015)),),
    (Solid("cylinder", (0.018, 0.17), (0, 0, -0.095), "plain"), Solid("sphere", (0.008,), (0, 0, 0), "path")),
)
BYTES = {"hold": w.HOLD, "resume": w.RESUME, "reset": w.RESET, "stop": w.STOP, "feed −10 %": w.FEED_MINUS_10,
         "feed +10 %": w.FEED_PLUS_10, "feed 100 %": w.FEED_RESET, "rapid 25 %": w.RAPID_25, "rapid 100 %": w.RAPID_100}  # fmt: skip
LINES = {"unlock": "$X", "home": "$H", "arc off": "M5"}
MODES = (
    ("Run", "ok"),
    ("Jog", "ok"),
    ("Home", "ok"),
    ("Hold", "warn"),
    ("Door", "warn"),
    ("Check", "warn"),
    ("Alarm", "bad"),
)


class WelderView(View):
    def __init__(self, robot: Any):
        super().__init__(robot)
        limits, letters = robot.config.limits, robot.config.letters
        joints = [
            Gauge(f"j{n + 1}", f"Joint {n + 1} ({letters[n]})", "°", limits.low_deg[n] + 1, limits.high_deg[n] - 1, 3)
            for n in range(AXES)
        ]
        joint = robot.tip is None  # else the buttons move the torch tip
        names = [f"J{n + 1}" for n in range(AXES)] if joint else list(letters)
        units = ["°"] * AXES if joint else [" mm"] * 3 + ["°"] * 3
        self.parts: tuple[Part, ...] = (
            Links("arm", "Arm", BODIES),
            Trail("torch", "Torch path"),
            *joints,
            *(Gauge(f"torch_{axis}", f"Torch {axis}", "mm", digits=1) for axis in "xyz"),
            Gauge("line", "Program line", digits=0),
            Gauge("free", "Planner room", "blocks", digits=0),
            Gauge("feed", "Feed override", "%", 100, 100, 0),
            Gauge("rapid", "Rapid override", "%", 100, 100, 0),
            Gauge("current", "Current", "A", high=robot.config.welding.most_a, digits=0),
            Gauge("voltage", "Voltage", "V", high=robot.config.welding.most_v, digits=1),
            Gauge("wire", "Wire", "m/min", digits=1),
            Gauge("gas", "Gas", "l/min", digits=1),
            Gauge("heat_input", "Heat input", "kJ/mm", digits=3),
            Gauge("weld_length", "Weld length", "mm", digits=0),
            Gauge("arc_time", "Arc on", "s", digits=1),
            Gauge("deposited", "Deposited", "g", digits=1),
            *(Gauge(f"ao{n}", f"Analog output {n}", "V") for n in range(io.ANALOG)),
            *(Lamp(f"mode_{mode.lower()}", mode, colour) for mode, colour in MODES),  # type: ignore[arg-type]
            Lamp("homed", "Homed"),
            Lamp("arc", "Arc", "warn"),
            Lamp("weld_fault", "Weld fault", "bad"),
            *(Lamp(f"do{n}", f"Output {n}") for n in range(io.DIGITAL)),
            *(Action(name, name.capitalize()) for name in (*BYTES, *LINES)),
            *(
                Action(f"jog J{n + 1} {sign}", f"Jog {names[n]} {sign}{JOG_DEG:g}{units[n]}")
                for n in range(AXES)
                for sign in "−+"
            ),
            Action("arc fault", "Simulate arc fault"),
            Switch("door", "Safety door open"),
            Switch("probe", "Probe touches"),
            Switch("stickout_mm", "Stick-out in mm"),
            *(Switch(f"di{n}", f"Input {n}") for n in range(io.DIGITAL)),
            *(Switch(f"ai{n}", f"Analog input {n} in V") for n in range(io.ANALOG)),
            Plot("joints", "Joints", tuple((f"j{n + 1}", f"J{n + 1}") for n in range(AXES)), "°"),
            Plot("arc_plot", "Arc", (("measured_a", "current A"), ("measured_v", "voltage V")), ""),
            Plot("heat_plot", "Heat input", (("heat_input", "kJ/mm"),), "kJ/mm"),
        )

    def draw(self) -> Mapping[str, ArrayLike]:
        robot, state = self.robot, self.robot.state
        frames = robot.arm.chain(np.radians(self._at()))
        torch = frames[5] @ robot.arm.flange_T_torch
        tone = float(state.mode == "Alarm" or bool(state.weld.fault))
        return {"arm": [(*pose(frame), tone) for frame in (np.eye(4), *frames, torch)]}

    def measure(self) -> Mapping[str, float]:
        robot, state = self.robot, self.robot.state
        weld, (_, _, tag) = state.weld, moves.peek(robot)
        torch = robot.torch_m()
        return {
            **{f"j{n + 1}": float(value) for n, value in enumerate(self._at())},
            **{f"torch_{axis}": 1000 * value for axis, value in zip("xyz", torch, strict=True)},
            **{f"ao{n}": volts for n, volts in enumerate(state.outputs.analog)},
            **{f"do{n}": float(state.outputs.digital >> n & 1) for n in range(io.DIGITAL)},
            **{f"mode_{mode.lower()}": float(state.mode == mode) for mode, _ in MODES},
            "line": float(state.lines.get(tag, 0)),
            "free": float(moves.room(robot)),
            "feed": float(state.feed_percent),
            "rapid": float(state.rapid_percent),
            "current": weld.current_a,
            "voltage": weld.voltage_v,
            "wire": weld.wire_mpm,
            "gas": weld.gas_lpm,
            "heat_input": weld.heat_input_kjpmm,
            "weld_length": weld.length_mm,
            "arc_time": weld.arc_s,
            "deposited": weld.deposited_g,
            "measured_a": state.measured_a,
            "measured_v": state.measured_v,
            "homed": float(state.homed == (1 << AXES) - 1),
            "arc": float(weld.arc_on),
            "weld_fault": float(bool(weld.fault)),
        }

    def trace(self) -> Mapping[str, tuple[float, float]]:
        x, y, _ = self.robot.torch_m()
        return {"torch": (x, y)}

    def act(self, name: str) -> list[AnyInput]:
        if name in BYTES:
            return [Send(self.robot.name, "grbl", w.RealTime.__name__, {"code": BYTES[name]})]
        if name == "arc fault":
            return [Inject(self.robot.name, "arc", "arc_lost", {}, self.robot.now_ns + 100_000_000)]
        return [Send(self.robot.name, "grbl", w.Line.__name__, {"text": self._line(name)})]

    def _line(self, name: str) -> str:
        if name in LINES:
            return LINES[name]
        _, joint, sign = name.split()
        letter = self.robot.config.letters[int(joint[1]) - 1]
        return f"$J=G91 G21 {letter}{'-' if sign == '−' else ''}{JOG_DEG:g} F{JOG_DEGPM}"

    def _at(self) -> Any:
        return moves.peek(self.robot)[0][p.AT]


def pose(frame: NDArray[np.float64]) -> tuple[float, ...]:
    """x, y, z and the quaternion x, y, z, w of a 4×4."""
    r = frame[:3, :3]
    squares = 1.0 + np.array(
        [r[0, 0] - r[1, 1] - r[2, 2], r[1, 1] - r[0, 0] - r[2, 2], r[2, 2] - r[0, 0] - r[1, 1], np.trace(r)]
    )
    largest = int(np.argmax(squares))
    rows = (
        (squares[0], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[2, 1] - r[1, 2]),
        (r[0, 1] + r[1, 0], squares[1], r[1, 2] + r[2, 1], r[0, 2] - r[2, 0]),
        (r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], squares[2], r[1, 0] - r[0, 1]),
        (r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], squares[3]),
    )
    quaternion = np.array(rows[largest]) / (2.0 * np.sqrt(squares[largest]))
    return (*(float(value) for value in frame[:3, 3]), *(float(value) for value in quaternion))
