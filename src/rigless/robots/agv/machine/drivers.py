"""Drivers between the machine and its motors, outputs, inputs and devices, simulated or real.

The machine writes setpoints, drivers write feedback. Both are in the machine's state, so that
snapshots hold them: in `motors` the columns MODE and GOAL are the setpoint and the first six the
feedback (motion/motors.py); `wired` and `readings` are the feedback of inputs and devices;
`outputs` are setpoints. `step` carries the setpoints out.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.services import DriverServices

STILL = 1e-6  # of top speed: a faulty motor that should stand and is slower than this stands


class Drivers(Protocol):
    """The drivers of all parts of a robot: simulated ones, or real ones where its parts are."""

    warmth: float

    def bind(self, state: MachineState) -> None: ...

    def move(self, motor: int, position: float) -> None: ...

    def stop(self, motor: int) -> None: ...

    def step(self, dt_s: float) -> bool: ...

    def changed(self) -> bool: ...

    def rest(self, seconds: float) -> None: ...

    def reset(self, motor: int) -> None: ...


class MockDrivers:
    """Simulated motors, exact within their limits, by index as in the configuration, in SI units.

    Unless `changed` returns True they do what `motors.tick` does, and `step` need not be called.
    Simulated inputs and devices are in sensing.py and scripts.py.

    A fault `error` or `disconnected` stops a motor while the fault lasts. With `latch=true` it
    leaves an error that only a reset clears. Actuator faults of the kernel (stall, weak, …) act on
    the commanded speed. `add_faults` adds faults that are not injected: it returns True if one acts
    in every tick.
    """

    def __init__(
        self,
        services: DriverServices,
        ids: tuple[str, ...],
        limits: m.Array,
        dt_s: float,
        add_faults: Callable[[MachineState], bool] | None = None,
    ):
        self._services, self._add_faults = services, add_faults
        self.limits = limits
        self._index = {motor_id: i for i, motor_id in enumerate(ids)}
        self.warmth = m.warmth(dt_s)  # fraction of the way to the final temperature in a tick

    def bind(self, state: MachineState) -> None:
        """Use this state from now on."""
        self.state = state

    # Setpoints

    def move(self, motor: int, position: float) -> None:
        self._ask(motor, m.MOVE, position)

    def stop(self, motor: int) -> None:
        """Come to rest within the limits, and hold."""
        self._ask(motor, m.STOP, 0.0)

    def disable(self, motor: int) -> None:
        """Stop, then switch power off until the next setpoint."""
        self._ask(motor, m.DISABLE, 0.0)

    def _ask(self, motor: int, mode: int, goal: float) -> None:
        row = self.state.motors[motor]
        row[m.MODE], row[m.GOAL] = mode, goal

    # Execution

    def step(self, dt_s: float) -> bool:
        """Carry out the setpoints for a tick and update the feedback.

        Return True while any motor has something to do.
        """
        state = self.state
        if self.changed():
            return self._step_faulty(state, dt_s)
        return m.tick(state.motors, self.limits, self.warmth, dt_s)

    def changed(self) -> bool:
        """Return True if there may be feedback that is not in the state yet.

        Then `step` must be called even if nothing moves.
        """
        state, faults = self.state, self._services.faults
        return bool(
            state.faulted
            or ([fault.id for fault in faults] != state.taken if faults else state.taken)
        )

    def rest(self, seconds: float) -> None:
        """Account for a time in which no motor had anything to do and `step` was not called."""
        motors = self.state.motors
        motors[:, m.TEMPERATURE] += m.warmth(seconds) * (m.AMBIENT_C - motors[:, m.TEMPERATURE])

    def reset(self, motor: int) -> None:
        """Acknowledge the motor's error."""
        self.state.latched[motor], self.state.faulted = "", True

    def _step_faulty(self, state: MachineState, dt_s: float) -> bool:
        motors = state.motors
        state.faulted = self._take_faults(state)
        m.plan(motors, self.limits, dt_s)
        done = motors[:, m.REF].copy()
        for motor_id in dict.fromkeys(
            fault.target for fault in self._services.faults if fault.seam == "actuator"
        ):
            if (i := self._index.get(motor_id)) is not None:
                self._services.actuated[motor_id] = float(motors[i, m.VELOCITY])
                done[i] = self._services.actuate(
                    motor_id, float(done[i]), dt_s, float(self.limits[i, m.TOP])
                )
        top = self.limits[:, m.TOP]
        done[(motors[:, m.REF] == 0.0) & (np.abs(done) < STILL * top)] = 0.0
        return m.move(motors, self.limits, np.clip(done, -top, top), self.warmth, dt_s)

    def _take_faults(self, state: MachineState) -> bool:
        """Update the faults of the motors. Return True if a fault acts in every tick."""
        codes = list(state.latched)
        trouble = [m.BROKEN if code else m.FINE for code in codes]
        for fault in self._services.faults:
            i = self._index.get(fault.target)
            if i is None or fault.seam != "own":
                continue
            if fault.kind == "disconnected":
                trouble[i], codes[i] = m.OFF, codes[i] or "DISCONNECTED"
            elif fault.kind == "error":
                codes[i] = str(fault.params.get("code", "MOTOR_ERROR"))[:64]
                trouble[i] = max(trouble[i], m.BROKEN)
                if _is_true(fault.params.get("latch", False)):
                    state.latched[i] = codes[i]
        state.motors[:, m.TROUBLE] = trouble
        state.codes = codes
        state.taken = [fault.id for fault in self._services.faults]
        acts = any(fault.seam in ("sensor", "actuator") for fault in self._services.faults)
        return (self._add_faults is not None and self._add_faults(state)) or acts


def _is_true(given: Any) -> bool:
    return given in (True, 1, "1", "true", "True", "yes", "on")
