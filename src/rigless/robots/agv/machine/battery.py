"""The simulated battery: it empties with time and with speed, and fills while charging. One that the profile does not speak of never gets
low: without a profile nothing goes wrong. What is real has a battery of its own."""

from rigless.robots.agv import profile
from rigless.robots.agv.machine.state import MachineState

LOW = 0.15  # below this part of its charge people are told
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
        self._per_ws = 1.0 / (config.capacityWh * 3600.0)

    def use(self, state: MachineState, seconds: float, speed_mps: float) -> None:
        """Some time at a speed. What goes below LOW is noticed; what has run out is a condition of the robot."""
        power_w = self._idle_w + self._drive_w * abs(speed_mps)
        if state.charging:
            power_w -= self._charge_w
        before = state.soc
        state.soc = soc = min(max(before - power_w * seconds * self._per_ws, self._lowest), 1.0)
        state.moving = state.moving or before == 0.0 < soc  # it may drive again
        if soc < LOW <= before:
            notice = (
                "BATTERY_LOW",
                "WARNING",
                "battery",
                f"the battery is below {LOW:.0%}",
                {"soc": round(soc, 4)},
            )
            state.notices.append(notice)
