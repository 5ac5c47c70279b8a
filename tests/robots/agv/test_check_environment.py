"""Checks of the environment: credentials, certificates, maps and drivers."""

from types import SimpleNamespace

import pytest

from rigless.hardware import discovery as drivers
from rigless.hardware.drivers import DeviceDriver, IoDriver, MotorDriver
from rigless.kernel.key_path import dotted

from .check_findings import PROFILE, REAL, check, findings
from .configs import changed, seed

GOOD = (
    "-----BEGIN NATS USER JWT-----\nx\n------END NATS USER JWT------\n"
    "-----BEGIN USER NKEY SEED-----\ny\n------END USER NKEY SEED------\n"
)


def codes(found):
    return [(problem.code, problem.severity) for problem in found if problem.stage == "environment"]


@pytest.mark.parametrize(("mode", "severity"), [("REAL", "error"), ("MOCK", "warning")])
@pytest.mark.parametrize(
    ("text", "rights", "wanted"),
    [
        (GOOD, 0o600, []),
        (GOOD, 0o640, []),
        (GOOD, 0o644, ["CREDS_EXPOSED"]),
        ("hello", 0o600, ["CREDS_MALFORMED"]),
        (f"SU{'A' * 56}\n", 0o600, []),
        (f"SU{'A' * 55}\n", 0o600, ["CREDS_MALFORMED"]),
        (None, 0, ["CREDS_MISSING"]),
    ],
)
def test_credentials(tmp_path, mode, severity, text, rights, wanted):
    path = tmp_path / "robot.creds"
    if text is not None:
        path.write_text(text)
        path.chmod(rights)
    found = codes(
        findings({"runtime.mode": mode, "nats.credsFilePath": str(path)}, environment=True)
    )
    assert [problem for problem in found if problem[0] != "MOCK_DRIVER_IN_REAL"] == [
        (code, severity) for code in wanted
    ]


def test_credentials_that_are_no_file(tmp_path, monkeypatch):
    assert codes(findings({"nats.credsFilePath": str(tmp_path)}, True)) == [
        ("CREDS_MALFORMED", "warning")
    ]
    assert codes(findings({"nats.credsFilePath": "a\0b"}, True)) == [
        ("CREDS_UNREADABLE", "warning")
    ]
    assert ("NO_CREDS", "warning") in codes(findings(REAL, True))


def test_certificates(tmp_path, monkeypatch):
    monkeypatch.setenv("RIGLESS_NATS_CA", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("RIGLESS_NATS_KEY", __file__)
    monkeypatch.delenv("RIGLESS_NATS_CERT", raising=False)
    assert codes(findings({}, True)) == []
    secure = {"nats.servers": ["tls://127.0.0.1:4222"]}
    assert codes(findings(secure, True)) == [
        ("TLS_FILE_MISSING", "error"),
        ("TLS_CERT_MISSING", "error"),
    ]


def test_a_map_that_is_not_there():
    assert codes(findings({f"{PROFILE}.map": "atlantis"}, True)) == [("MAP_MISSING", "error")]
    assert codes(findings({f"{PROFILE}.map": "apartment"}, True)) == []


def offer(monkeypatch, installed):
    """Pretend that drivers are installed: group → types. A type twice comes from two packages."""

    def entries(group):
        return [
            SimpleNamespace(
                name=name,
                group=group,
                value="package:Choosy",
                module=f"package{n}",
                dist=None,
                load=load,
            )
            for n, name in enumerate(installed.get(group, ()))
        ]

    def load():
        return Choosy

    monkeypatch.setattr(drivers, "entry_points", entries)


class Choosy(MotorDriver, IoDriver, DeviceDriver):
    """A driver that requires an address; it is never opened."""

    open = close = read = command = write = None

    def __init__(self, part, shared):
        if "address" not in part.config:
            raise ValueError("there is no address")


def of_drivers(changes):
    found = check(changed(changes, seed()))[1]
    return [problem for problem in found if "DRIVER" in problem.code]


def test_drivers_are_named_with_those_who_need_them(monkeypatch):
    installed = {"rigless.agv.devices": ["ETHERNET", "USB"]}
    offer(monkeypatch, installed)
    (found,) = of_drivers({})
    assert (
        found.what
        == "no driver installed for PLC: drive_left, drive_right, act_1, estop, limit_front need it"
    )
    assert "entry point PLC in rigless.agv.motors and rigless.agv.io," in found.fix
    assert "--set runtime.mode=MOCK" in found.fix
    installed["rigless.agv.motors"] = ["PLC"]
    (found,) = of_drivers({})
    assert (found.code, found.what) == (
        "NO_DRIVER",
        "no driver installed for PLC: estop, limit_front need it",
    )
    assert dotted(found.path) == "io.digitalInputs[0].driver.type"
    installed["rigless.agv.io"] = ["PLC", "PLC"]
    (found,) = of_drivers({})
    assert (found.code, dotted(found.path)) == ("DRIVER_TWICE", "io.digitalInputs[0].driver.type")
    assert of_drivers({"runtime.mode": "MOCK"}) == []


def test_drivers_look_at_their_own_configs(monkeypatch):
    offer(
        monkeypatch,
        {
            "rigless.agv.motors": ["PLC"],
            "rigless.agv.io": ["PLC"],
            "rigless.agv.devices": ["ETHERNET", "USB"],
        },
    )
    good = {"driver.config": {"address": 1}}
    places = [
        "motors.0",
        "motors.1",
        "motors.2",
        "io.digitalInputs.0",
        "io.digitalInputs.1",
        "io.devices.0",
        "io.devices.1",
    ]
    every = {f"{place}.{key}": value for place in places for key, value in good.items()}
    assert of_drivers(every) == []
    (found,) = of_drivers({**every, "motors.2.driver.config": {}})
    assert (found.code, found.what, dotted(found.path)) == (
        "DRIVER_CONFIG_WRONG",
        "there is no address",
        "motors[2].driver.config",
    )
    monkeypatch.setattr(drivers, "BASES", dict.fromkeys(drivers.BASES, int))
    assert {problem.code for problem in of_drivers(every)} == {"DRIVER_BROKEN"}


def test_simulated_parts_of_a_real_robot_are_told():
    found = [problem for problem in findings(REAL, True) if problem.code == "MOCK_DRIVER_IN_REAL"]
    assert len(found) == 4 + 3 + 2 + 2
