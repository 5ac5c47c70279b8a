"""The link to the backend: envelopes, numbering, outages and boots."""

import json
import uuid

import pytest

from rigless.kernel.inputs import Connect, Disconnect
from rigless.robots.agv import messages as m
from rigless.robots.agv import wire

from .scene import BACKEND, Scene

UP, DOWN = m.LinkReport(True), m.LinkReport(False, 7, "the server is gone")


def test_envelopes_are_numbered_and_deterministic():
    scene = Scene().run(2)
    scene.command("MOVE", x=1.0, y=0.0)
    scene.run(2)
    boot = scene.received[0].bootId
    assert uuid.UUID(boot)
    assert [envelope.messageId for envelope in scene.received] == [
        f"{boot}-{n}" for n in range(1, len(scene.received) + 1)
    ]
    for kind in {envelope.type for envelope in scene.received}:
        seqs = [envelope.seq for envelope in scene.received if envelope.type == kind]
        assert seqs == list(range(1, len(seqs) + 1)), kind
    assert {envelope.robotId for envelope in scene.received} == {"agv"}
    again = Scene().run(2)
    again.command("MOVE", x=1.0, y=0.0)
    assert again.run(2).received == scene.received
    assert Scene(seed=2).run(0.1).received[0].bootId != boot


def test_what_is_counted_is_whole_on_the_wire():
    """Typed backends need 1000, not 1000.0."""
    scene = Scene(streams={"heartbeatHz": 3}).assign(("WAIT", {"seconds": 0.1})).run(1)
    encode = wire.codec_of("agv")().encode
    texts = {envelope.type: encode(envelope)[1].decode() for envelope in scene.received}
    assert '"intervalMs":333,' in texts["heartbeat"]
    assert '"retries":0,"skipped":0}' in texts["task.done"]


def test_listening_changes_no_number():
    """Messages without a subscriber are counted too."""
    scene = Scene()
    quiet = Scene()
    quiet.sim.core.collected = None
    scene.run(3)
    quiet.sim.run(3)
    assert quiet.robot.state.core == scene.robot.state.core


def test_what_is_not_said_while_the_way_is_down_is_not_counted():
    """A gap in the numbers would mean a lost message."""
    scene, quiet = Scene(), Scene()
    quiet.sim.core.collected = None
    for report in (UP, DOWN, UP):
        for each in (scene, quiet):
            each.send(report).run(2) if each is scene else (
                each.sim.send("agv", "nats", report),
                each.sim.run(2),
            )
    for kind in wire.LATEST_WINS:
        sent = [
            (envelope.seq, envelope.sim.simTimeS)
            for envelope in scene.received
            if envelope.type == kind
        ]
        assert [seq for seq, _ in sent] == list(range(1, len(sent) + 1)), kind
        assert (len(sent) > 3, [at_s for _, at_s in sent if 2.0 < at_s < 4.0]) == (True, []), kind
    assert quiet.robot.state.core == scene.robot.state.core


def test_answers_refer_to_what_they_answer():
    scene = Scene().run(0.1)
    scene.send(m.CommandRequest(commandId="c", commandType="STOP", correlationId="m-17"))
    assert {
        envelope.correlationId for envelope in scene.received if envelope.type == "command.ack"
    } == {"m-17"}


def _envelope(type: str, **payload) -> bytes:
    sent = {
        "v": 1,
        "messageId": "m",
        "type": type,
        "robotId": "agv",
        "bootId": BACKEND,
        "seq": 0,
        "ts": "2026-01-01T00:00:00Z",
    }
    return json.dumps({**sent, "payload": payload}).encode()


STOP = {
    "commandId": "c",
    "commandType": "STOP",
    "params": {},
    "issuedAt": "2026-01-01T00:00:00Z",
    "expiresAt": "2026-01-01T01:00:00Z",
}


def test_a_script_sends_an_envelope_as_it_is():
    """Without a subject, the envelope's type decides."""
    scene = Scene().run(0.1)
    scene.sim.send("agv", "nats", _envelope("command.request", **STOP))
    assert scene.run(0.1).acks("c")[-1] == "SUCCEEDED"


@pytest.mark.parametrize(
    "said", [b"", b"rubbish", b"{}", b"[]", b'{"type": "state"}', b'{"type": 7}']
)
def test_what_a_script_sends_that_is_no_envelope_is_told(said):
    scene = Scene().run(0.1)
    scene.sim.send("agv", "nats", said)
    assert "envelope" in scene.sim.events[-1].text


