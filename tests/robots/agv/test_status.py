"""The status by the document's precedence, over all combinations of facts."""

from itertools import product

import pytest

from rigless.robots.agv.modules.status import Facts, derive, may_drive

from .scene import Scene


def expected(
    connected, require, drive, lost, estop, obstacle, held, zone, manual, functional, empty
):
    """Return the status by the precedence of the document."""
    if require and not connected:
        return "OFFLINE"
    if drive or lost or empty:
        return "ERROR"
    if estop or obstacle or held or zone or manual:
        return "PAUSED"
    return "WARNING" if functional else "RUNNING"


def test_every_combination():
    seen = set()
    for case in product((False, True), repeat=11):
        connected, require, drive, lost, estop, obstacle, held, zone, manual, functional, empty = (
            case
        )
        facts = Facts(
            connected,
            require,
            ("ERROR:left",) if drive else (),
            ("lidar0",) if lost else (),
            estop,
            False,
            obstacle,
            held,
            ("z1",) if zone else (),
            manual,
            ("DISCONNECTED:act_1",) if functional else (),
            empty,
        )
        status, reasons = derive(facts)
        assert status == expected(*case), facts
        assert reasons == [
            word
            for holds, word in (
                (require and not connected, "NATS_DISCONNECTED"),
                (drive, "DRIVE_MOTOR_ERROR:left"),
                (lost, "REQUIRED_PART_LOST:lidar0"),
                (empty, "BATTERY_EMPTY"),
                (estop, "ESTOP"),
                (obstacle, "OBSTACLE"),
                (held, "TRAFFIC_HOLD"),
                (zone, "ZONE_BLOCK:z1"),
                (manual, "MANUAL_HOLD"),
                (functional, "FUNCTIONAL_MOTOR_DISCONNECTED:act_1"),
            )
            if holds
        ]
        seen.add(status)
    assert seen == {"OFFLINE", "ERROR", "PAUSED", "WARNING", "RUNNING"}


@pytest.mark.parametrize("status", ["RUNNING", "WARNING", "PAUSED", "ERROR", "OFFLINE"])
@pytest.mark.parametrize("allow", [True, False])
def test_what_may_drive(status, allow):
    assert may_drive(status, allow) == (status == "RUNNING" or (status == "WARNING" and allow))


MAKES = {  # actions of a user, and their effect
    "nats disconnect": ("OFFLINE", "NATS_DISCONNECTED"),
    "drive_left error": ("ERROR", "DRIVE_MOTOR_ERROR:drive_left"),
    "drive_right disconnected": ("ERROR", "DRIVE_MOTOR_DISCONNECTED:drive_right"),
    "estop=true": ("PAUSED", "ESTOP"),
    "remote_estop=true": ("PAUSED", "ESTOP"),
    "obstacle_m=0.3": ("PAUSED", "OBSTACLE"),
    "gripper error": ("WARNING", "FUNCTIONAL_MOTOR_ERROR:gripper"),
    "hoist disconnected": ("WARNING", "FUNCTIONAL_MOTOR_DISCONNECTED:hoist"),
}


def make(scene, what, on):
    if "=" in what:
        name, value = what.split("=")
        off = -1.0 if name == "obstacle_m" else False
        scene.sim.set_input("agv", name, (value == "true" or float(value)) if on else off)
    elif on:
        scene.sim.inject("agv", *what.split())
    else:
        scene.sim.clear("agv", what.split()[0])
    scene.run(0.1)


@pytest.mark.parametrize("what", MAKES)
def test_each_cause_by_itself_comes_and_goes(what):
    scene = Scene().run(0.1)
    make(scene, what, True)
    status, reason = MAKES[what]
    assert (scene.status, scene.truth.reasons) == (status, [reason])
    make(scene, what, False)
    if reason == "ESTOP":
        assert (scene.status, scene.truth.reasons) == (status, [reason])
        scene.command("RESUME")
        scene.run(0.1)
    assert (scene.status, scene.truth.reasons) == ("RUNNING", [])
    raised, cleared = scene.events(reason.partition(":")[0])
    assert raised.eventId == cleared.eventId
    assert (raised.clearedAt, cleared.raisedAt) == (None, raised.raisedAt)
    assert cleared.clearedAt > raised.raisedAt


@pytest.mark.parametrize(
    ("first", "second"), [(a, b) for a in MAKES for b in MAKES if a.split()[0] < b.split()[0]]
)
def test_of_two_causes_the_weightier_counts(first, second):
    scene = Scene().run(0.05)
    make(scene, first, True)
    make(scene, second, True)
    order = ["OFFLINE", "ERROR", "PAUSED", "WARNING"]
    assert scene.status == min(MAKES[first][0], MAKES[second][0], key=order.index)
    assert {MAKES[first][1], MAKES[second][1]} == set(scene.truth.reasons)


