"""The rover's speed, the cost of a DDS message, and the number of rovers per process.

The speed is measured without subscribers, with every message built, and with a recording of all
messages as CDR.

RIGLESS_BENCH_SECONDS below 20 reduces the counts.
"""

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rigless.kernel.recording import Recorder
from rigless.kernel.simulation import Simulation
from rigless.ros.messages import Twist, Vector3
from rigless.scenario.load import open_target

from ._rover_dds import measure_dds

FULL_SECONDS = 20.0
NOISE = (
    "cmd_vel_timeout_s=1e6",
    "enc_vel.vx_noise_std_mps=0.02",
    "enc_vel.vx_drift_std=0.02",
    "enc_vel.wz_drift_std=0.03",
    "imu.yaw_noise_std_rad=0.02",
    "imu.wz_noise_std_radps=0.005",
    "gps.noise_std_m=0.4",
    "gps.drift_std_m=0.8",
)


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    scale = min(1.0, seconds / FULL_SECONDS)
    return {
        "unheard_x": pace(driving(), 20_000 * scale),
        "messages_built_x": pace(driving(collect=True), 300 * scale),
        **recorded(100 * scale),
        "live": measure_dds(seconds),
    }


def driving(collect: bool = False) -> Simulation:
    """Load a rover on a circle, with all its noise."""
    sim = open_target("rover", NOISE, 1, collect).simulation
    sim.send("rover", "dds", Twist(Vector3(0.8), Vector3(z=0.3)))
    sim.run(1.0)
    return sim


def pace(sim: Simulation, seconds: float) -> float:
    """Return simulated seconds per second."""
    begin = time.perf_counter()
    sim.run(seconds)
    return seconds / (time.perf_counter() - begin)


def recorded(seconds: float) -> dict[str, float]:
    """Record all topics as CDR into an MCAP file."""
    sim = driving()
    with TemporaryDirectory() as folder, (Path(folder) / "rover.mcap").open("wb") as stream:
        recorder = Recorder(sim, stream)
        found = pace(sim, seconds)
        recorder.close()
        return {"recorded_x": found, "recorded_mib_per_h": stream.tell() / 2**20 / seconds * 3600}
