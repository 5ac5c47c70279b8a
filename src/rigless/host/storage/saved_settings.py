"""Start robots with the settings that an earlier run has saved for them."""

from typing import Any

from rigless.host.environment import Environment
from rigless.kernel.fleet import fleet_rules
from rigless.scenario.build import Built, rebuild_with
from rigless.scenario.requirements import missing


def with_saved_settings(built: Built, environment: Environment, fast: bool) -> Built:
    """Return the simulation built with the saved settings of its robots.

    Only ports that are on the network have any: a run in memory has no earlier runs.
    """
    configs: dict[str, Any] = {}
    notes: list[str] = []
    for robot in built.simulation.core.stepped:
        saved = [
            message
            for port in robot.ports
            if environment.is_live(port, fast)
            for message in environment.saved_messages(port)
        ]
        if not saved:
            continue
        config, robot_notes = fleet_rules(type(robot)).with_saved_settings(
            robot.config, saved, missing
        )
        notes += robot_notes
        if config != robot.config:
            configs[robot.name] = config
    if not configs:
        built.notes += tuple(notes)
        return built
    return rebuild_with(built, configs, notes)
