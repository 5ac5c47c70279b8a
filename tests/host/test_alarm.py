"""The alarm wakes its waiter at a time or when rung, with a timerfd and without one."""

import asyncio
import time
from types import SimpleNamespace

import pytest

from rigless.host import alarm as module
from rigless.host.alarm import Alarm

from .driving import on_loop, until

SOON_NS = 30_000_000
NEVER_NS = 3_600_000_000_000


@pytest.fixture(params=["timerfd", "no timerfd"])
def alarm_kind(request, monkeypatch):
    if request.param == "no timerfd":
        monkeypatch.setattr(module, "sys", SimpleNamespace(platform="elsewhere"))
    return request.param


@on_loop
async def test_it_wakes_at_its_time_and_not_before(alarm_kind):
    alarm = Alarm()
    assert (alarm._fd >= 0) == (alarm_kind == "timerfd")
    due_ns = time.monotonic_ns() + SOON_NS
    await alarm.wait(due_ns)
    # The loop's own timers may fire one clock resolution early.
    assert time.monotonic_ns() >= due_ns - 1_000_000
    alarm.close()


@on_loop
async def test_a_ring_wakes_a_waiter_early(alarm_kind):
    alarm = Alarm()
    waiting = asyncio.create_task(alarm.wait(time.monotonic_ns() + NEVER_NS))
    await asyncio.sleep(0)
    assert not waiting.done()
    alarm.ring()
    await waiting
    alarm.close()


@on_loop
async def test_a_ring_before_the_wait_is_not_lost_and_counts_once(alarm_kind):
    alarm = Alarm()
    alarm.ring()
    await alarm.wait(None)
    waiting = asyncio.create_task(alarm.wait(None))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    alarm.ring()
    await waiting
    alarm.close()


@on_loop
async def test_a_time_that_has_passed_returns_and_lets_others_run(alarm_kind):
    alarm, turns = Alarm(), []
    asyncio.get_running_loop().call_soon(turns.append, 1)
    await alarm.wait(time.monotonic_ns() - 1)
    assert turns == [1]
    alarm.close()


@on_loop
async def test_a_time_given_up_by_a_ring_does_not_wake_the_next_waiter(alarm_kind):
    alarm = Alarm()
    while alarm._waiter is None:  # a slow machine may come to it when its time has passed
        given_up_ns = time.monotonic_ns() + SOON_NS
        waiting = asyncio.create_task(alarm.wait(given_up_ns))
        await asyncio.sleep(0)
    alarm.ring()
    await waiting
    waiting = asyncio.create_task(alarm.wait(None))
    await until(lambda: time.monotonic_ns() > given_up_ns + SOON_NS)
    assert not waiting.done()
    alarm.ring()
    await waiting
    alarm.close()


@on_loop
async def test_it_serves_many_times_over(alarm_kind):
    alarm = Alarm()
    for _ in range(20):
        await alarm.wait(time.monotonic_ns() + 100_000)
    alarm.close()
    alarm.close()
