"""The execution scenarios A to D of the document."""

import pytest

from rigless.robots.agv import messages as m
from rigless.robots.agv.checks.examine import examine_config
from rigless.robots.agv.config import own
from rigless.robots.agv.machine.motor_bank import missing_motors

from .configs import GONE, changed
from .scene import Scene


def motor(scene, name):
    return next(health for health in scene.last("state").motors if health.motorId == name)


# Scenario A: boot with missing optional functional motor


def test_a_boots_with_a_missing_functional_motor():
    scene = Scene()
    scene.sim.inject("agv", "gripper", "disconnected")
    scene.run(1.2)
    assert scene.published("heartbeat")[-1].status == "WARNING"
    state = scene.last("state")
    assert (state.status, state.missingFunctionKeys) == ("WARNING", ["GRIPPER"])
    assert (motor(scene, "gripper").connected, motor(scene, "hoist").connected) == (False, True)
    assert len(state.motors) == 4
    name = scene.command("MOVE", x=1.0, y=0.0)
    scene.run(5)
    assert scene.acks(name) == ["ACCEPTED", "RUNNING", "SUCCEEDED"]
    assert scene.truth.pose[0] == pytest.approx(1.0, abs=1e-3)


def test_a_what_needs_it_is_rejected_until_it_recovers():
    scene = Scene()
    scene.sim.inject("agv", "gripper", "disconnected")
    scene.run(0.5)
    assert scene.ack(scene.command("GRIP")).code == "REQUIRED_MOTOR_UNAVAILABLE"
    assert (
        scene.ack(
            scene.command("MOVE_AXIS", motorId="hoist", target={"unit": "mm", "value": 5})
        ).status
        == "RUNNING"
    )
    scene.assign(("RELEASE",))
    assert (scene.last("task.failed").code, scene.last("task.failed").motorId) == (
        "REQUIRED_MOTOR_UNAVAILABLE",
        "gripper",
    )
    scene.assign(("WAIT", {"seconds": 0.1}, ["GRIPPER"]), id="t2")
    assert scene.last("task.failed").taskId == "t2"
    scene.sim.clear("agv", "gripper")
    scene.run(0.1)
    assert scene.status == "RUNNING"
    name = scene.command("RELEASE")
    scene.run(3)
    assert scene.ack(name).status == "SUCCEEDED"


def test_a_boots_without_a_hoist_that_its_limit_sensors_name():
    scene = Scene(motors=own()["motors"][:3]).run(1.2)
    state = scene.last("state")
    assert (state.status, state.statusReasons) == ("WARNING", ["FUNCTIONAL_MOTOR_MISSING:hoist"])
    assert state.missingFunctionKeys == ["HOIST"]
    assert [health.motorId for health in state.motors] == ["drive_left", "drive_right", "gripper"]
    assert {published.status for published in scene.published("heartbeat")} == {"WARNING"}
    assert scene.events("FUNCTIONAL_MOTOR_MISSING")[0].source == "hoist"
    assert (state.errors[0].code, state.errors[0].refs) == (
        "FUNCTIONAL_MOTOR_MISSING",
        [m.Ref("motorId", "hoist")],
    )
    target = {"unit": "mm", "value": 5}
    for axis in ({"motorId": "hoist"}, {"functionKey": "HOIST"}):
        rejected = scene.ack(scene.command("MOVE_AXIS", **axis, target=target))
        assert (rejected.status, rejected.code) == ("REJECTED", "REQUIRED_MOTOR_UNAVAILABLE")
    names = [scene.command("MOVE", x=0.5, y=0.0), scene.command("GRIP")]
    scene.run(5)
    assert [scene.ack(name).status for name in names] == ["SUCCEEDED"] * 2


def test_a_a_missing_motor_is_an_error_only_if_a_capability_requires_it():
    """A limit sensor may name its function; a name close to that of a motor is a typing error."""
    sensor = "io.digitalInputs.1.driver.config"
    config, findings = examine_config(
        changed({"motors.3": GONE, f"{sensor}.functionKey": "LIFT", "io.digitalInputs.2": GONE})
    )
    assert [(problem.code, problem.severity) for problem in findings] == [
        ("MOTOR_MISSING", "warning")
    ]
    assert config is not None
    assert missing_motors(config) == {"hoist": "LIFT"}
    for changes, code in (
        ({"motors.3": GONE, "capabilities.flags.hasHoist": True}, "CAPABILITY_WITHOUT_MOTOR"),
        ({f"{sensor}.motorId": "hoits"}, "LIMIT_MOTOR_UNKNOWN"),
    ):
        errors = [p.code for p in examine_config(changed(changes))[1] if p.severity == "error"]
        assert errors == [code]


# Scenario B: functional motor fault during task execution


