"""The messages between shards."""

import hashlib
import struct
from typing import NamedTuple

import msgspec

from rigless.kernel.robot import Robot
from rigless.scenario.model import Scenario

HEAD = struct.Struct("<iqq")


class Hello(msgspec.Struct, frozen=True, omit_defaults=True):
    """The sign of life of a shard. `asks`: it starts, and running shards answer at once."""

    shard: int
    count: int
    epoch_ns: int | None = None  # Unix time of simulated time zero, once agreed
    ready: bool = False  # its ports are open
    asks: bool = False
    observes: bool = False  # it shows the robots of all shards


class Poses(NamedTuple):
    """The whereabouts of the robots of a shard, with simulated and Unix time."""

    shard: int
    sim_ns: int
    sent_ns: int
    poses: bytes

    def encode(self) -> bytes:
        return HEAD.pack(self.shard, self.sim_ns, self.sent_ns) + self.poses

    @classmethod
    def decode(cls, data: bytes) -> "Poses":
        """Raises ValueError."""
        if len(data) < HEAD.size:
            raise ValueError("it is too short")
        shard, sim_ns, sent_ns = HEAD.unpack_from(data)
        return cls(shard, sim_ns, sent_ns, data[HEAD.size :])


def fleet_id(scenario: Scenario, seed: int) -> str:
    """Return a name for a fleet, so that fleets on one server are kept apart.

    Parts on different machines may have different addresses of that server.
    """
    text = scenario.model_dump_json(exclude={"shard": True, "robots": {"__all__": {"ports"}}})
    return hashlib.blake2b(f"{seed} {text}".encode(), digest_size=6).hexdigest()


class Row(msgspec.Struct, frozen=True):
    """The words and numbers of a robot, for the panels of other processes."""

    status: str
    stop: bool | None = None
    task: str = ""
    error: str = ""
    faults: int = 0
    speed_mps: float | None = None
    battery_percent: float | None = None


def row_of(robot: Robot) -> Row:
    """Return the row of a robot. A view that fails says so in it."""
    try:
        status, view = robot.status(), robot.view()
        found, alarm = view.summary(), view.alarm
        error = "" if alarm is None else alarm.text
        return Row(
            status, view.stopped, found.task, error, len(robot.faults), found.speed_mps,
            found.battery_percent,
        )  # fmt: skip
    except Exception as error:  # user code
        return Row("broken", error=f"{type(error).__name__}: {error}")