@pytest.mark.parametrize(
    ("kind", "payload", "words"),
    [
        (
            "command.request",
            {**STOP, "expiresAt": "soon"},
            "payload: expiresAt: 'soon' is no RFC 3339 time",
        ),
        (
            "traffic.control",
            {"controlId": "h", "kind": "HOLDD", "seq": 1, "validUntil": "2026-01-01T01:00:00Z"},
            "payload: kind: invalid enum value 'HOLDD'",
        ),
        (
            "task.assign",
            {"taskId": "t", "revision": 1},
            "payload: Object missing required field steps",
        ),
    ],
)
def test_what_is_wrong_with_a_message_is_named(kind, payload, words):
    scene = Scene().run(0.1).wire(kind, _envelope(kind, **payload))
    assert words in scene.events("INVALID_PARAMS")[-1].message


def test_a_boot_is_told_by_its_inputs():
    scene = Scene()
    scene.sim.set_input("agv", "epoch_s", 1.9e9)
    scene.sim.set_input("agv", "boot_id", "0e0e0e0e-1111-4222-8333-444444444444")
    scene.sim.apply(Connect("agv", "nats", 1, "nats", "agv"))
    scene.run(1.05)
    assert scene.received[0].messageId == "0e0e0e0e-1111-4222-8333-444444444444-1"
    assert scene.published("heartbeat")
    assert scene.received[-1].ts.startswith("2030-03-17T17:46:41")


def test_a_boot_begins_when_it_is_told():
    scene = Scene().run(100.0)
    scene.sim.set_input("agv", "boot_id", "0e0e0e0e-1111-4222-8333-444444444444")
    scene.sim.apply(Connect("agv", "nats", 1, "nats", "agv"))
    before = len(scene.received)
    scene.run(2.0)
    first = scene.received[before]
    assert (first.messageId, first.seq) == (f"{first.bootId}-1", 1)
    assert scene.last("heartbeat").uptimeS == pytest.approx(2.0, abs=1.0)
    scene.send(m.SettingsDesired(version=7, settings={"streams.stateHz": 5}, ageS=50.0))
    assert scene.last("settings.reported").desiredVersion == 0, "it was desired before this boot"


def test_ticks_that_the_computer_lost_are_told():
    scene = Scene().run(1.5)
    assert scene.last("heartbeat").tickOverruns == 0
    scene.sim.set_input("agv", "lost_s", 0.5)
    assert scene.last("telemetry").loop == {"p99Ms": 10.0}
    scene.run(1.0)
    assert scene.last("heartbeat").tickOverruns == 50
    assert max(telemetry.loop["p99Ms"] for telemetry in scene.published("telemetry")) == 510.0
    assert scene.last("telemetry").loop == {"p99Ms": 10.0}


def test_how_late_the_loop_is_is_told_as_it_was_measured():
    scene = Scene().run(1.0)
    assert scene.last("telemetry").loop == {"p99Ms": 10.0}
    scene.sim.set_input("agv", "late_ms", 2.5)
    scene.run(1.0)
    assert scene.last("telemetry").loop == {"p99Ms": 12.5}


# Outages


def test_a_lost_backend_brakes_the_robot_within_its_limits():
    scene = Scene().run(0.1)
    name = scene.command("MOVE", x=9.0, y=0.0)
    lift = scene.command("MOVE_AXIS", motorId="hoist", target={"unit": "mm", "value": 300})
    scene.run(2.5)
    v, x = scene.truth.velocity[0], scene.truth.pose[0]
    scene.send(DOWN)
    before = v
    while scene.truth.driving:
        scene.run(0.01)
        assert before - scene.truth.velocity[0] <= 0.01 + 1e-9
        before = scene.truth.velocity[0]
    assert (scene.status, scene.truth.outbox_depth) == ("OFFLINE", 7)
    assert scene.truth.pose[0] - x == pytest.approx(v * v / 2, abs=0.03)
    held = scene.truth.axes["hoist"]
    scene.run(1)
    assert scene.truth.axes["hoist"] == held
    assert scene.acks(name) == ["ACCEPTED", "RUNNING"]
    scene.send(UP)
    scene.run(15)
    assert (scene.status, scene.acks(name)[-1], scene.acks(lift)[-1]) == (
        "RUNNING",
        "SUCCEEDED",
        "SUCCEEDED",
    )


def test_a_motion_that_expired_meanwhile_does_not_go_on():
    scene = Scene().run(0.1)
    name = scene.command("MOVE", valid_s=5.0, x=9.0, y=0.0)
    scene.run(1).send(DOWN).run(6)
    x = scene.truth.pose[0]
    scene.send(UP).run(3)
    assert (scene.ack(name).status, scene.ack(name).code) == ("EXPIRED", "EXPIRED")
    assert scene.truth.pose[0] == x


def test_what_was_held_for_something_else_does_not_expire():
    scene = Scene().run(0.1)
    name = scene.command("MOVE", valid_s=5.0, x=3.0, y=0.0)
    scene.run(1).control("HOLD").run(8)
    scene.control("RELEASE", seq=2).run(6)
    assert scene.acks(name)[-1] == "SUCCEEDED"


