"""A drive of the simulated PLC: ramps, faults, resets and a watchdog. In counts and seconds."""

import math
from dataclasses import dataclass

from modbus_plc import registers as r

STEP_S = 0.001
AMPERES_PER_SHARE, HOLDING_A = 4.0, 0.3  # of the largest acceleration
ROOM_C, WARM_C = 25.0, 20.0
TRIPPED = 0x7305


@dataclass
class Drive:
    control: int = 0
    setpoint: float = 0.0
    max_speed: float = 10_000.0
    acceleration: float = 10_000.0
    deceleration: float = 10_000.0
    watchdog_s: float = 0.0
    position: float = 0.0
    velocity: float = 0.0
    fault: int = 0
    silent_s: float = 0.0
    pulling: float = 0.0  # present fraction of the largest acceleration

    def write(self, control: int, setpoint: int, trip: bool) -> None:
        """Take the control word and the setpoint.

        A fault cannot be reset while its cause, `trip`, persists.
        """
        if control & r.RESET and not self.control & r.RESET and not trip:
            self.fault = 0
        self.control, self.setpoint, self.silent_s = control, float(setpoint), 0.0

    def advance(self, seconds: float, trip: bool, power: bool) -> None:
        if trip and not self.fault:
            self.fault = TRIPPED
        while seconds > 0:
            self._step(min(seconds, STEP_S), power)
            seconds -= STEP_S

    def _step(self, dt: float, power: bool) -> None:
        self.silent_s += dt
        wanted = self._wanted() if self.works(power) else 0.0
        braking = abs(wanted) < abs(self.velocity) or wanted * self.velocity < 0
        limit = (self.deceleration if braking else self.acceleration) * dt
        change = max(-limit, min(wanted - self.velocity, limit))
        self.pulling = abs(change) / limit if limit else 0.0
        self.velocity += change
        self.position += self.velocity * dt

    def _wanted(self) -> float:
        """Return the target velocity.

        For a position, it is the highest from which it can stop there.
        """
        if not self.control & r.POSITION_MODE:
            return self.setpoint
        left = self.setpoint - self.position
        if abs(left) < 0.5:
            return 0.0
        fastest = math.sqrt(2 * self.deceleration * abs(left))
        return math.copysign(min(self.max_speed, fastest, abs(left) / (2 * STEP_S)), left)

    @property
    def forgotten(self) -> bool:
        return 0 < self.watchdog_s < self.silent_s

    def works(self, power: bool) -> bool:
        return bool(self.control & r.ENABLE) and power and not self.fault and not self.forgotten

    def status(self, power: bool) -> list[int]:
        enabled = r.ENABLED if self.control & r.ENABLE and power else 0
        moving = r.MOVING if abs(self.velocity) >= 1 else 0
        word = (
            enabled
            | moving
            | (r.FAULT if self.fault else 0)
            | (r.WATCHDOG if self.forgotten else 0)
        )
        amperes = HOLDING_A + AMPERES_PER_SHARE * self.pulling if enabled else 0.0
        celsius = ROOM_C + WARM_C * min(abs(self.velocity) / self.max_speed, 1.0)
        return r.pack(r.STATUS_FORMAT, word, round(self.position), round(self.velocity), self.fault,
                      round(amperes * 100), round(celsius * 10))  # fmt: skip
