"""The motors by id: their health, and the axes that move to positions."""

import math

from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.drivers import Drivers
from rigless.robots.agv.machine.sensing import LIMIT
from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.messages import MotorHealth, MotorReadings
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.services import Clock


def missing_motors(config: RobotConfig) -> dict[str, str]:
    """Return the function keys of motors that limit sensors name but `motors` does not have.

    By default the function key is the motorId in capitals.
    """
    there = {motor.motorId for motor in config.motors}
    return {
        str(given["motorId"]): str(given.get("functionKey") or given["motorId"]).upper()
        for entry in config.io.digitalInputs
        if entry.type == LIMIT
        and (given := entry.driver.config).get("motorId")
        and given["motorId"] not in there
    }


class MotorBank:
    """All motors of one robot, over their drivers. `stop_on_estop` is set by the machine."""

    stop_on_estop: bool

    def __init__(self, clock: Clock, config: RobotConfig, drivers: Drivers, limits: m.Array):
        self._clock, self._drivers, self._limits = clock, drivers, limits
        self.axes = {motor.motorId: m.axis_of(motor) for motor in config.motors}
        self._axes = tuple(self.axes.values())
        self._index = {motor_id: i for i, motor_id in enumerate(self.axes)}
        self.missing = missing_motors(config)  # motorId → functionKey
        self._drives = tuple(i for i, axis in enumerate(self._axes) if axis.role == "DRIVE")

    def bind(self, state: MachineState) -> None:
        """Use this state from now on."""
        self.state = state
        self._healths: list[MotorHealth] = []
        self._healths_at = -1  # state.changes for which they were made

    # Health

    def watch(self, state: MachineState) -> None:
        """Update which motors are faulty."""
        rows = state.motors
        for i in range(len(self._axes)):
            fault = (
                "DISCONNECTED"
                if rows[i, m.CONNECTED] != 1.0
                else "ERROR"
                if rows[i, m.STATE] == m.ERROR
                else ""
            )
            if fault != state.motor_faults[i]:
                state.motor_faults[i], state.moving = fault, True
                state.changes += 1
                if fault:
                    state.frozen.pop(i, None)

    def healthy(self, motor_id: str) -> bool:
        return not self.state.motor_faults[self._index[motor_id]]

    def faulty(self) -> list[tuple[m.Axis, str]]:
        """Return the faulty motors, each with ERROR or DISCONNECTED."""
        return [
            (axis, fault)
            for axis, fault in zip(self._axes, self.state.motor_faults, strict=True)
            if fault
        ]

    @property
    def drive_fault(self) -> bool:
        faults = self.state.motor_faults
        return any(faults) and any(faults[i] for i in self._drives)

    @property
    def functional_faults(self) -> list[str]:
        return [axis.motor_id for axis, _ in self.faulty() if axis.role != "DRIVE"]

    @property
    def missing_functions(self) -> list[str]:
        """The function keys that no healthy motor serves."""
        if not (self.missing or any(self.state.motor_faults)):
            return []
        served = {
            axis.function_key
            for axis, fault in zip(self._axes, self.state.motor_faults, strict=True)
            if not fault
        }
        keys = dict.fromkeys(
            axis.function_key for axis in self._axes if axis.role != "DRIVE" and axis.function_key
        )
        keys.update(dict.fromkeys(self.missing.values()))
        return [key for key in keys if key is not None and key not in served]

    def health(self, motor_id: str) -> MotorHealth:
        return self.healths()[self._index[motor_id]]

    def healths(self) -> list[MotorHealth]:
        """Return the health of all motors in their own units, cached until something changes."""
        state = self.state
        if self._healths_at != state.changes:
            self._healths = [
                MotorHealth(
                    axis.motor_id,
                    axis.role,
                    row[m.CONNECTED] == 1.0,
                    m.STATES[int(row[m.STATE])],  # type: ignore[arg-type]
                    axis.function_key,
                    row[m.POSITION] / axis.position_unit,
                    row[m.VELOCITY] / axis.speed_unit,
                    code or None,
                )
                for axis, row, code in zip(
                    self._axes, state.motors.tolist(), state.codes, strict=True
                )
            ]
            self._healths_at = state.changes
        return self._healths

    def readings(self) -> list[MotorReadings]:
        """Return the telemetry of all motors, in their own units."""
        return [
            MotorReadings(
                axis.motor_id,
                row[m.CURRENT],
                row[m.TEMPERATURE],
                row[m.POSITION] / axis.position_unit,
                row[m.VELOCITY] / axis.speed_unit,
            )
            for axis, row in zip(self._axes, self.state.motors.tolist(), strict=True)
        ]

    def cooldown_left_s(self, motor_id: str) -> float:
        """Return the time until a motor can be reset again."""
        reset_ns = self.state.reset_ns[self._index[motor_id]]
        since_s = (self._clock.now_ns - reset_ns) * 1e-9 if reset_ns >= 0 else math.inf
        return max(self.axes[motor_id].cooldown_s - since_s, 0.0)

    def reset_motor(self, motor_id: str) -> None:
        """Reset a motor's error."""
        i = self._index[motor_id]
        self.state.reset_ns[i] = self._clock.now_ns
        self._drivers.reset(i)
        self.state.wake()

    # Axes

    def motor_of(self, function_key: str) -> str | None:
        """Return the motor for a function; of several, a healthy one if there is any."""
        serving = [
            axis.motor_id
            for axis in self._axes
            if axis.function_key == function_key and axis.role != "DRIVE"
        ]
        return next(
            (motor_id for motor_id in serving if self.healthy(motor_id)),
            serving[0] if serving else None,
        )

    def span(self, motor_id: str) -> tuple[float, float]:
        """Return the lowest and the highest position (SI)."""
        i = self._index[motor_id]
        return float(self._limits[i, m.LOW]), float(self._limits[i, m.HIGH])

    def move_axis(self, motor_id: str, target_si: float) -> None:
        low, high = self.span(motor_id)
        if not (math.isfinite(target_si) and low - m.HOME <= target_si <= high + m.HOME):
            unit = self.axes[motor_id].position_unit
            ends = f"{low / unit:g} to {high / unit:g}"
            raise ValueError(f"{motor_id} cannot move to {target_si / unit:g}: its range is {ends}")
        i, target = self._index[motor_id], min(max(target_si, low), high)
        if self.axes[motor_id].role == "DRIVE":
            raise ValueError(f"{motor_id} is a drive motor and cannot move to a position")
        if i in self.state.frozen or self.frozen():
            self.state.frozen[i] = target
        else:
            self._drivers.move(i, target)
        self.state.wake()

    def frozen(self) -> bool:
        """Return True while axes wait for the e-stop to be released."""
        return self.stop_on_estop and self.state.estop != "NONE"

    def axis_busy(self, motor_id: str) -> bool:
        i, state = self._index[motor_id], self.state
        return bool(
            state.motors[i, m.MODE] == m.MOVE
            or state.motors[i, m.VELOCITY] != 0.0
            or i in state.frozen
        )

    def axis_position(self, motor_id: str) -> float:
        return float(self.state.motors[self._index[motor_id], m.POSITION])

    def stop_axis(self, motor_id: str) -> None:
        i = self._index[motor_id]
        self.state.frozen.pop(i, None)
        self._drivers.stop(i)
        self.state.wake()
