"""`rigless welder reach`: poses as JSON and sentences, maps as files, exit codes."""

import json

import numpy as np
import pytest

from rigless.robots.welder.arm_description import ARM

POSE = "800,0,500,180,0,0"
LONG_TORCH = "torch.length_mm=400"


def test_a_pose_as_json(run_cli):
    found = run_cli("welder", "reach", "--pose", POSE, "--json")
    assert found.returncode == 0
    printed = json.loads(found.stdout)
    assert list(printed)[:5] == [
        "pose",
        "reachable",
        "has_solution",
        "within_limits",
        "collision_free",
    ]
    assert printed["reachable"] is True
    assert len(printed["joint_solution_deg"]) == 6
    assert printed["singular_value"] > 0.01
    assert run_cli("welder", "reach", "--pose", POSE, "--json").stdout == found.stdout


def test_poses_in_a_cell_and_why_they_are_unreachable(run_cli):
    found = run_cli(
        "welder",
        "reach",
        "--pose",
        "0,0,300,180,0,0",
        "--pose",
        "0,0,5,180,0,0",
        "--frame",
        "work",
        "--cell",
        "weld_table",
    )
    assert found.returncode == 1
    first, second = found.stdout.splitlines()
    assert first.startswith("0,0,300,180,0,0: reachable at joints")
    assert second.startswith("0,0,5,180,0,0: not reachable: torch collides with part")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--pose", "1,2,3"], "is not x,y,z,rx,ry,rz"),
        (["--pose", "1,2,3,4,5,nan"], "is not x,y,z,rx,ry,rz"),
        (["--pose", POSE, "--cell", "weld_tabel"], "did you mean 'weld_table'?"),
        (["--pose", POSE, "--frame", "wrok"], "did you mean 'work'?"),
        (["--map", "50"], "a map needs a file"),
        (["--map", "1", "--out", "a.npz"], "1 mm is out of range"),
        (["--map", "500", "--out", "a.doc"], "a map needs a file"),
        (["--map", "500", "--out", "none/a.ply"], "cannot be written"),
        (["--pose", POSE, "--map", "50"], "one of them"),
        ([], "one of them"),
    ],
)
def test_bad_arguments_are_errors(run_cli, words, reason):
    found = run_cli("welder", "reach", *words)
    assert found.returncode == 2
    assert reason in " ".join(found.stderr.replace("│", " ").split())
    assert "Traceback" not in found.stderr


def test_a_map_is_the_same_in_every_file_and_with_any_number_of_processes(run_cli, tmp_path):
    for name, jobs in (("one.npz", "1"), ("two.npz", "2"), ("map.csv", "1"), ("map.ply", "1")):
        found = run_cli(
            "welder",
            "reach",
            "--map",
            "400",
            "--out",
            str(tmp_path / name),
            "--jobs",
            jobs,
            "--json",
        )
        assert found.returncode == 0
    printed = json.loads(found.stdout)
    one, two = (np.load(tmp_path / name) for name in ("one.npz", "two.npz"))
    assert all(np.array_equal(one[key], two[key]) for key in one.files)
    assert len(one["places_m"]) == printed["places"] > 150
    table = np.loadtxt(tmp_path / "map.csv", delimiter=",", skiprows=1)
    assert table[:, :3] / 1000 == pytest.approx(one["places_m"], abs=1e-6)
    assert np.array_equal(table[:, 3], one["reached"])
    head, _, body = (tmp_path / "map.ply").read_bytes().partition(b"end_header\n")
    assert f"element vertex {printed['reached']}\n".encode() in head
    assert len(body) == printed["reached"] * 17


def test_the_arm_is_that_of_the_config(run_cli, tmp_path):
    """Another torch, another arm without a closed form, and a scenario that names it."""
    longer = run_cli("welder", "reach", "--pose", "1250,0,500,180,-60,0", "--set", LONG_TORCH)
    assert (longer.returncode, "reachable at joints" in longer.stdout) == (0, True), longer.stderr
    assert run_cli("welder", "reach", "--pose", "1250,0,500,180,-60,0").returncode == 1
    arm, scenario = tmp_path / "other.urdf", tmp_path / "mine.toml"
    text = ARM.read_text().replace('xyz="0.0 0.08 0.0"', 'xyz="0.05 0.08 0.0"')
    arm.write_text(text.replace("joint_1", "waist"))
    scenario.write_text(
        f'name = "mine"\n[[robots]]\nkind = "welder"\n[robots.config]\nurdf = "{arm}"\n'
    )
    words = ("welder", "reach", "--pose", POSE, "--json")
    found = run_cli(*words, "--config", scenario)
    assert (found.returncode, json.loads(found.stdout)["reachable"]) == (0, True), found.stderr
    assert found.stdout != run_cli(*words).stdout
    program = tmp_path / "turn.nc"
    program.write_text("G21 G90\nG0 X200\n")
    times = run_cli("welder", "cycle-time", program, "--config", scenario)
    assert times.returncode == 1
    assert "waist to 200° is outside -170° to 170°" in times.stdout
    wrong = run_cli("welder", "reach", "--pose", POSE, "--set", f"urdf={tmp_path / 'none.urdf'}")
    assert (wrong.returncode, "none.urdf: cannot be read" in wrong.stderr) == (2, True)
