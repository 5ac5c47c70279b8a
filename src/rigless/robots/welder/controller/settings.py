"""The `$` settings: grblHAL's numbers, defaults from the config, limits, and their listings."""

from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller.setting import Setting, other_settings
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.words import GcodeError, read_number

REPORT, JUNCTION, ARC_TOLERANCE, INCHES, SOFT_LIMITS, HARD_LIMITS, HOMING = (
    10,
    11,
    12,
    13,
    20,
    21,
    22,
)
LOCATE_RATE, SEEK_RATE, PULL_OFF, JOG_LIMITS, HOMING_CYCLES, SLEEP = 24, 25, 27, 40, 44, 62
STEPS, RATES, ACCELERATIONS, TRAVEL, ROTARY, REPORT_INTERVAL, FEED_OF_LINEAR = (
    100,
    110,
    120,
    130,
    376,
    481,
    701,
)
REPORT_MPOS, REPORT_BUFFER, REPORT_LINE, REPORT_FEED = 1, 2, 4, 8
REPORT_PINS, REPORT_WCO, REPORT_OVERRIDES, REPORT_PROBE = 16, 32, 64, 128
REPORT_ALARM = 1024
SINGLE_AXIS = 2  # bit of $22
IGNORE_M6 = 4  # value of $341
G73_RETRACT, RESTORE_OVERRIDES, TOOL_CHANGE, VOLATILE_G92 = 28, 60, 341, 384
GROUPS = {
    0: "Root", 1: "General", 2: "Control signals", 3: "Limits", 5: "Coolant", 6: "Spindle",
    9: "Tool change", 11: "Homing", 12: "Probing", 13: "Parking/Safety door", 14: "Jogging",
    35: "Stepper", 42: "Axis",
}  # fmt: skip
AXIS_GROUP = 42  # parent of the groups of the single axes
AXES = 6
STEPS_PER_DEG = 1000.0  # [ours] of a geared arm; at 250 °/s, pulses take 2 µs


def table(config: WelderConfig) -> dict[int, Setting]:
    """Return all settings by number, with the defaults of this config."""
    limits, homing, letters = config.limits, config.homing, config.letters
    masks = [sum(1 << joint - 1 for joint in group) for group in homing.order]
    travel = list(zip(limits.low_deg, limits.high_deg, strict=True))
    rows = [
        Setting(0, 35, "Step pulse time", 2.0, "microseconds", 2.0, 1000.0),
        Setting(1, 35, "Step idle delay", 25, "milliseconds", 0, 65535, True),
        Setting(2, 35, "Step pulse invert", 0, "mask", 0, 63, True),
        Setting(3, 35, "Step direction invert", 0, "mask", 0, 63, True),
        Setting(4, 35, "Invert stepper enable pins", 0, "mask", 0, 63, True),
        Setting(5, 3, "Invert limit inputs", 0, "mask", 0, 63, True),
        Setting(6, 12, "Invert probe inputs", 0, "mask", 0, 7, True),
        Setting(REPORT, 1, "Status report options", 511, "bitfield", 0, 65535, True),
        Setting(JUNCTION, 1, "Junction deviation", config.junction_deviation, "mm", 1e-6, 1000),
        Setting(ARC_TOLERANCE, 1, "Arc tolerance", config.arc_tolerance, "mm", 1e-6, 1000),
        Setting(INCHES, 1, "Report in inches", 0, "boolean", 0, 1, True),
        Setting(
            SOFT_LIMITS, 3, "Soft limits enable", int(config.soft_limits), "boolean", 0, 1, True
        ),
        Setting(HARD_LIMITS, 3, "Hard limits enable", 0, "bitfield", 0, 7, True),
        Setting(HOMING, 11, "Homing cycle", 3 + 4 * homing.required, "bitfield", 0, 1023, True),
        Setting(LOCATE_RATE, 11, "Homing locate feed rate", homing.locate_degpm, "deg/min", 1, 1e6),
        Setting(SEEK_RATE, 11, "Homing search seek rate", homing.seek_degpm, "deg/min", 1, 1e6),
        Setting(26, 11, "Homing switch debounce delay", 25, "milliseconds", 0, 65535, True),
        Setting(
            PULL_OFF, 11, "Homing switch pull-off distance", homing.pull_off_deg, "deg", 0.001, 90
        ),
        Setting(30, 6, "Maximum spindle speed", 1000.0, "RPM", 0, 1e6),
        Setting(31, 6, "Minimum spindle speed", 0.0, "RPM", 0, 1e6),
        Setting(32, 1, "Mode of operation", 0, "integer", 0, 2, True),
        Setting(JOG_LIMITS, 14, "Limit jog commands", 0, "boolean", 0, 1, True),
        *(
            Setting(
                HOMING_CYCLES + n, 11, f"Axes homing, pass {n + 1}",
                masks[n] if n < len(masks) else 0, "axismask", 0, 63, True,
            )
            for n in range(AXES)
        ),
        Setting(SLEEP, 1, "Sleep enable", 1, "boolean", 0, 1, True),
        *_per_axis(letters, STEPS, "travel resolution", "step/deg", (STEPS_PER_DEG,) * AXES, 1e-3),
        *_per_axis(
            letters, RATES, "maximum rate", "deg/min",
            tuple(60.0 * v for v in limits.max_degps), 1.0,
        ),
        *_per_axis(letters, ACCELERATIONS, "acceleration", "deg/sec^2", limits.max_degps2, 1e-3),
        *_per_axis(letters, TRAVEL, "maximum travel", "deg",
                   tuple(high - low for low, high in travel), 0.0),
        Setting(ROTARY, 35, "Rotational axes", 7, "bitfield", 0, 7, True),
        Setting(REPORT_INTERVAL, 1, "Autoreport interval", 0, "ms", 100, 1000, True, or_zero=True),
        Setting(
            FEED_OF_LINEAR, 1, "Feed rate applies to linear axes only", 0, "boolean", 0, 1, True
        ),
        *other_settings(config.planner_blocks),
    ]  # fmt: skip
    return {row.number: row for row in sorted(rows, key=lambda row: row.number)}


