"""pytest plugin: simulations in virtual time and hosts on real sockets, closed when the test ends.

def test_it_heats(rigless_sim):
    sim = rigless_sim("examples/thermostat", seed=1)
    sim.run(seconds=60)

def test_on_the_wire(rigless_host):
    host = rigless_host("examples/thermostat", speed=10)
    host.address("thermostat", "line")      # tcp://127.0.0.1:<free port>

For those who write drivers of real parts, `check_driver`.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rigless.hardware.drivers import Driver
    from rigless.hardware.messages import Command, Said
    from rigless.host.serve import ServedHost
    from rigless.kernel.simulation import Simulation


@pytest.fixture
def rigless_sim() -> "Callable[..., Simulation]":
    """A function that loads a target: `rigless_sim("vacuum", seed=7)`."""
    from rigless.scenario.load import open_target

    def load(target: str, seed: int | None = None, settings: tuple[str, ...] = ()) -> "Simulation":
        return open_target(target, settings, seed).simulation

    return load


@pytest.fixture
def rigless_host() -> "Iterator[Callable[..., ServedHost]]":
    """A function that serves a target on free ports: `rigless_host("vacuum", speed=2.0)`."""
    from rigless.host.serve import serve

    with contextlib.ExitStack() as stack:

        def start(target: str, **options: Any) -> "ServedHost":
            return stack.enter_context(serve(target, **options))

        yield start


def check_driver(
    driver: "Driver", commands: "Sequence[Command]" = (), seconds: float = 0.2
) -> "list[Said]":
    """Do with a driver what a robot does: open it, read it, give it these commands (each for so many seconds), stop it, close it; and all of it
    again, as after a loss. Gives what was read. What a robot would be told as the loss of the part is an AssertionError here."""
    from rigless.hardware.codec import HardwareCodec
    from rigless.hardware.messages import DriverState
    from rigless.transports.drivers import DriverSupervisor

    codec, told = HardwareCodec(), []

    async def once() -> None:
        supervisor = DriverSupervisor(
            driver, lambda subject, data: told.extend(codec.decode(data, subject))
        )
        keeping = asyncio.create_task(supervisor.run())
        await supervisor.settled.wait()  # it was reached, or lost
        await asyncio.sleep(seconds)
        for command in commands:
            supervisor.submit(command)
            await asyncio.sleep(seconds)
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)

    async def twice() -> None:
        for time in ("first", "second"):
            before = len(told)
            await once()
            states = [one for one in told[before:] if isinstance(one, DriverState)]
            lost = next((state.reason for state in states if not state.up), "")
            assert not lost, f"the {time} time, the part was lost: {lost}"
            assert len(told) - before > len(states), (
                f"the {time} time, nothing was read in {seconds:g} s"
            )

    asyncio.run(twice())
    return [one for one in told if not isinstance(one, DriverState)]