def test_b_a_command_that_needs_the_motor_fails_and_navigation_goes_on():
    scene = Scene().run(0.1)
    drive = scene.command("MOVE", x=4.0, y=0.0)
    grip = scene.command("RELEASE")
    scene.run(0.5)
    scene.sim.inject("agv", "gripper", "error")
    scene.run(0.1)
    failed = scene.ack(grip)
    assert (failed.status, failed.code, failed.refs) == (
        "FAILED",
        "REQUIRED_MOTOR_UNAVAILABLE",
        [m.Ref("motorId", "gripper")],
    )
    assert scene.status == "WARNING"
    assert scene.truth.velocity[0] > 0
    scene.run(8)
    assert scene.ack(drive).status == "SUCCEEDED"
    assert scene.truth.axes["gripper"] < 0.08


def test_b_a_task_that_needs_the_motor_fails():
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 1.0, "y": 0.0}), ("RELEASE", {}, ["GRIPPER"]))
    scene.until(lambda: scene.truth.axes["gripper"] > 0.01)
    scene.sim.inject("agv", "gripper", "error")
    scene.run(0.2)
    failed = scene.last("task.failed")
    assert (failed.taskId, failed.stepId, failed.code, failed.motorId) == (
        "t1",
        "s2",
        "REQUIRED_MOTOR_UNAVAILABLE",
        "gripper",
    )
    assert scene.status == "WARNING"


def test_b_a_step_fails_whose_requirement_falls_ill():
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 5.0, "y": 0.0}, ["HOIST"]))
    scene.run(1)
    scene.sim.inject("agv", "hoist", "error")
    scene.run(0.1)
    assert (scene.last("task.failed").code, scene.last("task.failed").motorId) == (
        "REQUIRED_MOTOR_UNAVAILABLE",
        "hoist",
    )


def test_b_what_does_not_need_it_continues():
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 3.0, "y": 0.0}))
    scene.run(1)
    scene.sim.inject("agv", "hoist", "disconnected")
    scene.run(0.1)
    assert scene.events("FUNCTIONAL_MOTOR_DISCONNECTED")[0].source == "hoist"
    assert scene.last("state").status == "WARNING"
    scene.run(8)
    assert scene.last("task.done").taskId == "t1"


def test_b_where_policy_forbids_to_drive_in_warning_the_robot_waits():
    scene = Scene(runtime={"healthPolicy": {"allowDriveInWarning": False}}).run(0.1)
    name = scene.command("MOVE", x=3.0, y=0.0)
    scene.run(1.5)
    scene.sim.inject("agv", "hoist", "error")
    scene.run(2)
    assert (scene.status, scene.truth.velocity[0]) == ("WARNING", 0.0)
    assert scene.ack(scene.command("MOVE", x=0.0, y=0.0)).code == "STATUS_FORBIDS"
    scene.sim.clear("agv", "hoist")
    scene.run(6)
    assert scene.ack(name).status == "SUCCEEDED"


def test_b_a_move_that_waited_for_that_policy_has_begun_when_it_changes():
    scene = Scene(runtime={"healthPolicy": {"allowDriveInWarning": False}}).run(0.1)
    scene.control("HOLD", id="h1").sim.inject("agv", "hoist", "error")
    scene.run(0.1)
    name = scene.command("MOVE", valid_s=2.0, x=3.0, y=0.0)
    scene.control("RELEASE", id="h1", seq=2).run(0.1)
    scene.send(
        m.SettingsDesired(version=1, settings={"runtime.healthPolicy.allowDriveInWarning": True})
    ).run(2.5)
    scene.control("HOLD", id="h2").run(1)
    assert scene.ack(name).status == "RUNNING", "it expires no more"
    scene.control("RELEASE", id="h2", seq=2).run(5)
    assert scene.ack(name).status == "SUCCEEDED"


# Scenario C: drive motor fault


@pytest.mark.parametrize(("motor", "word"), [("drive_left", "DRIVE"), ("hoist", "FUNCTIONAL")])
@pytest.mark.parametrize("faults", [("error", "disconnected"), ("disconnected", "error")])
def test_c_a_motor_in_error_that_does_not_answer_either_is_told_as_such(motor, word, faults):
    scene = Scene().run(0.1)
    for fault in faults:
        scene.sim.inject("agv", motor, fault)
        scene.run(0.2)
    assert scene.last("state").statusReasons == [f"{word}_MOTOR_DISCONNECTED:{motor}"]
    scene.sim.clear("agv", motor)
    scene.run(0.2)
    assert (scene.status, scene.last("state").statusReasons) == ("RUNNING", [])


def test_c_motion_stops_within_its_limits_and_what_drives_fails():
    scene = Scene().run(0.1)
    name = scene.command("MOVE", x=9.0, y=0.0)
    scene.run(2.5)
    v, x = scene.truth.velocity[0], scene.truth.pose[0]
    assert v == pytest.approx(1.2)
    scene.sim.inject("agv", "drive_left", "error")
    scene.run(0.02)
    assert scene.status == "ERROR"
    last = scene.truth.velocity[0]
    while scene.truth.driving:
        scene.run(0.01)
        assert scene.truth.velocity[0] <= last + 1e-9
        assert last - scene.truth.velocity[0] <= 1.0 * 0.01 + 1e-9
        last = scene.truth.velocity[0]
    assert scene.truth.pose[0] - x == pytest.approx(v**2 / 2 + v * 0.02, abs=0.03)
    failed = scene.ack(name)
    assert (failed.status, failed.code, failed.refs) == (
        "FAILED",
        "REQUIRED_MOTOR_UNAVAILABLE",
        [m.Ref("motorId", "drive_left")],
    )


