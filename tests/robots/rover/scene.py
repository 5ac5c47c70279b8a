"""A rover in virtual time, and helpers for its messages."""

import math

from rigless.kernel.simulation import Simulation
from rigless.ros.messages import (
    Header,
    Quaternion,
    TFMessage,
    Transform,
    TransformStamped,
    Twist,
    Vector3,
)
from rigless.scenario.load import open_target

TICK_S = 0.01
NO_TRANSFORMS = "transforms=[]"
TRUTH = "ground_truth"
ENDLESS = "cmd_vel_timeout_s=1e6"


def rover(*settings: str, seed: int = 1, collect: bool = True) -> Simulation:
    return open_target("rover", settings, seed, collect).simulation


def command(sim: Simulation, v: float = 0.0, w: float = 0.0, robot: str = "rover") -> None:
    sim.send(robot, "dds", Twist(Vector3(v, 0.0, 0.0), Vector3(0.0, 0.0, w)))


def said(sim: Simulation, topic: str, seconds: float, robot: str = "rover") -> list:
    """Return the messages on a topic in the next seconds."""
    sim.take(robot, "dds")
    sim.run(seconds)
    return [out.message for out in sim.take(robot, "dds") if out.topic == topic]


def one(sim: Simulation, topic: str) -> object:
    return said(sim, topic, 0.1)[-1]


def transform(
    parent: str, child: str, at=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0, 1.0)
) -> TransformStamped:
    return TransformStamped(
        Header(frame_id=parent), child, Transform(Vector3(*at), Quaternion(*turn))
    )


def tell(sim: Simulation, *transforms: TransformStamped) -> None:
    sim.send("rover", "dds", TFMessage(transforms))


def heading(q: Quaternion) -> float:
    return math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))


def turn(angle: float) -> float:
    """Return an angle between −π and π."""
    return (angle + math.pi) % (2 * math.pi) - math.pi


def codes(sim: Simulation) -> list[str]:
    return [event.code for event in sim.events]
