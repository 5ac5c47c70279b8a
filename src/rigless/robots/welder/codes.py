"""The numbers that a grblHAL controller answers with, and what they mean. Numbers are grblHAL's; the words are ours."""

OK = 0
EXPECTED_LETTER, BAD_NUMBER, INVALID_STATEMENT, NEGATIVE_VALUE, HOMING_DISABLED = 1, 2, 3, 4, 5
NOT_IDLE, LOCKED, SOFT_LIMIT_NEEDS_HOMING, OVERFLOW = 8, 9, 10, 11
CHECK_DOOR, LINE_TOO_LONG, TRAVEL_EXCEEDED, INVALID_JOG = 13, 14, 15, 16
UNSUPPORTED, GROUP_VIOLATION, NO_FEED, NOT_INTEGER, AXIS_CONFLICT, REPEATED, NO_AXIS_WORDS = 20, 21, 22, 23, 24, 25, 26
BAD_LINE_NUMBER, VALUE_MISSING, BAD_COORDINATES, G53_MOTION, AXIS_WORDS_EXIST, NOT_IN_PLANE = 27, 28, 29, 30, 31, 32
BAD_TARGET, BAD_RADIUS, NO_OFFSETS, UNUSED_WORDS, BAD_TOOL, OUT_OF_RANGE = 33, 34, 35, 36, 38, 39
SETTING_OUT_OF_RANGE, SETTING_DISABLED, PORT_UNAVAILABLE = 52, 53, 58
EMERGENCY_STOP, NOT_WHILE_CRITICAL, FLOW_IN_MACROS_ONLY, FLOW_SYNTAX = 50, 79, 80, 81
UNKNOWN_OPERATION, DIVIDED_BY_ZERO, EXPRESSION_RANGE, EXPRESSION_ARGUMENT, EXPRESSION_SYNTAX, EXPRESSION_RESULT = range(
    71, 77
)

ERRORS: dict[int, str] = {
    1: "A word of G-code starts with a letter; none was found.",
    2: "The number of a word is missing or is not a number.",
    3: "This '$' command is not known.",
    4: "A value is negative that must not be.",
    5: "Homing is not switched on in the settings.",
    6: "The step pulse is too short.",
    7: "Settings could not be read; they are back at their defaults.",
    8: "This '$' command needs the state Idle.",
    9: "No G-code while in alarm or jogging.",
    10: "Soft limits need homing to be switched on.",
    11: "The line is too long; it was not executed.",
    12: "The setting asks for a step rate beyond the largest.",
    13: "The safety door is open.",
    14: "Build info or start-up line is too long; it was not stored.",
    15: "The jog would leave the travel of the machine; it was ignored.",
    16: "A jog has no '=' or contains G-code that is not allowed in it.",
    17: "Laser mode needs a PWM output.",
    18: "Reset is asserted.",
    19: "A value is not positive.",
    20: "An unknown or invalid command is in the block.",
    21: "Two commands of one modal group are in the block.",
    22: "The feed rate has not been set.",
    23: "A command needs an integer.",
    24: "Two commands that need axis words are in the block.",
    25: "A word is repeated in the block.",
    26: "A command needs axis words and has none.",
    27: "The line number is not valid.",
    28: "A command lacks a value word that it needs.",
    29: "There is no such work coordinate system.",
    30: "G53 goes with G0 and G1 only.",
    31: "There are axis words that no command uses.",
    32: "An arc has no axis word in its plane.",
    33: "The target of the motion is not valid.",
    34: "The radius of the arc is not valid.",
    35: "An arc has no offset in its plane.",
    36: "There are value words that no command uses.",
    37: "The tool length offset is not on the configured axis.",
    38: "The tool number is beyond the largest, or not defined.",
    39: "A value is out of range.",
    40: "A tool change is pending.",
    41: "The spindle does not turn.",
    42: "The plane must be ZX.",
    43: "The feed rate is beyond the largest.",
    44: "The spindle speed is out of range.",
    45: "A limit switch is engaged; only homing is allowed.",
    46: "Home the machine to go on.",
    47: "The current tool is not set; set it with M61.",
    48: "Two value words contradict each other.",
    49: "The self test failed; a hard reset is needed.",
    50: "The emergency stop is active.",
    51: "A motor has a fault.",
    52: "The setting's value is out of range.",
    53: "The setting is not available.",
    54: "The retract position is below the drilling depth.",
    55: "Two auto-squared axes cannot be homed at once.",
    56: "The coordinate system is locked.",
    57: "A file demarcation was not expected here.",
    58: "The port is not available.",
    60: "The card could not be mounted.",
    61: "The file could not be read.",
    62: "The folder could not be opened.",
    63: "The folder was not found.",
    64: "The card is not mounted.",
    65: "The file system is not mounted.",
    66: "The file system can only be read.",
    70: "Bluetooth could not be started.",
    71: "An expression has an unknown operation.",
    72: "An expression divides by zero.",
    73: "An argument of an expression is too large or too small.",
    74: "An argument does not fit the operation.",
    75: "The expression is not valid.",
    76: "The result of the expression is not a number.",
    77: "Authentication is required.",
    78: "Access is denied.",
    79: "Not allowed while a critical event is active.",
    80: "A flow statement is allowed in a macro file only.",
    81: "The flow statement is not known.",
    82: "The stack of flow statements overflowed.",
    83: "There is no memory left for the flow statement.",
    84: "The file could not be opened.",
    85: "The file system could not be formatted.",
    86: "The port cannot be used.",
    87: "There is a tool in the spindle.",
    88: "There is no tool in the spindle.",
    89: "The file could not be deleted.",
    90: "Cutter compensation is already active.",
    91: "Not allowed while cutter compensation is active.",
    92: "Cutter compensation does not fit the move.",
}

