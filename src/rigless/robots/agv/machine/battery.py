"""The simulated battery: discharged by time and speed, charged on a charger.

Without a battery in the profile, it never gets low. A real robot has a battery of its own.
"""

from rigless.robots.agv import profile
from rigless.robots.agv.machine.state import MachineState

TRICKLE = 0.05  # of the power, for a battery that is almost full
IDEAL_LOWEST = 0.2


class Battery:
    def __init__(self, given: profile.Battery | None):
        config = given or profile.Battery()
        self.initial_soc, self._lowest = config.initialSoc, 0.0 if given else IDEAL_LOWEST
        self._idle_w, self._drive_w, self._charge_w = (
            config.idleW,
            config.driveWPerMps,
            config.chargeW,
        )
        self._taper, self._low = config.taperFromSoc, config.lowSoc
        self._per_ws = 1.0 / (config.capacityWh * 3600.0)

    def knobs(self) -> tuple[float, ...]:
        """Return the columns IDLE_W to LOW of a machine in together/step.py."""
        return self._idle_w, self._drive_w, self._per_ws, self._lowest, self._low

    def _charging_w(self, soc: float, charger_w: float) -> float:
        """Return the charging power: constant, and falling towards the end, as with lithium."""
        share = 1.0 if soc <= self._taper else (1.0 - soc) / (1.0 - self._taper)
        return min(self._charge_w, charger_w) * max(share, TRICKLE)

    def use(self, state: MachineState, seconds: float, speed_mps: float) -> None:
        """Discharge or charge for a duration at a speed.

        Crossing lowSoc is a notice; an empty battery is a condition of the robot.
        """
        power_w = self._idle_w + self._drive_w * abs(speed_mps)
        before = state.soc
        if state.charging:
            power_w -= self._charging_w(before, state.charger_w)
        state.soc = soc = min(max(before - power_w * seconds * self._per_ws, self._lowest), 1.0)
        state.moving = state.moving or before == 0.0 < soc  # it may drive again
        if soc < self._low <= before:
            notice = (
                "BATTERY_LOW",
                "WARNING",
                "battery",
                f"the battery is below {self._low:.0%}",
                {"soc": round(soc, 4)},
            )
            state.notices.append(notice)
