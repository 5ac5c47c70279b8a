"""The robot's real parts, and the port behind which they are.

In mode MOCK there are none. In mode REAL they are the parts with a driver type other than MOCK, so
a robot can be partly real.

rigless reads `pollMs`, `staleMs`, `watchdogMs` and `lagMs` of `driver.config`, and the keys of
simulated limit sensors; all other keys are for the driver. `lagMs` is the delay between a command
to a wheel and readings that show it.
"""

import math
from collections.abc import Mapping
from typing import Any

from rigless.hardware.codec import HardwareCodec
from rigless.hardware.drivers import DevicePart, MotorPart, Part, SignalPart
from rigless.hardware.messages import MotorCommand, OutputCommand
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.motion import motors as m

PORT = "hardware"
STALE_MS, WATCHDOG_MS, LAG_MS = 500.0, 500.0, 60.0
OURS = ("pollMs", "staleMs", "watchdogMs", "lagMs")
SIMULATED = ("motorId", "edge", "tolerance")  # of a limit sensor
LONGEST_MS = 60_000.0


def real_parts(config: RobotConfig) -> list[Part]:
    """Return the parts that need external drivers.

    Raises InputError if a key that rigless reads is wrong.
    """
    if config.runtime.mode != "REAL":
        return []
    parts: list[Part] = []
    problems: list[Problem] = []
    for motor, limits in zip(config.motors, m.limits_of(config), strict=True):
        if motor.driver.type != "MOCK":
            common = _common(
                "motor", f"motors.{motor.motorId}", motor.motorId, motor.driver, problems
            )
            parts.append(
                MotorPart(
                    **common,
                    role=motor.role,
                    unit="m" if m.axis_of(motor).kind == "linear" else "rad",
                    max_speed=float(limits[m.TOP]),
                    max_acceleration=float(limits[m.ACC]),
                    max_deceleration=float(limits[m.DEC]),
                    position_min=_finite(limits[m.LOW]),
                    position_max=_finite(limits[m.HIGH]),
                )
            )
    for kind, place, points in (
        ("input", "io.digitalInputs", config.io.digitalInputs),
        ("output", "io.digitalOutputs", config.io.digitalOutputs),
    ):
        for point in points:
            if point.driver.type != "MOCK":
                common = _common(kind, f"{place}.{point.ioId}", point.ioId, point.driver, problems)
                parts.append(SignalPart(**common, signal=point.type))
    for device in config.io.devices:
        if device.driver.type != "MOCK":
            common = _common(
                "device", f"io.devices.{device.deviceId}", device.deviceId, device.driver, problems
            )
            parts.append(DevicePart(**common, device=device.type, settings=device.settings))
    if problems:
        raise InputError(problems)
    return parts


def hardware_port(config: RobotConfig) -> Port | None:
    """Return the port for the real parts, or None if there are none."""
    parts = real_parts(config)
    if not parts:
        return None
    emits = (MotorCommand, OutputCommand)
    options = {"parts": tuple(parts)}
    return Port(PORT, HardwareCodec, "drivers", "drivers/", "message", options=options, emits=emits)


def stale_s(config: Mapping[str, Any]) -> float:
    """Return the time without a reading after which a part counts as lost."""
    return float(config.get("staleMs", STALE_MS)) / 1000


def lag_s(config: Mapping[str, Any]) -> float:
    """Return the delay between a command and readings that show it."""
    return float(config.get("lagMs", LAG_MS)) / 1000


def _common(
    kind: str, place: str, part_id: str, driver: Any, problems: list[Problem]
) -> dict[str, Any]:
    given = driver.config
    for key in OURS:
        value = given.get(key, 1)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 1 <= value <= LONGEST_MS
        ):
            fix = f"milliseconds, from 1 to {LONGEST_MS:g}"
            problems.append(
                Problem(f"{place}.driver.config.{key}", f"{value!r} is not a time", fix)
            )
            return {"kind": kind, "id": part_id, "type": driver.type, "config": {}}
    known = OURS + SIMULATED if kind == "input" else OURS
    return {
        "kind": kind,
        "id": part_id,
        "type": driver.type,
        "config": {key: value for key, value in given.items() if key not in known},
        "poll_s": given["pollMs"] / 1000 if "pollMs" in given else None,
        "watchdog_s": given.get("watchdogMs", WATCHDOG_MS) / 1000,
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
