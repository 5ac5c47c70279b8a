"""The passes of validation: every code, its place and its severity, and all of them at once."""

import re
from pathlib import Path

import pytest

from rigless.kernel.key_path import dotted
from rigless.robots import agv
from rigless.robots.agv.checks.examine import examine_config
from rigless.robots.agv.checks.shape import CODES
from rigless.robots.agv.schema import schema
from rigless.scenario import requirements

from .check_findings import PROFILE, REAL, check, findings
from .configs import GONE, HERE, changed

AGV = Path(agv.__file__).parent
LENGTH = {"unit": "mm", "value": 1}
SPIN = {"unit": "rpm", "value": 60}
RULES = f"{PROFILE}.faultInjectionRules"
TURNING = {  # the drive motors in angular units
    f"motors.{n}.limits.{name}.unit": unit
    for n in (0, 1)
    for name, unit in {
        "maxSpeed": "rpm",
        "maxAcceleration": "radps2",
        "maxDeceleration": "degps2",
    }.items()
}


def problems(changes, environment=False):
    """Return code, path and severity of each finding."""
    return [
        (problem.code, dotted(problem.path), problem.severity)
        for problem in findings(changes, environment)
    ]


SHAPES = [
    ("KEY_REQUIRED", "identity.robotId", {"identity.robotId": GONE}),
    ("UNKNOWN_KEY", "motors[0].limits.maxSped", {"motors.0.limits.maxSped": 1}),
    ("NOT_A_CHOICE", "runtime.mode", {"runtime.mode": "FAKE"}),
    ("OUT_OF_RANGE", "runtime.tickHz", {"runtime.tickHz": 0}),
    ("WRONG_LENGTH", "nats.servers", {"nats.servers": []}),
    ("BAD_ID", "motors[0].motorId", {"motors.0.motorId": "a b"}),
    ("WRONG_TYPE", "streams.stateHz", {"streams.stateHz": "often"}),
    ("WRONG_TYPE", "streams.stateHz", {"streams.stateHz": "10"}),
    ("WRONG_TYPE", "streams.stateHz", {"streams.stateHz": True}),
    ("WRONG_VALUE", f"{RULES}[0]", {RULES: [{"target": "gripper", "atS": 1, "onCommand": "MOVE"}]}),
]

