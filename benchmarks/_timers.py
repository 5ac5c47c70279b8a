"""Empty timer events a second, next to simpy.

Robots with an empty `@every(1000)` are compared with simpy processes that loop on a timeout, and a
one-shot that arms itself again with a simpy callback that does the same. The ceiling is the bare
heap: replace the first entry, call an empty method. Seconds are CPU seconds of this process, which
do not depend on the load of the machine.
"""

import gc
import time
from collections.abc import Callable, Generator
from heapq import heapify, heapreplace
from statistics import median
from typing import Any

import simpy

from rigless.kernel.robot import Robot, every
from rigless.kernel.simulation import Simulation

ROUNDS = 31  # many and short, so that other load affects all alike
HZ = 1000
PERIOD_S, PERIOD_NS = 1 / HZ, 1_000_000_000 // HZ


class Ticking(Robot):
    @every(HZ)
    def tick(self) -> None:
        pass


class Arming(Robot):
    def start(self) -> None:
        self.fire()

    def fire(self) -> None:
        self.after(PERIOD_S, self.fire)


def measure_tickers(count: int, events: int) -> dict[str, float]:
    periods = max(1, events // count)
    return _beside_simpy(
        periods * count,
        lambda: _simulation([Ticking(f"robot-{n}") for n in range(count)], periods),
        lambda: _simpy_processes(count, periods),
        lambda: _heap(count, periods),
    )


def measure_one_shots(events: int) -> dict[str, float]:
    return _beside_simpy(
        events,
        lambda: _simulation([Arming("robot")], events),
        lambda: _simpy_callback(events),
        lambda: _heap(1, events),
    )


def _beside_simpy(events: int, *makers: Callable[[], Callable[[], Any]]) -> dict[str, float]:
    """Compare rates. Each maker returns a call that runs this many events; they take turns."""
    rates: list[list[float]] = [[] for _ in makers]
    for _ in range(ROUNDS):
        for make, measured in zip(makers, rates, strict=True):
            measured.append(events / cpu_seconds(make()))
    ours, peers, ceiling = (median(measured) for measured in rates)
    return {
        "events_per_s": ours,
        "simpy_events_per_s": peers,
        "heap_events_per_s": ceiling,
        "ratio_to_simpy": ours / peers,
        "ratio_to_heap": ours / ceiling,
    }


def cpu_seconds(call: Callable[[], Any]) -> float:
    """Return the CPU seconds of a call.

    As in timeit garbage collection is off: its cost depends on all objects of the process.
    """
    gc.disable()
    try:
        begin = time.process_time()
        call()
        return max(time.process_time() - begin, 1e-9)
    finally:
        gc.enable()


def _simulation(robots: list[Ticking] | list[Arming], periods: int) -> Callable[[], None]:
    sim = Simulation(robots, collect=False)
    return lambda: sim.run_until(periods * PERIOD_NS)


def _simpy_processes(count: int, periods: int) -> Callable[[], Any]:
    def ticking() -> Generator[simpy.Event, None, None]:
        while True:
            yield env.timeout(PERIOD_S)

    env = simpy.Environment()
    for _ in range(count):
        env.process(ticking())
    return lambda: env.run(until=(periods + 0.5) * PERIOD_S)


def _simpy_callback(periods: int) -> Callable[[], Any]:
    def fire(event: Any) -> None:
        env.timeout(PERIOD_S).callbacks.append(fire)

    env = simpy.Environment()
    fire(None)
    return lambda: env.run(until=(periods + 0.5) * PERIOD_S)


def _heap(count: int, periods: int) -> Callable[[], None]:
    heap = [(PERIOD_NS, n, Ticking(f"robot-{n}").tick) for n in range(count)]
    heapify(heap)

    def run() -> None:
        # CPython 3.11 specialises a loop with its condition at the end only at the eighth call.
        while True:
            time_ns, rank, call = heap[0]
            if time_ns > periods * PERIOD_NS:
                return
            heapreplace(heap, (time_ns + PERIOD_NS, rank, call))
            call()

    return run
