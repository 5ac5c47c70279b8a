"""Figures of the welder: cycle times against the firmware's, speed, planning, kinematics."""

import os
import socket
import time
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import rigless
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.offline.cycle_time import estimate
from rigless.scenario.load import open_target

from ._firmware import DENSE, PLANNER
from ._timers import cpu_seconds

FULL_SECONDS = 20.0
WELD = b"G0 X-10 Y20 Z30 B40\nM68 E0 Q4.5\nM7\nM3\nM66 P0 L3 Q3\nG1 X10 F55\nM5\nG4 P1.2\nM9\n"


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    scale = min(1.0, seconds / FULL_SECONDS)
    return {
        "planner_bound_error_percent": against_the_firmware(
            {name: (text, 0, s) for name, (text, s) in PLANNER.items()}
        ),
        "dense_error_percent": against_the_firmware(DENSE),
        **planning(max(1000, round(10_000 * scale))),
        **virtual(max(5.0, 26.0 * scale)),
        "live_10x": streamed(seconds),
        **kinematics(max(2000, round(50_000 * scale))),
    }


def against_the_firmware(programs: dict[str, tuple[str, int, float]]) -> dict[str, float]:
    """Compare the cycle times of programs with the firmware's; return the worst."""
    found = {
        name: 100.0 * (estimate(text, WelderConfig(baud=baud)).total_s / firmware_s - 1.0)
        for name, (text, baud, firmware_s) in programs.items()
    }
    return {"worst": max(found.values(), key=abs), **found}


def planning(lines: int) -> dict[str, float]:
    program = "\n".join(
        f"G1 X{n % 90 + 0.1} Y{n % 7} C{n % 13} F{1000 + n % 11 * 300}" for n in range(lines)
    )
    estimate("G1 X1 F100\nX2\n")
    begin = time.perf_counter()
    found = estimate(program)
    assert not found.errors
    return {"lines_parsed_and_planned_per_s": lines / (time.perf_counter() - begin)}


def virtual(seconds: float) -> dict[str, float]:
    """Run a welding program at 1000 Hz without a wire, and motion without an arc."""
    figures = {}
    for name, program in (("welding_x", WELD), ("moving_x", b"G1 X100 F300\n")):
        sim = open_target("welder", collect=False).simulation
        sim.send("welder", "grbl", program)
        sim.run(1.5)
        begin = time.perf_counter()
        sim.run(seconds)
        figures[name] = seconds / (time.perf_counter() - begin)
    return figures


def streamed(seconds: float) -> dict[str, float]:
    """Time a sender that waits for each reply, on a host at ten times real time."""
    with rigless.serve("welder", speed=10.0) as host:
        parts = urlsplit(host.address("welder", "grbl"))
        with socket.create_connection((parts.hostname or "", parts.port or 0)) as line:
            reader = line.makefile("rb")
            line.sendall(b"M3\n")
            at_s, lines, begin = host.now_s, 0, time.perf_counter()
            while not lines or time.perf_counter() < begin + seconds or host.now_s <= at_s:
                line.sendall(b"G1 X%d F55\n?" % (lines % 2))
                lines += 1
                while not reader.readline().startswith((b"ok", b"error")):
                    continue
            wall_s = time.perf_counter() - begin
            return {
                "speed_held": (host.now_s - at_s) / wall_s / 10.0,
                "lines_per_s": lines / wall_s,
            }


def kinematics(count: int) -> dict[str, float]:
    arm = Arm()
    joints = np.random.default_rng(1).uniform(-1.5, 1.5, (count, 6))
    goals = [arm.forward(row) for row in joints]
    arm.inverse(goals[0])
    forward_s = cpu_seconds(lambda: [arm.forward(row) for row in joints])
    inverse_s = cpu_seconds(lambda: [arm.inverse(goal) for goal in goals])
    return {
        "forward_us": forward_s / count * 1e6,
        "inverse_all_us": inverse_s / count * 1e6,
    }
