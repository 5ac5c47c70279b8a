"""Names of the rover's frames, and its transforms on /tf and /tf_static.

A rover whose namespace comes from its name has it before its frames too, since all robots share one
tree of frames: rover_1/base_link. The map is shared.
"""

import re
from dataclasses import dataclass

from rigless.robots.rover.config import Mount, RoverConfig
from rigless.robots.rover.tf import transforms
from rigless.ros import messages as m
from rigless.sensors.attitude import about_z


@dataclass(frozen=True)
class Frames:
    map: str
    odom: str
    base: str
    imu: str
    gps: str
    ground_truth: str


def namespace_of(config: RoverConfig, robot: str) -> str:
    """Return the namespace: the config's, else the robot's name, else none for a plain rover."""
    if config.namespace is not None:
        return config.namespace
    own = "" if robot == "rover" else re.sub(r"\W", "_", robot, flags=re.ASCII)
    return f"_{own}" if own[:1].isdigit() else own


def prefixed(config: RoverConfig, robot: str, frame: str) -> str:
    """Return a frame's name with the robot's name before it, if that is its namespace."""
    own = namespace_of(config, robot) if config.namespace is None else ""
    return f"{own}/{transforms.plain(frame)}" if own else frame


def frames_of(config: RoverConfig, robot: str) -> Frames:
    own = (
        config.odom_frame_id,
        config.base_frame_id,
        config.imu_frame_id,
        config.gps_frame_id,
        config.ground_truth_base_frame_id,
    )
    return Frames(config.map_frame_id, *(prefixed(config, robot, frame) for frame in own))


def mounted_frames(config: RoverConfig, robot: str, mount: Mount) -> tuple[str, str]:
    """Return parent and child of a transform of the config, as on /tf_static."""
    parent, child = (prefixed(config, robot, frame) for frame in (mount.parent, mount.child))
    return transforms.plain(parent), transforms.plain(child)


def static_transform(config: RoverConfig, robot: str, mount: Mount) -> m.TransformStamped:
    """Return a transform of the config as a message for /tf_static."""
    at, turn = transforms.pose_of((mount.x, mount.y, mount.z), (mount.roll, mount.pitch, mount.yaw))
    parent, child = mounted_frames(config, robot, mount)
    pose = m.Transform(m.Vector3(*at), m.Quaternion(*turn))
    return m.TransformStamped(m.Header(frame_id=parent), child, pose)


def planar_transform(
    time: m.Time, parent: str, child: str, x_m: float, y_m: float, yaw_rad: float
) -> m.TransformStamped:
    """Return a pose in the plane for /tf. TF allows no slash before a frame."""
    pose = m.Transform(m.Vector3(x_m, y_m), m.Quaternion(*about_z(yaw_rad)))
    header = m.Header(time, transforms.plain(parent))
    return m.TransformStamped(header, transforms.plain(child), pose)
