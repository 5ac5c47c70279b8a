"""Files of shrunk scenarios: paths from another folder, native configs, and programs."""

from pathlib import Path

from rigless.runs.request import Request, run_here
from rigless.scenario.load import open_target
from rigless.sweeps.shrink import shrink
from rigless.sweeps.shrink.draft import moved, read_draft

ROOT = Path(__file__).resolve().parents[2]
MAP = ROOT / "src" / "rigless" / "worlds" / "data" / "empty_room.yaml"
NATIVE = ROOT / "tests" / "robots" / "vacuum" / "mock.toml"
SCENARIO = """
seed = 5
duration_s = 3
[world]
map = "maps/room.yaml"
[[robots]]
kind = "vacuum"
config = "mock.toml"
start = { x = 0.0, y = 0.0 }
[[robots]]
kind = "./thermostat"
[[faults]]
at_s = 1
robot = "vacuum"
target = "lidar"
kind = "off"
[[expect]]
robot = "vacuum"
event = "fault-injected"
seen = false
[vary]
seed = [1, 2]
"""


def files(folder):
    """Write a scenario with a map, a native config and a robot folder next to it."""
    (folder / "maps").mkdir(parents=True)
    for path in MAP.parent.glob("empty_room.*"):
        name = "room.yaml" if path.suffix == ".yaml" else path.name
        (folder / "maps" / name).write_bytes(path.read_bytes())
    (folder / "mock.toml").write_bytes(NATIVE.read_bytes())
    (folder / "thermostat").symlink_to(ROOT / "examples" / "thermostat")
    (folder / "s.toml").write_text(SCENARIO)
    return folder / "s.toml"


def test_a_result_in_another_folder_refers_to_the_same_files(tmp_path):
    path = files(tmp_path / "a")
    out = tmp_path / "b" / "small.toml"
    out.parent.mkdir()
    found = shrink(path, out=out)
    assert found.scenario["robots"][0]["config"] == "mock.toml"  # as in the scenario
    text = out.read_text()
    assert 'map = "../a/maps/room.yaml"' in text
    assert 'config = "../a/mock.toml"' in text
    assert "vary" not in text
    result = run_here(Request(str(out)), open_target(out, collect=False))
    assert [verdict.passed for verdict in result.verdicts] == [False]


def test_a_native_config_that_a_setting_changes_is_written_out(tmp_path):
    path = files(tmp_path / "a")
    draft = read_draft(str(path), ["vacuum.log_interval_s=2.5"])
    config = draft.data["robots"][0]["config"]
    assert config["log_interval_s"] == 2.5
    assert len(config) > 1
    plain = read_draft(str(path), ["thermostat.start_c=21"])
    assert plain.data["robots"][0]["config"] == "mock.toml"
    assert plain.data["robots"][1]["config"] == {"start_c": 21}


def test_paths_are_rewritten_and_names_stay(tmp_path):
    (tmp_path / "x").mkdir()
    data = {
        "world": {"map": "apartment"},
        "robots": [{"kind": "./robot"}, {"kind": "vacuum"}, {"kind": "my.package"}],
        "programs": [
            {"name": "a"},
            {"name": "b", "cwd": "bin"},
            {"name": "c", "cwd": "{run.folder}"},
        ],
    }
    there = moved(data, tmp_path, tmp_path / "x")
    assert there["world"]["map"] == "apartment"
    assert [robot["kind"] for robot in there["robots"]] == ["../robot", "vacuum", "my.package"]
    assert [program["cwd"] for program in there["programs"]] == ["..", "../bin", "{run.folder}"]
    back = moved(there, tmp_path / "x", tmp_path)
    assert [robot["kind"] for robot in back["robots"]] == ["./robot", "vacuum", "my.package"]
    assert moved(data, tmp_path, tmp_path) == data


def test_a_scenario_with_a_program_must_fail_twice_of_three_times(tmp_path):
    folder, out = tmp_path / "a", tmp_path / "b" / "small.toml"
    for place in (folder, out.parent):
        place.mkdir()
    (folder / "s.toml").write_text(
        f'name = "app"\nduration_s = 20\nlate_max_ms = 60000\n'
        f'[[robots]]\nkind = "{ROOT / "examples" / "thermostat"}"\n'
        f'[[programs]]\nname = "nav"\ncommand = ["sh", "-c", "exit 3"]\n'
        '[[faults]]\ntarget = "heater"\nkind = "stall"\n'
        '[[expect]]\nprogram = "nav"\nexit = 0\n'
    )
    found = shrink(folder / "s.toml", out=out, budget=10)
    assert found.trail[0].runs == 2
    assert "exited with 3" in found.detail
    assert found.scenario["faults"] == []
    assert 'cwd = "../a"' in out.read_text()
    assert found.runs <= 10
