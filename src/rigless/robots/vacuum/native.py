"""Read the mock device's own TOML file unchanged.

It has [device] with type = "mock", its simulation tables, frame transforms and the network.
"""

from pathlib import Path
from typing import Any, Literal

from rigless.kernel.documents import parse_toml
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Config
from rigless.kernel.validation import validate
from rigless.robots.vacuum.config import FrameTransforms, Network, VacuumConfig

ELSEWHERE = {
    "name": "[device]",
    "frame_transforms": "[device.hardware]",
    "network": "the file itself, [network]",
}


class Simulation(VacuumConfig):
    """[device.simulation] has the robot's keys, except those of other tables."""


class Hardware(Config):
    frame_transforms: FrameTransforms = FrameTransforms()


class Device(Config):
    type: Literal["mock"]
    name: str = "Mock CRL-200S"
    simulation: Simulation = Simulation()
    hardware: Hardware = Hardware()


class File(Config):
    device: Device
    network: Network = Network()


def read_native(path: Path) -> dict[str, Any] | None:
    """Return the config of the file, or None if it is not a mock device's file.

    Raises InputError with all problems.
    """
    if path.suffix != ".toml":
        return None
    try:
        document = parse_toml(path.read_text("utf-8"), str(path))
    except (OSError, ValueError):
        return None
    raw = document.data or {}
    device = raw.get("device")
    if not isinstance(device, dict) or "type" not in device:
        return None
    problems: list[Problem] = []
    file = validate(File, raw, problems, document.file, document.lines)
    simulation = device.get("simulation")
    for key in ELSEWHERE.keys() & simulation.keys() if isinstance(simulation, dict) else ():
        at = ("device", "simulation", key)
        what, fix = f"{key!r} does not belong here", f"it belongs to {ELSEWHERE[key]}"
        problems.append(document.problem(at, what, fix))
    if file is None or problems:
        raise InputError(problems)
    config = file.device.simulation.model_dump(mode="json", exclude_unset=True)
    if "map_file" in config:
        beside = path.parent / config["map_file"]
        config["map_file"] = (
            str(beside.resolve()) if beside.is_file() else Path(config["map_file"]).stem
        )
    config["name"] = file.device.name
    config["frame_transforms"] = file.device.hardware.frame_transforms.model_dump(mode="json")
    config["network"] = file.network.model_dump(mode="json")
    return config
