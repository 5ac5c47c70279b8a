"""An AGV with real drivers: a driver package, a PLC on Modbus TCP, and a real NATS server.

The package is installed with pip. The PLC is controlled by a Modbus client without rigless.
"""

import asyncio
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from pymodbus.client import ModbusTcpClient

import reserved
from rigless.hardware.discovery import make_drivers
from rigless.host.host import Host
from rigless.host.playback import Playback
from rigless.kernel.problems import InputError
from rigless.kernel.recording import Recorder
from rigless.recordings.reader import Recording
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.hardware_port import real_parts
from rigless.scenario.load import open_target

from .agv_backend import Backend, rfc3339
from .agv_scenes import on_loop

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "modbus_plc"
PRESSED, TRIPS = 64, 65  # coils
COUNTS_PER_M = 10_000
PATIENCE_MS = 60_000
SLOWLY = {
    "controlId": "slowly",
    "kind": "SPEED_LIMIT",
    "seq": 1,
    "value": {"mps": 0.1},
}  # travel of the wheels between two samples


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Install the example from a copy, because building leaves files behind."""
    folder = tmp_path_factory.mktemp("modbus")
    shutil.copytree(EXAMPLE, folder / "source")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    run = subprocess.run(
        [*pip, "--target", folder / "site", folder / "source"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return folder / "site"


@pytest.fixture
def environment(environment, site) -> dict[str, str]:
    return {
        **environment,
        "PYTHONPATH": os.pathsep.join(filter(None, (str(site), environment.get("PYTHONPATH")))),
    }


@contextmanager
def plc(environment, port):
    words = [sys.executable, "-m", "modbus_plc.simulator", "--port", str(port)]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline().startswith(f"plc modbus://127.0.0.1:{port} 3 drives")
            yield process
        finally:
            process.kill()


def write(port, coil, value):
    with ModbusTcpClient("127.0.0.1", port=port, timeout=60) as client:
        assert not client.write_coil(coil, value).isError()


def wheels(port):
    """Return the positions of both drives in metres, and whether one of them moves."""
    with ModbusTcpClient("127.0.0.1", port=port, timeout=60) as client:
        words = [client.read_input_registers(base, count=8).registers for base in (0, 16)]
    positions = [
        int.from_bytes(high.to_bytes(2) + low.to_bytes(2), signed=True) / COUNTS_PER_M
        for _, high, low, *_ in words
    ]
    return (*positions, any(word[0] & 2 for word in words))


def config(modbus=5020, nats=4222):
    """Return the example's config, with timeouts for a loaded machine."""
    text = (EXAMPLE / "robot_config.json").read_text("utf-8")
    patient = {
        "port": modbus,
        "timeoutMs": PATIENCE_MS,
        "staleMs": PATIENCE_MS,
        "watchdogMs": PATIENCE_MS,
    }
    return text.replace('"port": 5020', json.dumps(patient)[1:-1]).replace(":4222", f":{nats}")


@on_loop
async def test_a_day_of_a_robot_behind_a_plc(tmp_path, environment, rigless_process, run_cli):
    modbus, nats, recording = reserved.port(), reserved.port(), tmp_path / "day.mcap"
    file = tmp_path / "robot_config.json"
    file.write_text(config(modbus, nats), "utf-8")
    with plc(environment, modbus) as first:
        robot = rigless_process("run", file, "--no-panel", "--record", recording, fresh=True)
        assert robot.ports["plc-agv/hardware"] == "drivers://ETHERNET,PLC"
        async with await Backend.connect(f"nats://127.0.0.1:{nats}", "plc-agv") as backend:

            async def until(status):
                await backend.until(lambda: backend.latest("state").get("status") == status, status)

            async def resumed():
                """Acknowledge the emergency stop until the robot has seen its release."""
                while backend.latest("state")["status"] != "RUNNING":
                    await backend.until_ended(await backend.command("RESUME"))
                    await asyncio.sleep(0.1)

            await until("RUNNING")
            await backend.send(
                "traffic.control", SLOWLY | {"validUntil": rfc3339(backend.now_s + 600)}
            )
            go = await backend.command("MOVE", x=0.2, y=0.0)
            lift = await backend.command(
                "MOVE_AXIS", functionKey="HOIST", target={"unit": "mm", "value": 40}
            )
            await backend.until_ended(go, lift)
            assert [backend.ended(one)[0]["status"] for one in (go, lift)] == ["SUCCEEDED"] * 2
            place = pytest.approx(0.2, abs=0.002), pytest.approx(-0.2, abs=0.002)  # one is reversed
            await backend.until(lambda: wheels(modbus) == (*place, False), "the wheels stand there")

            far = await backend.command("MOVE", x=20.0, y=0.0)
            await backend.until(lambda: wheels(modbus)[2], "it drives")
            write(modbus, PRESSED, True)
            await until("PAUSED")
            await backend.until(lambda: not wheels(modbus)[2], "it stands")
            write(modbus, PRESSED, False)
            await resumed()
            await backend.until(lambda: wheels(modbus)[2], "it goes on")

            write(modbus, TRIPS, True)
            await until("ERROR")
            await backend.until_ended(far)
            assert backend.ended(far)[0]["code"] == "REQUIRED_MOTOR_UNAVAILABLE"
            broken = next(
                motor
                for motor in backend.latest("state")["motors"]
                if motor["motorId"] == "drive_left"
            )
            assert (broken["state"], broken["faultCode"]) == ("ERROR", "0x7305")
            write(modbus, TRIPS, False)
            await backend.until_ended(await backend.command("RESET_MOTOR", motorIds=["drive_left"]))
            await until("RUNNING")

            first.kill()
            lost = {"DRIVE_MOTOR_DISCONNECTED:drive_left", "REQUIRED_PART_LOST:estop"}
            await backend.until(
                lambda: lost <= set(backend.latest("state")["statusReasons"]), "all of it is lost"
            )
            assert backend.latest("state")["status"] == "ERROR"
            with plc(environment, modbus):
                await resumed()  # a lost emergency stop counts as pressed
                near = await backend.command(
                    "MOVE_AXIS", motorId="hoist", target={"unit": "mm", "value": 10}
                )
                await backend.until_ended(near)
                assert backend.ended(near)[0]["status"] == "SUCCEEDED"
                assert robot.end(signal.SIGINT) == 0
    replay = run_cli("replay", recording, "--verify")
    assert replay.returncode == 0, (
        replay.stdout + replay.stderr
    )  # without the PLC, and without its drivers


