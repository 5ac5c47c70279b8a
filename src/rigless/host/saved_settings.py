"""Robots that ran before begin with what was left for their next start."""

from typing import Any

from rigless.host.environment import Environment
from rigless.scenario.build import Built, rebuild_with


def with_saved_settings(built: Built, environment: Environment, fast: bool) -> Built:
    """Built again, with other configs for the robots that say so. A run that is not on the air has no past."""
    configs: dict[str, Any] = {}
    notes: list[str] = []
    for robot in built.simulation.robots.values():
        kept = [
            said
            for port in robot.ports
            if environment.is_live(port, fast)
            for said in environment.saved_messages(port)
        ]
        config, told = robot.resumed(robot.config, kept) if kept else (robot.config, [])
        notes += told
        if config != robot.config:
            configs[robot.name] = config
    if not configs:
        built.notes += tuple(notes)
        return built
    return rebuild_with(built, configs, notes)
