"""`rigless.serve`: a host on real sockets in a thread of its own, for scripts and tests that are not asyncio themselves."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar

from rigless.host.environment import Environment, state_folder
from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.kernel.snapshot import Snapshot
from rigless.scenario.load import open_target

Result = TypeVar("Result")
Ports = Literal["free", "real"] | Mapping[str, str | int]


class ServedHost:
    """A running host. Its methods may be called from any thread; they are carried out between two events."""

    def __init__(
        self,
        target: str | Path,
        speed: float | str = 1.0,
        ports: Ports = "free",
        seed: int | None = None,
        settings: Iterable[str] = (),
    ):
        self._built = open_target(target, settings, seed, collect=False)
        for robot, port in self._built.addresses:
            if ports == "free" and self._built.addresses[robot, port].rpartition(":")[2].isdigit():
                host = self._built.addresses[robot, port].rpartition(":")[0]
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

    def _main(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._failure = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        kept = state_folder() if "RIGLESS_STATE" in os.environ else None
        self._host = Host(self._built, self._speed, environment=Environment(kept))
        await self._host.open()
        self._ready.set()
        try:
            await self._host.run()
        finally:
            await self._host.close()

    def call(self, function: Callable[[Host], Result]) -> Result:
        """Run a function of the host on its own thread and give its result."""

        async def run() -> Result:
            assert self._host is not None
            self._host.catch_up()
            return function(self._host)

        assert self._loop is not None, "enter the host first"
        return asyncio.run_coroutine_threadsafe(run(), self._loop).result()

    def address(self, robot: str, port: str) -> str:
        """The URL of a port, such as tcp://127.0.0.1:40123."""
        return self.call(lambda host: host.address(robot, port))

    def truth(self, robot: str) -> Any:
        return self.call(lambda host: host.sim.truth(robot))

    @property
    def now_s(self) -> float:
        return self.call(lambda host: host.sim.now_s)

    @property
    def state(self) -> str:
        return self.call(lambda host: host.state)

    def pause(self) -> None:
        self.call(Host.pause)

    def resume(self) -> None:
        self.call(Host.resume)

    def set_speed(self, speed: float | str) -> None:
        self.call(lambda host: host.set_speed(speed))

    def step(self, ms: float) -> None:
        """Advance by this much and return when it is done; for `speed="lockstep"`."""
        assert self._loop is not None
        assert self._host is not None
        asyncio.run_coroutine_threadsafe(self._host.step(ms), self._loop).result()

    def reset(self) -> None:
        self.call(Host.reset)

    def set_input(self, robot: str, name: str, value: Any) -> None:
        self.call(lambda host: host.apply(inp.SetInput(robot, name, value)))

    def inject(self, robot: str, target: str, kind: str = "", **params: Any) -> None:
        self.call(lambda host: host.apply(inp.Inject(robot, target, kind, params)))

    def clear(self, robot: str, target: str = "") -> None:
        self.call(lambda host: host.apply(inp.Clear(robot, target)))

    def snapshot(self) -> Snapshot:
        return self.call(lambda host: host.sim.snapshot())

    def restore(self, saved: Snapshot) -> None:
        self.call(lambda host: host.restore(saved))

    def start_recording(self, path: str | Path) -> None:
        self.call(lambda host: host.recording_file.start(Path(path)))

    def stop_recording(self) -> None:
        self.call(lambda host: host.recording_file.stop())


def serve(
    target: str | Path,
    speed: float | str = 1.0,
    ports: Ports = "free",
    seed: int | None = None,
    settings: Iterable[str] = (),
) -> ServedHost:
    """Put a target on real sockets: `with rigless.serve("vacuum", speed=2.0) as host: host.address("vacuum", "commands")`.

    `ports` is "free" (any free port each), "real" (the robot's own), or a mapping of port name to [HOST:]PORT.
    """
    return ServedHost(target, speed, ports, seed, settings)
