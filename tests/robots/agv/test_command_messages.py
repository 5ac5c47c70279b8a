"""Commands that are resent, malformed, or not numbers."""

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.timing import timestamps
from rigless.robots.agv import messages as m
from rigless.robots.agv.link.publisher import EPOCH_NS
from rigless.robots.agv.modules import commands
from rigless.robots.agv.params import COMMANDS

from .scene import BACKEND, Scene

DONE = ["ACCEPTED", "RUNNING", "SUCCEEDED"]


# Resends


def test_one_that_comes_again_is_answered_again_and_not_done_again():
    scene = Scene().run(0.1)
    name = scene.command("MOVE", id="same", x=1.0, y=0.0)
    scene.run(1)
    scene.command("MOVE", id="same", x=1.0, y=0.0)
    assert (scene.ack(name).status, scene.ack(name).replayed) == ("RUNNING", True)
    scene.run(5)
    driven = scene.truth.odometer_m
    scene.command("MOVE", id="same", x=-5.0, y=0.0)
    assert (scene.ack(name).status, scene.ack(name).replayed, scene.ack(name).result["x"]) == (
        "SUCCEEDED",
        True,
        1.0,
    )
    scene.run(3)
    assert scene.truth.odometer_m == driven


def test_the_ledger_is_bounded_and_forgets_the_oldest(monkeypatch):
    monkeypatch.setattr(commands, "MOST_REMEMBERED", 5)
    scene = Scene().run(0.1)
    drive = scene.command("MOVE", x=5.0, y=0.0)
    for n in range(8):
        scene.command("SET_OUTPUT", id=f"o{n}", ioId="buzzer", value=bool(n % 2))
    ledger = scene.robot.state.commands.ledger
    assert list(ledger) == [
        drive,
        "o4",
        "o5",
        "o6",
        "o7",
    ]  # running commands stay in the ledger
    assert scene.robot.state.commands.types.keys() == ledger.keys()


def test_answers_from_before_a_restart_are_remembered():
    scene = Scene()
    scene.send(
        m.Recalled(
            "command.ack",
            {"commandId": "old", "status": "SUCCEEDED", "refs": [], "result": {"x": 1.0}},
            "boot-0",
        )
    )
    scene.send(
        m.Recalled("command.ack", {"commandId": "cut", "status": "RUNNING", "refs": []}, "boot-0")
    )
    scene.send(m.Recalled("command.ack", {"nonsense": 1}, "boot-0"))
    scene.run(0.1)
    assert [(ack.commandId, ack.status, ack.message) for ack in scene.published("command.ack")] == [
        ("cut", "FAILED", "the robot restarted")
    ]
    scene.command("MOVE", id="old", x=3.0, y=0.0)
    assert (scene.ack("old").status, scene.ack("old").replayed) == ("SUCCEEDED", True)
    scene.command("MOVE", id="cut", x=3.0, y=0.0)
    assert (scene.ack("cut").status, scene.ack("cut").replayed) == ("FAILED", True)
    scene.run(1)
    assert scene.truth.odometer_m == 0.0


def test_what_was_answered_in_this_boot_is_not_taken_back_by_what_was_before_it():
    scene = Scene().run(0.1)
    scene.command("SET_OUTPUT", id="done", ioId="buzzer", value=True)
    scene.send(
        m.Recalled("command.ack", {"commandId": "done", "status": "RUNNING", "refs": []}, "boot-0")
    ).run(0.1)
    assert scene.acks("done") == DONE


def test_a_command_that_could_not_be_read_before_a_restart_can_be_sent_again():
    scene = Scene().run(0.1)
    unread = {"commandId": "c", "status": "REJECTED", "refs": [], "code": "MALFORMED_ENVELOPE"}
    scene.send(m.Recalled("command.ack", unread, "boot-0"))
    scene.command("SET_OUTPUT", id="c", ioId="buzzer", value=True)
    assert scene.acks("c") == DONE


def test_of_several_commands_the_state_names_the_one_that_drives():
    scene = Scene().run(0.1)
    scene.command("RELEASE", id="hand")
    scene.command("MOVE", id="drive", x=0.5, y=0.0)
    scene.run(0.2)
    assert scene.last("state").commandId == "drive"
    scene.until(lambda: scene.acks("drive")[-1] == "SUCCEEDED").run(0.1)
    assert scene.last("state").commandId == "hand"


# Malformed messages


def envelope(payload, **changes):
    return json.dumps(
        {
            "v": 1,
            "messageId": "m1",
            "type": "command.request",
            "robotId": "agv",
            "bootId": BACKEND,
            "seq": 1,
            "ts": timestamps.to_text(EPOCH_NS),
            "payload": payload,
            **changes,
        }
    ).encode()


