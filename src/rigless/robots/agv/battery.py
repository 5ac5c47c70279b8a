"""The simulated battery: it empties with time and with speed, and fills while charging."""

from rigless.robots.agv import profile
from rigless.robots.agv.machine_state import MachineState

LOW = 0.15  # below this part of its charge people are told


class Battery:
    def __init__(self, config: profile.Battery):
        self._idle_w, self._drive_w, self._charge_w = config.idleW, config.driveWPerMps, config.chargeW
        self._per_ws = 1.0 / (config.capacityWh * 3600.0)

    def use(self, state: MachineState, seconds: float, speed_mps: float) -> None:
        """Some time at a speed. What goes below LOW or runs out is noticed."""
        power_w = self._idle_w + self._drive_w * abs(speed_mps)
        if state.charging:
            power_w -= self._charge_w
        before = state.soc
        state.soc = soc = min(max(before - power_w * seconds * self._per_ws, 0.0), 1.0)
        state.moving = state.moving or before == 0.0 < soc  # it may drive again
        if soc < LOW <= before:
            notice = ("BATTERY_LOW", "WARNING", "battery", f"the battery is below {LOW:.0%}", {"soc": round(soc, 4)})
            state.notices.append(notice)
        if soc == 0.0 < before:
            state.notices.append(("BATTERY_EMPTY", "ERROR", "battery", "the battery is empty", {"soc": 0.0}))