def test_a_missing_driver_package_is_named(tmp_path, run_cli):
    file = tmp_path / "robot_config.json"
    file.write_text(config(), "utf-8")
    run = run_cli("run", file, "--no-panel")
    assert run.returncode == 2
    assert (
        "no driver installed for PLC: drive_left, drive_right, hoist, estop, beacon" in run.stderr
    )
    assert "entry point PLC in rigless.agv.motors and rigless.agv.io" in run.stderr
    assert "no driver installed for ETHERNET: bumper_laser" in run.stderr
    assert "Traceback" not in run.stderr


def test_errors_of_a_drivers_config_are_reported_at_once(site, monkeypatch):
    monkeypatch.syspath_prepend(site)
    given = json.loads(config())
    given["motors"][0]["driver"]["config"] = {"host": "plc", "base": -1, "bass": 0}
    given["motors"][1]["driver"]["config"]["countsPerUnit"] = 1e10
    given["motors"][2]["limits"]["positionMin"] = {"unit": "m", "value": -30_000}
    given["io"]["digitalInputs"][0]["driver"]["config"] = {"host": "plc"}
    with pytest.raises(InputError) as caught:
        make_drivers(real_parts(RobotConfig.model_validate(given)))
    text = str(caught.value)
    assert (
        "motors.drive_left.driver.config.base: -1 is not right:"
        " input should be greater than or equal to 0" in text
    )
    assert "motors.drive_left.driver.config.bass: unknown key 'bass'" in text
    assert (
        "motors.drive_right.driver.config: countsPerUnit 1e+10 makes its limits exceed 32 bits"
        in text
    )
    assert (
        "motors.hoist.driver.config: countsPerUnit 100000 makes its limits exceed 32 bits" in text
    )
    assert "io.digitalInputs.estop.driver.config.address: this key is required" in text


@on_loop
async def test_real_parts_are_driven_in_real_time_and_never_by_a_recording(
    site, monkeypatch, tmp_path
):
    monkeypatch.syspath_prepend(site)
    file = tmp_path / "robot_config.json"
    file.write_text(config(reserved.port(), reserved.port()), "utf-8")
    with pytest.raises(
        InputError, match="plc-agv drives real hardware, which cannot run at the pace 2×"
    ):
        await Host(open_target(str(file)), 2.0).open()
    built = open_target(str(file))
    with (tmp_path / "run.mcap").open("wb") as stream:
        Recorder(built.simulation, stream).close()
    player = Playback(open_target(str(file)), Recording(tmp_path / "run.mcap"), 2.0)
    try:
        await player.open()
        assert player.urls["plc-agv", "hardware"] == "memory://hardware"
    finally:
        await player.close()


def test_the_simulated_drive_keeps_its_ramps_and_its_watchdog(site, monkeypatch):
    monkeypatch.syspath_prepend(site)
    module = importlib.import_module("modbus_plc.drive")
    drive = module.Drive(acceleration=800.0, deceleration=1000.0, max_speed=1200.0, watchdog_s=0.5)
    drive.write(1, 400, trip=False)
    drive.advance(0.5, trip=False, power=True)
    assert drive.velocity == pytest.approx(400.0)
    assert drive.position == pytest.approx(100.0, rel=0.01)  # ½ a t²
    drive.advance(1.0, trip=False, power=True)
    assert drive.velocity == 0.0  # the watchdog has expired
    assert drive.position == pytest.approx(100.0 + 80.0, rel=0.01)  # and v² / 2 d more
    drive.watchdog_s = 0.0
    drive.write(1 | 2, -500, trip=False)
    drive.advance(3.0, trip=False, power=True)
    assert drive.position == pytest.approx(-500.0, abs=1.0)
    assert drive.velocity == 0.0
