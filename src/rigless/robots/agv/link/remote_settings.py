"""Rules for settings from the backend: which keys it may set, and which values are valid.

The allowed keys are AT_ONCE, OF_MOTORS, and AT_START, which take effect at the next start. A
robot that starts with such settings has them in its configuration; the values of its file are kept
in `extensions`, so that a setting can be undone.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from rigless.kernel.documents.requirements import Requirement
from rigless.kernel.problems import Problem
from rigless.robots.agv.checks.examine import examine_config, requirements_of
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link import keys

AT_ONCE = (
    "streams.heartbeatHz",
    "streams.stateHz",
    "streams.telemetryHz",
    "streams.trafficHz",
    "streams.taskHz",
    "runtime.healthPolicy.allowDriveInWarning",
)
OF_MOTORS = (
    "limits.maxSpeed.value",
    "limits.maxAcceleration.value",
    "limits.maxDeceleration.value",
)
# All other keys belong to the file: safety, the link and the parts of the robot. Anyone who can
# publish to the robot must not be able to switch off its emergency stop, and a bad value of the
# link could not be undone.
AT_START = (
    "identity.robotCode",
    "identity.name",
    "identity.vendor",
    "identity.model",
    "identity.firmwareVersion",
    "runtime.tickHz",
    "runtime.simulationProfile",
    "extensions",
)
TABLES_AT_START = ("runtime.startupPolicy.", "runtime.simulationProfile.", "extensions.")
OF_THE_FILE = "riglessFile"  # in `extensions`: the file's values of keys that were set
READ_ONLY = (  # reported, so that the backend knows how the robot stops
    "safety.stopOnEstop",
    "safety.estopAcknowledge",
    "safety.stopOnObstacle",
    "safety.obstacleStopDistanceMeters",
    "safety.obstacleWarnDistanceMeters",
    "safety.fieldMarginMeters",
    "safety.stopOnCollision",
    "safety.rerouteAfterSeconds",
    "runtime.healthPolicy.requireNatsForMotion",
)
MOST_BYTES = 16 * 1024  # of all settings together: a report is one message
LONGEST = 300

Rejection = tuple[str, str]  # code and sentence
Missing = Callable[[Iterable[Requirement]], list[Problem]]


class RemoteSettings:
    """The rules for one robot, by the configuration that it started with."""

    def __init__(self, config: RobotConfig):
        self.running: dict[str, Any] = config.model_dump(mode="json")
        saved = self.running["extensions"].pop(OF_THE_FILE, None)
        saved = saved if isinstance(saved, Mapping) else {}
        self.of_file = {key: value for key, value in saved.items() if keys.fits(self.running, key)}
        self.file = keys.with_values(self.running, self.of_file)
        self.known = set(keys.leaves(self.file))
        self.at_once = [
            *AT_ONCE,
            *(f"motors.{motor.motorId}.{key}" for motor in config.motors for key in OF_MOTORS),
        ]
        limits = (key for key in self.at_once if key.startswith("motors."))
        self._limits = keys.get_all(self.running, limits)
        self._known_errors: set[str] | None = None  # those of the file itself

    def merged(
        self, settings: Mapping[str, Any], more: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Rejection]]:
        """Return the settings with more on top of them, and the rejected ones."""
        accepted, rejected = dict(settings), {}
        allowed = {key: value for key, value in more.items() if self._forbidden(key) is None}
        # Some values are valid only together, so all are tried at once first.
        together = self._error({**settings, **allowed}) is None
        for key, value in more.items():
            rejection = self._forbidden(key)
            if rejection is None and not together:
                rejection = self._error({**accepted, key: value})
            most = self._limits.get(key)
            if rejection is None and most is not None and not 0 < float(value) <= most:
                what = f"must be above 0 and at most {most:g}, the value of the file"
                rejection = "INVALID_VALUE", what
            size = len(msgspec.json.encode({**accepted, key: value})) if rejection is None else 0
            if size > MOST_BYTES:
                what = f"all settings together have at most {MOST_BYTES} bytes"
                rejection = "INVALID_VALUE", what
            if rejection is None:
                accepted[key] = value
            else:
                rejected[key] = rejection
        # The values as the model has them, with defaults filled in.
        config = RobotConfig.model_validate(keys.with_values(self.file, accepted))
        values = config.model_dump(mode="json")
        return keys.get_all(values, accepted), rejected

    def effective(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the configuration with the settings that take effect at once."""
        now = {key: value for key, value in settings.items() if key in self.at_once}
        return keys.with_values(self.running, now)

    def waiting(self, settings: Mapping[str, Any]) -> list[str]:
        """Return the keys that will have another value after a restart."""
        later = {
            **self.of_file,
            **{key: value for key, value in settings.items() if key not in self.at_once},
        }
        return [key for key, value in later.items() if value != keys.get(self.running, key)]

    def at_start(
        self, settings: Mapping[str, Any], missing: Missing
    ) -> tuple[RobotConfig, dict[str, Rejection]]:
        """Return the configuration to start with, and the rejected settings.

        A setting is also rejected if this computer lacks what it requires.
        """
        later = {key: value for key, value in settings.items() if key not in self.at_once}
        later, rejected = self.merged({}, later)
        if self._start_error(later, missing):
            later, candidates = {}, later
            for key, value in candidates.items():
                if error := self._start_error({**later, key: value}, missing):
                    rejected[key] = "INVALID_VALUE", error
                else:
                    later[key] = value
        later = {key: value for key, value in later.items() if value != keys.get(self.file, key)}
        config = keys.with_values(self.file, later)
        if later:
            config["extensions"][OF_THE_FILE] = {key: keys.get(self.file, key) for key in later}
        return RobotConfig.model_validate(config), rejected

    def _start_error(self, settings: Mapping[str, Any], missing: Missing) -> str:
        """Return the first reason why the robot cannot start with these settings, or ""."""
        given = keys.with_values(self.file, settings)
        config, findings = examine_config(given)
        good = config if not _errors(findings) else None
        errors = _errors([*findings, *missing(requirements_of(given, good))])
        return errors[0].what if errors else ""

    def _forbidden(self, key: str) -> Rejection | None:
        if key not in self.known:
            return "UNKNOWN_KEY", "there is no such key in robot_config.json"
        allowed = key in self.at_once or key in AT_START or key.startswith(TABLES_AT_START)
        if not allowed or key.startswith(f"extensions.{OF_THE_FILE}"):
            return "NOT_ALLOWED", "can be changed in the robot's file only"
        return None

    def _error(self, settings: Mapping[str, Any]) -> Rejection | None:
        """Return the first error that these settings cause in the file's configuration."""
        if self._known_errors is None:
            self._known_errors = {error.what for error in _errors(examine_config(self.file)[1])}
        try:
            findings = examine_config(keys.with_values(self.file, settings))[1]
        except RecursionError:
            return "INVALID_VALUE", "nested too deep"
        new = [error.what for error in _errors(findings) if error.what not in self._known_errors]
        return ("INVALID_VALUE", new[0][:LONGEST]) if new else None


def _errors(findings: Iterable[Problem]) -> list[Problem]:
    return [finding for finding in findings if finding.severity == "error"]
