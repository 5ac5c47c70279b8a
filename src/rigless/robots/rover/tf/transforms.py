"""A tree of transforms, from the config and from tf_static, and the path between two frames."""

import math
from collections.abc import Mapping

from rigless.ros.messages import TransformStamped
from rigless.sensors.attitude import Quaternion, Vector, from_rpy, inverse, multiply, rotate, unit

MAX_FRAMES = 1000  # a robot has some tens; more of tf_static are dropped
MAX_DISTANCE_M = 1e6
Pose = tuple[Vector, Quaternion]
HERE: Pose = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
Frame = tuple[str, Vector, Quaternion]  # the parent, and the frame's pose in it


def pose_of(position: Vector, rpy: Vector) -> Pose:
    return position, from_rpy(*rpy)


def plain(frame: str) -> str:
    """Return a frame's name without the leading slash of old files."""
    return frame.removeprefix("/")


def read(stamped: TransformStamped) -> tuple[str, Frame] | str:
    """Return a transform as child and frame, or the reason why it cannot be used."""
    parent, child = plain(stamped.header.frame_id), plain(stamped.child_frame_id)
    at, rotation = stamped.transform.translation, stamped.transform.rotation
    name = f"{parent[:60]!r} → {child[:60]!r}"
    if not parent or not child or parent == child:
        return f"{name}: a transform needs two different frames"
    if not all(math.isfinite(part) and abs(part) <= MAX_DISTANCE_M for part in (at.x, at.y, at.z)):
        return f"{name}: the translation is not finite or too large"
    quaternion = unit((rotation.x, rotation.y, rotation.z, rotation.w))
    if quaternion is None:
        return f"{name}: the rotation is not a quaternion"
    return child, (parent, (at.x, at.y, at.z), quaternion)


def lookup(frames: Mapping[str, Frame], source: str, target: str) -> Pose | None:
    """Return the pose of `target` in `source`, or None if no path connects them."""
    above_source, above_target = (
        _ancestors(frames, plain(source)),
        _ancestors(frames, plain(target)),
    )
    common = next((frame for frame in above_target if frame in above_source), None)
    if common is None:
        return None
    source_at, source_rotation = above_source[common]
    target_at, target_rotation = above_target[common]
    back = inverse(source_rotation)
    between = (
        target_at[0] - source_at[0],
        target_at[1] - source_at[1],
        target_at[2] - source_at[2],
    )
    return rotate(back, between), multiply(back, target_rotation)


def _ancestors(frames: Mapping[str, Frame], frame: str) -> dict[str, Pose]:
    """Return the frame's pose in itself and in each of its ancestors, nearest first.

    A cycle of frames ends where it closes.
    """
    at, rotation = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    poses = {frame: (at, rotation)}
    while frame in frames and frames[frame][0] not in poses:
        frame, step, turn = frames[frame]
        x, y, z = rotate(turn, at)
        at, rotation = (x + step[0], y + step[1], z + step[2]), multiply(turn, rotation)
        poses[frame] = (at, rotation)
    return poses
