"""The inside of a simulation: the event queue, the links, the random streams and the observers.

`Simulation` is the public face and holds one `Core` as `sim.core`. Robots, the host, recorders and
expectations use the core directly. Everything here may change between releases.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rigless.kernel import inputs as inp
from rigless.kernel.events import Event
from rigless.kernel.fleet import FleetMember
from rigless.kernel.fleet.shard import Membership, Shard
from rigless.kernel.fleet.starts import spread_starts
from rigless.kernel.loop.behaviour import Behaviour
from rigless.kernel.loop.input_handler import InputHandler
from rigless.kernel.loop.links import Links
from rigless.kernel.loop.listeners import Listeners
from rigless.kernel.ports import Link
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.robot import Robot
from rigless.kernel.streams import Noise, Streams
from rigless.kernel.timing.agenda import INPUT, SAMPLE, TICK, TIMER, Agenda, Ticker, TickerGroup
from rigless.kernel.timing.rate import Rate, to_ns
from rigless.kernel.world import World

EVENTS_KEPT = 10_000
MESSAGES_KEPT = 100_000  # per port, for Simulation.take()
PROBLEMS_SHOWN = 10  # with the starts of robots; a fleet may have thousands
AFTER_CALLS = 1 << 40  # a bit in the rank of samples, so that they follow call_at() calls


class RobotError(Exception):
    """The code of a robot failed. The text names the robot, the method and the time.

    try:
        sim.run(seconds=1.0)
    except rigless.RobotError as error:
        cause = error.__cause__
    """


class Core:
    """Robots in a world on one clock, with all that makes them run."""

    def __init__(
        self,
        robots: Sequence[Robot],
        world: World,
        seed: int,
        collect: bool,
        origin: Mapping[str, str],
        worlds: Mapping[str, World],
        noise: Noise,
        shard: Shard | None = None,
    ):
        self.world = world
        self.worlds = dict(worlds)  # robot name → a world of its own
        self.seed = seed
        self.noise = dict(noise)
        self.origin = dict(origin)  # the scenario, for recordings and snapshots
        self.robots = {robot.name: robot for robot in robots}
        if "rigless" in self.robots:
            raise InputError(
                Problem("robots", "no robot can be called 'rigless'", "give it another name")
            )
        if len(self.robots) != len(robots):
            raise InputError(
                Problem("robots", "two robots have the same name", "give each its own name")
            )
        self.membership = Membership(shard, self.robots)
        self.listeners = Listeners([], [], [], [], [], [])
        self.alone = False  # if true, robots do not tick in groups (kernel/fleet/together.py)
        self.recording = False  # if true, outputs are encoded even without a connected peer
        self.events: deque[Event] = deque(maxlen=EVENTS_KEPT)
        self.collected: dict[tuple[str, str], deque[Any]] | None = {} if collect else None
        self._planned: list[tuple[int, inp.AnyInput]] = []
        self.samples: list[Ticker] = []
        self._samples_made = 0
        self._start()

    def _start(self) -> None:
        self.streams = Streams(self.seed, self.noise)
        self.agenda = Agenda(self._act)
        self.links = Links(self)
        self.input_handler = InputHandler(self)
        self.behaviours = {name: Behaviour(type(robot)) for name, robot in self.robots.items()}
        self.tickers: dict[tuple[str, str], Ticker] = {}
        self.pristine = True  # no input so far, and nothing restored
        for robot in self.robots.values():
            robot._core = self
            if robot.name in self.membership.elsewhere:
                continue
            behaviour = self.behaviours[robot.name]
            for method, hz in behaviour.rates(robot.config):
                twin, look_ahead = behaviour.fast_forwards[method], behaviour.look_aheads[method]
                ticker = Ticker(
                    f"{robot.name}.{method}",
                    getattr(robot, method),
                    TICK | len(self.tickers),
                    getattr(robot, twin) if twin else None,
                    getattr(type(robot), look_ahead) if look_ahead else None,
                    robot,
                )
                try:
                    rate = Rate(hz)
                except ValueError as error:
                    what = f"{method} cannot run at {hz} Hz: {error}"
                    raise InputError(Problem(robot.name, what, "choose another rate")) from None
                ticker.set_rate(rate, -_phase_ns(robot))
                ticker.skip_to(0)
                self.tickers[robot.name, method] = ticker
        self.agenda.enter_all(self.tickers.values())
        self.world.share(self.membership)
        problems = spread_starts(self.robots.values(), self.seed)
        for robot in self.robots.values():
            try:
                robot.start()
            except InputError as error:
                problems += error.problems
                if len(problems) >= PROBLEMS_SHOWN:
                    break
        if problems := problems or self.input_handler.placing.check_obstacles():
            raise InputError(problems)
        for time_ns, planned in self._planned:
            self.agenda.add(time_ns, TIMER, "input", ("scenario", planned))
        self.rearm_samples()
        self.join_ticks()

    def join_ticks(self) -> None:
        """Let robots that are always due together tick in groups, unless `alone` is set."""
        due: dict[tuple[Any, ...], list[Robot]] = {}
        for (name, method), ticker in self.tickers.items():
            robot = self.robots[name]
            maker = self.behaviours[name].groups[method]
            if maker and ticker.step_ns and not self.alone:
                place = id(robot.world), ticker.due_ns, ticker.step_ns
                due.setdefault((type(robot), method, maker, *place), []).append(robot)
        for (kind, method, maker, *_), robots in due.items():
            for group in getattr(kind, maker)(robots):
                members = [self.tickers[robot.name, method] for robot in group.robots]
                self.agenda.join(members, group.advance)

    def tick_alone(self) -> None:
        """Let each robot tick by itself from now on. The results are the same."""
        self.alone = True
        self.agenda.enter_all(self.tickers.values())
        for robot in self.robots.values():
            if robot.group is not None:
                robot.group.end()

    def reset(self) -> None:
        """Go back to time zero with new robots and a new world. Listeners and samples stay."""
        for world in {id(world): world for world in (self.world, *self.worlds.values())}.values():
            world.reset()
        self.robots = {
            name: type(robot)(name, robot.config, robot.start_pose)
            for name, robot in self.robots.items()
        }
        if self.collected is not None:
            self.collected = {}
        self.events.clear()
        self._start()

    @property
    def stepped(self) -> list[Robot]:
        """The robots that this process steps: all, unless another shard steps some."""
        elsewhere = self.membership.elsewhere
        return [robot for name, robot in self.robots.items() if name not in elsewhere]

    def robot(self, name: str) -> Robot:
        """Return a robot by name. Raises InputError."""
        if name not in self.robots:
            raise unknown("robot", name, self.robots)
        return self.robots[name]

    # Time

    @property
    def now_ns(self) -> int:
        """The simulated time."""
        return self.agenda.now_ns

    def run_until(self, time_ns: int) -> None:
        """Run everything that is due up to and including this time. Raises RobotError."""
        if time_ns < self.agenda.now_ns:
            raise ValueError(f"cannot run back to {time_ns} ns; it is {self.now_ns} ns already")
        try:
            self.agenda.run_until(time_ns)
        except RobotError:
            raise
        except Exception as error:
            failed = _describe(self.agenda.failed)
            raise RobotError(
                f"{failed} failed at {self.now_ns / 1e9:.6f} s: {type(error).__name__}: {error}"
            ) from error

    def begin_at(self, time_ns: int) -> None:
        """Go to a later time without its ticks; inputs of the scenario until then are applied."""
        tickers = [*self.tickers.values(), *self.samples]
        for ticker in tickers:
            ticker.skip_to(time_ns)
        self.agenda.enter_all(tickers)
        self.join_ticks()
        self.run_until(time_ns)

    def sample(self, hz: float, call: Callable[[], Any]) -> None:
        """Call back at a rate, after everything else of the same instant.

        Samples only observe. They are no part of snapshots.
        """
        ticker = Ticker("sample", call, SAMPLE | AFTER_CALLS | self._samples_made)
        self._samples_made += 1
        ticker.set_rate(Rate(hz), 0)
        ticker.skip_to(self.now_ns)
        self.samples.append(ticker)
        self.agenda.enter(ticker)

    def stop_sampling(self, call: Callable[[], Any]) -> None:
        """End the samples that call this function."""
        for ticker in [ticker for ticker in self.samples if ticker.call == call]:
            self.samples.remove(ticker)
            ticker.set_rate(Rate(0), 0)
            self.agenda.enter(ticker)

    def rearm_samples(self) -> None:
        """Continue sampling after the clock was set."""
        for ticker in self.samples:
            ticker.skip_to(self.now_ns)
            self.agenda.enter(ticker)

    def call_at(self, time_ns: int, call: Callable[[], Any]) -> None:
        """Call back once, after everything else of that instant. It is no part of snapshots."""
        self.agenda.add(time_ns, SAMPLE, "call", call)

    # Inputs

    def check(self, given: inp.AnyInput, now: bool = True) -> None:
        """Raise InputError if this input cannot be applied, now or later."""
        self.input_handler.check(given, now)

    def apply(self, given: inp.AnyInput, source: str = "live") -> None:
        """Check an input and apply it now."""
        self.membership.check_here(getattr(given, "robot", ""))
        self.check(given)
        self.schedule(self.now_ns, given, source)
        self.run_until(self.now_ns)

    def schedule(self, time_ns: int, given: inp.AnyInput, source: str = "live") -> None:
        """Apply an input at a later time, as if it arrived then."""
        self.agenda.add(max(time_ns, self.now_ns), INPUT, "input", (source, given))

    def plan(self, time_ns: int, given: inp.AnyInput) -> None:
        """Make an input part of the scenario: a reset repeats it, a replay does not need it.

        Inputs of robots that another shard steps are left out.
        """
        if getattr(given, "robot", "") in self.membership.elsewhere:
            return
        self._planned.append((time_ns, given))
        self.agenda.add(time_ns, TIMER, "input", ("scenario", given))

    # Outputs

    def log(self, event: Event) -> None:
        """Keep an event and pass it to the listeners, unless another shard steps its robot."""
        if event.robot in self.membership.elsewhere:
            return
        self.events.append(event)
        for listener in self.listeners.event:
            listener(self.now_ns, event)

    def observe_events(self, listener: Callable[[int, Event], None]) -> None:
        """Pass the events so far to a listener, those of the start included, then each new one."""
        for event in list(self.events):
            listener(event.time_ns, event)
        self.listeners.event.append(listener)

    def wanted(self, robot: Robot, port: str) -> bool:
        """Return True if a message on this port would be collected, recorded or sent."""
        if robot.name in self.membership.elsewhere:
            return False
        return (
            self.collected is not None
            or self.recording
            or bool(self.links.by_port.get((robot.name, port)))
        )

    def update_recording(self) -> None:
        """Encode all outputs while a listener needs them: one with `needs_all_outputs`."""
        self.recording = any(
            getattr(getattr(listener, "__self__", None), "needs_all_outputs", False)
            for listener in self.listeners.output
        )

    def emit(self, robot: Robot, port: str, message: Any, to: Link | None) -> None:
        """Send a message of a robot to one link, or to all links of the port."""
        if robot.name in self.membership.elsewhere:
            return
        if self.collected is not None:
            box = self.collected.get((robot.name, port))
            if box is None:
                box = self.collected[robot.name, port] = deque(maxlen=MESSAGES_KEPT)
            box.append(message)
        self.links.emit(robot, port, message, to)

    # Rates of robots

    def set_rate(self, robot: Robot, method: str, hz: float) -> None:
        """Change the rate. Ticks stay on the n/hz grid, shifted by the robot's phase."""
        if robot.name in self.membership.elsewhere:
            return
        ticker = self.tickers[robot.name, method]
        ticker.set_rate(Rate(hz), -_phase_ns(robot))
        ticker.skip_to(self.now_ns)
        self.agenda.enter(ticker)

    # Actions of one-shots

    def _act(self, action: str, argument: Any) -> None:
        match action:
            case "timer":
                robot, method, args = argument
                getattr(self.robots[robot], method)(*args)
            case "input":
                self.pristine = False
                self.input_handler.handle(*argument)
            case "deliver":
                self.links.deliver(argument)
            case "transmit":
                self.links.transmit(argument)
            case "call":
                argument()
            case "fault-end":
                robot, fault_id = argument
                self.input_handler.end_faults(
                    self.robots[robot], lambda fault: fault.id == fault_id
                )

    def dispatch(self, robot: Robot, message: Any, link: Link, optional: bool = False) -> None:
        """Call the robot's handler for the type of this message."""
        if robot.group is not None:
            robot.group.disturb(robot, message)
        handler = self.behaviours[robot.name].handler(type(message))
        if handler is not None:
            getattr(robot, handler)(message, link)
        elif not optional:
            robot.event(
                "unhandled-message",
                f"no handler for {type(message).__name__} on {link.port}",
                "warning",
            )


def _phase_ns(robot: Robot) -> int:
    return to_ns(robot.phase_s()) if isinstance(robot, FleetMember) else 0


def _describe(item: Any) -> str:
    """Name the robot and the method, or the input, of an entry of the agenda."""
    if isinstance(item, Ticker):
        return item.name
    if item is None:
        return "the simulation"
    if isinstance(item, TickerGroup):
        return f"{item.tickers[0].name} and others of its group"
    if item.action == "timer":
        robot, method, _ = item.argument
        return f"{robot}.{method}"
    subject = item.argument[1] if item.action == "input" else item.argument
    what = getattr(subject, "type", None) or type(subject).__name__
    return f"{getattr(subject, 'robot', 'the world')} ({what})"
