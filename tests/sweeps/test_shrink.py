"""Shrinking: a planted failure, properties of every result, rows of a table, and bad input."""

import json
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.runs.request import Request, run_here
from rigless.scenario.load import open_target
from rigless.sweeps.row import Row
from rigless.sweeps.shrink import shrink

ROOT = Path(__file__).resolve().parents[2]
PLANTED = ROOT / "benchmarks" / "_planted.toml"
TOUCHES = "it touches nothing"
ROOM = f"""
name = "room"
seed = 7
duration_s = 40
[[robots]]
name = "hall"
kind = "{ROOT / "examples" / "thermostat"}"
[robots.config]
start_c = 20.25
[[robots]]
name = "attic"
kind = "{ROOT / "examples" / "thermostat"}"
[robots.config]
start_c = 17.25
[[timeline]]
at_s = 3
robot = "hall"
port = "line"
message = {{ type = "Set", celsius = 19.5 }}
[[timeline]]
at_s = 7
robot = "hall"
set = {{ outside_c = 9.5 }}
[[expect]]
name = "not hot"
robot = "hall"
value = "truth.temperature_c"
from_s = 0
to_s = 40
max = 20.5
"""
FLEET_FAULT = '[[faults]]\nrobot = "attic*"\ntarget = "relay"\nkind = "welded"\n'
FAULTS = {
    "relay": 'target = "relay"\nkind = "welded"',
    "bias": 'target = "temperature"\nkind = "bias"\nvalue = 4.31',
    "stuck": 'target = "temperature"\nkind = "stuck"',
    "weak": 'target = "heater"\nkind = "weak"\nfactor = 0.93',
    "noise": 'target = "temperature"\nkind = "noise"\nstddev = 0.05',
}


def fails(path, name, seed=None):
    """Return the verdict of an expectation of a file that must fail."""
    result = run_here(Request(str(path)), open_target(path, seed=seed, collect=False))
    verdict = next(verdict for verdict in result.verdicts if verdict.text == name)
    assert not verdict.passed
    return verdict


def fault(name, at_s=1, robot="hall"):
    return f'[[faults]]\nat_s = {at_s}\nrobot = "{robot}"\n{FAULTS[name]}\n'


@pytest.fixture
def room(tmp_path):
    def write(*parts, name="room.toml"):
        path = tmp_path / name
        path.write_text(ROOM + "".join(parts))
        return path

    return write


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    out = tmp_path_factory.mktemp("planted") / "small.toml"
    return shrink(PLANTED, expect=TOUCHES, out=out)


def test_a_planted_failure_shrinks_to_its_fault_and_its_obstacle(planted):
    small = planted.scenario
    assert [(fault["target"], fault["kind"]) for fault in small["faults"]] == [
        ("wheel_left", "weak")
    ]
    assert [obstacle["name"] for obstacle in small["world"]["obstacles"]] == ["chair-1"]
    assert small["noise"] == {"*": "off"}
    assert [entry["name"] for entry in small["expect"]] == [TOUCHES]
    assert len(small["timeline"]) == 1
    assert planted.complete
    assert planted.runs <= 80
    assert planted.after.values < planted.before.values / 2
    verdict = fails(planted.path, TOUCHES)
    assert verdict.broke_at_s <= small["duration_s"] < verdict.broke_at_s + 0.2


def test_the_file_says_where_it_comes_from(planted):
    text = planted.path.read_text()
    assert f"from {PLANTED}, seed 41" in text
    assert "Before: 3 faults, 8 obstacles" in text
    assert "rigless check small.toml" in text


def test_a_result_cannot_be_shrunk_further(planted, tmp_path):
    again = shrink(planted.path, out=tmp_path / "again.toml")
    assert again.scenario == planted.scenario
    assert [step.runs for step in again.trail[1:] if "kept" not in step.text] == []


def test_candidates_run_at_once_give_the_same_result(room):
    path = room(*map(fault, FAULTS))
    one, three = shrink(path), shrink(path, width=3)
    assert one.scenario == three.scenario
    assert one.text.splitlines()[6:] == three.text.splitlines()[6:]


@settings(max_examples=8, phases=[Phase.explicit, Phase.generate])
@given(
    st.lists(st.sampled_from(["bias", "stuck", "weak", "noise"]), max_size=4),
    st.booleans(),
    st.integers(12, 60),
)
def test_every_result_fails_as_before_within_the_budget(tmp_path_factory, names, late, budget):
    folder = tmp_path_factory.mktemp("property")
    path, out = folder / "room.toml", folder / "small.toml"
    others = [fault(name, 2 + n, "hall" if n % 2 else "attic") for n, name in enumerate(names)]
    path.write_text(ROOM + fault("relay", 6 if late else 1) + "".join(others))
    found = shrink(path, out=out, budget=budget)
    assert found.runs <= budget
    assert fails(out, found.failure.text).detail == found.detail
    if found.complete:
        assert len(found.scenario["robots"]) == 1
        assert [each["target"] for each in found.scenario["faults"]] == ["relay"]
        assert found.scenario["timeline"] == []


def test_the_trail_names_what_a_shorter_run_does_not_reach(room):
    found = shrink(room(fault("relay"), fault("noise", 35)))
    texts = [step.text for step in found.trail if "shortened" in step.text]
    assert texts[0].endswith(", which drops 1 fault (hall temperature noise) after its end")
    assert all("drops" not in text for text in texts[1:])


