"""Drivers of real parts: entry points, reopening after errors, latest command, watchdog."""

import asyncio
import importlib
import re
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from rigless.hardware.codec import HardwareCodec
from rigless.hardware.discovery import make_drivers
from rigless.hardware.drivers import DevicePart, MotorPart, Part, SignalPart
from rigless.hardware.messages import (
    DeviceReading,
    DriverState,
    InputReading,
    MotorCommand,
    MotorReading,
    OutputCommand,
    OutputReading,
)
from rigless.kernel.ports import Port, WireError
from rigless.kernel.problems import InputError
from rigless.robots.agv.config import DeviceDriver, IoDriver, MotorDriver
from rigless.testing import check_driver
from rigless.transports import drivers
from rigless.transports.drivers import Transport
from rigless.transports.transport import ALL

from . import driver_package
from .inboxes import Diary, until

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "write-an-agv-driver.md"
CODEC = HardwareCodec()
LIMITS = {"max_speed": 1.0, "max_acceleration": 1.0, "max_deceleration": 1.0}


@pytest.fixture
def world(tmp_path, monkeypatch):
    """The parts of the installed package, by id."""
    driver_package.install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(drivers, "RETRY_S", 0.005)
    monkeypatch.setattr(drivers, "RETURN_S", 0.01)
    yield importlib.import_module("shelf_drivers").WORLD
    del sys.modules["shelf_drivers"]


def motor(id="wheel", type="PLC", watchdog_s=60.0, **config):
    return MotorPart(kind="motor", id=id, type=type, config=config, watchdog_s=watchdog_s, **LIMITS)


def signal(kind, id, type="PLC", watchdog_s=60.0):
    return SignalPart(kind=kind, id=id, type=type, config={}, watchdog_s=watchdog_s)


@asynccontextmanager
async def driving(*parts: Part):
    inbox = Diary()
    transport = Transport(
        Port("hardware", HardwareCodec, "drivers", "drivers/", "message", options={"parts": parts}),
        inbox,
    )
    assert await transport.open("drivers/") == "drivers://" + ",".join(
        sorted({part.type for part in parts})
    )
    try:
        yield transport, inbox
    finally:
        await transport.close()


def told(inbox):
    """Return the messages that the robot would receive."""
    return [
        CODEC.decode(report[2], report[3])[0] for report in inbox.reports if report[0] == "received"
    ]


def give(transport, message, link=ALL):
    subject, data = CODEC.encode(message)
    transport.send(link, data, subject)


def run(scene):
    asyncio.run(scene)


def test_what_is_read_is_told_and_what_is_commanded_is_done(world):
    async def scene():
        parts = (
            motor(),
            signal("input", "estop"),
            signal("output", "horn"),
            DevicePart(kind="device", id="scan", type="USB", config={}),
        )
        async with driving(*parts) as (transport, inbox):
            await until(
                lambda: (
                    {type(one) for one in told(inbox)}
                    >= {MotorReading, InputReading, OutputReading}
                )
            )
            assert DriverState(True, "", "output", "horn") in told(inbox)
            world["wheel"]["value"], world["estop"]["value"] = 0.25, 1.0
            world["scan"]["codes"] = ["A", "A"]
            await until(
                lambda: told(inbox).count(DeviceReading({"code": "A"}, "scan")) == 2,
                "each code is news",
            )
            await until(lambda: MotorReading(0.25, 0.0, "IDLE", id="wheel") in told(inbox))
            await until(lambda: InputReading(True, "estop") in told(inbox))
            give(transport, MotorCommand("VELOCITY", 0.5, "wheel"))
            give(transport, OutputCommand(True, "horn"))
            await until(lambda: ("command", "VELOCITY", 0.5) in world["wheel"]["done"])
            await until(lambda: ("write", True) in world["horn"]["done"])
        assert inbox.reports[0] == ("connected", 1, "drivers", "drivers")
        assert world["wheel"]["done"][-2:] == [("command", "STOP", 0.0), ("close",)], "left safe"
        assert world["horn"]["done"][-2:] == [("write", False), ("close",)]
        assert world["estop"]["shared"] is world["wheel"]["shared"]

    run(scene())


