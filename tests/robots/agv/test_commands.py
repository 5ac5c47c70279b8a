"""Commands: acknowledgements of each kind, rejections, and resends."""

import pytest

from rigless.kernel.timing import timestamps
from rigless.robots.agv import messages as m
from rigless.robots.agv.config import own

from .scene import Scene

DONE = ["ACCEPTED", "RUNNING", "SUCCEEDED"]


def rejected(scene, kind, **params):
    ack = scene.ack(scene.command(kind, **params))
    assert ack.status == "REJECTED"
    return ack.code


# Each kind


def test_move_goes_there():
    scene = Scene().run(0.1)
    name = scene.command("MOVE", x=2.0, y=1.0, theta=1.0)
    scene.run(0.5)
    assert scene.last("state").commandId == name
    scene.run(8)
    assert scene.acks(name) == DONE
    assert scene.truth.pose == pytest.approx((2.0, 1.0, 1.0), abs=1e-3)
    assert scene.ack(name).result == {"x": 2.0, "y": 1.0, "theta": 1.0}
    assert scene.last("state").commandId is None


def test_what_is_there_already_is_done_at_once():
    scene = Scene().run(0.1)
    names = [
        scene.command("MOVE", x=0.0, y=0.0),
        scene.command("GRIP"),
        scene.command("HOME", motorIds=["hoist"]),
    ]
    scene.run(0.1)
    assert [scene.acks(name) for name in names] == [DONE] * 3


def test_axes_move_to_where_they_are_told_and_while_driving():
    scene = Scene().run(0.1)
    drive = scene.command("MOVE", x=2.0, y=0.0)
    lift = scene.command("MOVE_AXIS", functionKey="HOIST", target={"unit": "cm", "value": 12})
    grip = scene.command("RELEASE")
    scene.run(6)
    assert [scene.acks(name) for name in (drive, lift, grip)] == [DONE] * 3
    assert scene.truth.axes == pytest.approx({"gripper": 0.08, "hoist": 0.12}, abs=1e-6)
    home = scene.command("HOME")
    scene.run(4)
    assert scene.acks(home) == DONE
    assert scene.truth.axes == pytest.approx({"gripper": 0.0, "hoist": 0.0}, abs=1e-6)
    for kind, where in (("RELEASE", 0.08), ("GRIP", 0.0)):
        name = scene.command(kind, functionKey="GRIPPER")
        scene.run(3)
        assert scene.acks(name) == DONE
        assert scene.truth.axes["gripper"] == pytest.approx(where, abs=1e-6)


def test_pause_holds_and_resume_goes_on():
    scene = Scene().run(0.1)
    drive = scene.command("MOVE", x=2.0, y=0.0)
    lift = scene.command("MOVE_AXIS", motorId="hoist", target={"unit": "mm", "value": 300})
    scene.run(1)
    assert scene.acks(scene.command("PAUSE")) == DONE
    scene.run(2)
    assert (scene.status, scene.truth.reasons, scene.last("state").holds) == (
        "PAUSED",
        ["MANUAL_HOLD"],
        ["MANUAL"],
    )
    stands = scene.truth
    scene.run(1)
    assert scene.truth.pose == stands.pose
    assert scene.truth.axes == stands.axes
    assert scene.truth.axes["hoist"] < 0.3
    assert rejected(scene, "MOVE", x=0.0, y=0.0) == "STATUS_FORBIDS"
    assert rejected(scene, "GRIP") == "STATUS_FORBIDS"
    assert scene.acks(scene.command("SET_OUTPUT", ioId="buzzer", value=True)) == DONE
    assert scene.acks(scene.command("RESUME")) == DONE
    scene.run(6)
    assert (scene.acks(drive), scene.acks(lift)) == (DONE, DONE)


