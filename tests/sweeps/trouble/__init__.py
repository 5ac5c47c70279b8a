"""A robot for tests of engines: it passes, fails, raises, dies, or hangs, as its config says."""

import os
from dataclasses import dataclass
from pathlib import Path

from rigless.kernel.robot import Config, every
from rigless.kernel.robot import Robot as Base


class TroubleConfig(Config):
    behaviour: str = "pass"
    memory: str = ""  # a file in which it notes that it ran


@dataclass
class State:
    good: bool = True
    ticks: int = 0


class Robot(Base):
    Config = TroubleConfig
    State = State

    @every(10)
    def tick(self) -> None:
        self.state.ticks += 1
        if self.state.ticks != 5:
            return
        behaviour = self.config.behaviour
        first = bool(self.config.memory) and not Path(self.config.memory).exists()
        if first:
            Path(self.config.memory).touch()
        if behaviour == "fail":
            self.state.good = False
        elif behaviour == "raise":
            raise ValueError("a bug")
        elif behaviour == "die" or (behaviour == "die once" and first):
            os._exit(7)
        elif behaviour == "hang":
            while True:
                pass
