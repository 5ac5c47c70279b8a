"""Reads the seed's simulation.yaml: timing and delays, collision, visualization, linked I/O."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from rigless.kernel.documents import parse_yaml
from rigless.kernel.documents.validation import validate
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Config
from rigless.robots.welder.config import Collision, SixNotNegative, VirtualIo, Visualization

PARTS = {"simulation", "collision", "visualization", "virtual_io"}


class Timing(Config):
    """Keys of the seed; config.py describes them."""

    update_rate_hz: Annotated[float, Field(ge=10, le=10_000)] = 1000.0
    default_time_scale: Annotated[float, Field(ge=0.1, le=100)] = 1.0
    enable_dynamics: bool = False
    joint_inertia: SixNotNegative = (1.0, 1.0, 0.5, 0.1, 0.1, 0.05)
    joint_friction: SixNotNegative = (0.1, 0.1, 0.05, 0.02, 0.02, 0.01)
    command_delay_ms: Annotated[float, Field(ge=0)] = 1.0
    feedback_delay_ms: Annotated[float, Field(ge=0)] = 0.5


class File(Config):
    simulation: Timing = Timing()
    collision: Collision = Collision()
    visualization: Visualization = Visualization()
    virtual_io: VirtualIo = VirtualIo()


def read_native(path: Path) -> dict[str, Any] | None:
    """Return the config in the file, or None if it is not a simulation.yaml.

    Raises InputError with all problems.
    """
    if path.suffix not in (".yaml", ".yml"):
        return None
    try:
        document = parse_yaml(path.read_text("utf-8"), str(path))
    except (OSError, ValueError):
        return None
    raw = document.data
    if (
        not isinstance(raw, dict)
        or not isinstance(raw.get("simulation"), dict)
        or not raw.keys() & (PARTS - {"simulation"})
    ):
        return None
    problems: list[Problem] = []
    file = validate(File, raw, problems, document.file, document.lines)
    if file is None or problems:
        raise InputError(problems)
    parts = {
        "collision": file.collision,
        "visualization": file.visualization,
        "virtual_io": file.virtual_io,
    }
    return {
        **file.simulation.model_dump(mode="json"),
        **{name: part.model_dump(mode="json") for name, part in parts.items()},
    }
