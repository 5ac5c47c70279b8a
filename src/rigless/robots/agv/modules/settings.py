"""Settings: what of the configuration the backend may change while the robot runs, by dotted keys as in the file.

What can change at once is listed here; what else the file holds needs a restart; a new value is checked by building the configuration
with it. After a restart the robot goes on with what it last reported. What the backend desired while the robot was down is then applied
or not, by `settingsBootstrapMode`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rigless.kernel.validation import Finding
from rigless.robots.agv import messages as m
from rigless.robots.agv.checks import examine_config
from rigless.robots.agv.config import RobotConfig

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

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
OF_MOTORS = ("limits.maxSpeed.value", "limits.maxAcceleration.value", "limits.maxDeceleration.value")
NAMES = ("motorId", "ioId", "deviceId")  # by which the entries of lists go in a key
MOST_REJECTED = 100
LONGEST_KEY = 200


class Settings:
    def __init__(self, robot: "Agv"):
        self.robot = robot
        config = robot.config
        self.file: dict[str, Any] = config.model_dump(mode="json")
        self.known = {key for key, _ in _leaves(self.file)}
        self.at_once = [*AT_ONCE, *(f"motors.{motor.motorId}.{key}" for motor in config.motors for key in OF_MOTORS)]
        self.limits = {key: _get(self.file, key) for key in self.at_once if key.startswith("motors.")}
        self._accepted: set[str] | None = None  # what is to be said about the file itself
        self.backend_wins = config.runtime.startupPolicy.settingsBootstrapMode == "BACKEND_WINS"

    def effective(self) -> RobotConfig:
        """The configuration as it is with what was set."""
        changed = self.robot.state.settings.changed
        return RobotConfig.model_validate(_laid(self.file, changed)) if changed else self.robot.config

    def hear(self, message: m.SettingsDesired) -> None:
        robot, state = self.robot, self.robot.state.settings
        old = message.ageS > robot.voice.uptime_s()  # it was desired before this boot
        first = self.backend_wins and not state.heard
        if (old and not self.backend_wins) or (message.version <= state.version and not first):
            self.report(correlation=message.correlationId)
            return
        state.version, state.heard = max(message.version, 0), True
        base = dict(state.changed) if message.mode == "PATCH" else {}
        changed, rejected, later = self._merge(base, _flat(message.settings, self.known))
        self._set(changed)
        self.report(rejected, later, message.correlationId)

    def recall(self, message: m.Recalled) -> None:
        """What was reported before this boot, if the backend had desired anything."""
        state, payload = self.robot.state.settings, message.payload
        version, effective = payload.get("desiredVersion"), payload.get("effective")
        if not isinstance(version, int) or not isinstance(effective, dict) or version <= state.version:
            return
        state.version = version
        changed, _, _ = self._merge({}, {key: value for key, value in effective.items() if key in self.at_once})
        self._set(changed)
        if self.robot.state.core.booted:
            self.report()

    def report(
        self, rejected: list[m.RejectedSetting] | None = None, later: list[str] | None = None, correlation: str = ""
    ) -> None:
        now = self.robot.effective.model_dump(mode="json")
        effective = {key: _get(now, key) for key in self.at_once}
        reported = m.SettingsReported(self.robot.state.settings.version, effective, rejected or [], later or [])
        self.robot.voice.say("settings.reported", reported, correlation)

    def _set(self, changed: dict[str, Any]) -> None:
        self.robot.state.settings.changed = changed
        self.robot.apply_settings()

    def _merge(
        self, changed: dict[str, Any], desired: Mapping[str, Any]
    ) -> tuple[dict[str, Any], list[m.RejectedSetting], list[str]]:
        """What is set with what is desired laid over it; what was rejected; and what needs a restart."""
        rejected: list[m.RejectedSetting] = []
        later: list[str] = []
        known = {key: value for key, value in desired.items() if key in self.known}
        together = self._trouble({**changed, **known}) is None  # some keys are right only with others
        for key, value in desired.items():
            trouble = ("UNKNOWN_KEY", "there is no such key in robot_config.json") if key not in self.known else None
            if trouble is None and not together:
                trouble = self._trouble({**changed, key: value})
            if trouble is None and key in self.limits and not 0 < float(value) <= self.limits[key]:
                trouble = (
                    "INVALID_VALUE",
                    f"is not above 0 and at most {self.limits[key]:g}, which is what the file says",
                )
            if trouble is not None:
                if len(rejected) < MOST_REJECTED:
                    rejected.append(m.RejectedSetting(key[:LONGEST_KEY], *trouble))
            elif key not in self.at_once:
                later.append(key)
            elif value == _get(self.file, key):
                changed.pop(key, None)
            else:
                changed[key] = value
        return changed, rejected, later

    def _trouble(self, settings: Mapping[str, Any]) -> tuple[str, str] | None:
        """Code and sentence of the first that these settings make wrong in the configuration."""
        if self._accepted is None:
            self._accepted = {finding.what for finding in _findings(self.file)}
        try:
            found = [finding for finding in _findings(_laid(self.file, settings)) if finding.what not in self._accepted]
        except RecursionError:
            return "INVALID_VALUE", "nested too deep"
        return ("INVALID_VALUE", found[0].what) if found else None


def _findings(config: Mapping[str, Any]) -> list[Finding]:
    return [finding for finding in examine_config(config, environment=False)[1] if finding.severity == "error"]


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    """The entries of a table, and of a list whose entries have names."""
    if isinstance(value, Mapping):
        yield from value.items()
    for entry in value if isinstance(value, list) else ():
        name = next((entry[name] for name in NAMES if name in entry), None) if isinstance(entry, Mapping) else None
        if name is not None:
            yield name, entry


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys of a configuration with their values."""
    found = False
    for key, item in _inside(value):
        found = True
        yield from _leaves(item, f"{path}.{key}" if path else key)
    if not found:
        yield path, value


def _flat(given: Mapping[str, Any], known: set[str], path: str = "", depth: int = 8) -> dict[str, Any]:
    """Settings by dotted key; tables in tables are allowed too."""
    flat: dict[str, Any] = {}
    for key, value in given.items():
        full = f"{path}.{key}" if path else str(key)
        if isinstance(value, Mapping) and value and full not in known and depth:
            flat |= _flat(value, known, full, depth - 1)
        else:
            flat[full] = value
    return flat


def _get(config: Mapping[str, Any], key: str) -> Any:
    value: Any = config
    for part in key.split("."):
        value = dict(_inside(value)).get(part)
    return value


def _laid(config: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a configuration with these keys set."""
    copied: dict[str, Any] = json.loads(json.dumps(config))
    for key, value in settings.items():
        *way, last = key.split(".")
        place: Any = copied
        for part in way:
            place = dict(_inside(place))[part]
        place[last] = value
    return copied
