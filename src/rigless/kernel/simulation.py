"""The simulation: robots, a world and one clock.

Its output is a function of the scenario, the seed and the stamped inputs. It makes no difference
whether it is advanced in one step or in many.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload

from rigless.kernel import inputs as inp
from rigless.kernel import snapshot as snapshots
from rigless.kernel.events import Event
from rigless.kernel.fleet.shard import Shard
from rigless.kernel.loop.core import Core, RobotError
from rigless.kernel.robot import Robot
from rigless.kernel.snapshot import Snapshot
from rigless.kernel.streams import Noise
from rigless.kernel.timing.rate import to_ns
from rigless.kernel.world import World

__all__ = ["RobotError", "Simulation"]

AnyRobot = TypeVar("AnyRobot", bound=Robot)
Truth = TypeVar("Truth")


class Simulation:
    """Robots in a world on one clock of integer nanoseconds, in virtual time.

        sim = rigless.load("vacuum", seed=7)
        sim.run(seconds=2.0)
        sim.truth("vacuum").pose

    `core` holds the internals; it may change between releases.
    """

    def __init__(
        self,
        robots: Sequence[Robot],
        world: World | None = None,
        seed: int = 0,
        collect: bool = True,
        origin: Mapping[str, str] | None = None,
        worlds: Mapping[str, World] | None = None,
        noise: Noise | None = None,
        shard: Shard | None = None,
    ):
        self.core = Core(
            robots, world or World(), seed, collect, origin or {}, worlds or {}, noise or {}, shard
        )

    def __repr__(self) -> str:
        names = list(self.robots)
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        return f"<Simulation {shown or 'without robots'} at {self.now_s:g} s, seed {self.seed}>"

    @property
    def robots(self) -> dict[str, Robot]:
        """The robots by name."""
        return self.core.robots

    @property
    def world(self) -> World:
        """The world that the robots share."""
        return self.core.world

    @property
    def seed(self) -> int:
        """The seed of all random streams."""
        return self.core.seed

    @property
    def events(self) -> deque[Event]:
        """The newest 10,000 log entries, oldest first."""
        return self.core.events

    @property
    def now_ns(self) -> int:
        """The simulated time in nanoseconds."""
        return self.core.agenda.now_ns

    @property
    def now_s(self) -> float:
        """The simulated time in seconds."""
        return self.core.agenda.now_ns / 1e9

    # Time

    def run(self, seconds: float) -> None:
        """Advance virtual time. Raises RobotError if the code of a robot fails."""
        self.core.run_until(self.now_ns + to_ns(seconds))

    def run_until(self, time_ns: int) -> None:
        """Advance virtual time up to and including this time."""
        self.core.run_until(time_ns)

    def reset(self) -> None:
        """Go back to time zero with new robots and a new world."""
        self.core.reset()

    def snapshot(self) -> Snapshot:
        """Return the complete state; `restore` goes back to it."""
        return snapshots.take(self.core)

    def restore(self, saved: Snapshot) -> None:
        """Go to a snapshot of this simulation. Raises InputError if it does not fit."""
        core = self.core
        snapshots.restore(core, saved)
        core.pristine = False
        if core.collected is not None:
            core.collected = {}

    # Inputs

    def send(self, robot: str, port: str, message: Any) -> None:
        """Give a robot a message now.

        The message is a message object, a dictionary `{"type": …, fields…}`, or raw bytes as they
        come on the wire.
        """
        core = self.core
        core.links.port(core.robot(robot), port)
        if isinstance(message, (bytes, bytearray, memoryview)):
            if inp.LOCAL not in core.links.by_port[robot, port]:
                core.apply(inp.Connect(robot, port, inp.LOCAL, "local", "local"))
            core.apply(inp.Arrive(robot, port, inp.LOCAL, bytes(message)))
        else:
            type_name, fields = core.behaviours[robot].describe(message)
            core.apply(inp.Send(robot, port, type_name, fields))

    def set_input(self, robot: str, name: str, value: Any) -> None:
        """Set a virtual input of a robot, such as a button or an emergency stop."""
        self.core.apply(inp.SetInput(robot, name, value))

    def inject(
        self, robot: str, target: str, kind: str = "", until_s: float | None = None, **params: Any
    ) -> None:
        """Begin a fault. Without a kind it is the target's first; without an end it stays."""
        until_ns = None if until_s is None else to_ns(until_s)
        self.core.apply(inp.Inject(robot, target, kind, params, until_ns))

    def clear(self, robot: str, target: str = "") -> None:
        """End the faults of a robot, or only those on one target."""
        self.core.apply(inp.Clear(robot, target))

    def apply(self, given: inp.AnyInput, source: str = "live") -> None:
        """Apply any input of `rigless.kernel.inputs` now. Raises InputError."""
        self.core.apply(given, source)

    def schedule(self, time_ns: int, given: inp.AnyInput, source: str = "live") -> None:
        """Apply an input at a later time, as if it arrived then."""
        self.core.schedule(time_ns, given, source)

    # Outputs

    @overload
    def robot(self, name: str) -> Robot: ...

    @overload
    def robot(self, name: str, kind: type[AnyRobot]) -> AnyRobot: ...

    def robot(self, name: str, kind: type[Robot] = Robot) -> Robot:
        """Return a robot by name. Raises InputError.

        With its class, the result has a type:

            sim.robot("vacuum", Vacuum).config.lidar
        """
        return _of_type(self.core.robot(name), kind)

    def ports(self, robot: str) -> list[str]:
        """Return the names of a robot's ports."""
        return [port.name for port in self.robot(robot).ports]

    @overload
    def truth(self, robot: str) -> Any: ...

    @overload
    def truth(self, robot: str, kind: type[Truth]) -> Truth: ...

    def truth(self, robot: str, kind: type = object) -> Any:
        """Return the ground truth of a robot, such as its true pose.

        With the class of the truth, the result has a type:

            from rigless.robots.vacuum.state import Truth
            sim.truth("vacuum", Truth).pose
        """
        return _of_type(self.core.robot(robot).truth(), kind)

    def take(self, robot: str, port: str) -> list[Any]:
        """Return the messages emitted on a port since the last call, at most 100,000."""
        self.core.links.port(self.robot(robot), port)
        if self.core.collected is None:
            raise RuntimeError(
                "this simulation does not collect messages; build it with collect=True"
            )
        return list(self.core.collected.pop((robot, port), ()))


def _of_type(value: Any, kind: type[Truth]) -> Truth:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is not a {kind.__module__}.{kind.__qualname__}")
    return value
