"""`list`, `bench`, `--version` and help."""

import os
import subprocess
import sys
from importlib.metadata import version


def test_list_shows_robots_scenarios_and_worlds(rigless_command, tmp_path):
    found = rigless_command("list", cwd=tmp_path)
    assert found.returncode == 0
    headings = [line for line in found.stdout.splitlines() if not line.startswith(" ")]
    assert headings == ["robots:", "scenarios:", "worlds:"]


def test_list_describes_every_entry_or_names_its_file(run_cli):
    rows = [line.split(None, 1) for line in run_cli("list").stdout.splitlines() if line[0] == " "]
    assert all(len(row) == 2 and "/" not in row[1].split()[0] for row in rows), rows
    found = {name: text for name, text in rows if not text.startswith("map: ")}
    assert found["vacuum_carpet"].startswith("On a metre of carpet a fifth of the wheels' travel")
    assert found["arena"] == "maze: the competition's arena: passages 7 in wide on a 3.5 in grid"
    assert all(text.split(": ", 1)[-1] and len(text) <= 120 for text in found.values())
    assert found["agv_vda5050_updates"].endswith(" …")
    assert "vacuum_carpet.toml" in run_cli("list", "--paths").stdout


def test_the_version_is_printed_also_without_the_script():
    command = [sys.executable, "-m", "rigless", "--version"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.stdout == f"rigless {version('rigless')}\n"


def test_an_unknown_benchmark_lists_the_known_ones(rigless_command):
    found = rigless_command("bench", "kernl")
    assert found.returncode == 2
    assert "unknown benchmark 'kernl'" in found.stderr


def test_every_command_has_help_with_an_example(run_cli):
    for command in ("run", "check", "replay", "diff", "bench"):
        found = run_cli(command, "--help")
        assert found.returncode == 0
        assert f"rigless {command} " in found.stdout.split("Usage")[-1].split("\n", 1)[1]


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from rigless.cli import main\n"
        "sys.argv = ['rigless', '--help']\n"
        "try: main()\n"
        "except SystemExit as end: assert end.code == 0\n"
        "heavy = ('pydantic', 'numpy', 'fastapi', 'uvicorn', 'msgspec', 'mcap')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.stdout.splitlines()[-1] == "[]", found.stderr


def test_a_closed_pipe_is_no_error(environment):
    from_here, to_there = os.pipe()
    os.close(from_here)
    code = "import sys; from rigless.cli import main; sys.argv = ['rigless', 'list']; main()"
    with os.fdopen(to_there, "wb") as out:
        found = subprocess.run(
            [sys.executable, "-c", code],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env=environment,
        )
    assert "Traceback" not in found.stderr
    assert "Exception ignored" not in found.stderr
