"""The simulation: robots, a world and one clock, advanced by whoever holds it. Its output is a function of (what was built,
seed, stamped inputs); how it is advanced, in one step or many, changes nothing."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rigless.kernel import inputs as inp
from rigless.kernel import snapshot as snapshots
from rigless.kernel.agenda import INPUT, SAMPLE, TICK, TIMER, Agenda, OneShot, Ticker
from rigless.kernel.behaviour import Behaviour
from rigless.kernel.events import Event
from rigless.kernel.fleet import FleetMember
from rigless.kernel.input_handler import InputHandler
from rigless.kernel.links import Links, Output
from rigless.kernel.ports import Link
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.rate import Rate, to_ns
from rigless.kernel.robot import Robot
from rigless.kernel.streams import Streams
from rigless.kernel.world import World

EVENTS_KEPT = 10_000
MESSAGES_KEPT = 100_000


class RobotError(Exception):
    """A robot's own code failed; says which robot, when, and in doing what."""


def _who(culprit: Ticker | OneShot | None) -> str:
    """The robot and what it was doing, as far as an entry of the agenda tells."""
    if isinstance(culprit, Ticker):
        return culprit.name
    if culprit is None:
        return "the simulation"
    if culprit.action == "timer":
        robot, method, _ = culprit.argument
        return f"{robot}.{method}"
    given = culprit.argument[1] if culprit.action == "input" else culprit.argument
    what = getattr(given, "type", None) or type(given).__name__
    return f"{getattr(given, 'robot', 'the world')} ({what})"


def _phase_ns(robot: Robot) -> int:
    return to_ns(robot.phase_s()) if isinstance(robot, FleetMember) else 0


class Listeners(NamedTuple):
    """Who is told of what, as it happens. Each is called with the simulated time first."""

    input: list[Callable[[int, inp.AnyInput, str], None]]
    output: list[Callable[[int, Output], None]]
    event: list[Callable[[int, Event], None]]
    link: list[Callable[[int, str, str, Link, bool], None]]


