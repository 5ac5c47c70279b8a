"""Measure how well the host holds its pace with a robot of 110 Hz and no panel.

Figures are the offset of simulated time from wall time at the end, and the lateness of each tick in
wall milliseconds. An overrun is a tick that is late by a whole period. For comparison, a plain loop
that sleeps from tick to tick runs at the same rate, half of it before and half after.
"""

import asyncio
import time
from itertools import count

import numpy as np

from rigless.host.host import Host
from rigless.kernel.robot import Robot, every
from rigless.kernel.simulation import Simulation
from rigless.scenario.build import Built
from rigless.scenario.model import RobotEntry, Scenario
from rigless.scenario.source import Source

HZ = 110


class Metronome(Robot):
    """A robot that measures the lateness of its ticks.

    Unlike other robots it reads the wall clock; `host` and `late_ns` are not state.
    """

    host: Host
    late_ns: list[int]

    @every(HZ)
    def tick(self) -> None:
        self.late_ns.append(time.monotonic_ns() - self.host.pace.wall_at(self.now_ns))


def measure_pace(speed: float, seconds: float) -> dict[str, float]:
    sleep_ms = _sleep_late_ms(HZ * speed, seconds / 12)
    robot = Metronome("robot")
    robot.late_ns = []
    ahead_ms, lost_ms, cpu_share = asyncio.run(_hold(robot, speed, seconds))
    sleep_ms = np.concatenate([sleep_ms, _sleep_late_ms(HZ * speed, seconds / 12)])
    late_ms = np.array(robot.late_ns) / 1e6
    late_p50_ms, late_p99_ms = np.percentile(late_ms, (50, 99))
    sleep_p50_ms, sleep_p99_ms = np.percentile(sleep_ms, (50, 99))
    return {
        "ticks": len(late_ms),
        "sim_minus_wall_ms": ahead_ms,
        "late_p50_ms": float(late_p50_ms),
        "late_p99_ms": float(late_p99_ms),
        "late_max_ms": float(late_ms.max()),
        "overruns": int((late_ms > 1000 / (HZ * speed)).sum()),
        "lost_ms": lost_ms,
        "cpu_share": cpu_share,
        "sleep_p50_ms": float(sleep_p50_ms),
        "sleep_p99_ms": float(sleep_p99_ms),
        "p50_ratio_to_sleep": float(late_p50_ms / sleep_p50_ms),
        "p99_ratio_to_sleep": float(late_p99_ms / sleep_p99_ms),
    }


async def _hold(robot: Metronome, speed: float, seconds: float) -> tuple[float, float, float]:
    """Return simulated minus wall time at the end, the wall time lost, and the CPU share."""
    scenario = Scenario(robots=[RobotEntry(kind="metronome")])
    host = Host(
        Built(Simulation([robot], collect=False), scenario, {}, Source()),
        speed,
        duration_s=seconds * speed,
    )
    robot.host = host
    await host.open()
    begin_cpu = time.process_time()
    try:
        await host.run()
        wall_ns = time.monotonic_ns() - host.started_ns
        cpu_share = (time.process_time() - begin_cpu) / (wall_ns / 1e9)
    finally:
        await host.close()
    return (host.sim.now_ns / speed - wall_ns) / 1e6, host.lost_ns / 1e6, cpu_share


def _sleep_late_ms(hz: float, seconds: float) -> np.ndarray:
    begin_ns, late_ns = time.monotonic_ns(), []
    for n in count(1):
        due_ns = begin_ns + int(n * 1e9 / hz)
        if due_ns - begin_ns > seconds * 1e9 and late_ns:
            return np.array(late_ns) / 1e6
        time.sleep(max(0, due_ns - time.monotonic_ns()) / 1e9)
        late_ns.append(time.monotonic_ns() - due_ns)
    raise AssertionError
