"""robot_config.json files in `rigless run`: detection, names, lines, `--set` and fleets."""

import json
import math
from pathlib import Path

import pytest

from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.recordings.replay import verify
from rigless.robots.agv.native import LARGEST, read_native
from rigless.scenario import kinds
from rigless.scenario.load import demo, open_target
from rigless.worlds.bundled import bundled_mazes

from .configs import GONE, SEED_TEXT, changed, seed

ROOT = Path(__file__).parents[3]
SEED_FILE = ROOT.parent / "shared" / "seeds" / "agv-robot-runtime.txt"
EXAMPLES = ROOT / "examples" / "agv"


def write(folder, config, name="robot_config.json"):
    path = folder / name
    path.write_text(config if isinstance(config, str) else json.dumps(config, indent=1))
    return path


def problems(target, settings=()):
    with pytest.raises(InputError) as caught:
        open_target(target, settings)
    return caught.value.problems


def opened(tmp_path, toml, settings=()):
    path = tmp_path / "scenario.toml"
    path.write_text(toml)
    return open_target(path, settings)


# Detection of files


def test_the_example_is_the_seeds():
    if SEED_FILE.is_file():  # next to the checkout, if present
        text = SEED_FILE.read_text("utf-8")
        begin = text.index("{", text.index("robot_config.json (example excerpt):"))
        assert json.JSONDecoder().raw_decode(text[begin:])[0] == seed()
    assert seed()["identity"]["robotId"] == "RBT-001"


def test_what_is_not_a_robots(tmp_path):
    assert [read_native(maze) for maze in bundled_mazes().values()] == [None] * len(bundled_mazes())
    for text in ("{}", "[]", "", '{"motors": []}', '{"a": {"schemaVersion": 1}}', "x" * 100):
        assert read_native(write(tmp_path, text, "other.json")) is None
    assert read_native(write(tmp_path, seed(), "robot_config.txt")) is None
    assert read_native(tmp_path / "nowhere.json") is None


def test_a_file_without_a_version_is_not_laid_over_another_robot(tmp_path):
    path = write(tmp_path, changed({"schemaVersion": GONE, "streams": GONE}, seed()))
    found = problems(path, ["runtime.mode=MOCK"])
    assert [(problem.where, problem.code) for problem in found] == [
        ("schemaVersion", "KEY_REQUIRED"),
        ("streams", "KEY_REQUIRED"),
    ]


def test_flaws_are_told_with_file_line_and_column(tmp_path):
    path = write(tmp_path, '{"schemaVersion": 1,\n "identity": {},\n "identity": NaN,\n}')
    assert [str(problem) for problem in problems(path)] == [
        f"{path}:3: identity: column 2: the key 'identity' is given twice"
        " (the first one is on line 2) [NOT_JSON]",
        f"{path}:3: identity: column 14: NaN is not a JSON number"
        " (write a finite number, or leave the key out) [NOT_JSON]",
        f"{path}:3: column 17: there is a comma before '}}' (remove it) [NOT_JSON]",
    ]


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b'{"schemaVersion": 1,\n "name": "\xff"}', "NOT_UTF8", 2),
        (b'{"schemaVersion": 1, "x": "' + b"x" * LARGEST + b'"}', "TOO_LARGE", 0),
        (b'["schemaVersion"]', "NOT_AN_OBJECT", 1),
    ],
)
def test_files_that_cannot_be_read(tmp_path, data, code, line):
    path = tmp_path / "robot_config.json"
    path.write_bytes(data)
    (found,) = problems(path)
    assert (found.code, found.line, found.file) == (code, line, str(path))


def test_a_byte_order_mark_is_passed_over(tmp_path):
    path = tmp_path / "robot_config.json"
    path.write_bytes(b"\xef\xbb\xbf" + SEED_TEXT.read_bytes())
    assert read_native(path).data["identity"]["robotId"] == "RBT-001"


def test_paths_are_resolved_beside_the_file(tmp_path, monkeypatch):
    (tmp_path / "robot.creds").write_text("x")
    (tmp_path / "hall.yaml").write_text("x")
    profile = {"runtime.simulationProfile": {"map": "hall.yaml"}}
    path = write(tmp_path, changed({"nats.credsFilePath": "robot.creds", **profile}))
    monkeypatch.chdir("/")
    config = read_native(path).data
    assert config["nats"]["credsFilePath"] == str(tmp_path / "robot.creds")
    assert config["runtime"]["simulationProfile"]["map"] == str(tmp_path / "hall.yaml")
    elsewhere = write(
        tmp_path,
        changed(
            {
                "nats.credsFilePath": "/etc/x.creds",
                "runtime.simulationProfile": {"map": "apartment"},
            }
        ),
    )
    config = read_native(elsewhere).data
    assert (config["nats"]["credsFilePath"], config["runtime"]["simulationProfile"]["map"]) == (
        "/etc/x.creds",
        "apartment",
    )


