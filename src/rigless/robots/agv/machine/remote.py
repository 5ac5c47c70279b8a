"""Real motors, inputs, outputs and devices: readings and commands on the port "hardware".

Wheels: the machine plans with an exact reference, as for a simulated wheel; the pose follows from
it. The real wheel follows the reference with a delay of `lagMs`: its command is the speed of the
reference plus FOLLOW times the position error. If the error exceeds what the wheel drives in
BEHIND_S, the wheel is in ERROR (NOT_FOLLOWING) until it is reset. While a wheel cannot follow
(faulty, without power), the reference follows the wheel, so that the pose stays true. After a loss
of its driver, the wheel's position is taken to be that of the reference.

Axes: they get the target position, and have arrived when the readings are within ARRIVED of it.

A part without readings for `staleMs` is lost. A lost motor is disconnected, a lost e-stop chain
counts as pressed, a lost guard as an obstacle, a lost output is off. A setpoint from before a loss
is not sent again. Commands are sent when they change and every REPEAT_NS, for the watchdogs: there
is one in the transport, and should be one in the drive.
"""

import math
from typing import Any

from rigless.hardware.messages import (
    DeviceReading,
    DriverState,
    HardwareMessage,
    InputReading,
    MotorCommand,
    MotorReading,
    OutputCommand,
    OutputReading,
)
from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.drivers import MockDrivers
from rigless.robots.agv.machine.hardware_port import PORT, lag_s, real_parts, stale_s
from rigless.robots.agv.machine.remote_state import (
    NO_READING,
    RemoteMotor,
    RemoteSignal,
    RemoteState,
)
from rigless.robots.agv.machine.sensing import ESTOP, guards_of
from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.services import DriverServices

REPEAT_NS = 100_000_000
OFTEN_NS = 15_000_000  # shortest time between changing setpoints
FOLLOW = 4.0  # 1/s
BEHIND_S = 0.5
STANDING = 1e-3  # of the top speed: a slower reading is standing
ARRIVED, ARRIVED_RAD = 1e-3, 0.01  # m, rad
NOT_FOLLOWING = "NOT_FOLLOWING"
LONGEST = 256  # characters of a code


