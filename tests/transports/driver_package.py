"""A package of drivers as installed by pip, whose parts a test controls by their ids."""

from pathlib import Path

MODULE = """
import asyncio
from rigless.hardware import DeviceDriver, DeviceReading, IoDriver, MotorDriver, MotorReading

WORLD = {}  # id of a part → what a test and the driver tell each other


class Common:
    def __init__(self, part, shared):
        super().__init__(part, shared)
        if part.config.get("speed", 1) < 0:
            raise ValueError("speed must not be negative")
        self.me = WORLD.setdefault(part.id, {"done": [], "value": 0.0, "fail": None})
        self.me["shared"] = shared

    def note(self, *what):
        self.me["done"].append(what)
        if self.me["fail"] == what[0]:
            raise ConnectionError(f"{what[0]} failed")

    async def open(self):
        self.note("open")
        await self.me.get("slow", asyncio.sleep)(0)

    async def close(self):
        self.note("close")


class Motor(Common, MotorDriver):
    poll_s = 0.005

    async def read(self):
        if self.me["fail"] == "read":
            raise RuntimeError("no encoder")
        if self.me["fail"] == "lie":
            return True
        return MotorReading(self.me["value"], 0.0, "IDLE")

    async def command(self, command):
        await self.me.get("slow", asyncio.sleep)(0)
        self.note("command", command.kind, command.value)


class Signal(Common, IoDriver):
    poll_s = 0.005

    async def read(self):
        return self.me["value"] > 0

    async def write(self, value):
        self.note("write", value)


class Scanner(Common, DeviceDriver):
    poll_s = 0.0

    async def read(self):
        while not self.me.setdefault("codes", []):
            await asyncio.sleep(0.001)
        return DeviceReading({"code": self.me["codes"].pop(0)})


class Unfinished(MotorDriver):
    async def open(self): ...


def not_a_driver():
    return None
"""

ENTRIES = """
[rigless.agv.motors]
PLC = shelf_drivers:Motor
CANOPEN = shelf_drivers:Missing
SERIAL = shelf_drivers:{serial}

[rigless.agv.io]
PLC = shelf_drivers:Signal

[rigless.agv.devices]
USB = shelf_drivers:Scanner
"""


def install(folder: Path, serial: str = "Unfinished", name: str = "shelf-drivers") -> None:
    """Install the package in a folder."""
    (folder / "shelf_drivers.py").write_text(MODULE, "utf-8")
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(ENTRIES.format(serial=serial), "utf-8")