def test_stop_cancels_what_is_done():
    scene = Scene().run(0.1)
    drive, lift = scene.command("MOVE", x=9.0, y=0.0), scene.command("HOME", motorIds=["hoist"])
    grip = scene.command("RELEASE")
    scene.run(1)
    assert scene.acks(lift) == DONE
    stop = scene.command("STOP")
    assert (scene.acks(drive)[-1], scene.acks(grip)[-1]) == ("CANCELLED", "CANCELLED")
    assert scene.acks(stop) == ["ACCEPTED", "RUNNING"]
    scene.run(2)
    assert scene.acks(stop) == DONE
    assert scene.truth.velocity == (0.0, 0.0)
    assert scene.acks(scene.command("STOP"))[-1] != "REJECTED"
    again = scene.command("MOVE", x=0.0, y=0.0)
    scene.run(10)
    assert scene.acks(again) == DONE


def test_one_that_ends_at_the_instant_of_a_stop_is_answered_as_it_ended():
    scene = Scene().run(0.1)
    name = scene.command("FOLLOW_ROUTE", to={"x": 5.0, "y": 0.0})
    scene.send(m.RouteResponse(requestId=scene.last("route.request").requestId, status="NO_ROUTE"))
    scene.command("STOP")
    scene.run(0.1)
    assert scene.acks(name) == ["ACCEPTED", "RUNNING", "FAILED"]
    assert scene.last("state").commandId is None


def test_a_motor_that_fails_stops_the_others_of_its_command():
    scene = Scene().run(0.1)
    up = [
        scene.command("RELEASE"),
        scene.command("MOVE_AXIS", functionKey="HOIST", target={"unit": "mm", "value": 300}),
    ]
    scene.until(lambda: all(scene.acks(name) == DONE for name in up))
    home = scene.command("HOME")
    scene.run(0.5)
    scene.sim.inject("agv", "hoist", "error")
    scene.run(3)
    assert (scene.ack(home).code, scene.truth.axes["gripper"] > 0.03) == (
        "REQUIRED_MOTOR_UNAVAILABLE",
        True,
    )


def test_outputs_and_poses_are_set():
    scene = Scene().run(0.1)
    assert scene.acks(scene.command("SET_OUTPUT", ioId="beacon", value=True)) == DONE
    assert scene.acks(scene.command("INIT_POSE", x=5, y=-2, theta=0.5, mapId="hall")) == DONE
    scene.run(1)
    assert scene.last("telemetry").io["beacon"] is True
    pose = scene.last("state").pose
    assert (pose.x, pose.y, pose.theta, pose.mapId) == (5.0, -2.0, 0.5, "hall")


def test_a_reset_has_a_cooldown():
    scene = Scene().run(0.1)
    scene.sim.inject("agv", "hoist", "error", latch=True)
    scene.run(0.1)
    scene.sim.clear("agv", "hoist")
    first = scene.command("RESET_MOTOR", motorIds=["hoist"])
    assert rejected(scene, "RESET_MOTOR", motorIds=["hoist"]) == "RESET_COOLDOWN"
    scene.run(0.6)
    assert scene.acks(first) == DONE
    later = scene.command("RESET_MOTOR", motorIds=["hoist"])
    scene.run(0.2)
    assert scene.acks(later) == DONE


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        ({"supportsReset": True, "resetCooldownMs": 500}, "RESET_COOLDOWN"),
        ({"supportsReset": False}, "NOT_SUPPORTED"),
    ],
)
def test_a_reset_of_several_motors_is_of_all_or_none(policy, code):
    motors = own()["motors"]
    motors[3]["resetPolicy"] = policy
    scene = Scene(motors=motors).run(0.1)
    scene.command("RESET_MOTOR", motorIds=["hoist"])
    scene.sim.inject("agv", "gripper", "error", latch=True)
    scene.run(0.1)
    scene.sim.clear("agv", "gripper")
    both = scene.command("RESET_MOTOR", motorIds=["gripper", "hoist"])
    scene.run(0.1)
    assert (scene.ack(both).status, scene.ack(both).code) == ("REJECTED", code)
    assert scene.status == "WARNING", "the gripper was not reset"
    alone = scene.command("RESET_MOTOR", motorIds=["gripper"])
    scene.run(0.1)
    assert (scene.acks(alone), scene.status) == (DONE, "RUNNING")