@pytest.mark.parametrize(("age_ms", "status"), [(1000, "SUCCEEDED"), (5000, "EXPIRED")])
def test_the_time_that_the_server_kept_it_counts(age_ms, status):
    stored, until = (f"2040-01-01T00:00:0{second}Z" for second in (0, 3))
    payload = {
        "commandId": "c",
        "commandType": "SET_OUTPUT",
        "params": {"ioId": "buzzer", "value": True},
    }
    body = envelope({**payload, "issuedAt": stored, "expiresAt": until})
    head = f"NATS/1.0\r\nNats-Time-Stamp: {stored}\r\nRigless-Age-Ms: {age_ms}\r\n\r\n".encode()
    assert Scene().run(0.1).wire("command.request", head + body).ack("c").status == status


def test_a_malformed_command_is_answered_with_its_id_if_it_has_one():
    scene = Scene().run(0.1)
    scene.wire("command.request", b"{]")
    assert (scene.last("command.ack").commandId, scene.last("command.ack").code) == (
        "",
        "MALFORMED_ENVELOPE",
    )
    scene.wire("command.request", envelope({"commandId": "c9"}, v=2))
    assert (scene.last("command.ack").commandId, scene.last("command.ack").code) == (
        "c9",
        "MALFORMED_ENVELOPE",
    )
    scene.wire(
        "command.request",
        envelope({"commandId": "c9", "commandType": "MOVE", "params": {"x": 1, "y": 0}}),
    )
    assert (scene.last("command.ack").commandId, scene.last("command.ack").code) == (
        "c9",
        "INVALID_PARAMS",
    )
    good = {
        "commandId": "c9",
        "commandType": "MOVE",
        "params": {"x": 1, "y": 0},
        "issuedAt": scene.at(0),
        "expiresAt": scene.at(9),
    }
    for key in ("issuedAt", "expiresAt"):  # an empty one would never expire
        scene.wire("command.request", envelope({**good, key: ""}))
        assert (scene.ack("c9").status, scene.ack("c9").code) == ("REJECTED", "INVALID_PARAMS")
    scene.wire("command.request", envelope(good))
    assert scene.ack("c9").status == "RUNNING"
    scene.wire("command.request", envelope(good, v=3))
    assert (scene.last("command.ack").commandId, scene.ack("c9").status) == ("", "RUNNING")
    assert scene.last("command.ack").refs == [m.Ref("commandId", "c9")]


def test_hundreds_of_malformed_ones_do_not_flood():
    scene = Scene().run(0.1)
    for n in range(500):
        scene.wire("command.request", b"\xff" * (n % 7))
        scene.wire("task.assign", b"{}")
        if n % 50 == 49:
            scene.run(0.1)
    scene.run(2)
    answers = [ack for ack in scene.published("command.ack") if ack.code == "MALFORMED_ENVELOPE"]
    assert 20 <= len(answers) <= 40
    events = scene.events("MALFORMED_ENVELOPE")
    assert 2 <= len(events) <= 4
    assert sum(event.data.get("count", 1) for event in events) == 1000
    name = scene.command("MOVE", x=0.5, y=0.0)
    scene.run(4)
    assert scene.acks(name) == DONE


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "x",
        "y",
        "theta",
        "motorId",
        "motorIds",
        "functionKey",
        "target",
        "ioId",
        "value",
        "to",
        "nodes",
        "edges",
        "routeId",
        "unit",
        "mapId",
    ]
) | st.text(max_size=4)


@cache
def ready():
    """Return a robot and a snapshot of its start; made once."""
    scene = Scene().run(0.1)
    return scene, scene.sim.snapshot()


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.sampled_from([*COMMANDS, "", "WAIT"]), st.dictionaries(KEYS, VALUES, max_size=4))
def test_whatever_is_asked_is_answered(kind, params):
    """Every command gets one final acknowledgement, or is running.

    The robot still works after it.
    """
    scene, fresh = ready()
    scene.sim.restore(fresh)
    scene.received.clear()
    request = m.CommandRequest(commandId="fuzz", commandType=kind, params=params)
    scene.robot.command_requested(request, None)
    scene.run(0.1)
    acks = [ack for ack in scene.published("command.ack") if ack.commandId == "fuzz"]
    assert acks[0].status in ("ACCEPTED", "REJECTED")
    if acks[0].status == "REJECTED":
        assert acks[0].code in ("INVALID_PARAMS", "NOT_SUPPORTED", "REQUIRED_MOTOR_UNAVAILABLE")
        assert acks[0].message
        assert len(acks) == 1
    stop = scene.command("STOP")
    scene.run(0.5)
    assert scene.acks(stop) == DONE
    scene.sim.snapshot().to_bytes()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_named(number):
    scene = Scene().run(0.05)
    request = m.CommandRequest(commandId="c", commandType="MOVE", params={"x": 1.0, "y": number})
    scene.robot.command_requested(request, None)  # no wire can carry it
    scene.run(0.05)
    assert (scene.ack("c").code, scene.ack("c").message) == (
        "INVALID_PARAMS",
        "MOVE: y is not a finite number",
    )
