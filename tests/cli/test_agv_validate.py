"""`rigless agv new`, `validate` and `schema`: exit codes, output and JSON."""

import json
from pathlib import Path

from rigless.robots.agv.config import OWN
from rigless.robots.agv.schema import FILE

SEED = Path(__file__).parents[1] / "robots" / "agv" / "robot_config.seed.json"


def test_a_valid_file(run_cli):
    found = run_cli("agv", "validate", OWN)
    assert (found.returncode, found.stdout) == (0, "")
    assert "valid (robot agv), 0 warnings" in found.stderr


def test_warnings_do_not_fail(run_cli):
    found = run_cli("agv", "validate", SEED, "--set", "runtime.mode=MOCK")
    assert found.returncode == 0
    assert [line.partition(":")[0] for line in found.stdout.splitlines()] == ["warning"] * 4
    assert "valid (robot RBT-001), 4 warnings" in found.stderr


def test_errors_are_printed_with_file_and_line(run_cli, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"schemaVersion": 1,}')
    report = tmp_path / "report.json"
    found = run_cli("agv", "validate", SEED, OWN, broken, tmp_path / "none.json", "--json", report)
    assert found.returncode == 2
    assert (
        f"error: {SEED}:9: motors[0].driver.type: no driver installed for PLC: drive_left"
        in found.stdout
    )
    assert (
        f"error: {broken}:1: column 20: there is a comma before '}}' (remove it) [NOT_JSON]"
        in found.stdout
    )
    assert (
        f'error: {broken}:1: nats: this key is required (add "nats": {{"servers": ' in found.stdout
    )
    assert (
        f"error: {tmp_path}/none.json: cannot be read: No such file or directory (name a robot_conf"
        in found.stdout
    )
    data = json.loads(report.read_text())
    assert data["valid"] is False
    problems = [one for file in data["files"] for one in file["problems"]]
    assert all(one["fix"] and (one["line"] or one["code"] == "UNREADABLE") for one in problems)
    assert [file["valid"] for file in data["files"]] == [False, True, False, False]
    problem = next(one for one in data["files"][0]["problems"] if one["code"] == "CREDS_MISSING")
    assert problem == {
        "pass": "environment",
        "severity": "error",
        "code": "CREDS_MISSING",
        "path": "nats.credsFilePath",
        "line": 5,
        "message": "there is no file '/etc/robot/nats.creds'",
        "fix": "put the file there",
    }


def test_no_environment_skips_the_checks_of_the_machine(run_cli):
    found = run_cli("agv", "validate", SEED, "--no-environment")
    assert found.returncode == 0
    assert "NO_DRIVER" not in found.stdout


def test_invalid_settings_are_errors(run_cli):
    found = run_cli("agv", "validate", OWN, "--set", "motors.7.motorId=x", "--set", "y")
    assert found.returncode == 2
    assert "motors has no element '7' (0 to 3)" in found.stderr
    assert "is not key=value" in found.stderr


def test_a_run_reports_errors_of_its_file(run_cli):
    found = run_cli("run", SEED)
    assert found.returncode == 2
    assert (
        "no driver installed for PLC: drive_left, drive_right, act_1, estop, limit_front need it"
        in found.stderr
    )


def test_the_schema(run_cli, tmp_path):
    assert run_cli("agv", "schema").stdout == FILE.read_text("utf-8")
    out = tmp_path / "s.json"
    assert run_cli("agv", "schema", "--out", out).returncode == 0
    assert out.read_text("utf-8") == FILE.read_text("utf-8")
    found = run_cli("agv", "schema", "--out", tmp_path / "no" / "s.json")
    assert found.returncode == 2
    assert "cannot be written" in found.stderr


def test_a_new_config_is_valid_and_can_be_edited(run_cli, tmp_path):
    out = tmp_path / "RBT-007.json"
    found = run_cli(
        "agv", "new", out, "--id", "RBT-007", "--set", "motors.0.limits.maxSpeed.value=2"
    )
    assert (found.returncode, found.stdout) == (0, "")
    assert f"rigless run {out}" in found.stderr.replace("\n", "")
    config = json.loads(out.read_text())
    assert (config["identity"]["robotId"], config["motors"][0]["limits"]["maxSpeed"]["value"]) == (
        "RBT-007",
        2,
    )
    again = run_cli("agv", "new", out)
    assert (again.returncode, json.loads(out.read_text())) == (2, config)
    assert "exists already" in again.stderr
    wrong = run_cli(
        "agv", "new", tmp_path / "x.json", "--id", "a.b", "--set", "dimensions.heightMm=true"
    )
    assert wrong.returncode == 2
    assert "'a.b' is not right: an id is 1 to 64 letters, digits, _ and -" in wrong.stderr
    assert "dimensions.heightMm: true is not right" in wrong.stderr
    assert not (tmp_path / "x.json").exists()