class RemoteDrivers:
    """Drivers of real parts. Parts of type MOCK are simulated, by drivers of their own.

    Real motors have a row there too: it is the reference that they follow.
    """

    def __init__(self, services: DriverServices, config: RobotConfig, limits: m.Array):
        self._services, self._limits, self._ids = services, limits, _motor_ids(config)
        dt_s = 1.0 / config.runtime.tickHz
        self._mock = MockDrivers(services, self._ids, limits, dt_s, self._add_faults)
        self.warmth = self._mock.warmth
        parts = real_parts(config)
        index = {motor_id: i for i, motor_id in enumerate(self._ids)}
        self.motors = {part.id: index[part.id] for part in parts if part.kind == "motor"}
        self.wheels = {motor.motorId for motor in config.motors if motor.role == "DRIVE"} & set(
            self.motors
        )
        self.signals = {f"{part.kind}/{part.id}": part for part in parts if part.kind != "motor"}
        chains = {
            point.ioId
            for point in config.io.digitalInputs
            if point.type == ESTOP or point.ioId == "estop"
        }
        self._safe = chains.union(guards_of(config))  # inputs that are on when they are lost
        self._arrived = [
            ARRIVED if m.axis_of(motor).kind == "linear" else ARRIVED_RAD for motor in config.motors
        ]
        io = config.io
        entries: list[tuple[str, Any]] = [
            *((f"motor/{motor.motorId}", motor.driver) for motor in config.motors),
            *((f"input/{point.ioId}", point.driver) for point in io.digitalInputs),
            *((f"output/{point.ioId}", point.driver) for point in io.digitalOutputs),
            *((f"device/{device.deviceId}", device.driver) for device in io.devices),
        ]
        self._lag_s = {motor.motorId: lag_s(motor.driver.config) for motor in config.motors}
        self._stale_ns = {name: to_ns(stale_s(driver.config)) for name, driver in entries}

    def bind(self, state: MachineState) -> None:
        """Use this state from now on."""
        self.state = state
        self._mock.bind(state)

    @property
    def remote(self) -> RemoteState:
        found = self.state.remote
        if (
            not found.motors and not found.signals
        ):  # first use: the real parts follow from the config
            found.motors = {motor_id: RemoteMotor() for motor_id in self.motors}
            found.signals = {name: RemoteSignal() for name in self.signals}
            self._lose_signals(found, list(self.signals))
        return found

    # Readings

    def take(self, message: HardwareMessage) -> None:
        """Take a message from the port."""
        now_ns, state, remote = self._services.now_ns, self.state, self.remote
        match message:
            case MotorReading() if message.id in remote.motors:
                self._read(remote.motors[message.id], message, now_ns)
            case InputReading() if self._received(f"input/{message.id}", now_ns):
                if state.wired.get(message.id) != message.value:
                    state.wired[message.id] = message.value
                    state.changes += 1
            case OutputReading():
                self._received(f"output/{message.id}", now_ns)
            case DeviceReading() if self._received(f"device/{message.id}", now_ns):
                self._read_device(state, message)
            case DriverState():
                self._handle_driver_state(message)

    def _read(self, motor: RemoteMotor, reading: MotorReading, now_ns: int) -> None:
        motor.read_ns, motor.reason = now_ns, ""
        motor.position, motor.velocity = reading.position, reading.velocity
        motor.state, motor.fault = reading.state, reading.fault
        motor.current_a, motor.temperature_c = reading.current_a, reading.temperature_c
        if not motor.zeroed:
            row = self.state.motors[self.motors[reading.id]]
            motor.zero = (
                float(row[m.POSITION]) - reading.position if reading.id in self.wheels else 0.0
            )
            motor.zeroed = True

    def _read_device(self, state: MachineState, message: DeviceReading) -> None:
        before = state.readings.get(message.id, {})
        now: dict[str, Any] = dict(message.data)
        code = now.pop("code", None)
        if code is not None:
            reads = before.get("reads")  # a device may use this key otherwise
            now = {
                **before,
                **now,
                "lastCode": str(code)[:LONGEST],
                "reads": reads + 1 if isinstance(reads, int) else 1,
            }
            self.remote.scans.append((message.id, str(code)[:LONGEST]))
        if now != before:
            state.readings[message.id] = now
            self._look_ahead(state)

    def _look_ahead(self, state: MachineState) -> None:
        """Combine what all real devices report about the path ahead."""
        readings = [
            state.readings.get(name.removeprefix("device/"), {})
            for name in self.signals
            if name.startswith("device/")
        ]
        distances = [
            distance
            for reading in readings
            if isinstance(distance := reading.get("obstacle_m"), int | float) and distance >= 0.0
        ]
        state.remote.ahead_m = min(map(float, distances), default=math.inf)
        state.remote.violated = any(reading.get("field_violation") is True for reading in readings)
        state.changes += 1

    def _received(self, name: str, now_ns: int) -> bool:
        signal = self.remote.signals.get(name)
        if signal is None:
            return False
        if signal.read_ns < 0:
            signal.reason = ""
            self.remote.lost = [lost for lost in self.remote.lost if lost != name.partition("/")[2]]
            self.state.changes += 1
        signal.read_ns = now_ns
        return True

    def _handle_driver_state(self, message: DriverState) -> None:
        """Handle the state of a driver.

        A driver that is up speaks for a part without readings of its own; setpoints from before a
        loss are dropped.
        """
        name = f"{message.kind}/{message.id}"
        motor = self.remote.motors.get(message.id) if message.kind == "motor" else None
        known = motor or self.remote.signals.get(name)
        if known is None:
            return
        if message.up:
            if message.kind == "device":
                self._received(name, self._services.now_ns)
            elif known.read_ns >= 0:
                known.read_ns = self._services.now_ns
            return
        reason, before = message.reason or NO_READING, known.reason
        if motor is not None:
            self._lose_motor(message.id, reason)
        else:
            self._lose_signals(self.remote, [name], reason)
        if reason != before:  # it is repeated at each attempt to reconnect
            self.remote.notices.append(
                (
                    "DRIVER_LOST",
                    "WARNING",
                    message.id,
                    f"{message.id}: {reason}",
                    {"kind": message.kind},
                )
            )

    # Loss

    def _lose_motor(self, motor_id: str, reason: str) -> None:
        motor = self.remote.motors[motor_id]
        if motor.sent not in ("", "STOP"):
            self._services.emit(PORT, MotorCommand("STOP", id=motor_id))
        motor.read_ns, motor.reason, motor.zeroed, motor.sent = -1, reason, False, ""
        row = self.state.motors[self.motors[motor_id]]
        if row[m.MODE] == m.MOVE:
            self.stop(self.motors[motor_id])

    def _lose_signals(
        self, remote: RemoteState, names: list[str], reason: str = NO_READING
    ) -> None:
        state = self.state
        for name in names:
            signal, (kind, _, part_id) = remote.signals[name], name.partition("/")
            signal.read_ns, signal.reason, signal.sent = -1, reason, None
            if part_id not in remote.lost:
                remote.lost = [*remote.lost, part_id]
            if kind == "input":
                state.wired[part_id] = part_id in self._safe
            elif kind == "output":
                state.outputs[part_id] = False
            else:
                state.readings[part_id] = {}
        self._look_ahead(state)

    def _look_for_losses(self, now_ns: int) -> None:
        for motor_id, motor in self.remote.motors.items():
            if 0 <= motor.read_ns < now_ns - self._stale_ns[f"motor/{motor_id}"]:
                self._lose_motor(motor_id, "no readings")
        for name, signal in self.remote.signals.items():
            if 0 <= signal.read_ns < now_ns - self._stale_ns[name]:
                self._lose_signals(self.remote, [name], "no readings")

    # Setpoints

    def move(self, motor: int, position: float) -> None:
        self._mock.move(motor, position)

    def stop(self, motor: int) -> None:
        self._mock.stop(motor)

    def rest(self, seconds: float) -> None:
        self._mock.rest(seconds)

    # Tick

    def changed(self) -> bool:
        """Return True: a reading may arrive at any time."""
        return True

    def step(self, dt_s: float) -> bool:
        now_ns, state, remote = self._services.now_ns, self.state, self.remote
        self._look_for_losses(now_ns)
        state.scans, remote.scans = [*state.scans, *remote.scans], []
        state.notices, remote.notices = [*state.notices, *remote.notices], []
        state.faulted = True  # so that `_add_faults` is called
        busy = self._mock.step(dt_s)
        for motor_id, i in self.motors.items():
            motor = remote.motors[motor_id]
            if motor.zeroed:
                busy = self._bring_up_to_date(motor_id, motor, i, now_ns) or busy
            self._command(motor_id, motor, i, now_ns)
        for name, signal in remote.signals.items():
            if name.startswith("output/") and signal.read_ns >= 0:
                self._switch(name.removeprefix("output/"), signal, now_ns)
        return busy

    def _add_faults(self, state: MachineState) -> bool:
        """Add the faults of real motors: lost, or in error. Return True if there are any."""
        found = False
        for motor_id, i in self.motors.items():
            motor = self.remote.motors[motor_id]
            row = state.motors[i]
            if motor.read_ns < 0:
                row[m.TROUBLE], state.codes[i] = m.OFF, state.codes[i] or "DISCONNECTED"
            elif motor.state == "ERROR" and row[m.TROUBLE] == m.FINE:
                row[m.TROUBLE], state.codes[i] = m.BROKEN, motor.fault or "MOTOR_ERROR"
            if row[m.TROUBLE] != m.FINE:
                found = True
                if row[m.MODE] == m.MOVE:
                    self.stop(i)
        return found

    def _bring_up_to_date(self, motor_id: str, motor: RemoteMotor, i: int, now_ns: int) -> bool:
        """Update a motor's row from its readings after a tick. Return True while it moves."""
        state, row = self.state, self.state.motors[i]
        row[m.CURRENT], row[m.TEMPERATURE] = motor.current_a, motor.temperature_c
        still = abs(motor.velocity) <= STANDING * self._limits[i, m.TOP]
        if motor_id not in self.wheels:
            row[m.POSITION], row[m.VELOCITY], row[m.REF] = (
                motor.position,
                0.0 if still else motor.velocity,
                0.0,
            )
            if (
                row[m.MODE] == m.MOVE
                and still
                and abs(row[m.GOAL] - motor.position) <= self._arrived[i]
            ):
                row[m.MODE] = m.STOP
            if row[m.TROUBLE] == m.FINE:
                row[m.STATE] = m.STATES.index(motor.state)
            return not still or row[m.MODE] == m.MOVE
        position = self._position(motor, now_ns)
        if self._follows(motor, row):
            if abs(row[m.POSITION] - position) > BEHIND_S * self._limits[i, m.TOP]:
                state.latched[i] = NOT_FOLLOWING
        else:
            row[m.POSITION], row[m.VELOCITY] = position, 0.0 if still else motor.velocity
        return not still

    def _position(self, motor: RemoteMotor, now_ns: int) -> float:
        """Return the present position, extrapolated from the last reading."""
        return motor.position + motor.zero + motor.velocity * (now_ns - motor.read_ns) * 1e-9

    def _follows(self, motor: RemoteMotor, row: m.Array) -> bool:
        """Return True if the wheel follows the reference.

        Otherwise the reference follows the wheel.
        """
        if row[m.TROUBLE] != m.FINE:
            row[m.REF] = 0.0
            return False
        return bool(row[m.REF] != 0.0 or (motor.state != "DISABLED" and self.state.estop == "NONE"))

    # Commands

    def _command(self, motor_id: str, motor: RemoteMotor, i: int, now_ns: int) -> None:
        if motor.read_ns < 0:
            return
        row, kind, value = self.state.motors[i], "STOP", 0.0
        if motor_id in self.wheels:
            late = (
                float(row[m.VELOCITY]) * self._lag_s[motor_id]
            )  # a reading shows an earlier position
            behind = float(row[m.POSITION]) - late - self._position(motor, now_ns)
            if self._follows(motor, row) and (row[m.REF] != 0.0 or abs(behind) > ARRIVED):
                top = float(self._limits[i, m.TOP])
                kind, value = (
                    "VELOCITY",
                    min(max(float(row[m.VELOCITY]) + FOLLOW * behind, -top), top),
                )
        elif row[m.TROUBLE] == m.FINE and row[m.MODE] == m.MOVE:
            kind, value = "POSITION", float(row[m.GOAL])
        since_ns = now_ns - motor.sent_ns
        if (
            kind != motor.sent
            or since_ns >= REPEAT_NS
            or (value != motor.value and since_ns >= OFTEN_NS)
        ):
            motor.sent, motor.value, motor.sent_ns = kind, value, now_ns
            self._services.emit(PORT, MotorCommand(kind, value, motor_id))  # type: ignore[arg-type]

    def _switch(self, io_id: str, signal: RemoteSignal, now_ns: int) -> None:
        value = self.state.outputs.get(io_id, False)
        if value != signal.sent or now_ns - signal.sent_ns >= REPEAT_NS:
            signal.sent, signal.sent_ns = value, now_ns
            self._services.emit(PORT, OutputCommand(value, io_id))

    def reset(self, motor: int) -> None:
        self._mock.reset(motor)
        motor_id = self._ids[motor]
        if motor_id in self.motors:
            self._services.emit(PORT, MotorCommand("RESET", id=motor_id))


def make_drivers(
    services: DriverServices, config: RobotConfig, limits: m.Array
) -> MockDrivers | RemoteDrivers:
    """Return the drivers for the robot's mode: simulated, or real where its parts are."""
    if real_parts(config):
        return RemoteDrivers(services, config, limits)
    return MockDrivers(services, _motor_ids(config), limits, 1.0 / config.runtime.tickHz)


def _motor_ids(config: RobotConfig) -> tuple[str, ...]:
    return tuple(motor.motorId for motor in config.motors)