# Running it


def test_the_seeds_example_runs_as_it_is_in_mode_mock():
    built = open_target(SEED_TEXT, ["runtime.mode=MOCK"])
    assert list(built.simulation.robots) == ["RBT-001"]
    assert [note.rpartition("[")[2] for note in built.notes] == [
        "LIMIT_SENSOR_FREE]",
        "STOP_DISTANCE_MISSING]",
        "TRACK_WIDTH_MISSING]",
        "CREDS_MISSING]",
    ]
    built.simulation.run(1)
    assert {message.robotId for message in built.simulation.take("RBT-001", "nats")} == {"RBT-001"}


def test_the_seeds_example_wants_drivers_in_mode_real():
    found = problems(SEED_TEXT)
    assert {problem.code for problem in found} == {"CREDS_MISSING", "NO_DRIVER"}
    first = next(problem for problem in found if "PLC" in problem.what)
    assert str(first).startswith(
        f"{SEED_TEXT}:9: motors[0].driver.type: no driver installed for PLC: drive_left, "
    )


def test_every_problem_has_its_line_and_settings_reach_lists(tmp_path):
    path = write(tmp_path, changed({"motors.1.motorId": "drive_left", "streams.stateHz": "x"}))
    lines = path.read_text().splitlines()
    found = problems(path, ["motors.2.limits.maxSpeed.unit=parsec"])
    assert [problem.code for problem in found] == [
        "WRONG_TYPE",
        "DUPLICATE_MOTOR_ID",
        "UNKNOWN_UNIT",
        "WHEELS_ON_ONE_SIDE",
    ]
    assert [lines[problem.line - 1].strip().partition(":")[0] for problem in found] == [
        '"stateHz"',
        '"motorId"',
        '"unit"',
        '"motors"',
    ]
    (found,) = problems(path, ["motors.9.motorId=x"])
    assert str(found) == "--set motors.9.motorId: motors has no element '9' (0 to 3)"


def test_settings_of_the_own_robot_reach_its_lists():
    robot = open_target(
        "agv", ["motors.0.limits.maxSpeed.value=1.0", "identity.robotId=x-9"]
    ).simulation.robot("x-9")
    assert [motor.limits.maxSpeed.value for motor in robot.config.motors[:2]] == [1.0, 1.2]


@pytest.mark.parametrize(
    ("file", "robot", "motors", "inputs"),
    [
        ("telescopic_lift.json", "lift-01", 6, {"mast_down", "pallet_seen"}),
        ("track_shuttle.json", "shuttle-7", 2, {"tote_on_belt", "bumper"}),
    ],
)
def test_new_motors_inputs_and_devices_by_config_alone(file, robot, motors, inputs):
    built = open_target(EXAMPLES / file)
    assert built.notes == ()
    built.simulation.run(1.5)
    agv, config = built.simulation.robot(robot), json.loads((EXAMPLES / file).read_text("utf-8"))
    assert inputs < set(agv.inputs)
    said = built.simulation.take(robot, "nats")
    state = next(message.payload for message in reversed(said) if message.type == "state")
    assert [motor.motorId for motor in state.motors] == [
        motor["motorId"] for motor in config["motors"]
    ]
    assert len(state.motors) == motors
    telemetry = next(message.payload for message in said if message.type == "telemetry")
    assert set(telemetry.devices) == {device["deviceId"] for device in config["io"]["devices"]}


def test_a_script_of_the_shuttle_is_played():
    sim = open_target(EXAMPLES / "track_shuttle.json").simulation
    sim.run(1)
    read = [
        message.payload.data
        for message in sim.take("shuttle-7", "nats")
        if message.type == "events"
    ]
    assert {"code": "HELLO", "deviceId": "floor_scanner"} in read


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "NOT_JSON"), ("{nope", "NOT_JSON"), ("[]", "NOT_AN_OBJECT"), ("{}", "KEY_REQUIRED")],
)
def test_a_file_of_that_name_is_a_robot_however_broken(tmp_path, text, code):
    path = tmp_path / "robot_config.json"
    path.write_text(text)
    assert code in {problem.code for problem in problems(path)}


def test_lists_and_objects_are_called_so(tmp_path):
    path = write(tmp_path, changed({"motors": {}, "io": []}))
    found = {problem.where: problem.what for problem in problems(path)}
    assert found["motors"] == "{} is not right: it should be a list"
    assert found["io"] == "[] is not right: it should have keys of its own"


# Fleets

FLEET = f"""
[[robots]]
kind = "agv"
count = 3
config = {json.dumps(str(EXAMPLES / "track_shuttle.json"))}
"""


