"""Every example runs without a peer to its end and prints the documented output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))

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
def test_an_example(script, tmp_path):
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert len(run.stdout.splitlines()) >= 3
    assert [text for text in PRINTS.get(script.name, []) if text not in run.stdout] == []
    assert list(tmp_path.iterdir()) == []
