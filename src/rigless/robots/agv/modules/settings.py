"""Settings: what of the configuration the backend wishes otherwise, by dotted keys as in the file.

Some wishes count at once. The others wait for the robot's next start, and each report names them until then (`restartRequired`). What was wished is
part of every report, `desired`, and comes back with it after a restart: so the robot goes on with it. What the backend desired while the robot
was down is then applied or not, by `settingsBootstrapMode`.
"""

from typing import TYPE_CHECKING, Any

from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link import keys
from rigless.robots.agv.link.remote_settings import RemoteSettings, Wrong

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

MOST_REJECTED = 40
LONGEST_KEY = 200


class Settings:
    def __init__(self, robot: "Agv"):
        self.robot = robot
        self.wishes = RemoteSettings(robot.config)
        self.backend_wins = (
            robot.config.runtime.startupPolicy.settingsBootstrapMode == "BACKEND_WINS"
        )

    def effective(self) -> RobotConfig:
        """The configuration as it is with what was set."""
        desired = self.robot.state.settings.desired
        return (
            RobotConfig.model_validate(self.wishes.effective(desired))
            if desired
            else self.robot.config
        )

    def hear(self, message: m.SettingsDesired) -> None:
        robot, state = self.robot, self.robot.state.settings
        old = message.ageS > robot.publisher.uptime_s()  # it was desired before this boot
        first = self.backend_wins and not state.heard
        if (old and not self.backend_wins) or (message.version <= state.version and not first):
            self.report(correlation=message.correlationId)
            return
        state.version, state.heard = max(message.version, 0), True
        before = state.desired if message.mode == "PATCH" else {}
        desired, wrong = self.wishes.merged(before, keys.flat(message.settings, self.wishes.known))
        self._set(desired)
        self.report(wrong, message.correlationId)

    def recall(self, message: m.Recalled) -> None:
        """What was reported before this boot, if the backend had desired anything."""
        state, payload = self.robot.state.settings, message.payload
        version, desired = payload.get("desiredVersion"), payload.get("desired", {})
        if (
            not isinstance(version, int)
            or not isinstance(desired, dict)
            or version <= state.version
        ):
            return
        state.version = version
        desired, wrong = self.wishes.merged({}, desired)
        self._set(desired)
        if self.robot.state.core.booted:
            self.report(wrong)

    def report(self, wrong: dict[str, Wrong] | None = None, correlation: str = "") -> None:
        robot, desired = self.robot, self.robot.state.settings.desired
        now = robot.effective.model_dump(mode="json")
        waiting = self.wishes.waiting(desired)
        told = dict.fromkeys((*self.wishes.at_once, *self.wishes.of_file, *desired, *waiting))
        rejected = [
            m.RejectedSetting(key[:LONGEST_KEY], *why) for key, why in (wrong or {}).items()
        ][:MOST_REJECTED]
        effective = {key: keys.get(now, key) for key in told}
        reported = m.SettingsReported(
            robot.state.settings.version, effective, rejected, waiting, dict(desired)
        )
        robot.publisher.publish("settings.reported", reported, correlation)

    def _set(self, desired: dict[str, Any]) -> None:
        self.robot.state.settings.desired = desired
        self.robot.apply_settings()