# Rejections


WRONG = [
    ("MOVE", {"x": 1.0}, "y"),
    ("MOVE", {"x": "1", "y": 0}, "x"),
    ("MOVE", {"x": True, "y": 0}, "x"),
    ("MOVE", {"x": 1e12, "y": 0}, "x"),
    ("MOVE", {"x": 0, "y": 0, "speed": 3}, "speed"),
    ("MOVE", {"x": 0, "y": 0, "theta": [1]}, "theta"),
    ("FOLLOW_ROUTE", {}, "routeId"),
    ("FOLLOW_ROUTE", {"routeId": "nowhere"}, "routeId"),
    ("FOLLOW_ROUTE", {"nodes": []}, "nodes"),
    ("STOP", {"now": True}, "now"),
    ("MOVE_AXIS", {"target": {"unit": "mm", "value": 1}}, "motorId"),
    ("MOVE_AXIS", {"motorId": "drive_left", "target": {"unit": "mm", "value": 1}}, "drive_left"),
    ("MOVE_AXIS", {"motorId": "hoist", "target": {"unit": "deg", "value": 1}}, "deg"),
    ("MOVE_AXIS", {"motorId": "hoist", "target": {"unit": "mm", "value": 301}}, "300"),
    ("MOVE_AXIS", {"motorId": "hoist", "target": {"value": 1}}, "unit"),
    (
        "MOVE_AXIS",
        {"motorId": "hoist", "functionKey": "GRIPPER", "target": {"unit": "mm", "value": 1}},
        "hoist",
    ),
    ("GRIP", {"motorId": "nobody"}, "nobody"),
    ("HOME", {"motorIds": "hoist"}, "motorIds"),
    ("RESET_MOTOR", {}, "motorIds"),
    ("RESET_MOTOR", {"motorIds": ["ghost"]}, "ghost"),
    ("SET_OUTPUT", {"ioId": "siren", "value": True}, "siren"),
    ("SET_OUTPUT", {"ioId": "buzzer", "value": 1}, "value"),
    ("INIT_POSE", {"x": 0, "y": 0}, "theta"),
]


@pytest.mark.parametrize(("kind", "params", "names"), WRONG)
def test_wrong_parameters_are_named(kind, params, names):
    scene = Scene().run(0.05)
    ack = scene.ack(scene.command(kind, **params))
    assert (ack.status, ack.code) == ("REJECTED", "INVALID_PARAMS")
    assert names in ack.message


def test_what_is_not_supported():
    scene = Scene(capabilities={"supportedCommands": ["MOVE"]}).run(0.05)
    assert scene.ack(scene.command("STOP")).status == "RUNNING"  # STOP cannot be disabled
    assert rejected(scene, "GRIP") == "NOT_SUPPORTED"
    assert rejected(scene, "FLY") == "NOT_SUPPORTED"
    assert scene.ack(scene.command("MOVE", x=0.1, y=0.0)).status == "RUNNING"


def test_a_function_that_no_motor_has():
    assert rejected(Scene().run(0.05), "GRIP", functionKey="CRANE") == "REQUIRED_MOTOR_UNAVAILABLE"


def test_of_two_motors_of_a_function_one_that_is_well_is_taken_unless_one_is_named():
    motors = own()["motors"]
    motors.append({**motors[2], "motorId": "other_hand"})
    scene = Scene(motors=motors).run(0.1)
    scene.command("RELEASE", motorId="other_hand", functionKey="GRIPPER")
    scene.run(4)
    assert (scene.truth.axes["gripper"], scene.truth.axes["other_hand"]) == pytest.approx(
        (0.0, 0.08)
    )
    scene.sim.inject("agv", "gripper", "error")
    scene.run(0.1)
    scene.command("GRIP")
    scene.run(4)
    assert scene.truth.axes["other_hand"] == pytest.approx(0.0)