def test_what_does_not_change_is_repeated_seldom(world, monkeypatch):
    monkeypatch.setattr(drivers, "REPEAT_S", 1e9)

    async def scene():
        async with driving(motor()) as (_, inbox):
            for value in (1.0, 2.0, 3.0):
                world["wheel"]["value"] = value
                await until(
                    lambda value=value: MotorReading(value, 0.0, "IDLE", id="wheel") in told(inbox)
                )
                await asyncio.sleep(0.02)
            heard = [one.position for one in told(inbox) if isinstance(one, MotorReading)]
            assert heard[-3:] == [1.0, 2.0, 3.0]
            assert len(heard) <= 4

    run(scene())


@pytest.mark.parametrize(
    ("fail", "reason"),
    [
        ("read", "RuntimeError: no encoder"),
        ("command", "command failed"),
        ("lie", "ValueError: the driver's read() returned bool, not MotorReading"),
    ],
)
def test_whatever_a_driver_raises_is_the_loss_of_its_part_until_it_is_well_again(
    world, fail, reason
):
    async def scene():
        async with driving(motor(), motor("other")) as (transport, inbox):
            await until(lambda: MotorReading(0.0, 0.0, "IDLE", id="wheel") in told(inbox))
            world["wheel"]["fail"] = fail
            if fail == "command":
                give(transport, MotorCommand("VELOCITY", 1.0, "wheel"))
            await until(lambda: DriverState(False, reason, "motor", "wheel") in told(inbox), reason)
            await until(lambda: ("close",) in world["wheel"]["done"])  # after the report
            world["wheel"]["fail"] = None
            world["wheel"]["value"] = 7.0
            await until(lambda: MotorReading(7.0, 0.0, "IDLE", id="wheel") in told(inbox))
            lost = [one.id for one in told(inbox) if isinstance(one, DriverState) and not one.up]
            assert set(lost) == {"wheel"}, "the other goes on"

    run(scene())


def test_a_part_that_is_not_there_yet_is_tried_again(world):
    async def scene():
        world["wheel"] = {"done": [], "value": 1.0, "fail": "open"}
        async with driving(motor()) as (_, inbox):
            await until(
                lambda: told(inbox).count(DriverState(False, "open failed", "motor", "wheel")) >= 2
            )
            assert world["wheel"]["done"][:4] == [("open",), ("close",)] * 2
            world["wheel"]["fail"] = None
            await until(lambda: MotorReading(1.0, 0.0, "IDLE", id="wheel") in told(inbox))

    run(scene())


def test_a_part_that_waits_for_news_is_said_to_be_there(world, monkeypatch):
    monkeypatch.setattr(drivers, "REPEAT_S", 0.005)

    async def scene():
        async with driving(DevicePart(kind="device", id="scan", type="USB", config={})) as (
            _,
            inbox,
        ):
            await until(lambda: told(inbox).count(DriverState(True, "", "device", "scan")) >= 3)

    run(scene())


def test_time_begins_with_the_parts_there(world, monkeypatch):
    monkeypatch.setattr(drivers, "BEGIN_S", 60.0)

    async def scene():
        async with driving(motor(), signal("input", "estop")) as (_, inbox):
            assert {type(one) for one in told(inbox)} == {DriverState, MotorReading, InputReading}
        world["wheel"]["fail"] = "open"
        async with driving(motor()) as (_, inbox):
            assert told(inbox)
            assert all(
                one == DriverState(False, "open failed", "motor", "wheel") for one in told(inbox)
            )
        monkeypatch.setattr(drivers, "BEGIN_S", 0.02)
        world["wheel"].update(fail=None, slow=lambda _: asyncio.Event().wait())
        async with driving(motor()) as (_, inbox):
            assert told(inbox) == [], "but it does not wait for ever"

    run(scene())


def test_a_slow_driver_gets_the_latest_motion_and_every_reset(world):
    async def scene():
        async with driving(motor()) as (transport, inbox):
            await until(lambda: MotorReading(0.0, 0.0, "IDLE", id="wheel") in told(inbox))
            begun, gate = asyncio.Event(), asyncio.Event()

            async def slow(_):
                begun.set()
                await gate.wait()

            world["wheel"]["slow"] = slow
            give(transport, MotorCommand("VELOCITY", 0.0, "wheel"))
            await begun.wait()
            for n in range(1, 100):
                give(transport, MotorCommand("VELOCITY", n / 100, "wheel"))
                if n == 50:
                    give(transport, MotorCommand("RESET", id="wheel"))
            gate.set()
            await until(lambda: ("command", "VELOCITY", 0.99) in world["wheel"]["done"])
            commands = [done[1:] for done in world["wheel"]["done"] if done[0] == "command"]
            assert commands == [("VELOCITY", 0.0), ("RESET", 0.0), ("VELOCITY", 0.99)]

    run(scene())


