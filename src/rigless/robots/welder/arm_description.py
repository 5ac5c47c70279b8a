"""The arm's URDF: its own (of scripts/draw-arm) or the configured one, and what follows from it.

The joint limits, speeds and names of another arm's URDF replace the defaults of the config; keys
that are set explicitly are kept.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from rigless.motion.arm.urdf import Description, read_urdf

ARM = Path(__file__).parent / "arm.urdf"
FASTEST_DEGPS = 3600.0  # a higher speed in a URDF means that none is given


@lru_cache(maxsize=8)
def describe(urdf: str = "", tcp_link: str = "") -> Description:
    """Read the arm's URDF. Raises InputError with all problems of the file."""
    return read_urdf(Path(urdf) if urdf else ARM, tcp_link)


def joint_names(urdf: str = "") -> tuple[str, ...]:
    """Return the names of the joints for messages: joint 1 to joint 6, or those of the URDF."""
    if not urdf:
        return tuple(f"joint {n}" for n in range(1, 7))
    return tuple(joint.name for joint in describe(urdf).joints)


def short_names(urdf: str = "") -> tuple[str, ...]:
    """Return the names of the joints for labels: J1 to J6, or those of the URDF."""
    return joint_names(urdf) if urdf else tuple(f"J{n}" for n in range(1, 7))


def with_urdf(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return config keys, completed by the URDF that they name."""
    urdf, tcp_link = data["urdf"], data.get("tcp_link", "")
    arm = describe(urdf, tcp_link if isinstance(tcp_link, str) else "")
    low = [_degrees(joint.low_rad) for joint in arm.joints]
    high = [_degrees(joint.high_rad) for joint in arm.joints]
    limits: dict[str, Any] = {"low_deg": low, "high_deg": high}
    speeds = [_degrees(joint.most_radps) for joint in arm.joints]
    if all(0.0 < speed <= FASTEST_DEGPS for speed in speeds):
        limits["max_degps"] = speeds
    # The zero pose, or the nearest pose that homing can leave by a degree.
    pose = [min(max(0.0, a + 1.0), b - 1.0) for a, b in zip(low, high, strict=True)]
    return {
        "start_deg": pose,
        **data,
        "limits": _completed(data.get("limits", {}), limits),
        "homing": _completed(data.get("homing", {}), {"pose_deg": pose}),
    }


def _completed(given: Any, defaults: dict[str, Any]) -> Any:
    """Return a table of keys with defaults; anything else is left to validation."""
    return {**defaults, **given} if isinstance(given, Mapping) else given


def _degrees(radians: float) -> float:
    """Return degrees without the noise of a rounded number of radians (170.000003)."""
    found = math.degrees(radians)
    return round(found, 3) if math.isfinite(found) else found
