"""`rigless.serve`: a host on real sockets in its own thread, for code that does not use asyncio."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar

from rigless.host.environment import Environment, state_folder
from rigless.host.host import Host, State
from rigless.kernel import inputs as inp
from rigless.kernel.events import Event
from rigless.kernel.snapshot import Snapshot
from rigless.kernel.timing.rate import to_ns
from rigless.scenario.load import open_target

Result = TypeVar("Result")
Ports = Literal["free", "real"] | Mapping[str, str | int]
WAIT_S = 0.002  # between two looks at the clock while a run is awaited


class ServedHost:
    """A simulation on real sockets, with the same methods as the `Simulation` of `rigless.load`.

    Methods may be called from any thread; the host executes them between two events.

        with rigless.serve("vacuum", speed=2.0) as host:
            host.address("vacuum", "commands")
    """

    def __init__(
        self,
        target: str | Path,
        speed: float | str = 1.0,
        ports: Ports = "free",
        seed: int | None = None,
        settings: Iterable[str] = (),
        collect: bool = True,
    ):
        self._built = open_target(target, settings, seed, collect, Environment().load_transport)
        for (robot, port), address in self._built.addresses.items():
            host, _, number = address.rpartition(":")
            if ports == "free" and number.isdigit():
                self._built.addresses[robot, port] = f"{host}:0"
            elif isinstance(ports, Mapping) and port in ports:
                given = str(ports[port])
                self._built.addresses[robot, port] = given if ":" in given else f"127.0.0.1:{given}"
        self._speed = speed
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name="rigless-host", daemon=True)
        self._host: Host | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __enter__(self) -> "ServedHost":
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._loop is not None and self._host is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._host.stop)
        self._thread.join()

    def __repr__(self) -> str:
        name, host = self._built.scenario.name, self._host
        if host is None:
            return f"<ServedHost {name}, not started>"
        return f"<ServedHost {name} at {host.sim.now_s:.1f} s, {host.state}, pace {host.pace}>"

    def _main(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._failure = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        state = state_folder() if "RIGLESS_STATE" in os.environ else None
        self._host = Host(self._built, self._speed, environment=Environment(state))
        await self._host.open()
        self._ready.set()
        try:
            await self._host.run()
        finally:
            await self._host.close()

    def call(self, function: Callable[[Host], Result]) -> Result:
        """Execute a function of the host in its thread, and return the result.

        host.call(lambda host: host.real_time_factor())
        """

        async def execute(host: Host) -> Result:
            host.catch_up()
            return function(host)

        return self.run_in_loop(execute)

    def run_in_loop(self, function: Callable[[Host], Coroutine[Any, Any, Result]]) -> Result:
        """Run a coroutine function of the host on its event loop, and return the result."""
        if self._loop is None or self._host is None or self._loop.is_closed():
            raise RuntimeError("the host is not running; use it inside `with rigless.serve(...)`")
        return asyncio.run_coroutine_threadsafe(function(self._host), self._loop).result()

    # Ports and messages

    def address(self, robot: str, port: str) -> str:
        """Return the URL of a port, such as tcp://127.0.0.1:40123.

        host.address("vacuum", "commands")
        """
        return self.call(lambda host: host.address(robot, port))

    def ports(self, robot: str) -> list[str]:
        """Return the names of a robot's ports: `host.ports("vacuum")`."""
        return self.call(lambda host: host.sim.ports(robot))

    def send(self, robot: str, port: str, message: Any) -> None:
        """Deliver a message to a robot now, as if a peer had sent it.

        The message is an object, a dictionary with its type and fields, or bytes of the wire.

        host.send("thermostat", "line", {"type": "Set", "celsius": 21})
        """
        self.call(lambda host: host.send(robot, port, message))

    def take(self, robot: str, port: str) -> list[Any]:
        """Return the messages that the robot emitted on a port since the last call.

        At most the newest 100,000 are kept, with or without a connected peer. After
        `rigless.serve(..., collect=False)` none are, and this raises RuntimeError.

        host.take("vacuum", "telemetry")
        """
        return self.call(lambda host: host.sim.take(robot, port))

    # State

    def truth(self, robot: str) -> Any:
        """Return the ground truth of a robot: `host.truth("vacuum").pose`."""
        return self.call(lambda host: host.sim.truth(robot))

    @property
    def events(self) -> list[Event]:
        """The newest events of the run, oldest first: `[event.code for event in host.events]`."""
        return self.call(lambda host: list(host.sim.events))

    @property
    def now_ns(self) -> int:
        """The simulated time in nanoseconds."""
        return self.call(lambda host: host.sim.now_ns)

    @property
    def now_s(self) -> float:
        """The simulated time in seconds."""
        return self.call(lambda host: host.sim.now_s)

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self._built.simulation.seed

    @property
    def state(self) -> State:
        """One of running, paused, stopped, lockstep and failed."""
        return self.call(lambda host: host.state)

    # Time

    def run(self, seconds: float) -> None:
        """Let this much simulated time pass, and return: `host.run(seconds=2.0)`.

        A paused or lockstep host is stepped. Otherwise this waits at the pace of the host; it
        returns early if the run ends, is paused or fails.
        """

        async def run(host: Host) -> None:
            if host.state in ("lockstep", "paused", "stopped"):
                await host.step(seconds * 1000)
            end_ns = host.sim.now_ns + to_ns(seconds) if host.state == "running" else 0
            while host.sim.now_ns < end_ns and host.state == "running":
                await asyncio.sleep(WAIT_S)

        self.run_in_loop(run)

    def step(self, ms: float) -> None:
        """Advance by this many milliseconds, then pause: `host.step(100)`."""
        self.run_in_loop(lambda host: host.step(ms))

    def pause(self) -> None:
        """Stop simulated time; ports stay open."""
        self.call(Host.pause)

    def resume(self) -> None:
        """Continue after `pause`."""
        self.call(Host.resume)

    def set_speed(self, speed: float | str) -> None:
        """Change the pace: a factor of real time, "fast" or "lockstep"."""
        self.call(lambda host: host.set_speed(speed))

    def reset(self) -> None:
        """Go back to time zero. Peers stay connected."""
        self.call(Host.reset)

    # Inputs and faults

    def set_input(self, robot: str, name: str, value: Any) -> None:
        """Set an input of a robot: `host.set_input("agv", "estop", True)`."""
        self.call(lambda host: host.apply(inp.SetInput(robot, name, value)))

    def inject(
        self, robot: str, target: str, kind: str = "", until_s: float | None = None, **params: Any
    ) -> None:
        """Inject a fault, until a simulated time or until it is cleared.

        host.inject("vacuum", "lidar", "noise", stddev=0.05)
        """
        until_ns = None if until_s is None else to_ns(until_s)
        self.call(lambda host: host.apply(inp.Inject(robot, target, kind, params, until_ns)))

    def clear(self, robot: str, target: str = "") -> None:
        """Clear the faults of a target, or all faults of a robot: `host.clear("vacuum")`."""
        self.call(lambda host: host.apply(inp.Clear(robot, target)))

    # Snapshots and recordings

    def snapshot(self) -> Snapshot:
        """Return a snapshot of this instant: `saved = host.snapshot()`."""
        return self.call(lambda host: host.sim.snapshot())

    def restore(self, saved: Snapshot) -> None:
        """Go to a snapshot: `host.restore(saved)`. Peers stay connected."""
        self.call(lambda host: host.restore(saved))

    def start_recording(self, path: str | Path) -> None:
        """Record to a file from now on: `host.start_recording("run.mcap")`."""
        self.call(lambda host: host.recording_file.start(Path(path)))

    def stop_recording(self) -> None:
        """Finish the recording."""
        self.call(lambda host: host.recording_file.stop())


def serve(
    target: str | Path,
    speed: float | str = 1.0,
    ports: Ports = "free",
    seed: int | None = None,
    settings: Iterable[str] = (),
    collect: bool = True,
) -> ServedHost:
    """Put a robot kind, a scenario or a robot's native file on real sockets.

    `speed` is a factor of real time, "fast" or "lockstep". `ports` is "free" (any free port for
    each), "real" (the real robot's ports) or a mapping of port name to [HOST:]PORT. A ROS port is
    in the domain `ROS_DOMAIN_ID`, or 0, unless the mapping has another one: `{"dds": 42}`.
    `settings` are `key=value`. `collect` keeps emitted messages for `ServedHost.take`.

        with rigless.serve("vacuum", speed=2.0) as host:
            host.address("vacuum", "commands")
    """
    return ServedHost(target, speed, ports, seed, settings, collect)