def test_a_part_that_nobody_speaks_to_is_stopped(world):
    async def scene():
        async with driving(motor(watchdog_s=0.02), signal("output", "horn", watchdog_s=0.02)) as (
            transport,
            inbox,
        ):
            await until(lambda: MotorReading(0.0, 0.0, "IDLE", id="wheel") in told(inbox))
            give(transport, MotorCommand("VELOCITY", 0.5, "wheel"))
            give(transport, OutputCommand(True, "horn"))
            await until(lambda: ("command", "VELOCITY", 0.5) in world["wheel"]["done"])
            await until(lambda: world["wheel"]["done"][-1] == ("command", "STOP", 0.0))
            await until(lambda: world["horn"]["done"][-1] == ("write", False))
            give(transport, MotorCommand("VELOCITY", 0.25, "wheel"))
            await until(lambda: ("command", "VELOCITY", 0.25) in world["wheel"]["done"])

    run(scene())


def test_commands_from_before_a_loss_are_forgotten(world):
    async def scene():
        async with driving(motor()) as (transport, inbox):
            await until(lambda: MotorReading(0.0, 0.0, "IDLE", id="wheel") in told(inbox))
            world["wheel"]["fail"] = "read"
            await until(
                lambda: any(isinstance(one, DriverState) and not one.up for one in told(inbox))
            )
            world["wheel"]["fail"] = "open"
            await until(lambda: DriverState(False, "open failed", "motor", "wheel") in told(inbox))
            give(transport, MotorCommand("VELOCITY", 1.0, "wheel"))
            world["wheel"].update(fail=None, value=3.0)
            await until(lambda: MotorReading(3.0, 0.0, "IDLE", id="wheel") in told(inbox))
            give(transport, MotorCommand("VELOCITY", 2.0, "wheel"))
            await until(lambda: ("command", "VELOCITY", 2.0) in world["wheel"]["done"])
            assert ("command", "VELOCITY", 1.0) not in world["wheel"]["done"]

    run(scene())


def test_a_robot_that_hangs_up_finds_its_parts_again(world):
    async def scene():
        async with driving(motor()) as (transport, inbox):
            transport.close_link(1)
            give(transport, MotorCommand("VELOCITY", 1.0, "wheel"), link=1)
            await until(lambda: ("connected", 2, "drivers", "drivers") in inbox.reports)
            await until(lambda: inbox.data(2))
            assert ("command", "VELOCITY", 1.0) not in world["wheel"]["done"]

    run(scene())


def test_bytes_spoiled_by_a_fault_are_dropped(world):
    async def scene():
        async with driving(motor()) as (transport, inbox):
            for subject, data in (
                ("motor/wheel", b"{"),
                ("motor/who", b'{"kind":"STOP"}'),
                ("x", b""),
            ):
                transport.send(ALL, data, subject)
            assert inbox.drops == [1, 1, 1]

    run(scene())


def test_all_that_is_missing_is_said_at_once(world):
    parts = [
        motor("drive_left", "SERIES"),
        motor("drive_right", "SERIES"),
        signal("input", "estop", "SERIES"),
        signal("output", "horn", "GPIO"),
        DevicePart(kind="device", id="lidar", type="ETHERNET", config={}),
    ]
    with pytest.raises(InputError) as caught:
        make_drivers(parts)
    assert [str(problem) for problem in caught.value.problems] == [
        f"{place}.driver.type: no driver installed for {users} (pip install a package with "
        f"the entry point {entry},"
        f" or run without hardware: --set runtime.mode=MOCK) [NO_DRIVER]"
        for place, users, entry in (
            (
                "motors.drive_left",
                "SERIES: drive_left, drive_right, estop need it",
                "SERIES in rigless.agv.motors and rigless.agv.io",
            ),
            ("io.digitalOutputs.horn", "GPIO: horn needs it", "GPIO in rigless.agv.io"),
            ("io.devices.lidar", "ETHERNET: lidar needs it", "ETHERNET in rigless.agv.devices"),
        )
    ]


