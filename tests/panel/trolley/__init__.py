"""A robot for tests of the panel, with every kind of part, an emergency stop, and failures."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.drawing import (
    Action,
    Button,
    Disc,
    Drive,
    Gauge,
    Jog,
    Lamp,
    Lines,
    Listing,
    Path,
    Plot,
    Points,
    Slider,
    Switch,
    Trail,
    View,
)
from rigless.kernel.inputs import Send, SetInput
from rigless.kernel.ports import Link, Port
from rigless.kernel.robot import Robot as Base
from rigless.kernel.robot import VirtualInput, every, on


@dataclass(frozen=True)
class Go:
    forward: float
    left: float
    turn: float


@dataclass
class Codec:
    def decode(self, data: bytes):
        yield from ()

    def encode(self, message: Go) -> bytes:
        return b""


@dataclass
class State:
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0)
    speed: tuple[float, float, float] = (0.0, 0.0, 0.0)
    beeps: int = 0
    marks: NDArray[np.float32] = field(default_factory=lambda: np.zeros((2, 2), np.float32))


class Robot(Base):
    State = State
    ports = (Port("box", Codec, "memory", "memory/trolley"),)
    inputs = {"estop": VirtualInput(False), "horn": VirtualInput(0)}

    @every(100)
    def move(self) -> None:
        state = self.state
        if self.input["estop"]:
            state.speed = (0.0, 0.0, 0.0)
        x, y, theta = state.pose
        forward, left, turn = state.speed
        c, s = math.cos(theta), math.sin(theta)
        state.pose = (
            x + 0.01 * (c * forward - s * left),
            y + 0.01 * (s * forward + c * left),
            theta + 0.01 * turn,
        )
        state.marks[0, 0] = state.pose[0]  # in place, as fast code does

    @on(Go)
    def go(self, message: Go, link: Link) -> None:
        if not self.input["estop"]:
            self.state.speed = (message.forward, message.left, message.turn)

    def footprint(self):
        return (*self.state.pose[:2], 0.25)

    def view(self) -> View:
        return TrolleyView(self)


class TrolleyView(View):
    parts = (
        Disc("body", "Trolley", 0.25, tones=("bad",)),
        Points("marks", "Marks"),
        Path("plan", "Plan"),
        Trail("trail", "Trail"),
        Drive("drive", "Drive", ("forward", "left", "turn")),
        Gauge("x", "x", "m", low=-10, high=10),
        Lamp("stopped", "Stopped", "bad"),
        Plot("where", "Where", (("x", "x"), ("y", "y")), "m"),
        Action("beep", "Beep"),
        Switch("estop", "Emergency stop"),
        Button("horn", "Horn", 1, 0),
        Slider("x", "Where", "m", 0, 100, normal=0, group="Place"),
        Slider("y", "Lane", "m", 1, 3, stops=(1, 3), group="Place"),
        Jog("jog", "Jog", (("x", "x", "m"), ("y", "y", "m")), (1.0, 5.0)),
        Listing("log", "Log"),
    )

    def draw(self):
        state = self.robot.state
        return {
            "body": (*state.pose, self.robot.input["estop"]),
            "marks": state.marks,
            "plan": [(0, 0), (1, 1)],
        }

    def measure(self):
        x, y, _ = self.robot.state.pose
        return {"x": x, "y": y, "stopped": self.robot.input["estop"]}

    def trace(self):
        return {"trail": self.robot.state.pose[:2]}

    def drive(self, forward, left, turn):
        return [
            Send(self.robot.name, "box", "Go", {"forward": forward, "left": left, "turn": turn})
        ]

    def lines(self):
        return {"log": Lines(1, (f"<b>{self.robot.input['horn']}</b>",), 1, 1)}

    def slide(self, name, value):
        return [SetInput(self.robot.name, "horn", round(value))]

    def jog(self, axis, by, speed):
        if math.isfinite(by):
            return [SetInput(self.robot.name, "horn", round(by))]
        along = [math.copysign(speed, by) if n == axis else 0.0 for n in range(2)]
        return self.drive(*along, 0.0)

    def halt(self):
        return self.drive(0.0, 0.0, 0.0)

    def act(self, name):
        return [Send(self.robot.name, "box", "Go", {"forward": 0.0, "left": 0.0, "turn": 1.0})]
