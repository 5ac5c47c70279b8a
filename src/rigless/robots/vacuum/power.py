"""The vacuum's battery and dock."""

import math
from typing import NamedTuple

from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.state import VacuumState


class Power(NamedTuple):
    voltage: float
    level: int  # percent
    charging: bool
    docked: bool


def read_power(config: VacuumConfig, state: VacuumState) -> Power:
    battery, docked = config.sensors.battery, is_docked(config, state)
    if battery.model == "fixed":
        return Power(battery.voltage, round(battery.level), battery.is_charging, docked)
    share = state.energy_wh / battery.capacity_wh
    return Power(13.5 + 2.0 * share, round(100 * share), docked and share < 1.0, docked)


def is_docked(config: VacuumConfig, state: VacuumState) -> bool:
    dock, body = config.dock, state.body
    if dock is None:
        return config.sensors.dock_connected
    return math.hypot(body[b.X] - dock.x, body[b.Y] - dock.y) <= dock.reach


def drain(config: VacuumConfig, state: VacuumState, dt_s: float) -> None:
    """Charge the battery on the dock, or discharge it by the load of drive and suction."""
    battery = config.sensors.battery
    load_w = battery.idle_w + battery.drive_w * abs(state.body[b.V]) / config.robot.max_linear_speed
    load_w += battery.suction_w * state.actuators.get("vacuum", 0.0) / 100
    flow_w = battery.charge_w if is_docked(config, state) else -load_w
    state.energy_wh = min(max(state.energy_wh + flow_w * dt_s / 3600, 0.0), battery.capacity_wh)