def test_a_second_motion_is_refused_as_busy():
    scene = Scene().run(0.05)
    scene.command("MOVE", x=3.0, y=0.0)
    scene.command("RELEASE")
    scene.run(0.5)
    assert rejected(scene, "MOVE", x=0.0, y=0.0) == "BUSY"
    assert rejected(scene, "INIT_POSE", x=0.0, y=0.0, theta=0.0) == "BUSY"
    assert rejected(scene, "GRIP") == "BUSY"


def test_one_that_was_meant_for_another_boot():
    scene = Scene().run(0.05)
    boot = scene.received[0].bootId
    for expected, status in (("another", "REJECTED"), (boot, "RUNNING")):
        scene.send(
            m.CommandRequest(
                commandId=expected,
                commandType="MOVE",
                params={"x": 1.0, "y": 0.0},
                expectedBootId=expected,
            )
        )
        assert scene.ack(expected).status == status
    assert (scene.ack("another").code, boot in scene.ack("another").message) == (
        "STATUS_FORBIDS",
        True,
    )


@pytest.mark.parametrize("late_s", [0.0, 0.001, 3600.0])
def test_one_that_came_too_late_is_expired(late_s):
    scene = Scene().run(1.0)
    name = scene.command("MOVE", valid_s=-late_s, x=1.0, y=0.0)
    assert (scene.acks(name), scene.ack(name).code) == (["EXPIRED"], "EXPIRED")
    scene.run(1)
    assert not scene.truth.driving


def test_the_servers_time_decides_not_the_robots():
    scene = Scene().run(1.0)
    expires_ns = timestamps.to_ns("2031-05-05T12:00:00Z")
    for off_ns, status in ((-1, "RUNNING"), (0, "EXPIRED")):
        name = f"server {off_ns}"
        scene.send(
            m.CommandRequest(
                commandId=name,
                commandType="HOME",
                params={"motorIds": ["hoist" if off_ns else "gripper"]},
                expiresAt="2031-05-05T12:00:00Z",
                receivedAtNs=expires_ns + off_ns,
            )
        )
        assert scene.ack(name).status == status


# Resets of several motors


def ill(*motors, **policies):
    """Return a robot whose motors have latched errors without a cause."""
    fleet = own()["motors"]
    for motor in fleet:
        motor["resetPolicy"] = policies.get(motor["motorId"], motor["resetPolicy"])
    scene = Scene(motors=fleet).run(0.1)
    for motor in motors:
        scene.sim.inject("agv", motor, "error", latch=True)
        scene.run(0.05)
        scene.sim.clear("agv", motor)
    return scene.run(0.05)


def test_a_reset_is_of_all_motors_named_or_of_none():
    scene = ill("gripper", "hoist", hoist={"supportsReset": False})
    ack = scene.ack(scene.command("RESET_MOTOR", motorIds=["gripper", "hoist"]))
    assert (ack.status, ack.code, ack.refs) == (
        "REJECTED",
        "NOT_SUPPORTED",
        [m.Ref("motorId", "hoist")],
    )
    scene.run(0.2)
    assert scene.last("state").missingFunctionKeys == ["GRIPPER", "HOIST"]
    name = scene.command("RESET_MOTOR", motorIds=["gripper"])
    scene.run(0.2)
    assert scene.ack(name).status == "SUCCEEDED"


def test_clear_fault_clears_what_can_be_and_tells_what_cannot():
    scene = ill("gripper", "hoist", gripper={"supportsReset": False})
    name = scene.command("CLEAR_FAULT")
    scene.run(0.3)
    assert scene.last("state").missingFunctionKeys == ["GRIPPER"]
    assert (scene.ack(name).status, scene.ack(name).refs) == (
        "FAILED",
        [m.Ref("motorId", "gripper")],
    )
    assert scene.ack(scene.command("CLEAR_FAULT")).code == "NOT_SUPPORTED"


