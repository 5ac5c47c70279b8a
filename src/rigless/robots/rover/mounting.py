"""The rover hears where its sensors sit. What needs a transform that it does not have yet is held back, and it says which."""

from rigless.kernel.ports import Link
from rigless.kernel.robot import Robot, on
from rigless.robots.rover import body as b
from rigless.robots.rover import transforms as frames
from rigless.robots.rover.config import RoverConfig
from rigless.robots.rover.state import RoverState
from rigless.ros.messages import TFMessage


class Mounting(Robot):
    config: RoverConfig
    state: RoverState

    def mount(self) -> None:
        """Take the transforms of the config; called once."""
        for m in self.config.transforms:
            way = frames.mounted(m.x, m.y, m.z, m.roll, m.pitch, m.yaw)
            self.state.frames[frames.plain(m.child)] = (frames.plain(m.parent), *way)
        self.find_sensors()
        if self.waiting_for():
            missing = ", ".join(self.waiting_for())
            text = f"held back until tf_static gives the transform: {missing}"
            self.event("transform-missing", text, "warning", transforms=self.waiting_for())

    def waiting_for(self) -> list[str]:
        """What is held back, and the frames that nothing joins yet."""
        config, state = self.config, self.state
        wanted = (
            ("imu", state.imu_mounted, config.imu_frame_id),
            ("gps", state.gps_mounted, config.gps_frame_id),
        )
        return [
            f"{topic} ({config.base_frame_id} → {frame})"
            for topic, there, frame in wanted
            if not there
        ]

    @on(TFMessage)
    def hear_transforms(self, message: TFMessage, link: Link) -> None:
        state, waiting = self.state, self.waiting_for()
        for stamped in message.transforms:
            found = frames.read(stamped)
            if isinstance(found, str):
                self.event("transform-refused", found, "warning")
            elif found[0] in state.frames or len(state.frames) < frames.MOST_FRAMES:
                state.frames[found[0]] = found[1]
            else:
                self.count("transforms_forgotten")
        self.find_sensors()
        if waiting and not self.waiting_for():
            self.event("transform-found", "tf_static has told where all sensors sit")

    def find_sensors(self) -> None:
        config, state = self.config, self.state
        imu = frames.way(state.frames, config.base_frame_id, config.imu_frame_id)
        gps = frames.way(state.frames, config.base_frame_id, config.gps_frame_id)
        if imu is not None:
            state.mount[b.IMU_AT : b.IMU_AT + 3], state.mount[b.IMU_Q : b.IMU_Q + 4] = imu
            state.imu_mounted = True
        if gps is not None:
            state.mount[b.GPS_AT : b.GPS_AT + 3] = gps[0]
            state.gps_mounted = True
