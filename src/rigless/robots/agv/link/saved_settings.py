"""A robot that ran before begins with what its backend wished of its configuration and a restart was needed for."""

from collections.abc import Iterable

from rigless.kernel.ports import WireError
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link import keys
from rigless.robots.agv.link.remote_settings import OF_THE_FILE, RemoteSettings
from rigless.robots.agv.messages import Recalled
from rigless.robots.agv.wire import codec_of, subject

KIND = "settings.reported"
LONGEST = 80


def with_saved_settings(
    config: RobotConfig, kept: Iterable[tuple[str, bytes]]
) -> tuple[RobotConfig, list[str]]:
    """The config to begin with, and sentences for people: what is not as the file says, and what could not be as it was wished."""
    robot = config.identity.robotId
    wishes = _last_wishes(robot, kept)
    if not wishes or not config.capabilities.supportedModules.settings:
        return config, []
    found, wrong = RemoteSettings(config).with_saved_settings(wishes)
    notes = [
        f"{robot}: {key}, which its backend set, does not count: {why}"
        for key, (_, why) in wrong.items()
    ]
    changed = found.extensions.get(OF_THE_FILE, {})
    if not changed:
        return config, notes
    plain = found.model_dump(mode="json")
    told = ", ".join(f"{key} {str(keys.get(plain, key))[:LONGEST]}" for key in changed)
    return found, [*notes, f"{robot} begins with what its backend set before this start: {told}"]


def _last_wishes(robot: str, kept: Iterable[tuple[str, bytes]]) -> dict[str, object]:
    """By the last of the robot's own reports; nothing, if that cannot be read."""
    last = [data for name, data in kept if name == subject(robot, KIND)][-1:]
    try:
        (report,) = codec_of(robot)().decode(last[0], subject(robot, KIND)) if last else [None]
    except WireError:
        return {}
    wishes = report.payload.get("desired") if isinstance(report, Recalled) else None
    return wishes if isinstance(wishes, dict) else {}
