"""An AGV in virtual time, with the backend's side of the wire."""

from typing import Any

from rigless.kernel.inputs import Arrive, Connect
from rigless.kernel.simulation import Simulation
from rigless.kernel.timing import timestamps
from rigless.robots.agv import Robot
from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig, own
from rigless.robots.agv.link.publisher import EPOCH_NS

from .contract_check import check_envelopes

BACKEND = "11111111-2222-4333-8444-555555555555"


def over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    return {
        **below,
        **{
            key: over(below[key], value)
            if isinstance(value, dict) and isinstance(below.get(key), dict)
            else value
            for key, value in above.items()
        },
    }


class Scene:
    """The bundled robot with changes. `received` holds all messages that it has published."""

    def __init__(self, seed: int = 1, **changes: Any):
        self.robot = Robot("agv", RobotConfig.model_validate(over(own(), changes)))
        self.sim = Simulation([self.robot], seed=seed)
        self.received: list[Any] = []
        self.commands = 0
        self._counts: dict[str, int] = {}

    # Time

    def run(self, seconds: float) -> "Scene":
        self.sim.run(seconds)
        self._take()
        return self

    def _take(self) -> None:
        new = self.sim.take("agv", "nats")
        check_envelopes(new, self._counts)  # every scene is a test of the contract as well
        self.received += new

    def until(self, test: Any, seconds: float = 60.0) -> "Scene":
        """Run until a condition holds."""
        end_s = self.sim.now_s + seconds
        while not test():
            assert self.sim.now_s < end_s, f"it did not come to be within {seconds} s"
            self.run(0.01)
        return self

    def at(self, seconds: float) -> str:
        """Return the time so many seconds from now, as on the wire."""
        return timestamps.to_text(EPOCH_NS + self.sim.now_ns + round(seconds * 1e9))

    # The backend's side

    def send(self, message: m.Inbound | m.Malformed | m.Recalled | m.LinkReport) -> "Scene":
        self.sim.send("agv", "nats", message)
        self._take()
        return self

    def wire(self, type: str, body: bytes) -> "Scene":
        """Send bytes on one of the robot's subjects."""
        self.sim.apply(Connect("agv", "nats", 5, "nats", "agv"))
        self.sim.apply(Arrive("agv", "nats", 5, body, f"robot.agv.{type}"))
        self._take()
        return self

    def command(self, type: str, id: str = "", valid_s: float = 60.0, **params: Any) -> str:
        self.commands += 1
        name = id or f"c{self.commands}"
        self.send(
            m.CommandRequest(
                commandId=name,
                commandType=type,
                params=params,
                issuedAt=self.at(0),
                expiresAt=self.at(valid_s),
            )
        )
        return name

    def control(
        self, kind: Any, id: str = "h1", seq: int = 1, valid_s: float = 600.0, **more: Any
    ) -> "Scene":
        return self.send(
            m.TrafficControl(controlId=id, kind=kind, seq=seq, validUntil=self.at(valid_s), **more)
        )

    def assign(self, *steps: Any, id: str = "t1", revision: int = 1, **more: Any) -> "Scene":
        made = [
            step if isinstance(step, m.Step) else m.Step(f"s{n}", *step)
            for n, step in enumerate(steps, 1)
        ]
        return self.send(m.TaskAssign(taskId=id, revision=revision, steps=made, **more))

    # Published messages

    def published(self, type: str) -> list[Any]:
        return [envelope.payload for envelope in self.received if envelope.type == type]

    def last(self, type: str) -> Any:
        return self.published(type)[-1]

    def acks(self, id: str) -> list[str]:
        return [ack.status for ack in self.published("command.ack") if ack.commandId == id]

    def ack(self, id: str) -> Any:
        return [ack for ack in self.published("command.ack") if ack.commandId == id][-1]

    def events(self, code: str = "") -> list[Any]:
        return [event for event in self.published("events") if code in ("", event.code)]

    @property
    def truth(self) -> Any:
        return self.sim.truth("agv")

    @property
    def status(self) -> str:
        return str(self.robot.state.core.status)