def test_a_required_device_that_is_lost_is_an_error():
    devices = [
        {"deviceId": "lidar0", "type": "LIDAR", "driver": {"type": "MOCK"}, "required": True}
    ]
    scene = Scene(io={"devices": devices}).run(0.1)
    make(scene, "lidar0 off", True)
    assert (scene.status, scene.truth.reasons) == ("ERROR", ["REQUIRED_PART_LOST:lidar0"])
    make(scene, "lidar0 off", False)
    assert scene.status == "RUNNING"
    optional = Scene().run(0.1)
    make(optional, "lidar0 off", True)
    assert optional.status == "RUNNING"


def test_without_the_need_for_nats_there_is_no_offline():
    scene = Scene(runtime={"healthPolicy": {"requireNatsForMotion": False}}).run(0.1)
    make(scene, "nats disconnect", True)
    assert scene.status == "RUNNING"


def test_the_state_is_told_at_once_but_not_too_often():
    scene = Scene(streams={"stateHz": 0.1}, safety={"estopAcknowledge": "AUTO"}).run(1.0)
    before = len(scene.published("state"))
    scene.sim.set_input("agv", "estop", True)
    scene.run(0.06)
    assert scene.last("state").status == "PAUSED"
    assert scene.last("state").safety.estop == "MANUAL"
    for on in [False, True] * 25:
        scene.sim.set_input("agv", "estop", on)
        scene.run(0.02)
    assert 15 <= len(scene.published("state")) - before <= 25
    scene.run(0.1)
    assert scene.last("state").status == "PAUSED"


def test_the_state_names_what_is_wrong_and_what_to_do():
    scene = Scene().run(0.1)
    make(scene, "drive_left error", True)
    state = scene.last("state")
    (fault,) = state.errors
    assert (fault.code, fault.level, fault.refs[0].key, fault.refs[0].value) == (
        "DRIVE_MOTOR_ERROR",
        "FATAL",
        "motorId",
        "drive_left",
    )
    assert "RESET_MOTOR" in fault.hint
    assert next(motor.state for motor in state.motors if motor.motorId == "drive_left") == "ERROR"


@pytest.mark.parametrize("command", ["RESUME", "CLEAR_FAULT"])
def test_a_released_emergency_stop_holds_until_it_is_acknowledged(command):
    scene = Scene().run(0.1)
    move = scene.command("MOVE", x=4.0, y=0.0)
    scene.run(1.5)
    make(scene, "estop=true", True)
    scene.run(2.0)
    scene.command(command)
    scene.run(0.1)
    assert scene.status == "PAUSED", "it is still pressed"
    at = scene.truth.pose
    make(scene, "estop=true", False)
    scene.run(2.0)
    assert (scene.truth.pose, scene.truth.reasons) == (at, ["ESTOP"])
    assert scene.last("state").safety.estop == "MANUAL"
    assert scene.robot.status() == "e-stop released"
    refused = scene.command("MOVE", x=1.0, y=0.0)
    assert scene.ack(refused).code == "STATUS_FORBIDS"
    done = scene.command(command)
    scene.run(8.0)
    assert (scene.ack(done).status, scene.ack(move).status) == ("SUCCEEDED", "SUCCEEDED")
    assert (scene.status, scene.last("state").safety.estop) == ("RUNNING", "NONE")


def test_the_release_in_the_panel_acknowledges_and_keeps_a_manual_hold():
    scene = Scene().run(0.1)
    view = scene.robot.view()
    scene.command("PAUSE")
    for on in (True, False):
        for given in view.stop(on):
            scene.sim.apply(given)
        scene.run(0.1)
        assert view.stopped is on
    assert scene.truth.reasons == ["MANUAL_HOLD"]
    assert [ack.status for ack in scene.published("command.ack")][-1] == "SUCCEEDED"
    make(scene, "estop=true", True)
    make(scene, "estop=true", False)
    assert view.stopped, "so that the page still offers Release"


def test_the_release_uses_the_command_that_the_robot_supports():
    scene = Scene(capabilities={"supportedCommands": ["MOVE", "RESUME"]}).run(0.1)
    view = scene.robot.view()
    for on in (True, False):
        for given in view.stop(on):
            scene.sim.apply(given)
    scene.run(0.1)
    assert scene.status == "RUNNING"
