"""The live vacuum: `rigless run vacuum --speed 10` in a process of its own.

A client with real sockets in this process records the arrival time of each datagram. At this speed
lidar scans (5 Hz) and readings (110 Hz) arrive 50 and 1100 times a second.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from rigless.robots.vacuum.protobuf import schema

SPEED = 10
STATUS, LIDAR = b"sensors/sensor_status", b"sensors/lidar"
RIGLESS = (sys.executable, "-c", "from rigless.cli import main; main()")
ROOM_BYTES = 4 << 20  # buffer of the receiving socket
PATIENCE_S = 60.0


def measure_live(seconds: float) -> dict[str, float]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as telemetry:
        telemetry.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM_BYTES)
        telemetry.bind(("127.0.0.1", 0))
        telemetry.settimeout(PATIENCE_S)
        with (
            _running(telemetry.getsockname()[1]) as (pid, port),
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as commands,
        ):
            commands.sendall(_drive(0.1, 0.5))
            _listen(telemetry, min(1.0, seconds))  # warm-up
            begin, begin_cpu = time.perf_counter(), _cpu_seconds(pid)
            arrivals = _listen(telemetry, seconds)
            wall_s = time.perf_counter() - begin
            cpu_share = (_cpu_seconds(pid) - begin_cpu) / wall_s
    status_ms, scan_ms = (np.diff(arrivals[topic]) * 1e3 for topic in (STATUS, LIDAR))
    return {
        "status_per_s": len(arrivals[STATUS]) / wall_s,
        "scans_per_s": len(arrivals[LIDAR]) / wall_s,
        "speed_held": len(arrivals[STATUS]) / wall_s / (110 * SPEED),
        "status_p50_ms": float(np.percentile(status_ms, 50)),
        "status_p99_ms": float(np.percentile(status_ms, 99)),
        "scan_p50_ms": float(np.percentile(scan_ms, 50)),
        "scan_p99_ms": float(np.percentile(scan_ms, 99)),
        "cpu_share": cpu_share,
    }


def _listen(telemetry: socket.socket, seconds: float) -> dict[bytes, list[float]]:
    """Return the arrival times of the datagrams of each topic."""
    arrivals: dict[bytes, list[float]] = {STATUS: [], LIDAR: []}
    end = time.perf_counter() + seconds
    while (now := time.perf_counter()) < end or min(map(len, arrivals.values())) < 2:
        head = telemetry.recv(65536)[:64]
        for topic, times in arrivals.items():
            if topic in head:
                times.append(time.perf_counter())
        if now > end + PATIENCE_S:
            raise RuntimeError("the vacuum sends too little to measure: is its lidar on?")
    return arrivals


@contextmanager
def _running(streaming_port: int) -> Iterator[tuple[int, int]]:
    """Run a live vacuum; yield its process id and the port of its commands."""
    settings = (
        "ports.commands=0", "lidar.enabled=true", "network.udp_ports=streaming",
        f"network.udp_streaming_port={streaming_port}",
    )  # fmt: skip
    command = [
        *RIGLESS,
        "run",
        "vacuum",
        "--speed",
        str(SPEED),
        "--seed",
        "7",
        "--no-panel",
        "--quiet",
    ]
    for setting in settings:
        command += ["--set", setting]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            lines = []
            for line in server.stdout:
                lines.append(line)
                if line.strip() == "ready":
                    break
            else:
                raise RuntimeError(f"rigless run vacuum did not start: {''.join(lines)}")
            address = next(line for line in lines if line.startswith("port vacuum/commands "))
            yield server.pid, int(address.rpartition(":")[2])
        finally:
            server.terminate()


def _drive(linear: float, angular: float) -> bytes:
    message = schema.Message()
    control = message.command.component_control
    control.id = "drive"
    control.action.type = schema.ACTIONS.index("configure")
    control.action.config["linear"].f32_val = linear
    control.action.config["angular"].f32_val = angular
    payload = message.SerializeToString()
    return len(payload).to_bytes(4) + bytes(payload)


def _cpu_seconds(pid: int) -> float:
    """Return the user and system time of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