class Simulation:
    """Robots in a world on one integer-nanosecond clock."""

    def __init__(
        self,
        robots: Sequence[Robot],
        world: World | None = None,
        seed: int = 0,
        collect: bool = True,
        origin: Mapping[str, str] | None = None,
        worlds: Mapping[str, World] | None = None,
    ):
        self.world = world or World()
        self.worlds = dict(worlds or {})  # robot → a world of its own, in which nothing else moves
        self.seed = seed
        self.origin = dict(origin or {})  # what it was built from, for recordings and snapshots
        self.robots: dict[str, Robot] = {robot.name: robot for robot in robots}
        if "rigless" in self.robots:
            raise InputError(
                Problem("robots", "no robot can be called 'rigless'", "give it another name")
            )
        if len(self.robots) != len(robots):
            raise InputError(
                Problem("robots", "two robots have the same name", "give each its own name")
            )
        self.listeners = Listeners([], [], [], [])
        self.recording = False  # while true, outputs are encoded even if nobody is connected
        self.events: deque[Event] = deque(maxlen=EVENTS_KEPT)
        self._schedule: list[tuple[int, inp.AnyInput]] = []
        self._samples: list[Ticker] = []
        self._sampled = 0
        self._collected: dict[tuple[str, str], deque[Any]] | None = {} if collect else None
        self._begin()

    def _begin(self) -> None:
        self.streams = Streams(self.seed)
        self.agenda = Agenda(self._act)
        self.links = Links(self)
        self.input_handler = InputHandler(self)
        self.behaviours = {name: Behaviour(type(robot)) for name, robot in self.robots.items()}
        self.tickers: dict[tuple[str, str], Ticker] = {}
        self.untouched = True  # still as it was built: no input yet, nothing restored
        for robot in self.robots.values():
            robot._simulation = self
            early_ns = _phase_ns(robot)
            for method, hz in self.behaviours[robot.name].rates(robot.config):
                fast_forward = self.behaviours[robot.name].fast_forwards[method]
                many = getattr(robot, fast_forward) if fast_forward else None
                ticker = Ticker(
                    f"{robot.name}.{method}", getattr(robot, method), TICK | len(self.tickers), many
                )
                ticker.set_rate(Rate(hz), -early_ns)
                ticker.skip_to(0)
                self.tickers[robot.name, method] = ticker
                self.agenda.tick(ticker)
        for robot in self.robots.values():
            robot.start()
        for time_ns, scheduled in self._schedule:
            self.agenda.add(time_ns, TIMER, "input", ("scenario", scheduled))
        self.rearm_samples()

    def reset(self) -> None:
        """Back to time zero with fresh robots and world; who listens stays."""
        self.world.reset()
        self.robots = {
            name: type(robot)(name, robot.config, robot.start_pose)
            for name, robot in self.robots.items()
        }
        if self._collected is not None:
            self._collected = {}
        self.events.clear()
        self._begin()

    # Time

    @property
    def now_ns(self) -> int:
        return self.agenda.now_ns

    @property
    def now_s(self) -> float:
        return self.agenda.now_ns / 1e9

    def run(self, seconds: float) -> None:
        """Advance virtual time."""
        self.run_until(self.now_ns + to_ns(seconds))

    def run_until(self, time_ns: int) -> None:
        if time_ns < self.now_ns:
            raise ValueError(f"cannot run back to {time_ns} ns; it is {self.now_ns} ns already")
        try:
            self.agenda.run_until(time_ns)
        except RobotError:
            raise
        except Exception as error:
            who = _who(self.agenda.culprit)
            raise RobotError(
                f"{who} failed at {self.now_s:.6f} s: {type(error).__name__}: {error}"
            ) from error

    def sample(self, hz: float, call: Callable[[], Any]) -> None:
        """Call back at a rate, after all else at that instant. Samples watch; they are not part of snapshots."""
        ticker = Ticker(
            "sample", call, SAMPLE | 1 << 40 | self._sampled
        )  # after the watches of the same instant
        self._sampled += 1
        ticker.set_rate(Rate(hz), 0)
        ticker.skip_to(self.now_ns)
        self._samples.append(ticker)
        self.agenda.tick(ticker)

    def watch(self, time_ns: int, call: Callable[[], Any]) -> None:
        """Call back once at a time, after all else at that instant; not part of snapshots."""
        self.agenda.add(time_ns, SAMPLE, "watch", call)

    def rearm_samples(self) -> None:
        for ticker in self._samples:
            ticker.skip_to(self.now_ns)
            self.agenda.tick(ticker)

    def unsample(self, call: Callable[[], Any]) -> None:
        for ticker in [ticker for ticker in self._samples if ticker.call == call]:
            self._samples.remove(ticker)
            ticker.set_rate(Rate(0), 0)
            self.agenda.tick(ticker)

    # Inputs

    def apply(self, given: inp.AnyInput, source: str = "live") -> None:
        """Apply an input now: checked, stamped, told to the listeners, acted on."""
        self.check(given)
        self.schedule(self.now_ns, given, source)
        self.run_until(self.now_ns)

    def schedule(self, time_ns: int, given: inp.AnyInput, source: str = "live") -> None:
        """Apply an input at a time to come, as if it arrived then."""
        self.agenda.add(max(time_ns, self.now_ns), INPUT, "input", (source, given))

    def plan(self, time_ns: int, given: inp.AnyInput) -> None:
        """Make an input part of this simulation from the start: a reset keeps it and a replay does not need it recorded."""
        self._schedule.append((time_ns, given))
        self.agenda.add(time_ns, TIMER, "input", ("scenario", given))

    def send(self, robot: str, port: str, message: Any) -> None:
        """Give a robot a message now: a message object, {"type": …, fields…}, or raw bytes as they come on the wire."""
        self.links.port(self.robot(robot), port)
        if isinstance(message, (bytes, bytearray, memoryview)):
            links = self.links.by_port[robot, port]
            if inp.LOCAL not in links:
                self.apply(inp.Connect(robot, port, inp.LOCAL, "local", "local"))
            self.apply(inp.Arrive(robot, port, inp.LOCAL, bytes(message)))
        else:
            type_name, fields = self.behaviours[robot].describe(message)
            self.apply(inp.Send(robot, port, type_name, fields))

    def set_input(self, robot: str, name: str, value: Any) -> None:
        self.apply(inp.SetInput(robot, name, value))

    def inject(
        self, robot: str, target: str, kind: str = "", until_s: float | None = None, **params: Any
    ) -> None:
        until_ns = None if until_s is None else to_ns(until_s)
        self.apply(inp.Inject(robot, target, kind, params, until_ns))

    def clear(self, robot: str, target: str = "") -> None:
        self.apply(inp.Clear(robot, target))

    def check(self, given: inp.AnyInput) -> None:
        """Raise InputError if this could not be applied; says what could."""
        self.input_handler.check(given)

    # Snapshots

    def snapshot(self) -> snapshots.Snapshot:
        """Everything there is to know about this instant."""
        return snapshots.take(self)

    def restore(self, saved: snapshots.Snapshot) -> None:
        """Go back (or forward) to a snapshot of this simulation."""
        snapshots.restore(self, saved)
        self.untouched = False
        self.events = deque(
            (event for event in self.events if event.time_ns <= self.now_ns), EVENTS_KEPT
        )
        if self._collected is not None:
            self._collected = {}

    # Outputs

    def robot(self, name: str) -> Robot:
        if name not in self.robots:
            raise unknown("robot", name, self.robots)
        return self.robots[name]

    def ports(self, robot: str) -> list[str]:
        """The names of a robot's ports."""
        return [port.name for port in self.robot(robot).ports]

    def truth(self, robot: str) -> Any:
        """Ground truth, which no port of the robot tells."""
        return self.robot(robot).truth()

    def take(self, robot: str, port: str) -> list[Any]:
        """The messages the robot has emitted on that port since last asked (the newest 100,000)."""
        self.links.port(self.robot(robot), port)
        if self._collected is None:
            raise RuntimeError(
                "this simulation does not collect messages; build it with collect=True"
            )
        return list(self._collected.pop((robot, port), ()))

    def log(self, event: Event) -> None:
        self.events.append(event)
        for tell in self.listeners.event:
            tell(self.now_ns, event)

    # For robots

    def wanted(self, robot: Robot, port: str) -> bool:
        return (
            self._collected is not None
            or self.recording
            or bool(self.links.by_port.get((robot.name, port)))
        )

    def emit(self, robot: Robot, port: str, message: Any, to: Link | None) -> None:
        if self._collected is not None:
            box = self._collected.get((robot.name, port))
            if box is None:
                box = self._collected[robot.name, port] = deque(maxlen=MESSAGES_KEPT)
            box.append(message)
        self.links.emit(robot, port, message, to)

    def open_link(self, robot: Robot, port: str, address: str) -> Link:
        return self.links.open(robot, port, address)

    def close_link(self, robot: Robot, link: Link) -> None:
        self.links.close(robot, link)

    def links_of(self, robot: Robot, port: str) -> dict[int, Link]:
        return self.links.by_port[robot.name, port]

    def set_timer(
        self, robot: Robot, delay_ns: int, method: Callable[..., Any], args: tuple[Any, ...]
    ) -> int:
        if args and not all(
            arg is None or type(arg) in (bool, int, float, str, bytes) for arg in args
        ):
            raise TypeError(
                f"{robot.name}: a timer's arguments are numbers and text, so that snapshots can hold them"
            )
        return self.agenda.add_timer(
            self.agenda.now_ns + max(0, delay_ns), robot.name, method, args
        )

    def cancel_timer(self, timer: int) -> None:
        self.agenda.cancel(timer)

    def set_rate(self, robot: Robot, method: str, hz: float) -> None:
        """As if it had always been so, from now on: a phase outlives it."""
        ticker = self.tickers[robot.name, method]
        ticker.set_rate(Rate(hz), -_phase_ns(robot))
        ticker.skip_to(self.now_ns)
        self.agenda.tick(ticker)

    # What is due

    def _act(self, action: str, argument: Any) -> None:
        match action:
            case "timer":
                robot, method, args = argument
                getattr(self.robots[robot], method)(*args)
            case "input":
                self.untouched = False
                self.input_handler.take(*argument)
            case "deliver":
                self.links.deliver(argument)
            case "transmit":
                self.links.transmit(argument)
            case "watch":
                argument()
            case "fault-end":
                robot, fault_id = argument
                self.input_handler.end_faults(
                    self.robots[robot], lambda fault: fault.id == fault_id
                )

    def dispatch(self, robot: Robot, message: Any, link: Link, optional: bool = False) -> None:
        """Give a message to the robot's handler for its type."""
        handler = self.behaviours[robot.name].handler(type(message))
        if handler is not None:
            getattr(robot, handler)(message, link)
        elif not optional:
            robot.event(
                "unhandled-message",
                f"no handler for {type(message).__name__} on {link.port}",
                "warning",
            )
