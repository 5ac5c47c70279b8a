"""The vacuum's battery and dock."""

import math
from typing import TYPE_CHECKING, Any

from rigless.robots.vacuum import body as b

if TYPE_CHECKING:
    from rigless.robots.vacuum.arrays import Arrays
    from rigless.robots.vacuum.config import VacuumConfig
    from rigless.robots.vacuum.state import VacuumState


class Power:
    """The part of the vacuum that has energy; mixed into it."""

    if TYPE_CHECKING:
        config: VacuumConfig
        state: VacuumState
        arrays: Arrays
        note: Any

    def power(self) -> tuple[float, int, bool, bool]:
        """Voltage, level in percent, charging, on the dock."""
        battery, docked = self.config.sensors.battery, self.docked()
        if battery.model == "fixed":
            return battery.voltage, round(battery.level), battery.is_charging, docked
        share = self.state.energy_wh / battery.capacity_wh
        return 13.5 + 2.0 * share, round(100 * share), docked and share < 1.0, docked

    def docked(self) -> bool:
        dock, body = self.config.dock, self.state.body
        if dock is None:
            return self.config.sensors.dock_connected
        return math.hypot(body[b.X] - dock.x, body[b.Y] - dock.y) <= dock.reach

    def drain(self) -> None:
        battery, state = self.config.sensors.battery, self.state
        load_w = (
            battery.idle_w
            + battery.drive_w * abs(state.body[b.V]) / self.config.robot.max_linear_speed
        )
        load_w += battery.suction_w * state.actuators.get("vacuum", 0.0) / 100
        flow_w = battery.charge_w if self.docked() else -load_w
        state.energy_wh = min(
            max(state.energy_wh + flow_w * self.arrays.const[b.DT] / 3600, 0.0), battery.capacity_wh
        )

    def watch_dock(self) -> None:
        """Tell when the robot comes onto its dock, and when it leaves."""
        docked = self.docked()
        if docked != self.state.docked:
            self.state.docked = docked
            self.note(
                "docked" if docked else "undocked", "on the dock" if docked else "off the dock"
            )
