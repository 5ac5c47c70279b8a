"""One `$` setting, and the settings of grblHAL that have little or no effect here.

Senders list, store and restore them. Defaults and limits are the firmware's. Only $28 (G73), $60
(overrides at M30), $341 (4: M6 is ignored) and $384 (G92 in permanent memory) have an effect.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    number: int
    group: int
    name: str
    default: float
    unit: str = ""
    low: float = 0.0
    high: float = 1e7
    whole: bool = False
    or_zero: bool = False  # 0 (off) is valid though it is below `low`


def _mask(number: int, group: int, name: str, default: int, high: int) -> Setting:
    return Setting(number, group, name, default, "mask", 0, high, True)


def _switch(number: int, group: int, name: str) -> Setting:
    return Setting(number, group, name, 0, "boolean", 0, 1, True)


def _delay(number: int, group: int, name: str, default: float) -> Setting:
    return Setting(number, group, name, default, "s", 0.5, 20.0, or_zero=True)


def other_settings(planner_blocks: int) -> list[Setting]:
    return [
        _mask(9, 6, "PWM spindle options", 1, 15),
        _mask(14, 2, "Invert control inputs", 0, 65535),
        _mask(15, 5, "Invert coolant outputs", 0, 3),
        _mask(17, 2, "Pull-ups of control inputs off", 0, 65535),
        _mask(18, 3, "Pull-ups of limit inputs off", 0, 63),
        _mask(19, 12, "Pull-ups of probe inputs off", 0, 7),
        _mask(23, 11, "Homing direction invert", 0, 63),
        Setting(28, 1, "G73 retract distance", 0.1, "mm"),
        Setting(29, 35, "Pulse delay", 0.0, "microseconds", 0.0, 20.0),
        Setting(33, 6, "Spindle PWM frequency", 5000.0, "Hz"),
        Setting(34, 6, "Spindle PWM value when off", 0.0, "percent", 0.0, 100.0),
        Setting(35, 6, "Least spindle PWM value", 0.0, "percent", 0.0, 100.0),
        Setting(36, 6, "Largest spindle PWM value", 100.0, "percent", 0.0, 100.0),
        _mask(37, 35, "Motors that stay enabled", 0, 63),
        _switch(39, 1, "Legacy realtime commands"),
        _mask(41, 13, "Parking cycle", 0, 7),
        Setting(42, 13, "Parking axis", 2, "integer", 0, 2, True),
        Setting(43, 11, "Homing passes", 1, "integer", 1, 128, True),
        Setting(56, 13, "Parking pull-out distance", 5.0, "mm"),
        Setting(57, 13, "Parking pull-out rate", 100.0, "mm/min"),
        Setting(58, 13, "Parking target", -5.0, "mm", -100_000.0),
        Setting(59, 13, "Parking fast rate", 500.0, "mm/min"),
        _switch(60, 1, "Overrides at 100 % at the program's end"),
        _mask(61, 13, "Safety door options", 0, 3),
        _mask(63, 1, "Feed hold actions", 3, 7),
        _switch(64, 1, "Alarm at the start"),
        _mask(65, 12, "Probing options", 0, 3),
        Setting(341, 9, "Tool change mode", 0, "integer", 0, 4, True),
        Setting(342, 9, "Tool change probing distance", 30.0, "mm"),
        Setting(343, 9, "Tool change locate feed rate", 25.0, "mm/min"),
        Setting(344, 9, "Tool change search seek rate", 200.0, "mm/min"),
        Setting(345, 9, "Tool change pull-off rate", 200.0, "mm/min"),
        _mask(346, 9, "Tool change options", 1, 7),
        _switch(384, 1, "G92 is not kept over a restart"),
        _delay(392, 13, "Spindle delay after the door", 4.0),
        _delay(393, 13, "Coolant delay after the door", 1.0),
        _delay(394, 6, "Spindle on delay", 0.0),
        Setting(398, 1, "Planner blocks", planner_blocks, "integer", 30, 1000, True),
        _switch(485, 9, "Tool number is kept over a restart"),
        _mask(486, 1, "Locked coordinate systems", 0, 7),
        _switch(534, 1, "Debug messages of programs"),
        _mask(538, 35, "Rotary axes take the short way to G28", 0, 7),
        _delay(539, 6, "Spindle off delay", 0.0),
        _delay(673, 5, "Coolant on delay", 0.0),
        _mask(676, 1, "Reset actions", 15, 15),
        Setting(680, 35, "Stepper enable delay", 0, "ms", 0, 500, True),
    ]