def test_c_all_is_rejected_but_stop_and_reset_of_the_affected_motor():
    scene = Scene().run(0.1)
    scene.sim.inject("agv", "drive_left", "error")
    scene.run(0.1)
    others = {
        "MOVE": {"x": 1, "y": 1},
        "FOLLOW_ROUTE": {"to": {"x": 1, "y": 1}},
        "PAUSE": {},
        "RESUME": {},
        "GRIP": {},
        "RELEASE": {},
        "HOME": {},
        "MOVE_AXIS": {"motorId": "hoist", "target": {"unit": "mm", "value": 1}},
        "SET_OUTPUT": {"ioId": "buzzer", "value": True},
        "INIT_POSE": {"x": 0, "y": 0, "theta": 0},
    }
    for kind, params in others.items():
        ack = scene.ack(scene.command(kind, **params))
        assert (ack.status, ack.code) == ("REJECTED", "STATUS_FORBIDS"), kind
    assert (
        scene.ack(scene.command("RESET_MOTOR", motorIds=["drive_right"])).code == "STATUS_FORBIDS"
    )
    scene.assign(("WAIT", {"seconds": 1}))
    assert scene.last("task.failed").code == "STATUS_FORBIDS"
    stop = scene.command("STOP")
    scene.run(0.1)
    assert scene.ack(stop).status == "SUCCEEDED"
    reset = scene.command("RESET_MOTOR", motorIds=["drive_left"])
    scene.run(0.2)
    still = scene.ack(reset)
    assert (still.status, still.code) == (
        "FAILED",
        "REQUIRED_MOTOR_UNAVAILABLE",
    )  # its fault is still there
    assert scene.ack(scene.command("RESET_MOTOR", motorIds=["drive_left"])).code == "RESET_COOLDOWN"
    scene.sim.clear("agv", "drive_left")
    scene.run(0.1)
    assert scene.status == "RUNNING"


@pytest.mark.parametrize("kind", ["RESET_MOTOR", "CLEAR_FAULT"])
def test_c_a_reset_takes_away_an_error_whose_cause_is_gone(kind):
    scene = Scene().run(0.1)
    scene.sim.inject("agv", "drive_left", "error", latch=True)
    scene.run(0.1)
    scene.sim.clear("agv", "drive_left")
    scene.run(0.1)
    assert scene.status == "ERROR"
    name = scene.command(kind, **({"motorIds": ["drive_left"]} if kind == "RESET_MOTOR" else {}))
    scene.run(0.1)
    assert scene.acks(name) == ["ACCEPTED", "RUNNING", "SUCCEEDED"]
    assert scene.status == "RUNNING"


def test_c_a_task_that_drives_fails():
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 9, "y": 0}))
    scene.run(1)
    scene.sim.inject("agv", "drive_right", "disconnected")
    scene.run(0.1)
    failed = scene.last("task.failed")
    assert (failed.code, failed.motorId, failed.recoverable) == (
        "REQUIRED_MOTOR_UNAVAILABLE",
        "drive_right",
        True,
    )


# Scenario D: mock mode


def test_d_the_same_messages_without_hardware():
    scene = Scene().run(3.05)
    said = {
        kind: len(scene.published(kind))
        for kind in ("heartbeat", "state", "telemetry", "traffic.state")
    }
    assert said["heartbeat"] == 3
    assert said["telemetry"] == 6
    assert said["traffic.state"] == 30
    assert 30 <= said["state"] <= 32
    assert {beat.mode for beat in scene.published("heartbeat")} == {"MOCK"}
    assert all(envelope.sim is not None for envelope in scene.received)


@pytest.mark.parametrize(
    ("button", "value", "free"), [("estop", True, False), ("obstacle_m", 0.3, -1.0)]
)
def test_d_safety_clamps_the_drive_and_the_status_follows(button, value, free):
    scene = Scene(safety={"estopAcknowledge": "AUTO"}).run(0.1)
    name = scene.command("MOVE", x=4.0, y=0.0)
    scene.run(1.5)
    scene.sim.set_input("agv", button, value)
    scene.run(2)
    assert (scene.status, scene.truth.velocity) == ("PAUSED", (0.0, 0.0))
    assert scene.acks(name) == ["ACCEPTED", "RUNNING"]
    scene.sim.set_input("agv", button, free)
    scene.run(8)
    assert (scene.status, scene.ack(name).status) == ("RUNNING", "SUCCEEDED")
    assert scene.truth.pose[0] == pytest.approx(4.0, abs=1e-3)