def test_a_failed_action_at_a_node_gives_the_ack_no_code_that_the_contract_does_not_know():
    scene = Scene().run(0.1)
    nodes = [
        {
            "nodeId": "a",
            "sequenceId": 0,
            "x": 0,
            "y": 0,
            "released": True,
            "actions": [{"type": "SCAN", "params": {"timeoutS": 0.1}}],
        }
    ]
    name = scene.command("FOLLOW_ROUTE", nodes=nodes)
    scene.run(1)
    assert (scene.ack(name).status, scene.ack(name).code) == ("FAILED", None)
    assert "at node a" in scene.ack(name).message


# Progress


def test_acks_tell_how_much_is_done():
    scene = Scene().run(0.1)
    name = scene.command("MOVE", x=4.0, y=0.0)
    scene.until(lambda: scene.truth.pose[0] >= 1.0)
    scene.command("MOVE", id=name, x=4.0, y=0.0)
    again = scene.ack(name)
    assert (again.status, again.replayed, again.progress) == (
        "RUNNING",
        True,
        pytest.approx(0.25, abs=0.01),
    )
    scene.run(8)
    acks = [
        (ack.status, ack.progress) for ack in scene.published("command.ack") if not ack.replayed
    ]
    assert acks == [("ACCEPTED", None), ("RUNNING", 0.0), ("SUCCEEDED", 1.0)]
    scene.command("MOVE", id=name, x=4.0, y=0.0)
    assert (scene.ack(name).replayed, scene.ack(name).progress) == (True, 1.0)
    assert scene.ack(scene.command("DANCE")).progress is None


@pytest.mark.parametrize(
    ("end", "status"), [("stop", "CANCELLED"), ("fault", "FAILED"), ("outage", "EXPIRED")]
)
def test_what_ends_early_tells_how_far_it_got(end, status):
    scene = Scene().run(0.1)
    name = scene.command("MOVE", x=4.0, y=0.0, valid_s=10.0)
    scene.until(lambda: scene.truth.pose[0] >= 2.0)
    if end == "stop":
        scene.command("STOP")
    elif end == "fault":
        scene.sim.inject("agv", "drive_left", "error")
    else:
        scene.sim.inject("agv", "nats", "disconnect", until_s=20.0)
        scene.run(20)
    scene.run(0.1)
    assert (scene.ack(name).status, 0.49 < scene.ack(name).progress < 0.72) == (status, True)


def test_an_axis_and_a_route_that_was_asked_for_tell_it_too():
    scene = Scene().run(0.1)
    lift = scene.command("MOVE_AXIS", motorId="hoist", target={"unit": "mm", "value": 200})
    scene.until(lambda: scene.truth.axes["hoist"] >= 0.1)
    scene.sim.inject("agv", "hoist", "error")
    scene.run(0.1)
    assert (scene.ack(lift).status, scene.ack(lift).progress) == (
        "FAILED",
        pytest.approx(0.5, abs=0.06),
    )
    drive = scene.command("FOLLOW_ROUTE", to={"x": 4.0, "y": 0.0})
    nodes = [m.Node("a", 0, 0.0, 0.0, True), m.Node("b", 2, 4.0, 0.0, True)]
    edges = [m.Edge("ab", 1, "a", "b")]
    scene.send(
        m.RouteResponse(requestId=scene.last("route.request").requestId, nodes=nodes, edges=edges)
    )
    scene.until(lambda: scene.truth.pose[0] >= 2.0)
    scene.command("STOP")
    assert (scene.ack(drive).status, scene.ack(drive).progress) == (
        "CANCELLED",
        pytest.approx(0.5, abs=0.01),
    )
