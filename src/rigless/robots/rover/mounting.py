"""The mounting of the rover's sensors, from the config's transforms and from tf_static.

A sensor without a transform is held back, and an event names the frames that are missing.
"""

from rigless.kernel.robot import Robot
from rigless.robots.rover import body as b
from rigless.robots.rover import transforms
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.state import RoverState
from rigless.ros.messages import TFMessage


class Mounting:
    def __init__(self, robot: Robot, config: RoverConfig):
        self._robot, self._config = robot, config

    @property
    def _state(self) -> RoverState:
        return self._robot.state

    def start(self) -> None:
        """Take the transforms of the config; warn about those that are missing."""
        for mount in self._config.transforms:
            position = mount.x, mount.y, mount.z
            pose = transforms.pose_of(position, (mount.roll, mount.pitch, mount.yaw))
            child, parent = transforms.plain(mount.child), transforms.plain(mount.parent)
            self._state.frames[child] = (parent, *pose)
        self._mount_sensors()
        if missing := self.missing():
            text = f"held back until tf_static gives the transform: {', '.join(missing)}"
            self._robot.event("transform-missing", text, "warning", transforms=missing)

    def missing(self) -> list[str]:
        """Return the topics that are held back, each with its missing transform."""
        config, state = self._config, self._state
        sensors = (
            ("imu", state.imu_mounted, config.imu_frame_id),
            ("gps", state.gps_mounted, config.gps_frame_id),
        )
        return [
            f"{topic} ({config.base_frame_id} → {frame})"
            for topic, mounted, frame in sensors
            if not mounted
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
        imu = transforms.lookup(state.frames, config.base_frame_id, config.imu_frame_id)
        gps = transforms.lookup(state.frames, config.base_frame_id, config.gps_frame_id)
        if imu is not None:
            state.mount[b.IMU_AT : b.IMU_AT + 3], state.mount[b.IMU_Q : b.IMU_Q + 4] = imu
            state.imu_mounted = True
        if gps is not None:
            state.mount[b.GPS_AT : b.GPS_AT + 3] = gps[0]
            state.gps_mounted = True
