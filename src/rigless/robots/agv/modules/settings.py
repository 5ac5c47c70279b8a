"""Settings: the backend's changes of the configuration, by dotted keys as in the file.

Some keys take effect at once. The others need a restart; each report lists them until then
(`restartRequired`). Every report holds all desired settings, so that the robot finds them again
after a restart. `settingsBootstrapMode` decides about settings that were desired before a boot.
"""

from collections.abc import Callable
from typing import Any

from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link import keys
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.link.remote_settings import READ_ONLY, Rejection, RemoteSettings
from rigless.robots.agv.state import CoreState, SettingsState

MOST_REJECTED = 40
LONGEST_KEY = 200


class Settings:
    """`effective` is the configuration with the settings that are in effect.

    `on_change` is called after the desired settings have changed.
    """

    effective: RobotConfig

    def __init__(
        self,
        state: SettingsState,
        core: CoreState,
        config: RobotConfig,
        rules: RemoteSettings,
        publisher: Publisher,
        on_change: Callable[[], None],
    ):
        self._state, self._core, self._config = state, core, config
        self._rules, self._publisher, self._on_change = rules, publisher, on_change
        policy = config.runtime.startupPolicy
        self._backend_wins = policy.settingsBootstrapMode == "BACKEND_WINS"
        self.refresh()

    @property
    def version(self) -> int:
        return self._state.version

    def refresh(self) -> None:
        """Compute the effective configuration."""
        desired = self._state.desired
        self.effective = (
            RobotConfig.model_validate(self._rules.effective(desired)) if desired else self._config
        )

    def receive(self, message: m.SettingsDesired) -> None:
        state, rules = self._state, self._rules
        old = message.ageS > self._publisher.uptime_s()  # desired before this boot
        first = self._backend_wins and not state.received
        if (old and not self._backend_wins) or (message.version <= state.version and not first):
            self.report(correlation=message.correlationId)
            return
        state.version, state.received = max(message.version, 0), True
        before = state.desired if message.mode == "PATCH" else {}
        desired, rejected = rules.merged(before, keys.flat(message.settings, rules.known))
        self._set(desired)
        self.report(rejected, message.correlationId)

    def recall(self, message: m.Recalled) -> None:
        """Restore the settings from the last report of an earlier boot."""
        state, payload = self._state, message.payload
        version, desired = payload.get("desiredVersion"), payload.get("desired", {})
        if (
            not isinstance(version, int)
            or not isinstance(desired, dict)
            or version <= state.version
        ):
            return
        state.version = version
        desired, rejected = self._rules.merged({}, desired)
        self._set(desired)
        if self._core.booted:
            self.report(rejected)

    def report(self, rejected: dict[str, Rejection] | None = None, correlation: str = "") -> None:
        desired, rules = self._state.desired, self._rules
        config = self.effective.model_dump(mode="json")
        waiting = rules.waiting(desired)
        listed = dict.fromkeys((*rules.at_once, *READ_ONLY, *rules.of_file, *desired, *waiting))
        reported = m.SettingsReported(
            self._state.version,
            keys.get_all(config, listed),
            [m.RejectedSetting(key[:LONGEST_KEY], *why) for key, why in (rejected or {}).items()][
                :MOST_REJECTED
            ],
            waiting,
            dict(desired),
        )
        self._publisher.publish("settings.reported", reported, correlation)

    def _set(self, desired: dict[str, Any]) -> None:
        self._state.desired = desired
        self._on_change()