ALARM_HARD_LIMIT, ALARM_SOFT_LIMIT, ALARM_ABORT, ALARM_PROBE_INITIAL, ALARM_PROBE_CONTACT = 1, 2, 3, 4, 5
ALARM_HOMING_RESET, ALARM_HOMING_DOOR, ALARM_HOMING_APPROACH = 6, 7, 9
ALARM_ESTOP, ALARM_HOMING_REQUIRED, ALARM_MOTOR_FAULT = 10, 11, 17
PROBE_ALARMS = (ALARM_PROBE_INITIAL, ALARM_PROBE_CONTACT)
OUTLIVES_STOP = (ALARM_HOMING_REQUIRED, 12, 13)  # a stop does not end these
CRITICAL = (ALARM_HARD_LIMIT, ALARM_SOFT_LIMIT, ALARM_ESTOP, ALARM_MOTOR_FAULT)  # nothing but a reset ends these

ALARMS: dict[int, str] = {
    1: "A hard limit was hit. The position is likely lost; home again.",
    2: "A target is beyond the soft limits. The position is kept; it is safe to unlock.",
    3: "Reset while in motion. The position is likely lost; home again.",
    4: "The probe was not in the state it must have before probing.",
    5: "The probe did not touch within the programmed travel.",
    6: "Homing was reset.",
    7: "The safety door was opened while homing.",
    8: "Pulling off did not clear the limit switch.",
    9: "No limit switch was found within the search distance.",
    10: "The emergency stop is asserted; clear it and reset.",
    11: "Homing is required; home with $H.",
    12: "A limit switch is engaged; clear it.",
    13: "Probe protection was triggered; clear it.",
    14: "The spindle did not reach its speed in time.",
    15: "The second switch of an auto-squared axis was not found.",
    16: "The self test at power-on failed.",
    17: "A motor has a fault.",
    18: "Homing is configured wrongly.",
    19: "A Modbus device timed out or sent an error.",
    20: "An I/O expander cannot be reached.",
    21: "The settings memory failed.",
    22: "A buffer overflowed.",
}
