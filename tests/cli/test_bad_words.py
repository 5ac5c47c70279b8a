"""Bad arguments of every command: exit code 2, a sentence on stderr, and no traceback."""

import subprocess
import sys

import pytest

LONG = "a" * 300
SHORT_RUN = ("run", "{thermostat}", "--set", "ports.line=0", "--fast", "--duration", "0.1")
RUN = (*SHORT_RUN, "--no-panel")

BAD = [
    ("frobnicate",),
    ("--frobnicate",),
    ("run",),
    ("run", "no-such-robot"),
    ("run", ""),
    ("run", LONG),
    ("run", "/"),
    ("run", "/dev/null"),
    ("run", "{tmp}/text.toml"),
    ("run", "{tmp}/text.mcap"),
    (*RUN, "--speed", "1"),
    (*RUN, "--lockstep"),
    (*RUN, "--record", "/no/such/folder/f.mcap"),
    (*RUN, "--seed", "-1"),
    (*RUN, "--seed", "x"),
    (*RUN, "--seed", str(10**23)),
    (*RUN, "--duration", "-1"),
    (*RUN, "--duration", "nan"),
    (*RUN, "--duration", "inf"),
    (*RUN, "--set", "start_c"),
    (*RUN, "--set", "=5"),
    (*RUN, "--set", "strat_c=5"),
    (*RUN, "--set", "start_c=warm"),
    (*RUN, "--set", "start_c=nan"),
    (*RUN, "--set", "ports.nowhere=0"),
    (*RUN, "--set", "ports.line=http"),
    (*RUN, "--set", "ports.line=70000"),
    (*RUN, "--set", "ports.line=..:0"),
    (*RUN, "--set", f"ports.line={LONG}:0"),
    (*RUN, "--set", "ports.line=no.such.host.invalid:0"),
    (*RUN, "--set", "ports.line=203.0.113.1:0"),
    (*SHORT_RUN, "--panel", "nowhere"),
    (*SHORT_RUN, "--panel", "127.0.0.1:99999"),
    (*SHORT_RUN, "--panel", "127.0.0.1:-1"),
    (*SHORT_RUN, "--panel", "..:0"),
    ("run", "{thermostat}", "--speed", "0.01", "--no-panel"),
    ("run", "{thermostat}", "--speed", "nan", "--no-panel"),
    (*SHORT_RUN, "--panel", "0.0.0.0:0", "--no-auth"),
    ("demo", "no-such-robot"),
    ("check",),
    ("check", "no-such-scenario.toml"),
    ("check", LONG),
    ("check", "{tmp}/text.toml"),
    ("check", "{thermostat}/winter.toml", "--set", "nothing.at.all=1"),
    ("check", "{thermostat}/winter.toml", "--junit", "/no/such/folder/f.xml"),
    ("check", "{thermostat}/winter.toml", "--seed", str(10**23)),
    ("replay",),
    ("replay", "no-such.mcap"),
    ("replay", LONG),
    ("replay", "{tmp}"),
    ("replay", "{tmp}/text.mcap"),
    ("replay", "{tmp}/empty.mcap"),
    ("replay", "{tmp}/text.mcap", "--verify", "--serve"),
    ("replay", "{tmp}/text.mcap", "--serve"),
    ("replay", "{tmp}/text.mcap", "--serve", "--speed", "0"),
    ("diff",),
    ("diff", "{tmp}/text.mcap"),
    ("diff", "{tmp}/text.mcap", "{tmp}/empty.mcap"),
    ("bench", "no-such-benchmark"),
    ("ctl", "frobnicate"),
    ("ctl", "step", "x"),
    ("ctl", "speed"),
    ("ctl", "inject"),
    ("ctl", "set-input", "hall"),
    ("ctl", "status"),
]  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "text.toml").write_text("this is = = not TOML")
    (tmp_path / "text.mcap").write_text("this is not a recording")
    (tmp_path / "empty.mcap").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def is_a_sentence(found):
    assert found.returncode == 2, found.stdout + found.stderr
    assert "Traceback" not in found.stderr
    assert len(found.stderr.split()) >= 3
    assert "ready" not in found.stdout


@pytest.mark.parametrize("words", BAD, ids=lambda words: " ".join(word[:20] for word in words))
def test_bad_arguments_get_a_sentence(run_cli, thermostat, files, words):
    is_a_sentence(run_cli(*(word.format(thermostat=thermostat, tmp=files) for word in words)))


def test_a_wrong_number_is_named(run_cli, thermostat):
    for option, word in (("--speed", "banana"), ("--seed", "1.5"), ("--duration", "soon")):
        found = run_cli("run", thermostat, option, word)
        is_a_sentence(found)
        assert f"'{option}': '{word}' is not a " in found.stderr
    found = run_cli("ctl", "step", "banana")
    assert "'banana' is not a number" in found.stderr


def test_broken_json_of_an_unknown_kind_gets_no_advice_on_mazes(run_cli, files):
    (files / "a.json").write_text('{"robotId": "x", "motors": [}')
    found = run_cli("run", files / "a.json")
    is_a_sentence(found)
    assert "is not valid JSON" in found.stderr
    assert "maze" not in found.stderr
    (files / "a.json").write_text('{"grid": [}')
    assert "a maze is" in run_cli("run", files / "a.json").stderr


@pytest.mark.parametrize(
    "words", [BAD[3], ("replay", "no-such.mcap"), ("ctl", "status"), (*RUN, "--set", "strat_c=5")]
)
def test_the_installed_command_reports_bad_arguments_too(rigless_command, thermostat, files, words):
    texts = [word.format(thermostat=thermostat) for word in words]
    is_a_sentence(rigless_command(*texts, fresh=True))


def test_a_robots_commands_name_the_extra_they_need(tmp_path, environment):
    """Run the commands in a process in which numba cannot be imported."""
    lines = ["import sys", "from rigless.cli import main", "sys.modules['numba'] = None"]
    for words in ("agv schema", "agv validate f.json", "welder cycle-time f.nc"):
        lines += [
            f"sys.argv = ['rigless', *{words!r}.split()]",
            "try: main()",
            "except SystemExit as end: print(end.code)",
        ]
    found = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    needs = [
        f"error: rigless {robot} needs 'numba', which is not installed "
        f"(pip install 'rigless[{robot}]')"
        for robot in ("agv", "welder")
    ]
    assert (found.stdout, found.stderr.splitlines()) == ("2\n" * 3, [*needs[:1] * 2, *needs[1:]])


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("vacuum", "--vda5050: vacuum does not speak VDA 5050 (use it with an AGV"),
        ("mixed.toml", "--vda5050: this scenario has several robots (set it for each AGV"),
    ],
)
def test_a_robot_that_does_not_speak_vda_5050_is_named(run_cli, tmp_path, target, what):
    (tmp_path / "mixed.toml").write_text('[[robots]]\nkind = "agv"\n[[robots]]\nkind = "vacuum"\n')
    found = run_cli("run", tmp_path / target if "." in target else target, "--vda5050")
    assert (found.returncode, found.stdout) == (2, "")
    assert what in found.stderr
