"""The timer wakes its waiter at a time or on wake(), with and without a timerfd."""

import asyncio
import time
from types import SimpleNamespace

import pytest

from rigless.host.timing import precise_timer as module
from rigless.host.timing.precise_timer import PreciseTimer

from .driving import on_loop, until

SOON_NS = 30_000_000
NEVER_NS = 3_600_000_000_000


@pytest.fixture(params=["timerfd", "no timerfd"])
def timer_kind(request, monkeypatch):
    if request.param == "no timerfd":
        monkeypatch.setattr(module, "sys", SimpleNamespace(platform="elsewhere"))
    return request.param


@on_loop
async def test_it_wakes_at_its_time_and_not_before(timer_kind):
    timer = PreciseTimer()
    assert (timer._fd >= 0) == (timer_kind == "timerfd")
    due_ns = time.monotonic_ns() + SOON_NS
    await timer.wait(due_ns)
    # The loop's own timers may fire one clock resolution early.
    assert time.monotonic_ns() >= due_ns - 1_000_000
    timer.close()


@on_loop
async def test_a_wake_wakes_a_waiter_early(timer_kind):
    timer = PreciseTimer()
    waiting = asyncio.create_task(timer.wait(time.monotonic_ns() + NEVER_NS))
    await asyncio.sleep(0)
    assert not waiting.done()
    timer.wake()
    await waiting
    timer.close()


@on_loop
async def test_a_wake_before_the_wait_is_not_lost_and_counts_once(timer_kind):
    timer = PreciseTimer()
    timer.wake()
    await timer.wait(None)
    waiting = asyncio.create_task(timer.wait(None))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    timer.wake()
    await waiting
    timer.close()


@on_loop
async def test_a_time_that_has_passed_returns_and_lets_others_run(timer_kind):
    timer, turns = PreciseTimer(), []
    asyncio.get_running_loop().call_soon(turns.append, 1)
    await timer.wait(time.monotonic_ns() - 1)
    assert turns == [1]
    timer.close()


@on_loop
async def test_a_time_given_up_by_a_wake_does_not_wake_the_next_waiter(timer_kind):
    timer = PreciseTimer()
    while timer._waiter is None:  # a slow machine may come to it when its time has passed
        given_up_ns = time.monotonic_ns() + SOON_NS
        waiting = asyncio.create_task(timer.wait(given_up_ns))
        await asyncio.sleep(0)
    timer.wake()
    await waiting
    waiting = asyncio.create_task(timer.wait(None))
    await until(lambda: time.monotonic_ns() > given_up_ns + SOON_NS)
    assert not waiting.done()
    timer.wake()
    await waiting
    timer.close()


@on_loop
async def test_it_serves_many_times_over(timer_kind):
    timer = PreciseTimer()
    for _ in range(20):
        await timer.wait(time.monotonic_ns() + 100_000)
    timer.close()
    timer.close()
