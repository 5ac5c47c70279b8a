"""What the backend wishes of the configuration, judged against the robot's file: which keys it may set, what is wrong with a value, and the
configuration of a robot that begins again with wishes that needed a restart.

Such a robot's configuration is the file's with those wishes laid over it; what the file says instead is kept in `extensions`, so that a wish can be taken back.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from rigless.kernel.validation import Finding
from rigless.robots.agv.checks.examine import examine_config
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link import keys

AT_ONCE = (
    "streams.heartbeatHz",
    "streams.stateHz",
    "streams.telemetryHz",
    "streams.trafficHz",
    "streams.taskHz",
    "safety.stopOnObstacle",
    "safety.obstacleStopDistanceMeters",
    "safety.obstacleWarnDistanceMeters",
    "runtime.healthPolicy.allowDriveInWarning",
    "runtime.healthPolicy.requireNatsForMotion",
)
OF_MOTORS = (
    "limits.maxSpeed.value",
    "limits.maxAcceleration.value",
    "limits.maxDeceleration.value",
)
OF_THE_FILE = (
    "riglessFile"  # in `extensions`: what the file has where a wish counts since the start
)
# Who the robot is and whom it listens to is not for whom it listens to: a wish could not be taken back.
FILE_ONLY = ("schemaVersion", "identity.robotId", "capabilities.supportedModules.settings")
FILE_ONLY_TABLES = ("nats.", f"extensions.{OF_THE_FILE}")
MOST_BYTES = 16 * 1024  # of all wishes together: they are told in one message
LONGEST = 300

Wrong = tuple[str, str]  # code and sentence


class RemoteSettings:
    """Of one robot, by its configuration as it runs."""

    def __init__(self, config: RobotConfig):
        self.running: dict[str, Any] = config.model_dump(mode="json")
        kept = self.running["extensions"].pop(OF_THE_FILE, None)
        kept = kept if isinstance(kept, Mapping) else {}
        self.of_file = {key: value for key, value in kept.items() if keys.fits(self.running, key)}
        self.file = keys.laid(self.running, self.of_file)
        self.known = set(keys.leaves(self.file))
        self.at_once = [
            *AT_ONCE,
            *(f"motors.{motor.motorId}.{key}" for motor in config.motors for key in OF_MOTORS),
        ]
        self.limits = {
            key: keys.get(self.running, key) for key in self.at_once if key.startswith("motors.")
        }
        self._accepted: set[str] | None = None  # what is to be said about the file itself

    def merged(
        self, wishes: Mapping[str, Any], more: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Wrong]]:
        """RemoteSettings with more laid over them, and what is wrong with those that were left out."""
        found, wrong = dict(wishes), {}
        known = {key: value for key, value in more.items() if self._forbidden(key) is None}
        together = (
            self._trouble({**wishes, **known}) is None
        )  # some keys are right only with others
        for key, value in more.items():
            trouble = self._forbidden(key)
            if trouble is None and not together:
                trouble = self._trouble({**found, key: value})
            if trouble is None and key in self.limits and not 0 < float(value) <= self.limits[key]:
                most = f"{self.limits[key]:g}"
                trouble = (
                    "INVALID_VALUE",
                    f"is not above 0 and at most {most}, which is what the file says",
                )
            if trouble is None and len(msgspec.json.encode({**found, key: value})) > MOST_BYTES:
                trouble = "INVALID_VALUE", f"all settings together have at most {MOST_BYTES} bytes"
            if trouble is None:
                found[key] = value
            else:
                wrong[key] = trouble
        plain = RobotConfig.model_validate(keys.laid(self.file, found)).model_dump(
            mode="json"
        )  # with what was left out
        return {key: keys.get(plain, key) for key in found}, wrong

    def effective(self, wishes: Mapping[str, Any]) -> dict[str, Any]:
        """The configuration with those that count at once."""
        return keys.laid(
            self.running, {key: value for key, value in wishes.items() if key in self.at_once}
        )

    def waiting(self, wishes: Mapping[str, Any]) -> list[str]:
        """The keys that will have another value after a restart."""
        later = {
            **self.of_file,
            **{key: value for key, value in wishes.items() if key not in self.at_once},
        }
        return [key for key, value in later.items() if value != keys.get(self.running, key)]

    def with_saved_settings(
        self, wishes: Mapping[str, Any]
    ) -> tuple[RobotConfig, dict[str, Wrong]]:
        """The configuration of a robot that begins with these wishes, and what is wrong with those that do not count."""
        later = {key: value for key, value in wishes.items() if key not in self.at_once}
        later, wrong = self.merged({}, later)
        if self._misses(later):
            later, alone = {}, later
            for key, value in alone.items():
                if missing := self._misses({**later, key: value}):
                    wrong[key] = "INVALID_VALUE", missing
                else:
                    later[key] = value
        later = {key: value for key, value in later.items() if value != keys.get(self.file, key)}
        config = keys.laid(self.file, later)
        if later:
            config["extensions"][OF_THE_FILE] = {key: keys.get(self.file, key) for key in later}
        return RobotConfig.model_validate(config), wrong

    def _misses(self, wishes: Mapping[str, Any]) -> str:
        """What this machine has not got for a configuration; empty if it has all."""
        found = _errors(keys.laid(self.file, wishes), environment=True)
        return found[0].what if found else ""

    def _forbidden(self, key: str) -> Wrong | None:
        if key not in self.known:
            return "UNKNOWN_KEY", "there is no such key in robot_config.json"
        if key in FILE_ONLY or key.startswith(FILE_ONLY_TABLES):
            return "NOT_ALLOWED", "is changed in the robot's own file only"
        return None

    def _trouble(self, wishes: Mapping[str, Any]) -> Wrong | None:
        """The first that these wishes make wrong in the file's configuration."""
        if self._accepted is None:
            self._accepted = {finding.what for finding in _errors(self.file)}
        try:
            found = [
                finding
                for finding in _errors(keys.laid(self.file, wishes))
                if finding.what not in self._accepted
            ]
        except RecursionError:
            return "INVALID_VALUE", "nested too deep"
        return ("INVALID_VALUE", found[0].what[:LONGEST]) if found else None


def _errors(config: Mapping[str, Any], environment: bool = False) -> list[Finding]:
    return [
        finding for finding in examine_config(config, environment)[1] if finding.severity == "error"
    ]