def test_commands_stay_if_something_did_not_happen(tmp_path):
    path = tmp_path / "warm.toml"
    text = ROOM.replace('name = "not hot"', 'name = "warm"').replace("max = 20.5", "min = 20.4")
    text = text.replace("from_s = 0\nto_s = 40", "from_s = 35\nto_s = 38").replace("19.5", "25.5")
    path.write_text(text + fault("weak").replace("0.93", "0.1") + fault("stuck", 3, "attic"))
    small = shrink(path).scenario
    assert [entry["name"] for entry in small["robots"]] == ["hall"]
    assert [each["at_s"] for each in small["timeline"]] == [3, 7]
    assert [each["target"] for each in small["faults"]] == ["heater"]


def test_a_fleet_shrinks_to_one_robot(tmp_path):
    path = tmp_path / "fleet.toml"
    fleet = ROOM.replace("17.25", "20.25").replace('name = "attic"', 'name = "attic"\ncount = 3')
    path.write_text(fleet.replace('robot = "hall"\nvalue', 'robot = "attic*"\nvalue') + FLEET_FAULT)
    small = shrink(path).scenario
    assert [(each["name"], each["count"]) for each in small["robots"]] == [("attic", 1)]


def test_an_other_expectation_is_never_taken_for_it(room):
    path = room(
        '[[expect]]\nname = "cold"\nrobot = "attic"\nvalue = "truth.temperature_c"\n'
        "from_s = 0\nto_s = 40\nmax = 5\n",
        fault("relay"),
    )
    assert shrink(path, expect="not hot").failure.text == "not hot"
    cold = shrink(path)  # it fails first
    assert cold.failure.text == "cold"
    assert [entry["name"] for entry in cold.scenario["robots"]] == ["attic"]


def test_a_row_of_a_table_with_its_settings(room, tmp_path):
    path, table = room(fault("relay"), fault("bias", 2, "attic")), tmp_path / "rows.jsonl"
    rows = [
        Row("aa11", {}, 1, verdict="pass", scenario="room.toml"),
        Row("bb22", {"hall.start_c": 20.31, "faults.0.at_s": 4}, 9, verdict="fail",
            failed="not hot", scenario="room.toml"),
    ]  # fmt: skip
    table.write_text("".join(json.dumps(row.flat()) + "\n" for row in rows))
    found = shrink(table, 1)
    assert found.failure.text == "not hot"
    assert f"row bb22 of {table}: room.toml, hall.start_c = 20.31" in found.text
    assert shrink(table, "bb").scenario == found.scenario
    for row, text in (("aa", "did not fail"), ("cc", "there is no row 'cc'")):
        with pytest.raises(InputError, match=text):
            shrink(table, row)
    path.write_text(path.read_text().replace("max = 20.5", "max = 99"))
    with pytest.raises(InputError, match=r"passes with seed 9 .the scenario has changed"):
        shrink(table, 1)


def test_the_command_prints_its_trail_and_overwrites_nothing(room, run_cli, tmp_path):
    path, out = room(fault("relay"), fault("bias", 2)), tmp_path / "small.toml"
    done = run_cli("shrink", path, "--out", out)
    assert (done.returncode, done.stdout) == (0, f"{out}\n")
    assert "dropped 1 fault (hall temperature bias)" in done.stderr
    assert "kept 1 fault (hall relay welded)" in done.stderr
    assert run_cli("check", out).returncode == 1
    written = out.read_text()
    assert run_cli("shrink", path, "--out", out).returncode == 2
    assert out.read_text() == written
    short = run_cli("shrink", path, "--out", out, "--force", "--budget", 10)
    assert short.returncode == 0
    assert "ended early: the budget of 10 runs is spent" in short.stderr
    assert sorted(each.name for each in [*tmp_path.glob("*.toml*"), *tmp_path.glob(".*")]) == [
        "room.toml",
        "small.toml",
    ]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["room.toml", "--out", "x.toml"], "passes with seed 7"),
        (["room.toml", "--out", "x.toml", "--expect", "not hott"], "did you mean 'not hot'?"),
        (["room.toml"], "name the file to write"),
        (["room.toml", "--out", "x.txt"], "does not end in .toml"),
        (["room.toml", "--out", "no/x.toml"], "there is no folder 'no'"),
        (["room.toml", "--out", "x.toml", "--budget", "1"], "too few"),
        (["room.toml", "--out", "x.toml", "--fails", "3/2"], "is no k/n"),
        (["room.toml", "--out", "x.toml", "--fails", "some"], "is not K/N"),
        (["room.toml", "2", "--out", "x.toml"], "is no table of a sweep"),
        (["nothing.toml", "--out", "x.toml"], "there is no scenario"),
        (["vacuum", "--out", "x.toml"], "expects nothing"),
        (["plain.toml", "--out", "x.toml"], "expects nothing"),
        (["wrong.toml", "--out", "x.toml"], "wrong.toml:2: robots[0].kind"),
    ],
)
def test_bad_input_is_a_sentence(room, run_cli, tmp_path, monkeypatch, words, text):
    monkeypatch.chdir(tmp_path)
    room()
    Path("plain.toml").write_text(ROOM.partition("[[expect]]")[0])
    Path("wrong.toml").write_text('[[robots]]\nkind = "vacum"\n[[expect]]\nevent = "x"\n')
    done = run_cli("shrink", *words)
    assert done.returncode == 2
    assert text in done.stderr
    assert not Path("x.toml").exists()
