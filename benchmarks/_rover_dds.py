"""Rovers on DDS: cost per message, processor share, and rovers per process.

Rovers run at 100 and 10 Hz in a process of their own; readers of all their topics are in this one.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic as DdsTopic

from rigless.ros import cdr
from rigless.ros import messages as m
from rigless.ros.codec import ros_port
from rigless.ros.topics import Node, Topic
from rigless.transports.cyclone.samples import sample_type
from rigless.transports.cyclone.settings import configuration
from rigless.transports.dds import Transport
from rigless.transports.transport import ALL

RIGLESS = (sys.executable, "-c", "from rigless.cli import main; main()")
DOMAIN = 102 + os.getpid() % 100  # beyond those of the tests
KINDS = {
    "imu": m.Imu,
    "enc_vel": m.TwistWithCovarianceStamped,
    "ground_truth": m.Odometry,
    "gps": m.NavSatFix,
}
FLEETS = (1, 5, 10, 20, 40, 80)
HELD = 0.98  # simulated seconds per second


def measure_dds(seconds: float) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        fleets = _fleets(FLEETS if seconds > 5 else FLEETS[:1], min(seconds / 5, 4.0), Path(folder))
    held = [count for count, figures in fleets.items() if figures["rate_held"] > HELD]
    return {
        **asyncio.run(_publishing(2000 if seconds > 5 else 200)),
        "cpu_share_of_one": fleets[1]["cpu_share"],
        "rovers_that_hold_their_rates": max(held, default=0),
        "fleets": {str(count): figures for count, figures in fleets.items()},
    }


# Cost of a message


class _Nobody:
    """An inbox for a transport that only sends."""

    def new_link(self) -> int:
        return 1

    def connected(self, link: int, peer: str, local: str) -> None: ...

    def received(self, link: int, data: bytes, subject: str = "") -> None: ...

    def disconnected(self, link: int) -> None: ...

    def dropped(self, link: int) -> None: ...


async def _publishing(times: int) -> dict[str, float]:
    """Return microseconds to encode and write an Imu and a scan of 360 rays.

    A reader is in another participant.
    """
    header = m.Header(m.Time(1, 2), "imu_link")
    scan = m.LaserScan(header, ranges=tuple(0.01 * n for n in range(360)))
    found = {"imu": m.Imu(header), "scan": scan}
    topics = tuple(Topic(name, type(message), "out") for name, message in found.items())
    transport = Transport(ros_port(Node("bench", topics)), _Nobody())
    await transport.open(f"domain/{DOMAIN}")
    reader = _Readers(
        {f"rt/{name}": type(message) for name, message in found.items()}, DOMAIN, shared=True
    )
    while not all(outlet.readers for outlet in transport._outlets.values()):
        await asyncio.sleep(0.01)
    figures = {}
    for name, message in found.items():
        encode_s = write_s = 0.0
        data = cdr.encode(message)
        for number in range(times):
            begin = time.perf_counter()
            data = cdr.encode(message)
            middle = time.perf_counter()
            transport.send(ALL, data, f"/{name}")
            encode_s, write_s = encode_s + middle - begin, write_s + time.perf_counter() - middle
            if number % 10 == 9:
                reader.count()
                await asyncio.sleep(0)
        figures |= {
            f"encode_{name}_us": encode_s / times * 1e6,
            f"write_{name}_us": write_s / times * 1e6,
        }
    reader.close()
    await transport.close()
    return figures


# Rovers on DDS


class _Readers:
    def __init__(self, topics: dict[str, type], domain: int, shared: bool = False):
        self.domain = None if shared else Domain(domain, configuration({}))
        self.newest_s = 0.0
        self.participant = DomainParticipant(domain)
        quality = Qos(
            Policy.Reliability.Reliable(10**9),
            Policy.History.KeepLast(1000),
            Policy.DataRepresentation(use_cdrv0_representation=True),
        )
        self.readers = [
            DataReader(
                self.participant, DdsTopic(self.participant, name, sample_type(kind)), quality
            )
            for name, kind in topics.items()
        ]

    def close(self) -> None:
        self.readers.clear()
        del self.participant
        self.domain = None

    def matched(self) -> bool:
        return all(reader.get_matched_publications() for reader in self.readers)

    def count(self) -> int:
        """Count messages; the newest stamp of the first topic is stored."""
        heard = 0
        for reader in self.readers:
            samples = reader.take(1000)
            heard += len(samples)
            if samples and reader is self.readers[0]:
                stamp = cdr.decode(m.Time, samples[-1].data[:12])
                self.newest_s = stamp.sec + stamp.nanosec * 1e-9
        return heard


def _fleets(counts: tuple[int, ...], seconds: float, folder: Path) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    for count in counts:
        found[count] = _fleet(count, seconds, folder)
        if found[count]["rate_held"] < HELD:
            break
    return found


def _fleet(count: int, seconds: float, folder: Path) -> dict[str, float]:
    names = [""] if count == 1 else [f"/rover_{number + 1}" for number in range(count)]
    topics = {f"rt{name}/{topic}": kind for name in names for topic, kind in KINDS.items()}
    with _running(count, folder) as pid:
        readers = _Readers(topics, DOMAIN)
        while not readers.matched():
            _listen(readers, 0.2)
        _listen(readers, 0.5)
        begin, cpu, first_s = time.perf_counter(), _cpu_seconds(pid), readers.newest_s
        heard = _listen(readers, seconds)
        while readers.newest_s <= first_s:  # nothing yet: the machine is busy
            heard += _listen(readers, seconds)
        wall_s = time.perf_counter() - begin
        share = (_cpu_seconds(pid) - cpu) / wall_s
        readers.close()
    return {
        "cpu_share": share,
        "messages_per_s": heard / wall_s,
        "rate_held": (readers.newest_s - first_s) / wall_s,
        "delivered": heard / (310 * count * (readers.newest_s - first_s)),
    }


def _listen(readers: _Readers, seconds: float) -> int:
    end, heard = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        heard += readers.count()
        time.sleep(0.02)
    return heard


@contextmanager
def _running(count: int, folder: Path) -> Iterator[int]:
    scenario = folder / f"fleet-{count}.toml"
    scenario.write_text(f'[[robots]]\nkind = "rover"\ncount = {count}\n')
    process = subprocess.Popen(
        [*RIGLESS, "run", str(scenario), "--no-panel", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)},
    )
    assert process.stdout is not None
    try:
        while (line := process.stdout.readline()).strip() != "ready":
            assert line, "rigless did not start"
        yield process.pid
    finally:
        process.terminate()
        process.communicate()


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