def test_a_wrong_config_and_broken_packages_are_named(world):
    with pytest.raises(InputError) as caught:
        make_drivers([motor(speed=-1), motor("lift", "CANOPEN"), motor("fork", "SERIAL")])
    said = str(caught.value)
    assert "motors.wheel.driver.config: speed must not be negative" in said
    assert (
        "driver CANOPEN of shelf-drivers: shelf_drivers:Missing cannot be imported: AttributeError"
        in said
    )
    assert (
        "motors.fork.driver.config: TypeError: Can't instantiate abstract class Unfinished" in said
    )


def test_what_is_no_driver_is_refused(tmp_path, monkeypatch):
    driver_package.install(tmp_path, serial="not_a_driver")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(
        InputError, match=r"not_a_driver is not a subclass of rigless.hardware.MotorDriver"
    ):
        make_drivers([motor(type="SERIAL")])
    sys.modules.pop("shelf_drivers")


def test_two_packages_for_one_type_are_one_too_many(world, tmp_path, monkeypatch):
    (tmp_path / "more").mkdir()
    driver_package.install(tmp_path / "more", name="other-drivers")
    monkeypatch.syspath_prepend(tmp_path / "more")
    with pytest.raises(
        InputError,
        match=r"2 packages have a driver PLC in rigless.agv.motors: other-drivers, shelf-drivers",
    ):
        make_drivers([motor()])


@pytest.mark.parametrize(
    ("subject", "data"),
    [
        ("motor/wheel", b"\xff"),
        ("motor/wheel", b'{"position": "x"}'),
        ("motor/wheel", b'{"position": 1e999, "velocity": 0, "state": "IDLE"}'),
        ("motor/wheel", b"[" * 5000),
        ("driver/wing/x", b'{"up": true}'),
        ("", b"{}"),
        ("input/estop", b'{"value": 1}'),
        ("device/scan", b'{"data": {"x": "' + b"y" * 70_000 + b'"}}'),
    ],
)
def test_the_robots_end_survives_anything(subject, data):
    with pytest.raises(WireError) as caught:
        CODEC.decode(data, subject)
    assert not caught.value.hang_up


def test_what_goes_out_comes_in():
    command = MotorCommand("POSITION", 0.125, "lift")
    subject, data = CODEC.encode(command)
    assert subject == "motor/lift"
    assert msgspec.json.decode(data) == {"kind": "POSITION", "value": 0.125, "id": "lift"}


def test_writers_of_drivers_can_check_them(world):
    driver = make_drivers([motor()])[0]
    world["wheel"]["value"] = 0.5
    read = check_driver(driver, [MotorCommand("VELOCITY", 0.25), MotorCommand("RESET")], 0.05)
    assert set(read) == {MotorReading(0.5, 0.0, "IDLE", id="wheel")}
    once = [
        ("open",),
        ("command", "VELOCITY", 0.25),
        ("command", "RESET", 0.0),
        ("command", "STOP", 0.0),
        ("close",),
    ]
    assert world["wheel"]["done"] == once * 2
    world["wheel"]["fail"] = "command"
    with pytest.raises(AssertionError, match="the first time, the part was lost: command failed"):
        check_driver(driver, [MotorCommand("VELOCITY", 0.25)], 0.05)
    slow = make_drivers([DevicePart(kind="device", id="scan", type="USB", config={})])[0]
    with pytest.raises(AssertionError, match=r"the first time, nothing was read in 0.05 s"):
        check_driver(slow, seconds=0.05)


def test_the_how_to_runs_as_it_is_and_names_what_it_leaves_out(tmp_path, monkeypatch):
    """Its code passes `check_driver`; its table has the driver types of the config."""
    page = HOW_TO.read_text("utf-8")
    drives, check = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "my_drives.py").write_text(drives, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    exec(check, {})
    for group, part in (("motors", MotorDriver), ("io", IoDriver), ("devices", DeviceDriver)):
        types = ", ".join(kind for kind in get_args(type_of(part)) if kind != "MOCK")
        assert f"| `rigless.agv.{group}` | {types} |" in page
    left_out = page.partition("## What is left out")[2]
    for word in ("Safety", "Torque", "Homing", "Brakes", "Localisation", "Analogue", "battery"):
        assert word in left_out


def type_of(part):
    return part.model_fields["type"].annotation
