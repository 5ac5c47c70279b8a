"""Real parts behind a robot's hardware port: drivers from installed packages.

Each driver is supervised by a task. There is one link, from open to close. If a driver raises, the
robot gets the loss of the part as a message, and the driver is reopened with backoff; the error
never reaches the loop. If a part gets no command within its watchdog time, it is stopped: the robot
repeats its commands, so silence means that it is paused, stuck or disconnected.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from rigless.hardware.codec import decode_command, encode_reading, encode_state
from rigless.hardware.discovery import make_drivers
from rigless.hardware.drivers import Driver, IoDriver, MotorDriver, Part
from rigless.hardware.messages import (
    Command,
    InputReading,
    MotorCommand,
    OutputCommand,
    OutputReading,
)
from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, Inbox

OPEN_S, ANSWER_S = 10.0, 2.0  # timeouts: to open; to read when polled, to command and to close
BEGIN_S = 2.0  # time for all drivers to open before the run starts
RETRY_S, RETRY_MOST_S = 0.2, 5.0
REPEAT_S = 0.1  # interval at which an unchanged reading is repeated
FASTEST_S = 0.001
RETURN_S = 1.0  # a closed link is opened again after this
MOTION = ("VELOCITY", "POSITION", "STOP")  # a newer command replaces an older one

Report = Callable[[str, bytes], None]


class DriverSupervisor:
    """Opens one driver, passes readings and commands, and reopens it after an error."""

    def __init__(self, driver: Driver, report: Report):
        self.driver = driver
        self.part: Part = driver.part
        self._report = report
        self._pending: dict[str, Command] = {}  # at most one motion and one reset, in order
        self._news = asyncio.Event()
        self._last: tuple[bytes, float] = (b"", 0.0)
        self.settled = asyncio.Event()  # set after the first success or failure
        self._open = False
        self._alive = False  # a reading arrived since it was opened

    def submit(self, command: Command) -> None:
        slot = (
            "motion"
            if not isinstance(command, MotorCommand) or command.kind in MOTION
            else command.kind
        )
        self._pending.pop(slot, None)
        self._pending[slot] = command
        self._news.set()

    async def run(self) -> None:
        wait_s = RETRY_S
        while True:
            self._open = self._alive = False
            try:
                await self._drive()
            except Exception as error:  # third-party code
                self._report(*encode_state(self.part.kind, self.part.id, False, _reason(error)))
                self.settled.set()
            finally:
                if self._open:
                    await _within(ANSWER_S, self._stop())
                await _within(ANSWER_S, self.driver.close())
            wait_s = RETRY_S if self._alive else min(2 * wait_s, RETRY_MOST_S)
            await asyncio.sleep(wait_s)

    async def _drive(self) -> None:
        """Open the driver and pass data until an error."""
        async with asyncio.timeout(OPEN_S):
            await self.driver.open()
        self._open = True
        self._pending.clear()
        self._last = (b"", 0.0)
        self._report(*encode_state(self.part.kind, self.part.id, True))
        async with asyncio.TaskGroup() as group:
            group.create_task(self._read())
            if not self._poll_s:
                self.settled.set()
                group.create_task(self._report_up())
            if self.part.kind in ("motor", "output"):
                group.create_task(self._write())

    async def _read(self) -> None:
        driver: Any = self.driver
        poll_s = self._poll_s
        loop = asyncio.get_running_loop()
        while True:
            began_s = loop.time()
            async with asyncio.timeout(ANSWER_S if poll_s else None):
                reading = await driver.read()
            if isinstance(driver, IoDriver):
                reading = (InputReading if self.part.kind == "input" else OutputReading)(
                    bool(reading)
                )
            subject, data = encode_reading(self.part.kind, self.part.id, reading)
            self._alive = True
            self.settled.set()
            now_s = loop.time()
            if not poll_s or data != self._last[0] or now_s - self._last[1] >= REPEAT_S:
                self._last = data, now_s
                self._report(subject, data)
            await asyncio.sleep(max(began_s + poll_s - loop.time(), FASTEST_S))

    @property
    def _poll_s(self) -> float:
        return self.driver.poll_s if self.part.poll_s is None else self.part.poll_s

    async def _report_up(self) -> None:
        """Report periodically that a part is up that only sends changes; silence means loss."""
        while True:
            await asyncio.sleep(REPEAT_S)
            self._report(*encode_state(self.part.kind, self.part.id, True))

    async def _write(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self.part.watchdog_s):
                    await self._news.wait()
            except TimeoutError:
                await self._stop()
                await self._news.wait()
            self._news.clear()
            while self._pending:
                await self._carry_out(self._pending.pop(next(iter(self._pending))))

    async def _stop(self) -> None:
        if self.part.kind == "motor":
            await self._carry_out(MotorCommand("STOP"))
        elif self.part.kind == "output":
            await self._carry_out(OutputCommand(False))

    async def _carry_out(self, command: Command) -> None:
        async with asyncio.timeout(ANSWER_S):
            if isinstance(self.driver, MotorDriver) and isinstance(command, MotorCommand):
                await self.driver.command(command)
            elif isinstance(self.driver, IoDriver) and isinstance(command, OutputCommand):
                await self.driver.write(command.value)


async def _within(seconds: float, last: Any) -> None:
    """Await a last action within a time, and ignore errors."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(seconds):
            await last


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError) and not str(error):
        return "no answer in time"
    return (
        str(error)
        if isinstance(error, OSError) and str(error)
        else f"{type(error).__name__}: {error}"
    )


class Transport:
    """The drivers of one robot."""

    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self._drivers = make_drivers(port.options["parts"])
        self._supervisors: dict[tuple[str, str], DriverSupervisor] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._link = 0
        self._returning: asyncio.TimerHandle | None = None

    async def open(self, address: str) -> str:
        self._connect()
        for driver in self._drivers:
            supervisor = DriverSupervisor(driver, self._report)
            self._supervisors[supervisor.part.kind, supervisor.part.id] = supervisor
            self._tasks.append(
                asyncio.create_task(supervisor.run(), name=f"driver of {supervisor.part.id}")
            )
        with contextlib.suppress(TimeoutError):  # let the run start with its parts up
            async with asyncio.timeout(BEGIN_S):
                await asyncio.gather(
                    *(supervisor.settled.wait() for supervisor in self._supervisors.values())
                )
        return "drivers://" + ",".join(sorted({driver.part.type for driver in self._drivers}))

    def _connect(self) -> None:
        self._returning = None
        self._link = self.inbox.new_link()
        self.inbox.connected(self._link, "drivers", "drivers")

    def _report(self, subject: str, data: bytes) -> None:
        if self._link:
            self.inbox.received(self._link, data, subject)

    def send(self, link: int, data: bytes, subject: str) -> None:
        if link not in (ALL, self._link):
            return
        try:
            kind, part_id, command = decode_command(data, subject)
            self._supervisors[kind, part_id].submit(command)
        except (KeyError, ValueError):  # corrupted by a wire fault
            self.inbox.dropped(self._link)

    def close_link(self, link: int) -> None:
        """Close the link after a fault; watchdogs stop the parts. It is opened again later."""
        if link == self._link:
            self._link = 0
            self._returning = asyncio.get_running_loop().call_later(RETURN_S, self._connect)

    async def close(self) -> None:
        if self._returning is not None:
            self._returning.cancel()
        self._link = 0
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
