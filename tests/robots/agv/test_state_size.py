"""Robots with so many motors that their state exceeds a message."""

import msgspec
import pytest

from rigless.robots.agv import messages as m
from rigless.robots.agv.config import own
from rigless.robots.agv.link import state_size
from rigless.robots.agv.wire import LONGEST

from .scene import Scene


def robot(count):
    template = next(motor for motor in own()["motors"] if motor["role"] == "FUNCTIONAL")
    more = [
        {**template, "motorId": f"axis_{n:03}", "functionKey": f"FUNCTION_{n:03}"}
        for n in range(count)
    ]
    return Scene(motors=[*own()["motors"], *more]).run(0.2)


def sizes(scene):
    return [
        len(msgspec.json.encode(envelope))
        for envelope in scene.received
        if envelope.type == "state"
    ]


def test_a_state_of_many_motors_fits_and_what_is_left_out_is_told_once():
    scene = robot(520)
    state = scene.run(0.5).last("state")
    assert max(sizes(scene)) <= LONGEST
    assert len(state.motors) == 520 + len(own()["motors"])
    assert {(motor.position, motor.velocity) for motor in state.motors} == {(None, None)}
    assert [
        event.message.partition("left out: ")[2] for event in scene.events("STATE_TOO_LARGE")
    ] == ["position and velocity of motors, which telemetry has"]


def test_a_robot_of_a_usual_size_tells_all():
    scene = robot(50)
    assert all(
        motor.position is not None
        for motor in scene.last("state").motors
        if motor.role == "FUNCTIONAL"
    )
    assert scene.events("STATE_TOO_LARGE") == []


@pytest.mark.parametrize("count", [state_size.MANY, 200, 800, 3000])
@pytest.mark.parametrize("well", [True, False])
def test_whatever_is_wrong_with_them_it_fits(count, well):
    """Ids have the maximum length."""
    names = [f"{n:064}" for n in range(count)]
    motors = [
        m.MotorHealth(
            name,
            "FUNCTIONAL",
            well,
            "IDLE" if well else "ERROR",
            name,
            1.23456,
            -1.23456,
            None if well else "MOTOR_ERROR",
        )
        for name in names
    ]
    bad = [] if well else names
    errors = [
        m.Fault(
            "FUNCTIONAL_MOTOR_DISCONNECTED",
            "WARNING",
            [m.Ref("motorId", name)],
            f"a motor does not answer: {name}",
            "x" * 40,
        )
        for name in bad
    ]
    reasons = [f"FUNCTIONAL_MOTOR_DISCONNECTED:{name}" for name in bad]
    state = m.State(
        "WARNING",
        reasons,
        m.Pose(0, 0, 0, "map"),
        m.Velocity(0, 0),
        False,
        m.Safety("NONE", False, False),
        [],
        motors,
        errors,
        bad,
    )
    fitted, left_out = state_size.fitting(state)
    assert len(msgspec.json.encode(fitted)) + state_size.ENVELOPE_BYTES <= LONGEST
    assert (fitted == state) == (left_out == [])
    assert fitted.statusReasons[:20] == reasons[:20]
