"""Every example runs without a peer to its end and prints the documented output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from forked import Forked

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))
FRESH = ("01", "02", "03", "04")  # in a new interpreter; the others would import for seconds

PRINTS = {
    "01_virtual_time.py": ["▁", "°C in an hour", "SET 22 was answered with 'OK'", "heater on"],
    "02_real_sockets.py": [
        "GET              → TEMP",
        "SET 25           → OK",
        "→ ERR unknown",
        "report: REPORT ",
    ],
    "03_faults_and_snapshots.py": ["healthy sensor", "stuck sensor", "overheats the room by"],
    "05_map_the_apartment.py": ["####", " cells are walls; odometry is 0."],
    "06_pacbot_square.py": ["west forward at 0.5 / east backward at 0.5", "the square closes to"],
    "09_pacbot_match.py": [" 90 s   ", "pellets   3 lives"],
    "07_pacbot_wall_follow.py": ["north → east → south → west; touching nothing"],
    "08_pacbot_maze.py": ["62 cells in", "every open cell was visited"],
    "11_rover_ekf.py": ["run 9: sure to 0.03", "3 ± 0.88", "consistent"],
    "13_train_a_policy.py": ["generation  8: mean reward", "learned: True"],
    "14_policy_on_the_wire.py": ["60 s, 300 commands", "traces are equal bit by bit: True"],
    "15_cover_the_floor.py": ["seek   after    60 s", "new floor first is better: True"],
    "12_agv_backend.py": [
        "> move 1 0",
        "  command.ack   SUCCEEDED",
        "  task.progress GRIP",
        "  task.done     {'distanceM': 3.16",
    ],
    "04_record_and_replay.py": [
        "the same",
        "same seed: equal bytes",
        "other seed: robot thermostat",
    ],
}


def test_there_are_examples():
    assert len(SCRIPTS) >= 4
    assert {path.name for path in SCRIPTS} >= set(PRINTS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_an_example(script, tmp_path, tmp_path_factory):
    files = tmp_path_factory.mktemp("printed")
    out, err = files / "stdout", files / "stderr"
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    process: subprocess.Popen[bytes] | Forked
    if script.name.startswith(FRESH):
        command = [sys.executable, "-W", "error", str(script)]
        with out.open("wb") as one, err.open("wb") as other:
            process = subprocess.Popen(
                command, cwd=tmp_path, env=environment, stdout=one, stderr=other
            )
    else:
        process = Forked((), out, err, environment, tmp_path, script)
    try:
        code = process.wait(240)
    finally:
        process.kill()
    printed = out.read_text("utf-8")
    assert code == 0, err.read_text()
    assert err.read_text() == ""
    assert len(printed.splitlines()) >= 3
    assert [text for text in PRINTS.get(script.name, []) if text not in printed] == []
    assert list(tmp_path.iterdir()) == []