ERRORS = [
    ("SCHEMA_TOO_NEW", "schemaVersion", {"schemaVersion": 2}),
    (
        "DUPLICATE_MOTOR_ID",
        "motors[1].motorId",
        {"motors.1.motorId": "drive_left", "motors.1.metadata": {"side": "RIGHT"}},
    ),
    ("DUPLICATE_IO_ID", "io.digitalOutputs[0].ioId", {"io.digitalOutputs.0.ioId": "estop"}),
    ("DUPLICATE_DEVICE_ID", "io.devices[1].deviceId", {"io.devices.1.deviceId": "lidar0"}),
    ("ID_TAKEN", "io.devices[0].deviceId", {"io.devices.0.deviceId": "hoist"}),
    ("ID_RESERVED", "motors[2].motorId", {"motors.2.motorId": "nats"}),
    ("FUNCTION_KEY_REQUIRED", "motors[2].functionKey", {"motors.2.functionKey": GONE}),
    (
        "NO_DRIVE_MOTOR",
        "motors",
        {"motors": [], "io.digitalInputs.2": GONE, "io.digitalInputs.1": GONE},
    ),
    ("UNKNOWN_UNIT", "motors[0].limits.maxSpeed.unit", {"motors.0.limits.maxSpeed.unit": "mph"}),
    ("WRONG_UNIT", "motors[0].limits.maxSpeed.unit", {"motors.0.limits.maxSpeed.unit": "mps2"}),
    ("LIMIT_UNITS_DIFFER", "motors[3].limits", {"motors.3.limits.maxSpeed": SPIN}),
    (
        "LIMIT_NOT_POSITIVE",
        "motors[3].limits.maxDeceleration.value",
        {"motors.3.limits.maxDeceleration.value": 0},
    ),
    (
        "LIMIT_OUT_OF_REASON",
        "motors[3].limits.maxSpeed.value",
        {"motors.3.limits.maxSpeed.value": 1e12},
    ),
    (  # mm/s written as m/s
        "LIMIT_OUT_OF_REASON",
        "motors[0].limits.maxSpeed.value",
        {f"motors.{n}.limits.maxSpeed.value": 1200 for n in (0, 1)},
    ),
    (  # plausible for a motor, but not for a wheel without a gear
        "LIMIT_OUT_OF_REASON",
        "motors[0].limits.maxSpeed.value",
        TURNING | {f"motors.{n}.limits.maxSpeed.value": 3000 for n in (0, 1)},
    ),
    (
        "POSITION_RANGE_EMPTY",
        "motors[3].limits.positionMin",
        {"motors.3.limits.positionMin": {"unit": "m", "value": 0.3}},
    ),
    (
        "DRIVE_UNITS_DIFFER",
        "motors",
        {k: v for k, v in TURNING.items() if "motors.0" in k}
        | {"motors.0.metadata": {"wheelDiameterMm": 200}},
    ),
    (
        "BAD_WHEEL",
        "motors[0].metadata.wheelDiameterMm",
        {"motors.0.metadata": {"wheelDiameterMm": 0}},
    ),
    ("BAD_WHEEL", "motors[0].metadata.side", {"motors.0.metadata": {"side": "front"}}),
    ("WHEELS_ON_ONE_SIDE", "motors", {"motors.1.motorId": "the_left_one"}),
    (
        "DIFFERENTIAL_NEEDS_TWO",
        f"{PROFILE}.kinematics",
        {"motors.1": GONE, f"{PROFILE}.kinematics": "DIFFERENTIAL"},
    ),
    (
        "UNKNOWN_COMMAND",
        "capabilities.supportedCommands[1]",
        {"capabilities.supportedCommands": ["STOP", "JUMP"]},
    ),
    (
        "UNKNOWN_COMMAND",
        f"{RULES}[0].onCommand",
        {RULES: [{"target": "gripper", "onCommand": "GRIPP"}]},
    ),
    (
        "CAPABILITY_WITHOUT_MOTOR",
        "capabilities.flags.hasTelescope",
        {"capabilities.flags.hasTelescope": True},
    ),
    (
        "LIMIT_MOTOR_UNKNOWN",
        "io.digitalInputs[1].driver.config.motorId",
        {"io.digitalInputs.1.driver.config.motorId": "hois"},
    ),
    (
        "LIMIT_EDGE_UNKNOWN",
        "io.digitalInputs[1].driver.config.edge",
        {"io.digitalInputs.1.driver.config.edge": "TOP"},
    ),
    (
        "LIMIT_TOLERANCE_WRONG",
        "io.digitalInputs[1].driver.config.tolerance",
        {"io.digitalInputs.1.driver.config.tolerance": {"unit": "mps", "value": 1}},
    ),
    ("NO_ESTOP_INPUT", "safety.stopOnEstop", {"io.digitalInputs.0": GONE, **REAL}),
    (
        "WARN_BELOW_STOP",
        "safety.obstacleWarnDistanceMeters",
        {
            "safety.obstacleWarnDistanceMeters": 0.5,
            "motors.0.limits.maxSpeed.value": 0.5,
            "motors.1.limits.maxSpeed.value": 0.5,
        },
    ),
    ("BAD_SERVER_URL", "nats.servers[0]", {"nats.servers": ["127.0.0.1:4222"]}),
    ("BAD_SERVER_URL", "nats.servers[0]", {"nats.servers": ["nats://"]}),
    ("BAD_SERVER_URL", "nats.servers[0]", {"nats.servers": ["nats://host:99999"]}),
    ("BAD_SERVER_URL", "nats.servers[0]", {"nats.servers": ["nats://host:0"]}),
    ("BAD_SERVER_URL", "nats.servers[0]", {"nats.servers": ["http://host:4222"]}),
    ("BAD_SERVER_URL", "nats.servers[0]", {"nats.servers": ["nats://host:4222/x"]}),
    ("BAD_BROKER_URL", "vda5050.url", {"vda5050": {"url": "tcp://host:1883"}}),
    ("BAD_BROKER_URL", "vda5050.url", {"vda5050": {"url": "mqtt://me:secret@host:99999"}}),
    ("PASSWORD_IN_BROKER_URL", "vda5050.url", {"vda5050": {"url": "mqtt://me:secret@host"}}),
    ("WEBSOCKET_SERVER", "nats.servers[0]", {"nats.servers": ["wss://host:443"]}),
    ("FAULT_TARGET_UNKNOWN", f"{RULES}[0].target", {RULES: [{"target": "griper", "atS": 1}]}),
    (
        "FAULT_KIND_UNKNOWN",
        f"{RULES}[0].kind",
        {RULES: [{"target": "gripper", "kind": "flat", "atS": 1}]},
    ),
    (
        "FAULT_PARAMS_WRONG",
        f"{RULES}[0].params",
        {RULES: [{"target": "gripper", "kind": "weak", "atS": 1, "params": {"factor": 2}}]},
    ),
    (
        "OBSTACLE_NEVER",
        f"{PROFILE}.obstacleScript[0].untilS",
        {f"{PROFILE}.obstacleScript": [{"atS": 5, "untilS": 5, "x": 1, "y": 0}]},
    ),
    (
        "BARCODE_DEVICE_UNKNOWN",
        f"{PROFILE}.barcodeScript[0].deviceId",
        {f"{PROFILE}.barcodeScript": [{"atS": 1, "code": "A", "deviceId": "scanner9"}]},
    ),
    (
        "BARCODE_DEVICE_UNKNOWN",
        f"{PROFILE}.barcodeScript[0].deviceId",
        {f"{PROFILE}.barcodeScript": [{"atS": 1, "code": "A", "deviceId": "lidar0"}]},
    ),
]

