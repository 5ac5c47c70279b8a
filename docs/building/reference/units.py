"""Units of config keys, from their names.

Most keys have their unit in their name. The others are those of files that other projects have
defined (the vacuum's mock.toml), which have SI units.
"""

import re

SUFFIXES = {
    "_radps2": "rad/s²", "_degps2": "°/s²", "_degps3": "°/s³", "_mps2": "m/s²", "_radps": "rad/s",
    "_degps": "°/s", "_degpm": "°/min", "_mmps": "mm/s", "_mps": "m/s", "_kgm2": "kg·m²",
    "_rad": "rad", "_deg": "°", "_mm": "mm", "_km": "km", "_kg": "kg", "_hz": "Hz", "_wh": "Wh",
    "_per_m2": "1/m", "_per_s": "1/s", "_per_rev": "1/turn", "_per_meter": "1/m", "_ms": "ms",
    "_ns": "ns", "_us": "µs", "_s": "s", "_m": "m", "_w": "W", "_v": "V", "_a": "A", "_mb": "MB",
    "_mpm": "m/min", "_lpm": "l/min", "_percent": "%", "_c": "°C", "_bytes": "bytes", "_px": "px",
    "_ppm": "ppm", "_gauss": "gauss", "_volts": "V", "_amps": "A", "_pct": "%", "_baud": "baud",
    "_lsb_per_radps": "1/(rad/s)", "_lsb_per_g": "1/g",
    "Meters": "m", "Mm": "mm", "MmPerSec": "mm/s", "Kg": "kg", "Hz": "Hz", "Ms": "ms",
    "Seconds": "s", "Sec": "s", "Degrees": "°", "Radians": "rad", "Percent": "%", "Rad": "rad",
    "Deg": "°", "Bytes": "bytes", "Mb": "MB", "Volts": "V", "Minutes": "min", "Hours": "h",
    "S": "s", "M": "m", "W": "W", "Wh": "Wh", "PerS": "1/s", "WPerMps": "W/(m/s)", "seconds": "s",
}  # fmt: skip
WHOLE = {  # keys of the vacuum's own file
    "wheel_base": "m", "wheel_radius": "m", "robot_radius": "m", "max_linear_speed": "m/s",
    "max_angular_speed": "rad/s", "max_linear_acceleration": "m/s²", "start_x": "m",
    "start_y": "m", "start_theta": "rad", "max_angular_acceleration": "rad/s²", "min_range": "m",
    "max_range": "m", "range_stddev": "m", "range_bias": "m", "angle_stddev": "rad",
    "incidence_limit": "rad", "trigger_distance": "m", "start_angle": "rad", "end_angle": "rad",
    "voltage": "V", "level": "%", "reach": "m", "mounting_x": "m", "mounting_y": "m",
    "mounting_angle": "rad", "x": "m", "y": "m", "theta": "rad", "scan_duration_ms": "ms",
    "offset_x": "m", "offset_y": "m", "offset_theta": "rad",
}  # fmt: skip


def unit(name: str, kind: str) -> str:
    """Return the unit of a key of this name, or an empty text."""
    if not re.search(r"number|integer", kind):
        return ""
    if name in WHOLE:
        return WHOLE[name]
    longest = max((end for end in SUFFIXES if name.endswith(end)), key=len, default="")
    return SUFFIXES.get(longest, "")
