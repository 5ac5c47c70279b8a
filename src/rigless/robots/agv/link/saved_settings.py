"""Start with the settings that the backend made in an earlier boot and that needed a restart."""

from collections.abc import Iterable

from rigless.kernel.ports import WireError
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link import keys
from rigless.robots.agv.link.remote_settings import OF_THE_FILE, Missing, RemoteSettings
from rigless.robots.agv.messages import Recalled
from rigless.robots.agv.wire import codec_of, subject

KIND = "settings.reported"
LONGEST = 80


def with_saved_settings(
    config: RobotConfig, saved: Iterable[tuple[str, bytes]], missing: Missing
) -> tuple[RobotConfig, list[str]]:
    """Return the config with the saved settings, and notes about what was set or rejected."""
    robot = config.identity.robotId
    settings = _last_settings(robot, saved)
    if not settings or not config.capabilities.supportedModules.settings:
        return config, []
    start, rejected = RemoteSettings(config).at_start(settings, missing)
    notes = [
        f"{robot}: the backend's setting {key} is ignored: {why}"
        for key, (_, why) in rejected.items()
    ]
    changed = start.extensions.get(OF_THE_FILE, {})
    if not changed:
        return config, notes
    values = start.model_dump(mode="json")
    text = ", ".join(f"{key} {str(keys.get(values, key))[:LONGEST]}" for key in changed)
    return start, [*notes, f"{robot} starts with settings that its backend made earlier: {text}"]


def _last_settings(robot: str, saved: Iterable[tuple[str, bytes]]) -> dict[str, object]:
    """Return the settings in the robot's last report, or {} if it cannot be decoded."""
    last = [data for name, data in saved if name == subject(robot, KIND)][-1:]
    try:
        (report,) = codec_of(robot)().decode(last[0], subject(robot, KIND)) if last else [None]
    except WireError:
        return {}
    settings = report.payload.get("desired") if isinstance(report, Recalled) else None
    return settings if isinstance(settings, dict) else {}