def test_of_what_is_latest_nothing_is_said_and_of_the_rest_everything():
    scene = Scene().run(1).send(DOWN)
    scene.received.clear()
    scene.run(3)
    said = {envelope.type for envelope in scene.received}
    assert not said & set(wire.LATEST_WINS)
    assert "events" in said
    scene.send(UP).run(0.2)
    assert scene.last("state").status == "RUNNING"
    assert len(scene.published("state")) <= 4


def test_without_a_link_what_must_not_be_lost_waits_for_the_next():
    scene = Scene()
    scene.sim.apply(Connect("agv", "nats", 1, "nats", "agv"))
    scene.run(1)
    scene.sim.apply(Disconnect("agv", "nats", 1))
    scene.received.clear()
    scene.run(0.1)
    assert scene.status == "OFFLINE"
    scene.command("SET_OUTPUT", id="meanwhile", ioId="buzzer", value=True)
    scene.sim.set_input("agv", "estop", True)
    scene.run(3)
    assert scene.received == []
    saved = scene.sim.snapshot()
    for _ in range(2):
        scene.sim.apply(Connect("agv", "nats", 2, "nats", "agv"))
        scene.run(0.02)
        assert [event.code for event in scene.events()][:2] == ["NATS_DISCONNECTED", "ESTOP"]
        assert scene.acks("meanwhile") == ["ACCEPTED", "RUNNING", "SUCCEEDED"]
        assert scene.status == "PAUSED"
        scene.received.clear()
        scene.sim.restore(saved)


def test_a_live_robot_is_offline_until_its_link_is_there():
    scene = Scene()
    scene.sim.set_input("agv", "boot_id", "live")
    scene.run(0.5)
    assert (scene.status, scene.received) == ("OFFLINE", [])
    scene.sim.apply(Connect("agv", "nats", 1, "nats", "agv"))
    scene.run(0.5)
    assert scene.status == "RUNNING"
    assert scene.published("settings.reported")[0].desiredVersion == 0
    assert scene.events() == []  # no event before the first connection
    scene.send(DOWN).run(0.1).send(UP).run(0.1)
    assert [event.clearedAt is None for event in scene.events("NATS_DISCONNECTED")] == [True, False]


def test_what_waits_is_bounded():
    scene = Scene()
    scene.sim.set_input("agv", "boot_id", "live")
    for n in range(900):
        scene.command("SET_OUTPUT", ioId="buzzer", value=bool(n % 2))
    pending = scene.robot.state.link.pending
    assert len(pending) == 2000
    assert scene.robot.metrics["messages_lost"] > 0
    numbers = [int(envelope.messageId.rpartition("-")[2]) for envelope in pending]
    assert numbers == list(range(numbers[-1] - 1999, numbers[-1] + 1)), "the oldest go"


def test_a_task_is_held_while_the_way_is_down():
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 3.0, "y": 0.0}), ("RELEASE",))
    scene.run(1).send(DOWN).run(5)
    assert not scene.truth.driving
    scene.send(UP)
    scene.until(lambda: scene.published("task.done"))
    assert scene.truth.pose[0] == pytest.approx(3.0, abs=1e-3)


def test_events_of_the_machine_are_told():
    battery = {"initialSoc": 0.1501, "capacityWh": 1.0}
    scene = Scene(runtime={"simulationProfile": {"battery": battery}}).run(5)
    assert scene.events("BATTERY_LOW")[0].severity == "WARNING"
    scene.sim.inject("agv", "scanner0", "off")
    scene.run(0.1)
    assert scene.events("DEVICE_OFF")[0].source == "scanner0"


def test_a_state_that_the_backend_does_not_store_is_a_reason_of_the_status():
    """It is no reason to stand, even if unhealthy motors are."""
    scene = Scene(runtime={"healthPolicy": {"allowDriveInWarning": False}}).run(0.1)
    scene.command("MOVE", x=5.0, y=0.0)
    scene.run(1)
    why = "messages to robot.agv.state are lost: maximum bytes exceeded (error 10077)"
    scene.send(m.LinkReport(True, 0, why)).run(0.5)
    state = scene.last("state")
    assert (state.status, state.statusReasons) == ("WARNING", ["NATS_NOT_STORED"])
    assert [fault.code for fault in state.errors] == ["NATS_NOT_STORED"]
    assert state.driving
    [event] = scene.events("NATS_NOT_STORED")
    assert (event.severity, event.source) == ("WARNING", "robot")
    assert event.message.endswith("maximum bytes exceeded (error 10077)")
    scene.send(UP).run(0.5)
    assert scene.last("state").status == "RUNNING"
    assert scene.events("NATS_NOT_STORED")[-1].clearedAt
    scene.send(m.LinkReport(False, 3, why)).run(0.1)
    assert scene.truth.reasons == ["NATS_DISCONNECTED"]
