"""Sets of config keys behind one word: `realism = "hardware"` and `mock_compat = true`.

Sources: [MPU] the MPU-6050 datasheet PS-MPU-6000A-00, on which the seed bases its IMU; [Delta]
facts about the Delta-2D and its driver; [Create 3] iRobot's limit for a base of this size; [ours] a
choice of this project, with its reason.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from rigless.kernel.key_path import KeyPath

Keys = dict[str, Any]

HARDWARE: Keys = {
    "robot": {
        "max_linear_acceleration": 0.9,  # [Create 3] wheel_accel_limit: 900 mm/s² at each wheel
        "max_angular_acceleration": 7.7,  # [Create 3] the same at wheels 0.233 m apart
    },
    "lidar": {
        "rolling": True,  # [Delta] points of a scan are measured while the robot moves
        "scan_rate_hz": 5.5,  # [Delta] 330 rpm at the driver's default duty cycle of 60 %
        "speed_jitter": 0.02,  # [ours] the motor has a fixed duty cycle and no speed control
        "noise": {
            "range_stddev": 0.003,  # [ours] with the next: 4.5 mm at 1 m, 4 cm at 5 m, which
            "range_stddev_per_m2": 0.0015,  # is about 1 %, usual for triangulation
            "quantisation": 0.00025,  # [Delta] distances are counts of 0.25 mm
            "quality_stddev": 15.0,  # [ours] signal strength varies with the surface
        },
    },
    "imu": {
        "gyro_noise": {
            "bias": [9.0, -5.0, 4.0],  # [ours] 0.5 °/s of yaw left of [MPU] ±20 °/s at boot
            "drift_rate": 0.02,  # [MPU] 0.16 °/s a kelvin; [ours] half a kelvin a minute
        }
    },
    "encoder": {
        "noise": {
            "slip_stddev": 0.01,  # [ours] five times the seed's: dust and thresholds
            "slip_bias": 0.01,  # [ours] 1 % of scale: tyres wear, and sink into carpet
            "scale_difference": 0.003,  # [ours] 0.1 mm between wheels of 33 mm radius
        }
    },
}

# The upstream mock casts all rays at one instant from the robot's centre.
MOCK: Keys = {
    "lidar": {
        "rolling": False,
        "mounting_x": 0.0,
        "mounting_y": 0.0,
        "optical_offset": 0.0,
        "angle_offset": 0.0,
    }
}


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> Keys:
    """Return the keys of both; those of `above` win."""
    result = dict(below)
    for key, value in above.items():
        inner = result.get(key)
        if isinstance(value, Mapping) and isinstance(inner, Mapping):
            result[key] = merged(inner, value)
        else:
            result[key] = value
    return result


def changed(profile: Mapping[str, Any], given: Any, at: KeyPath = ()) -> Iterator[KeyPath]:
    """Yield the keys of a profile that were given with another value."""
    for key, value in profile.items() if isinstance(given, Mapping) else ():
        if key not in given:
            continue
        if isinstance(value, Mapping):
            yield from changed(value, given[key], (*at, key))
        elif not _equal(given[key], value):
            yield (*at, key)


def _equal(given: Any, value: Any) -> bool:
    """Return True if a value of a file is that of a profile; lists may be tuples."""
    if isinstance(value, list):
        return isinstance(given, list | tuple) and list(given) == value
    return bool(given == value)
