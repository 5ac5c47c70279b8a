"""Where the sensors sit: a tree of transforms from the config and from tf_static, and the way through it between two frames."""

import math
from collections.abc import Mapping

from rigless.ros.messages import TransformStamped
from rigless.sensors.attitude import Quaternion, Vector, from_rpy, inverse, multiply, rotate, unit

MOST_FRAMES = 1000  # what a rover remembers of tf_static; a robot has some tens
FARTHEST_M = 1e6
Placed = tuple[str, Vector, Quaternion]  # the parent, and where the frame is in it
Way = tuple[Vector, Quaternion]


def mounted(x: float, y: float, z: float, roll: float, pitch: float, yaw: float) -> Way:
    return (x, y, z), from_rpy(roll, pitch, yaw)


def plain(frame: str) -> str:
    """A frame's name without the slash that old files put before it."""
    return frame.removeprefix("/")


def read(stamped: TransformStamped) -> tuple[str, Placed] | str:
    """A frame and where it is; or, of a transform that cannot be used, why."""
    parent, child = plain(stamped.header.frame_id), plain(stamped.child_frame_id)
    at, turn = stamped.transform.translation, stamped.transform.rotation
    name = f"{parent[:60]!r} → {child[:60]!r}"
    if not parent or not child or parent == child:
        return f"{name}: a transform joins two frames"
    if not all(math.isfinite(part) and abs(part) <= FARTHEST_M for part in (at.x, at.y, at.z)):
        return f"{name}: its translation is not a place near the robot"
    rotation = unit((turn.x, turn.y, turn.z, turn.w))
    if rotation is None:
        return f"{name}: its rotation is no quaternion"
    return child, (parent, (at.x, at.y, at.z), rotation)


def way(frames: Mapping[str, Placed], source: str, target: str) -> Way | None:
    """Where `target` is in `source`, up the tree from both to where they meet; None if they do not."""
    above_source, above_target = _climb(frames, plain(source)), _climb(frames, plain(target))
    meeting = next((frame for frame in above_target if frame in above_source), None)
    if meeting is None:
        return None
    source_at, source_turn = above_source[meeting]
    target_at, target_turn = above_target[meeting]
    back = inverse(source_turn)
    apart = (target_at[0] - source_at[0], target_at[1] - source_at[1], target_at[2] - source_at[2])
    return rotate(back, apart), multiply(back, target_turn)


def _climb(frames: Mapping[str, Placed], frame: str) -> dict[str, Way]:
    """The frames above one, itself first, with where it is in each. Frames in a ring are climbed once."""
    at, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    found = {frame: (at, turn)}
    while frame in frames and frames[frame][0] not in found:
        frame, step, rotation = frames[frame]
        x, y, z = rotate(rotation, at)
        at, turn = (x + step[0], y + step[1], z + step[2]), multiply(rotation, turn)
        found[frame] = (at, turn)
    return found