WARNINGS = [
    ("FUNCTION_KEY_ON_DRIVE", "motors[0].functionKey", {"motors.0.functionKey": "GO"}),
    ("DUPLICATE_FUNCTION_KEY", "motors[3].functionKey", {"motors.3.functionKey": "GRIPPER"}),
    ("POSITION_ON_DRIVE", "motors[0].limits", {"motors.0.limits.positionMin": LENGTH}),
    ("POSITION_UNLIMITED", "motors[2].limits", {"motors.2.limits.positionMin": None}),
    (
        "WHEEL_UNKNOWN",
        "motors[0].metadata",
        {**TURNING, "motors.1.metadata": {"wheelDiameterMm": 200}},
    ),
    ("DRIVE_LIMITS_DIFFER", "motors[1].limits.maxSpeed", {"motors.1.limits.maxSpeed.value": 1.0}),
    ("TRACK_WIDTH_MISSING", "dimensions.trackWidthMm", {"dimensions.trackWidthMm": GONE}),
    ("WHEELS_OUTSIDE", "dimensions.trackWidthMm", {"dimensions.trackWidthMm": 651}),
    ("WHEELS_OUTSIDE", "dimensions.wheelBaseMm", {"dimensions.wheelBaseMm": 901}),
    (
        "DUPLICATE_COMMAND",
        "capabilities.supportedCommands[1]",
        {"capabilities.supportedCommands": ["STOP", "STOP", "RESUME"]},
    ),
    (
        "STOP_NOT_SUPPORTED",
        "capabilities.supportedCommands",
        {"capabilities.supportedCommands": ["MOVE", "RESUME"]},
    ),
    (
        "COMMAND_WITHOUT_MEANS",
        "capabilities.supportedCommands[1]",
        {
            "capabilities.supportedCommands": ["STOP", "SET_OUTPUT", "RESUME"],
            "io.digitalOutputs": [],
        },
    ),
    (
        "ESTOP_WITHOUT_ACKNOWLEDGE",
        "capabilities.supportedCommands",
        {"capabilities.supportedCommands": ["STOP", "MOVE"]},
    ),
    ("CAPABILITY_WITHOUT_DEVICE", "capabilities.flags.hasBarcodeScanner", {"io.devices.1": GONE}),
    (
        "LIMIT_SENSOR_FREE",
        "io.digitalInputs[1].driver.config",
        {"io.digitalInputs.1.driver.config": {}},
    ),
    (
        "LIMIT_WITHOUT_END",
        "io.digitalInputs[1].driver.config.edge",
        {"io.digitalInputs.1.driver.config.motorId": "drive_left"},
    ),
    ("NO_ESTOP_INPUT", "safety.stopOnEstop", {"io.digitalInputs.0": GONE}),
    ("ESTOP_NOT_REQUIRED", "io.digitalInputs[0].required", {"io.digitalInputs.0.required": False}),
    ("ESTOP_IGNORED", "safety.stopOnEstop", {"safety.stopOnEstop": False}),
    (
        "STOP_DISTANCE_MISSING",
        "safety.obstacleStopDistanceMeters",
        {"safety.obstacleStopDistanceMeters": None},
    ),
    (
        "STOP_DISTANCE_SHORT",
        "safety.obstacleStopDistanceMeters",
        {"safety.obstacleWarnDistanceMeters": 0.7},
    ),
    (
        "NO_OBSTACLE_SENSOR",
        "safety.stopOnObstacle",
        {"io.devices.0": GONE, "capabilities.flags.hasLidarSafety": False, **REAL},
    ),
    ("RATE_ABOVE_TICK", "streams.stateHz", {"runtime.tickHz": 10, "streams.stateHz": 20}),
    ("STREAMS_SAME", "nats.jetStream", {"nats.jetStream": {"streamOut": "ROBOT_IN"}}),
    ("DUPLICATE_SERVER", "nats.servers[1]", {"nats.servers": ["nats://a:1", "nats://a:1"]}),
    ("PASSWORD_IN_URL", "nats.servers[0]", {"nats.servers": ["nats://me:secret@host:4222"]}),
    ("TOKEN_IN_URL", "nats.servers[0]", {"nats.servers": ["nats://s3cr3t@host:4222"]}),
    (
        "MOTOR_MISSING",
        "io.digitalInputs[1].driver.config.motorId",
        {"motors.3": GONE, "io.digitalInputs.2": GONE},
    ),
    ("PROFILE_IN_REAL", PROFILE, {PROFILE: {}, **REAL}),
    (
        "NO_SCANNER",
        f"{PROFILE}.markers",
        {
            f"{PROFILE}.markers": [{"code": "A", "x": 0, "y": 0}],
            "io.devices.1": GONE,
            "capabilities.flags.hasBarcodeScanner": False,
        },
    ),
]