def test_a_fleet_shares_its_server_and_each_has_its_own_name(tmp_path):
    built = opened(tmp_path, FLEET, ["shuttle-7.streams.stateHz=2"])
    names = ["shuttle-7-1", "shuttle-7-2", "shuttle-7-3"]
    robots = built.simulation.robots
    assert list(robots) == names
    assert [robot.config.identity.robotId for robot in robots.values()] == names
    assert [robot.config.identity.robotCode for robot in robots.values()] == [
        "SH-7-1",
        "SH-7-2",
        "SH-7-3",
    ]
    assert {built.addresses[name, "nats"] for name in names} == {"127.0.0.1:4222"}
    assert {robot.config.streams.stateHz for robot in robots.values()} == {2.0}


NAMED = """
[[robots]]
kind = "agv"
name = "AGV"
count = 2
config = { streams = { stateHz = 5 } }
[[robots]]
kind = "agv"
name = "spare"
[[robots]]
kind = "agv"
name = "desk"
config = { identity = { robotId = "own" } }
"""


def test_the_name_in_a_scenario_is_the_robot_id_unless_the_config_has_one(tmp_path):
    robots = opened(tmp_path, NAMED).simulation.robots
    ids = {name: robot.config.identity.robotId for name, robot in robots.items()}
    assert ids == {"AGV-1": "AGV-1", "AGV-2": "AGV-2", "spare": "spare", "desk": "own"}
    assert robots["AGV-1"].config.streams.stateHz == 5


def test_robots_of_a_fleet_do_not_stand_in_each_other(tmp_path):
    text = '[world]\nmap = "open"\n[[robots]]\nkind = "agv"\ncount = 45\n'
    (tmp_path / "fleet.toml").write_text(text)
    sim = open_target(tmp_path / "fleet.toml").simulation
    places = [sim.truth(name).pose[:2] for name in sim.robots]
    assert places[0] == (0.0, 0.0)
    assert min(math.dist(a, b) for n, a in enumerate(places) for b in places[:n]) > 1.7


def test_a_recording_of_a_fleet_replays(tmp_path):
    built = opened(tmp_path, FLEET)
    origin = json.loads(built.simulation.core.origin["scenario"])["robots"]
    assert [(entry["count"], entry["config"]["identity"]["robotId"]) for entry in origin] == [
        (3, "shuttle-7")
    ]
    path = tmp_path / "fleet.mcap"
    path.write_bytes(record_to_bytes(built.simulation, 0.3))
    assert verify(path).difference is None


def test_a_recording_of_a_real_robot_replays_without_its_drivers(tmp_path, monkeypatch):
    real = write(
        tmp_path,
        changed({"runtime.mode": "REAL", "nats.credsFilePath": str(tmp_path / "gone.creds")}),
    )
    (tmp_path / "gone.creds").write_text("BEGIN NATS USER JWT BEGIN USER NKEY SEED")
    (tmp_path / "gone.creds").chmod(0o600)
    path = tmp_path / "real.mcap"
    path.write_bytes(record_to_bytes(open_target(real).simulation, 0.2))
    (tmp_path / "gone.creds").unlink()
    assert {problem.code for problem in problems(real)} == {"CREDS_MISSING"}
    assert verify(path).difference is None


def test_an_id_that_is_too_long_for_a_fleet(tmp_path):
    toml = (
        f'[[robots]]\nkind = "agv"\ncount = 10\n[robots.config.identity]\nrobotId = "{"x" * 62}"\n'
    )
    with pytest.raises(InputError, match="has more than 64 characters"):
        opened(tmp_path, toml)


@pytest.mark.parametrize(("name", "robot_id"), [("hall", "hall"), ("hall.3", "agv")])
def test_a_name_in_the_scenario_is_the_name_on_the_wire_where_it_can_be(tmp_path, name, robot_id):
    sim = opened(tmp_path, f'[[robots]]\nkind = "agv"\nname = "{name}"\n').simulation
    sim.run(0.5)
    assert {message.robotId for message in sim.take(name, "nats")} == {robot_id}


def test_two_robots_of_one_id(tmp_path):
    entry = (
        '[[robots]]\nkind = "agv"\nname = "{}"\nconfig = {{ identity = {{ robotId = "agv" }} }}\n'
    )
    with pytest.raises(InputError, match="two robots have the name 'agv' on the wire"):
        opened(tmp_path, entry.format("a") + entry.format("b"))


def test_a_demo_leaves_them_their_server(monkeypatch):
    monkeypatch.setattr(
        kinds, "installed", lambda: ["agv"]
    )  # the others need not be compiled for it
    built = demo([str(EXAMPLES / "track_shuttle.json")])
    assert {built.addresses[name, "nats"] for name in ("agv-1", "shuttle-7")} == {"127.0.0.1:4222"}
    assert not [note for note in built.notes if "nats" in note]