def _per_axis(
    letters: str, first: int, name: str, unit: str, values: tuple[float, ...], low: float
) -> list[Setting]:
    return [
        Setting(first + axis, AXIS_GROUP + 1 + axis, f"{letter}-axis {name}", value, unit, low)
        for axis, (letter, value) in enumerate(zip(letters, values, strict=True))
    ]


def defaults(rows: dict[int, Setting]) -> dict[int, float]:
    return {number: float(row.default) for number, row in rows.items()}


def parse(setting: Setting, text: str) -> float:
    """Return the value of `$n=value`. Raises GcodeError."""
    value, end = read_number(text.strip(), 0)
    if end != len(text.strip()):
        raise GcodeError(codes.BAD_NUMBER)
    if value < 0 <= setting.low:
        raise GcodeError(codes.BAD_NUMBER if setting.whole else codes.NEGATIVE_VALUE)
    fits = setting.low <= value <= setting.high or (setting.or_zero and value == 0)
    if not fits or (setting.whole and value != int(value)):
        raise GcodeError(codes.SETTING_OUT_OF_RANGE)
    return value


def shown(setting: Setting, value: float) -> str:
    return f"${setting.number}={int(value)}" if setting.whole else f"${setting.number}={value:.3f}"


def described(setting: Setting) -> str:
    """Return a line of `$ES`."""
    kind = KINDS.index(_kind(setting))
    head = f"{setting.number}|{setting.group}|{setting.name}|{setting.unit}|{kind}"
    limits = f"{setting.low:g}|{setting.high:g}|0|{int(setting.or_zero)}"
    return f"[SETTING:{head}|{_format(setting)}|{limits}]"


GRBL_HEAD = '"$-Code"," Setting"," Units"," Setting Description"'
HAL_HEAD = "$-Code\tSetting\tUnits\tDatatype\tData format\tSetting Description\tMin\tMax"


def described_grbl(setting: Setting) -> str:
    """Return a line of `$ESG`, the format of grbl's setting lists."""
    return f'"{setting.number}","{setting.name}","{setting.unit}","{setting.name}.",'


def described_hal(setting: Setting) -> str:
    """Return a line of `$ESH`."""
    kind = "float" if _kind(setting) == "decimal" else _kind(setting)
    head = f"{setting.number}\t{setting.name}\t{setting.unit}\t{kind}"
    head += f"\t{_format(setting)}\t{setting.name}."
    return f"{head}\t{setting.low:g}\t{setting.high:g}\t0\t{int(setting.or_zero)}"


KINDS = ("bool", "bitfield", "xbitfield", "radiobuttons", "axismask", "integer", "decimal")


def _kind(setting: Setting) -> str:
    if setting.unit == "boolean":
        return "bool"
    return "integer" if setting.whole else "decimal"


def _format(setting: Setting) -> str:
    """Return the number format for a sender."""
    return {"bool": "", "integer": "#######0"}.get(_kind(setting), "#######0.000")
