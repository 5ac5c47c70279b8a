"""Shards of a fleet on one NATS server: one time zero, and the poses of all robots.

Theory of operation. All subjects begin with `rigless.fleet.<id>`; the id is a hash of scenario and
seed. A shard that starts asks for running shards. If one answers, it joins them: it begins at
their present time, with its robots where the others last saw them. Otherwise it opens its ports,
announces itself until all shards are there, and takes the time zero that shard 1 then sets. If
that is in the past, an answer was late: it asks again and joins.

While it runs, a shard publishes the poses of its robots at the rate of their fastest method, at
most MOST_HZ. The poses of another shard become a `Follow` input, stamped on arrival and recorded
like all inputs. If several arrive in one turn of the loop, only the newest is used. A shard that
is silent for SILENT_S is reported; its robots stand where they were last seen. Loads, chargers and
devices have one keeper each (`things.py`).

Number 0 steps no robots. It observes the fleet, for a panel, and nobody waits for it.
"""

import asyncio
import contextlib
import time
from collections import deque
from dataclasses import replace
from typing import Any, Protocol

import msgspec
import numpy as np

from rigless.host.environment import Environment
from rigless.host.shards.things import SharedThings
from rigless.host.shards.wire import Hello, Poses, Row, fleet_id, row_of
from rigless.host.timing.pace import Pace
from rigless.kernel import inputs as inp
from rigless.kernel.events import Event, Severity
from rigless.kernel.fleet.shard import NOWHERE, Whereabouts, from_bytes, to_bytes
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.scenario.build import Built
from rigless.transports.capabilities import capabilities
from rigless.transports.jetstream.errors import Log

MOST_HZ = 50.0
ASK_S = 0.5  # a running shard answers within this time
ASK_AGAIN_S = 5.0  # if not, it is busy
HELLO_S = 1.0
WAIT_S = 0.05
MARGIN_S = 1.0  # from the agreement to time zero: panels and recordings are opened
SILENT_S = 3.0
NAG_S = 5.0  # between two notes that shards are missing
OBSTACLES = inp.PlaceObstacle | inp.MoveObstacle | inp.RemoveObstacle | inp.SetDevice
OBSERVED_S = 5.0  # since the last sign of an observer


class ShardHost(Protocol):
    """The parts of a host that a shard needs."""

    sim: Simulation
    built: Built
    pace: Pace
    environment: Environment
    finished: asyncio.Event

    def apply(self, given: inp.AnyInput, /) -> None: ...


