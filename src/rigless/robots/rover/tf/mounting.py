"""The mounting of the rover's sensors, from the config's transforms and from tf_static.

A sensor without a transform is held back, and an event names the frames that are missing.
"""

from rigless.kernel.robot import Robot
from rigless.robots.rover import body as b
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.state import RoverState
from rigless.robots.rover.tf import transforms
from rigless.robots.rover.tf.frames import frames_of, mounted_frames, static_transform
from rigless.ros.messages import TFMessage, TransformStamped


class Mounting:
    def __init__(self, robot: Robot, config: RoverConfig):
        self._robot, self._config = robot, config
        self._frames = frames_of(config, robot.name)

    @property
    def _state(self) -> RoverState:
        return self._robot.state

    def start(self) -> None:
        """Take the transforms of the config; warn about those that are missing."""
        for mount in self._config.transforms:
            parent, child = mounted_frames(self._config, self._robot.name, mount)
            position = mount.x, mount.y, mount.z
            pose = transforms.pose_of(position, (mount.roll, mount.pitch, mount.yaw))
            self._state.frames[child] = (parent, *pose)
        self._mount_sensors()
        if missing := self.missing():
            text = f"held back until tf_static gives the transform: {', '.join(missing)}"
            self._robot.event("transform-missing", text, "warning", transforms=missing)

    def static_transforms(self) -> tuple[TransformStamped, ...]:
        """Return the transforms of the config as messages."""
        config, name = self._config, self._robot.name
        return tuple(static_transform(config, name, mount) for mount in config.transforms)

    def missing(self) -> list[str]:
        """Return the topics that are held back, each with its missing transform."""
        frames, state = self._frames, self._state
        sensors = (
            ("imu", state.imu_mounted, frames.imu),
            ("gps", state.gps_mounted, frames.gps),
        )
        return [
            f"{topic} ({frames.base} → {frame})" for topic, mounted, frame in sensors if not mounted
        ]

    def accept(self, message: TFMessage) -> None:
        """Store transforms of tf_static, and mount the sensors that they connect to the base."""
        frames, missing_before = self._state.frames, self.missing()
        for stamped in message.transforms:
            transform = transforms.read(stamped)
            if isinstance(transform, str):
                self._robot.event("transform-refused", transform, "warning")
                continue
            child, pose = transform
            if child in frames or len(frames) < transforms.MAX_FRAMES:
                frames[child] = pose
            else:
                self._robot.count("transforms_forgotten")
        self._mount_sensors()
        if missing_before and not self.missing():
            self._robot.event("transform-found", "tf_static gives the mounting of all sensors")

    def _mount_sensors(self) -> None:
        config, state = self._config, self._state
        imu = self._lookup(self._frames.imu, config.imu_frame_id)
        gps = self._lookup(self._frames.gps, config.gps_frame_id)
        if config.vn300 is not None:
            gps = transforms.HERE  # an INS reports the base itself
        if imu is not None:
            state.mount[b.IMU_AT : b.IMU_AT + 3], state.mount[b.IMU_Q : b.IMU_Q + 4] = imu
            state.imu_mounted = True
        if gps is not None:
            state.mount[b.GPS_AT : b.GPS_AT + 3] = gps[0]
            state.gps_mounted = True

    def _lookup(self, frame: str, shared_name: str) -> transforms.Pose | None:
        """Return the pose of a sensor in the base.

        Robots of one type may share a description without the names of robots in it.
        """
        frames = self._state.frames
        own = transforms.lookup(frames, self._frames.base, frame)
        return own or transforms.lookup(frames, self._config.base_frame_id, shared_name)