@pytest.mark.parametrize(("code", "path", "changes"), SHAPES)
def test_shape(code, path, changes):
    (found,) = findings(changes)
    assert (found.code, dotted(found.path), found.severity, found.stage) == (
        code,
        path,
        "error",
        "shape",
    )
    assert found.fix


@pytest.mark.parametrize(
    ("key", "value", "fix"),
    [
        ("runtime.mode", "mock", "did you mean 'MOCK'?"),
        ("motors.1.driver.type", "ETHERCAT", "choose from: CANOPEN, MOCK, PLC, SERIAL"),
        ("streams.trafficHz", GONE, 'add "trafficHz": 10'),
        ("streams", GONE, 'add "streams": {heartbeatHz, stateHz, telemetryHz, trafficHz, taskHz}'),
        ("motors", {}, "for example […]"),
        ("runtime.tickHz", 0, "for example 100"),
        ("motors.3.metadata", [], "correct it, or remove the key"),
        ("nats.servers", [], 'for example ["nats://127.0.0.1:4222"]'),
    ],
)
def test_how_to_mend_a_shape(key, value, fix):
    assert fix in [problem.fix for problem in findings({key: value}) if problem.stage == "shape"]


@pytest.mark.parametrize(("code", "path", "changes"), ERRORS)
def test_what_a_robot_does_not_boot_with(code, path, changes):
    found = findings(changes)
    assert (code, path, "error") in [
        (problem.code, dotted(problem.path), problem.severity) for problem in found
    ]
    assert {problem.code for problem in found if problem.severity == "error"} == {code}
    assert all(problem.what and problem.fix and problem.stage == "cross-field" for problem in found)


