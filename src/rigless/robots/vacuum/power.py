"""The vacuum's battery and dock."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.robots.vacuum import body as b
from rigless.robots.vacuum.config import VacuumConfig
from rigless.robots.vacuum.state import VacuumState

# POWER: battery and dock as an array
DISCHARGES, IDLE_W, DRIVE_W, TOP_MPS, SUCTION_W, CHARGE_W, CAPACITY_WH, CONNECTED = range(8)
DOCK_X, DOCK_Y, REACH = range(8, 11)  # a reach below 0: there is no dock


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
    dx, dy = body.item(b.X) - dock.x, body.item(b.Y) - dock.y
    return math.sqrt(dx * dx + dy * dy) <= dock.reach


@compiled
def drained(
    power: NDArray[np.float64], suction: float, energy_wh: float, v_mps: float, x_m: float,
    y_m: float, dt_s: float,
) -> Any:  # fmt: skip
    """Return the battery's energy after a time: charged on the dock, else drained by the load.

    `suction` is the power of the suction motor in percent.
    """
    if power[DISCHARGES] == 0.0:
        return energy_wh
    docked = power[CONNECTED] > 0.0
    if power[REACH] >= 0.0:
        dx, dy = x_m - power[DOCK_X], y_m - power[DOCK_Y]
        docked = math.sqrt(dx * dx + dy * dy) <= power[REACH]
    load_w = power[IDLE_W] + power[DRIVE_W] * abs(v_mps) / power[TOP_MPS]
    load_w += power[SUCTION_W] * suction / 100
    flow_w = power[CHARGE_W] if docked else -load_w
    return min(max(energy_wh + flow_w * dt_s / 3600, 0.0), power[CAPACITY_WH])


def drain(power: NDArray[np.float64], state: VacuumState, dt_s: float) -> None:
    """Charge or discharge the battery for a time."""
    body, suction = state.body, float(state.actuators.get("vacuum", 0.0))
    state.energy_wh = drained(
        power, suction, state.energy_wh, body.item(b.V), body.item(b.X), body.item(b.Y), dt_s
    )


def power_array(config: VacuumConfig) -> NDArray[np.float64]:
    """Return battery and dock as an array."""
    battery, dock = config.sensors.battery, config.dock
    place = (dock.x, dock.y, dock.reach) if dock is not None else (0.0, 0.0, -1.0)
    return np.array([
        battery.model == "discharge", battery.idle_w, battery.drive_w,
        config.robot.max_linear_speed, battery.suction_w, battery.charge_w,
        battery.capacity_wh, config.sensors.dock_connected, *place,
    ], float)  # fmt: skip