class Exchange:
    """The connection of one shard to the others."""

    def __init__(self, host: ShardHost):
        self._host, self._core = host, host.sim.core
        self.membership = self._core.membership
        assert self.membership.shard is not None
        self.shard = self.membership.shard
        self.epoch_ns: int | None = None  # Unix time of simulated time zero
        self.rejoined = False
        self.ages_ms: deque[float] = deque(maxlen=10_000)  # of poses on arrival
        self._prefix = f"rigless.fleet.{fleet_id(host.built.scenario, host.sim.seed)}"
        self._connection: Any = None
        self._heard_s: dict[int, float] = {}
        self._ready: set[int] = set()
        self._silent: set[int] = set()
        self._newest: dict[int, Poses] = {}  # not applied yet
        self._last: dict[int, bytes] = {}  # poses of each other shard
        self._observed_s = -OBSERVED_S
        self._tasks: list[asyncio.Task[None]] = []
        self._sent = b""
        self._seen: bytes | None = None  # the last poses of this shard, as others saw them
        self._forwarding = False
        self._things = SharedThings(
            self.shard.number,
            lambda subject, data: self._connection.publish(f"{self._prefix}.{subject}", data),
            host.apply,
            lambda text: self.log_event(text, "warning"),
        )
        self.observes = not self.shard.number
        self.connected = False

    # Begin

    async def open(self) -> None:
        """Connect, and join the shards that run already. Raises InputError."""
        if self._host.pace.mode != "real":
            what = f"shards cannot run {self._host.pace}: they share real time"
            raise InputError(Problem("--shard", what, "leave out --fast and --lockstep"))
        from rigless.transports.jetstream import connection as connections

        host = self._host
        settings = await nats_settings(host.built, host.environment, self.log_event)
        settings = replace(settings, name=f"rigless shard {self.shard}")
        self._connection = connections.acquire(settings)
        self._connection.observers.append(self)
        things = "things.*", "all-things.*", "your-things.*"
        for subject in ("hello", "poses.*", "seen.*", "rows.*", "input.*", *things):
            self._connection.subscribe(f"{self._prefix}.{subject}", self._receive)
        await self._connection.tried.wait()
        while not self._connection.up and not self._host.finished.is_set():
            await asyncio.sleep(WAIT_S)
        self._tasks.append(asyncio.create_task(self._announce()))
        await self._ask(within_s=ASK_S)
        if self.epoch_ns is not None and self.shard.number:
            await self._join()

    async def _ask(self, within_s: float) -> None:
        """Ask running shards for their time and where they last saw the robots of this one."""
        self._hello(ready=False, asks=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self.shard.number and self._seen is None:
                    await asyncio.sleep(WAIT_S / 5)

    async def agree(self) -> None:
        """Wait for all shards and agree on time zero, unless they run already."""
        nag_s, begins = time.monotonic() + NAG_S, False
        everyone = set(range(1, self.shard.count + 1))
        while self.epoch_ns is None and not self._host.finished.is_set():
            self._hello(ready=True)
            others = everyone - {self.shard.number}
            if self.shard.number == 1 and others <= self._ready:
                self.epoch_ns, begins = time.time_ns() + int(MARGIN_S * 1e9), True
                self._hello(ready=True)
            elif time.monotonic() > nag_s:
                nag_s += NAG_S
                missing = ", ".join(map(str, sorted(others - self._ready))) or "none"
                self.log_event(f"waiting for shards of {self.shard.count}: {missing}", "info")
            await asyncio.sleep(WAIT_S)
        if self.epoch_ns is None:
            return
        if self.shard.number and not self.rejoined and not begins and self._now_ns() > 0:
            await self._join()
        if self.rejoined or not self.shard.number:
            self._core.begin_at(max(self._now_ns() + int(MARGIN_S * 1e9), self._core.now_ns))

    def _now_ns(self) -> int:
        """Return the simulated time at present."""
        assert self.epoch_ns is not None
        return max(0, int((time.time_ns() - self.epoch_ns) * self._host.pace.speed))

    async def _join(self) -> None:
        """Go to the time of the running shards, with the robots where those last saw them."""
        self.rejoined = True
        if self._seen is None:
            await self._ask(within_s=ASK_AGAIN_S)
        self._core.begin_at(self._now_ns())
        for number, poses in self._last.items():
            self._core.apply(inp.Follow(number, poses))
        if self._seen is not None:
            names = self.membership.names[self.shard.number]
            for name, place in zip(names, from_bytes(self._seen), strict=True):
                robot = self._core.robots[name]
                if all(map(np.isfinite, place)) and robot.can_relocate:
                    robot.relocate(place.x_m, place.y_m, place.theta_rad)
        text = f"joined the running fleet at {self._core.now_ns / 1e9:.1f} s"
        self.log_event(text, "info")

    def begin(self) -> None:
        """Anchor simulated time at the common time zero, and publish poses from now on."""
        if self.epoch_ns is None:
            return
        if not self.shard.number:  # the panel was opened meanwhile
            self._core.begin_at(max(self._now_ns(), self._core.now_ns))
        ago_ns = time.time_ns() - self.epoch_ns
        self._host.pace.anchor(time.monotonic_ns() - ago_ns, 0)
        self._core.world.outgoing()  # from now on it notes what changes
        self._things.begin()
        if self.shard.number:
            rates = [ticker.num * 1e9 / ticker.period_num for ticker in self._core.tickers.values()]
            self._core.sample(min(max(rates, default=1.0), MOST_HZ), self._publish)

    async def close(self) -> None:
        """Leave the others. Safe to call twice."""
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()
        self._core.stop_sampling(self._publish)
        connection, self._connection = self._connection, None
        if connection is not None:
            from rigless.transports.jetstream import connection as connections

            connection.observers.remove(self)
            await connections.release(connection)

    # Publish

    async def _announce(self) -> None:
        while True:
            await asyncio.sleep(HELLO_S)
            if self.epoch_ns is not None:
                self._hello(ready=True)
                self._check_silent()
                if not self.shard.number:
                    self._core.world.tick(self._core.now_ns)  # there is no robot that does it
                if self.shard.number and time.monotonic() - self._observed_s < OBSERVED_S:
                    self._publish_rows()

    def _hello(self, ready: bool, asks: bool = False) -> None:
        number, count = self.shard.number, self.shard.count
        hello = Hello(number, count, self.epoch_ns, ready, asks, self.observes)
        self._connection.publish(f"{self._prefix}.hello", msgspec.json.encode(hello))

    def _whereabouts(self) -> bytes:
        return to_bytes([_where(robot) for robot in self._core.stepped])

    def _publish(self) -> None:
        if self._connection is None:
            return
        poses = self._whereabouts()
        message = Poses(self.shard.number, self._core.now_ns, time.time_ns(), poses)
        self._connection.publish(f"{self._prefix}.poses.{self.shard.number}", message.encode())
        self._things.send(self._core.world, self._core.now_ns / 1e9)

    def _publish_rows(self) -> None:
        rows = {robot.name: row_of(robot) for robot in self._core.stepped}
        subject = f"{self._prefix}.rows.{self.shard.number}"
        self._connection.publish(subject, msgspec.json.encode(rows))

    def forward(self, given: inp.AnyInput) -> bool:
        """Send an input to the shard that steps its robot. Return False if that is this one."""
        if isinstance(given, inp.Follow | inp.Share):
            return False
        name = getattr(given, "robot", "")
        if name in self.membership.elsewhere:
            if isinstance(given, inp.Connect | inp.Disconnect | inp.Arrive):
                return False
            self._core.check(given)
            self._send_input(str(self.membership.owners[name]), given)
            return True
        if isinstance(given, OBSTACLES) and not self._forwarding:
            self._core.check(given)
            self._send_input("all", given)
        return False

    def refuse(self, what: str) -> None:
        """Raise InputError: the shards of a fleet share real time."""
        reason = f"the parts of a fleet share real time: part {self.shard} cannot {what}"
        raise InputError(Problem("shard", reason, "run the fleet in one process for that"))

    def _send_input(self, to: str, given: inp.AnyInput) -> None:
        data = msgspec.json.encode([self.shard.number, given])
        self._connection.publish(f"{self._prefix}.input.{to}", data)

    # Receive

    def _receive(self, subject: str, reply: str, headers: bytes, data: bytes) -> None:
        kind, _, number = subject.removeprefix(f"{self._prefix}.").partition(".")
        try:
            match kind:
                case "hello":
                    self._receive_hello(msgspec.json.decode(data, type=Hello))
                case "poses":
                    self._receive_poses(Poses.decode(data))
                case "seen" if number == str(self.shard.number):
                    self._seen = self._seen or data
                case "things" | "all-things" | "your-things" if number.isdecimal():
                    self._things.receive(kind, int(number), data)
                case "rows" if self.observes:
                    self.membership.rows |= msgspec.json.decode(data, type=dict[str, Row])
                case "input" if number in ("all", str(self.shard.number)):
                    self._receive_input(data)
        except (msgspec.MsgspecError, ValueError) as error:
            self.log_event(f"{subject}: a message cannot be read: {error}", "warning")

    def _receive_hello(self, hello: Hello) -> None:
        if hello.shard == self.shard.number or hello.count != self.shard.count:
            return
        now_s = time.monotonic()
        self._heard_s[hello.shard] = now_s
        if hello.observes:
            self._observed_s = now_s
        if hello.shard in self._silent:
            self._silent.remove(hello.shard)
            self.log_event(f"shard {hello.shard} of {hello.count} is back", "info")
        if hello.ready:
            self._ready.add(hello.shard)
        elif self.epoch_ns is None:
            self._ready.discard(hello.shard)
        if self.epoch_ns is None:
            self.epoch_ns = hello.epoch_ns
        elif hello.asks and self.shard.number:
            self._hello(ready=True)
            self._things.send_all(self._core.world)
            self._things.send_back(self._core.world, hello.shard)
            if hello.shard in self._last:
                self._connection.publish(
                    f"{self._prefix}.seen.{hello.shard}", self._last[hello.shard]
                )

    def _receive_poses(self, found: Poses) -> None:
        if found.shard == self.shard.number:
            return
        self.membership.check(found.shard, found.poses)
        self.ages_ms.append((time.time_ns() - found.sent_ns) / 1e6)
        self._heard_s[found.shard] = time.monotonic()
        self._last[found.shard] = found.poses
        if self._connection is None or self.epoch_ns is None:
            return
        if not self._newest:
            asyncio.get_running_loop().call_soon(self._apply_newest)
        self._newest[found.shard] = found

    def _apply_newest(self) -> None:
        newest, self._newest = self._newest, {}
        for number in sorted(newest):
            self._host.apply(inp.Follow(number, newest[number].poses))

    def _receive_input(self, data: bytes) -> None:
        sender, given = msgspec.json.decode(data, type=tuple[int, inp.AnyInput])
        if sender == self.shard.number:
            return
        self._forwarding = True
        try:
            self._host.apply(given)
        except InputError as error:
            self.log_event(f"an input of shard {sender} was refused: {error}", "warning")
        finally:
            self._forwarding = False

    def _check_silent(self) -> None:
        """Report shards that are no longer there, and let their robots stand."""
        now_s = time.monotonic()
        for number, heard_s in self._heard_s.items():
            if number and number not in self._silent and now_s - heard_s > SILENT_S:
                self._silent.add(number)
                text = f"shard {number} of {self.shard.count} is silent: its robots stand still"
                self.log_event(text, "warning")
                if number in self._last:
                    places = from_bytes(self._last[number])
                    rows = [place._replace(v_mps=0.0, omega_radps=0.0) for place in places]
                    self._host.apply(inp.Follow(number, to_bytes(rows)))

    # Observer of the connection

    def went_up(self) -> None:
        self.connected = True

    def went_down(self, why: str) -> None:
        self.connected = False

    def log(self, text: str, severity: Severity) -> None:
        self.log_event(text, severity)

    def denied(self, subject: str) -> bool:
        return False

    def log_event(self, text: str, severity: Severity) -> None:
        now_ns = self._core.now_ns
        self._core.log(Event(now_ns, "", "shards", severity, text, {}))


async def nats_settings(built: Built, environment: Environment, log: Log) -> Any:
    """Return the settings of the connection over which shards exchange poses. Raises InputError."""
    for robot in built.simulation.robots.values():
        for port in robot.ports:
            if capabilities(port.transport).nats:
                from rigless.transports.nats import connection_settings

                options = environment.prepare(port, log).options
                return await connection_settings(options, built.addresses[robot.name, port.name])
    what = "no robot of this scenario has a NATS server, over which shards exchange poses"
    raise InputError(Problem("--shard", what, "use it for AGVs; run other robots together"))


def _where(robot: Robot) -> Whereabouts:
    try:
        return robot.whereabouts()
    except Exception:  # user code
        return NOWHERE