@pytest.mark.parametrize(
    "servers",
    [
        ["nats://s3cr3t@host:4222"] * 2,
        ["nats://me:s3cr3t@host:4222/path"],
        ["me:s3cr3t@host"],
        ["http://s3cr3t@host"],
        ["nats://s3cr3t@host:none"],
        ["nats://s3cr3t@:1"],
    ],
)
def test_no_problem_repeats_a_secret_of_a_url(servers):
    found = examine_config(changed({"nats.servers": servers}))[1]
    assert found
    assert "s3cr3t" not in "".join(f"{problem}{problem.fix}" for problem in found)


@pytest.mark.parametrize(("code", "path", "changes"), WARNINGS)
def test_what_may_not_be_meant(code, path, changes):
    assert problems(changes) == [(code, path, "warning")]


def test_the_own_robot_is_faultless():
    config, found = check({})
    assert (config.identity.robotId, found) == ("agv", [])


def test_all_passes_speak_at_once(tmp_path):
    wrong = {
        "runtime.tickHz": "fast",
        "streams.stateHz": None,
        "motors.1.motorId": "drive_left",
        "motors.3.limits": 7,
        "safety.obstacleWarnDistanceMeters": 0.1,
        "nats.credsFilePath": str(tmp_path / "no.creds"),
    }
    found = check(changed(wrong))[1]
    assert [(problem.stage, problem.code) for problem in found] == [
        ("shape", "WRONG_TYPE"),
        ("shape", "WRONG_TYPE"),
        ("shape", "WRONG_TYPE"),
        ("cross-field", "DUPLICATE_MOTOR_ID"),
        ("cross-field", "WARN_BELOW_STOP"),
        ("cross-field", "STOP_DISTANCE_SHORT"),
        ("cross-field", "WHEELS_ON_ONE_SIDE"),
        ("environment", "CREDS_MISSING"),
    ]
    assert found == check(changed(wrong))[1]


@pytest.mark.parametrize(
    "given",
    [7, "x", [], None, {"schemaVersion": 1}, {"schemaVersion": 1, "motors": {"a": 1}, "io": []}],
)
def test_anything_can_be_looked_at(given):
    config, found = check(given)
    assert config is None
    assert found


def test_what_is_laid_over_the_own_robot():
    config, found = check(
        {"motors": {"0": {"limits": {"maxSpeed": {"value": 1}}}}, "extensions": None}
    )
    assert [motor.limits.maxSpeed.value for motor in config.motors[:2]] == [1.0, 1.2]
    assert [problem.code for problem in found] == ["DRIVE_LIMITS_DIFFER"]


def all_codes():
    sources = "".join(
        path.read_text("utf-8")
        for path in [*AGV.glob("checks/*.py"), AGV / "native.py", Path(requirements.__file__)]
    )
    found = set(re.findall(r'(?:error|warning|say)\(\s*"([A-Z_]+)"', sources)) | set(CODES.values())
    found |= set(re.findall(r'(?:Problem|Problem)\(.*"([A-Z]+(?:_[A-Z0-9]+)*)"\)', sources))
    return found | {"DUPLICATE_MOTOR_ID", "DUPLICATE_IO_ID", "DUPLICATE_DEVICE_ID", "ID_TAKEN"}


def test_every_code_is_tried():
    assert len(all_codes()) > 70
    tried = "".join(
        path.read_text("utf-8")
        for path in [*HERE.glob("test_*.py"), HERE.parents[1] / "cli" / "test_agv_validate.py"]
    )
    assert {
        code for code in all_codes() if f'"{code}"' not in tried and f"[{code}]" not in tried
    } == set()


def test_the_reference_names_every_key_and_every_code():
    page = (AGV.parents[3] / "docs" / "reference" / "agv-config.md").read_text("utf-8")
    named = set(re.findall(r"`([A-Za-z_0-9]+)`", page))
    assert {
        key for part in (schema(), *schema()["$defs"].values()) for key in part["properties"]
    } <= named
    assert all_codes() <= named
