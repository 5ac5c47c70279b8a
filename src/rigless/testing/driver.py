"""A trial run of a hardware driver, without a robot."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rigless.hardware.drivers import Driver
    from rigless.hardware.messages import Command, HardwareMessage


def check_driver(
    driver: "Driver", commands: "Sequence[Command]" = (), seconds: float = 0.2
) -> "list[HardwareMessage]":
    """Use a driver as a robot does and return what was read.

    Open the driver, read it, give it these commands (each for `seconds`), stop and close it; then
    do all of it again, as after a lost connection. A failure that a robot would report as a lost
    device is an AssertionError.
    """
    from rigless.hardware.codec import HardwareCodec
    from rigless.hardware.messages import DriverState
    from rigless.transports.drivers import DriverSupervisor

    codec, readings = HardwareCodec(), []

    async def use() -> None:
        supervisor = DriverSupervisor(
            driver, lambda subject, data: readings.extend(codec.decode(data, subject))
        )
        running = asyncio.create_task(supervisor.run())
        await supervisor.settled.wait()  # connected, or failed to connect
        await asyncio.sleep(seconds)
        for command in commands:
            supervisor.submit(command)
            await asyncio.sleep(seconds)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def use_twice() -> None:
        for time in ("first", "second"):
            before = len(readings)
            await use()
            states = [one for one in readings[before:] if isinstance(one, DriverState)]
            lost = next((state.reason for state in states if not state.up), "")
            assert not lost, f"the {time} time, the part was lost: {lost}"
            assert len(readings) - before > len(states), (
                f"the {time} time, nothing was read in {seconds:g} s"
            )

    asyncio.run(use_twice())
    return [one for one in readings if not isinstance(one, DriverState)]
