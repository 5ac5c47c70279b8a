"""Read the mock device's own TOML file unchanged.

It has [device] with type = "mock", its simulation tables, the hardware and the network.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from rigless.kernel.documents import Document, parse_toml
from rigless.kernel.documents.validation import validate
from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Config
from rigless.robots.vacuum.config import FrameTransforms, Network, VacuumConfig
from rigless.robots.vacuum.profiles import merged

ELSEWHERE = {
    "name": "[device]",
    "frame_transforms": "[device.hardware]",
    "network": "the file itself, [network]",
}
# The tables of the file, and their keys in the robot's config.
TABLES: tuple[tuple[KeyPath, KeyPath], ...] = (
    (("device", "simulation"), ()),
    (("device", "name"), ("name",)),
    (("device", "hardware", "frame_transforms"), ("frame_transforms",)),
    (("network",), ("network",)),
)
HINT = "its lidar turns while the robot moves, and is mounted off its centre, as on the real robot"
HINT_FIX = "for a client of the upstream mock that expects neither: --set mock_compat=true"


class Simulation(VacuumConfig):
    """[device.simulation] has the robot's keys, except those of other tables."""


class LidarMounting(Config):
    """[wire] the daemon's own names of the lidar's place on the robot."""

    offset_x: float = -0.110
    offset_y: float = 0.0
    optical_offset: float = 0.025
    angle_offset: float = 0.2182


class Hardware(Config):
    """[wire] the table of the real driver. A simulated robot has no serial ports to open."""

    gd32_port: str = ""
    lidar_port: str = ""
    heartbeat_interval_ms: Annotated[int, Field(ge=0)] = 20
    lidar_pwm: Annotated[int, Field(ge=0, le=100)] = 60
    frame_transforms: FrameTransforms = FrameTransforms()
    lidar_mounting: LidarMounting = LidarMounting()


class Device(Config):
    type: Literal["mock"]
    name: str = "Mock CRL-200S"
    simulation: Simulation = Simulation()
    hardware: Hardware = Hardware()


class File(Config):
    device: Device
    network: Network = Network()


def read_native(path: Path) -> Document | None:
    """Return the config of the file, or None if it is not a mock device's file.

    Raises InputError with all problems.
    """
    if path.suffix != ".toml":
        return None
    try:
        document = parse_toml(path.read_text("utf-8-sig"), str(path))
    except (OSError, ValueError):
        return None
    raw = document.data or {}
    device = raw.get("device")
    if not isinstance(device, dict) or "type" not in device:
        return None
    problems: list[Problem] = []
    file = validate(File, raw, problems, document.file, document.lines)
    simulation = device.get("simulation", {})
    for key in ELSEWHERE.keys() & simulation.keys() if isinstance(simulation, dict) else ():
        at = ("device", "simulation", key)
        what, fix = f"{key!r} does not belong here", f"it belongs to {ELSEWHERE[key]}"
        problems.append(document.problem(at, what, fix))
    if file is None or problems:
        raise InputError(problems)
    lines = {
        (*to, *at[len(table) :]): line
        for table, to in TABLES
        for at, line in document.lines.items()
        if at[: len(table)] == table
    }
    hints = [Problem.at(("mock_compat",), HINT, HINT_FIX, severity="warning").located(str(path))]
    return Document(_config(file, simulation, path.parent), str(path), lines, hints)


def _config(file: File, simulation: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the robot's config: the keys of the simulation as given, and the other tables."""
    hardware, mounting = file.device.hardware, file.device.hardware.lidar_mounting
    names = {"offset_x": "mounting_x", "offset_y": "mounting_y"}
    lidar = {names.get(key, key): getattr(mounting, key) for key in mounting.model_fields_set}
    config = merged({"lidar": lidar} if lidar else {}, simulation)
    if "map_file" in config:
        beside = folder / config["map_file"]
        found = beside.is_file()
        config["map_file"] = str(beside.resolve()) if found else Path(config["map_file"]).stem
    config["name"] = file.device.name
    config["frame_transforms"] = hardware.frame_transforms.model_dump(mode="json")
    config["network"] = file.network.model_dump(mode="json")
    return config
