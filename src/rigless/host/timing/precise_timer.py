"""A timer with microsecond resolution for asyncio.

The event loop's own timers are rounded up to a millisecond. On Linux this uses a timerfd, which is
not; elsewhere it uses the loop's timers.
"""

import asyncio
import ctypes
import os
import sys
import time


class _TimerSpec(ctypes.Structure):
    _fields_ = [
        ("interval_s", ctypes.c_long),
        ("interval_ns", ctypes.c_long),
        ("s", ctypes.c_long),
        ("ns", ctypes.c_long),
    ]


class PreciseTimer:
    """Wakes one waiter at a time on the monotonic clock, or earlier when `wake` is called."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._woken = False
        self._fd = -1
        if sys.platform == "linux":
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._fd = self._libc.timerfd_create(time.CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._fd >= 0:
            self._loop.add_reader(self._fd, self._expired)

    async def wait(self, until_ns: int | None) -> None:
        """Return at this monotonic time (never, if None), or as soon as `wake` is called."""
        if self._woken or (until_ns is not None and until_ns <= time.monotonic_ns()):
            self._woken = False
            await asyncio.sleep(0)
            return
        self._waiter = self._loop.create_future()
        handle = None
        if self._fd >= 0:
            self._arm(until_ns or 0)
        elif until_ns is not None:
            handle = self._loop.call_at(until_ns / 1e9, self._finish)
        try:
            await self._waiter
        finally:
            self._waiter = None
            self._woken = False
            if handle is not None:
                handle.cancel()

    def wake(self) -> None:
        self._woken = True
        self._finish()

    def close(self) -> None:
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _arm(self, until_ns: int) -> None:
        """Set the timer to a monotonic time; zero disarms it."""
        spec = _TimerSpec(0, 0, *divmod(until_ns, 1_000_000_000))
        absolute = 1
        self._libc.timerfd_settime(self._fd, absolute, ctypes.byref(spec), None)

    def _expired(self) -> None:
        try:
            os.read(self._fd, 8)
        except BlockingIOError:
            return
        self._finish()

    def _finish(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
