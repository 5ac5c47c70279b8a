"""Motors: units, limits, exact targets, and faults."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.inputs import Clear, Inject
from rigless.robots.agv.config import own
from rigless.robots.agv.motion import motors as m
from rigless.robots.agv.units import UNITS, to_si, unit_of

from .bench import bench, ticks, trapezoid_s

DT_S = 0.01


def quantity(unit, value):
    return {"unit": unit, "value": value}


def axis(motor_id, key, speed, acceleration, deceleration, low=None, high=None, **more):
    limits = {
        "maxSpeed": quantity(*speed),
        "maxAcceleration": quantity(*acceleration),
        "maxDeceleration": quantity(*deceleration),
        "positionMin": low and quantity(*low),
        "positionMax": high and quantity(*high),
    }
    return {
        "motorId": motor_id,
        "role": "FUNCTIONAL",
        "functionKey": key,
        "driver": {"type": "MOCK", "config": {}},
        "limits": limits,
        "resetPolicy": {"supportsReset": True, "resetCooldownMs": 500},
        **more,
    }


# Units


@pytest.mark.parametrize(
    ("unit", "dimension", "si"),
    [
        ("mps", "speed", 1.0),
        ("mmps", "speed", 1e-3),
        ("cm/s", "speed", 1e-2),
        ("rpm", "speed", math.tau / 60),
        ("rps", "speed", math.tau),
        ("degps", "speed", math.pi / 180),
        ("radps", "speed", 1.0),
        ("mmps2", "acceleration", 1e-3),
        ("rpmps", "acceleration", math.tau / 60),
        ("deg/s2", "acceleration", math.pi / 180),
        ("mm", "position", 1e-3),
        ("deg", "position", math.pi / 180),
        ("rev", "position", math.tau),
    ],
)
def test_units_are_what_they_are_in_si(unit, dimension, si):
    assert to_si(3.0, unit, dimension) == pytest.approx(3 * si, rel=1e-15)


def test_each_unit_is_made_of_a_unit_of_position_of_its_kind():
    for name, unit in UNITS.items():
        base = UNITS[unit.position]
        assert (base.dimension, base.kind) == ("position", unit.kind), name


@pytest.mark.parametrize(
    ("name", "dimension", "kind", "says"),
    [
        ("mmp", "speed", None, "mmps"),
        ("mm", "speed", None, "a unit of position, not of speed"),
        ("degps", "speed", "linear", "this motor is linear"),
    ],
)
def test_a_wrong_unit_is_told_what_could_be_meant(name, dimension, kind, says):
    with pytest.raises(ValueError, match=says):
        unit_of(name, dimension, kind)


# Moves


@settings(max_examples=60)
@given(
    gap=st.floats(-30.0, 30.0),
    top=st.floats(0.01, 5.0),
    acc=st.floats(0.05, 10.0),
    dec=st.floats(0.05, 10.0),
    dt=st.sampled_from([0.001, 0.01, 0.02, 0.1]),
)
def test_a_landing_takes_the_trapezoids_time_within_limits_and_ends_on_the_target(
    gap, top, acc, dec, dt
):
    place, speed, count = 0.0, 0.0, 0
    expected_s = trapezoid_s(abs(gap), top, acc, dec)
    for _ in range(min(int(expected_s / dt) + 4, 40_000)):
        after = m.landing(gap - place, speed, top, acc, dec, dt)
        change, most = abs(after) - abs(speed), (acc if abs(after) > abs(speed) else dec) * dt
        assert abs(after) <= top * (1 + 1e-12)
        assert abs(change) <= most * (1 + 1e-9)
        place += 0.5 * (speed + after) * dt
        speed = after
        assert (gap - place) * math.copysign(1, gap) >= -1e-6
        if speed == 0.0:
            break
        count += 1
    else:
        assert expected_s / dt > 40_000
        return
    assert place == pytest.approx(gap, abs=1e-9)
    assert -1.0 <= count + 1 - expected_s / dt < 2.0 or abs(gap) < dec * dt * dt


@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(0.0, 0.3), st.integers(1, 400)), min_size=1, max_size=5))
def test_an_axis_sent_elsewhere_on_its_way_keeps_its_limits(targets):
    _, robot = bench()
    machine, limit = robot.machine, robot.machine.limits[3]
    before = 0.0
    for target, count in targets:
        machine.motors.move_axis("hoist", target)
        for _ in range(count):
            machine.tick(DT_S)
            row = machine.state.motors[3]
            assert limit[m.LOW] <= row[m.POSITION] <= limit[m.HIGH]
            most = max(limit[m.ACC], limit[m.DEC]) * DT_S * (1 + 1e-9)
            assert abs(row[m.VELOCITY]) <= limit[m.TOP] * (1 + 1e-12)
            assert abs(row[m.VELOCITY] - before) <= most
            before = row[m.VELOCITY]
    ticks(machine, 1000)
    assert machine.motors.axis_position("hoist") == targets[-1][0]
    assert not machine.motors.axis_busy("hoist")


def test_an_axis_is_busy_until_it_is_there():
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    machine.motors.move_axis("hoist", 0.3)
    assert machine.motors.axis_busy("hoist")
    expected_s = trapezoid_s(0.3, 0.1, 0.2, 0.2)
    sim.run(seconds=expected_s - 0.02)
    assert machine.motors.axis_busy("hoist")
    assert machine.motors.health("hoist").state == "RUNNING"
    sim.run(seconds=0.05)
    assert not machine.motors.axis_busy("hoist")
    assert machine.motors.health("hoist").state == "IDLE"
    assert machine.motors.axis_position("hoist") == 0.3
    assert machine.motors.health("hoist").position == pytest.approx(300)


def test_an_axis_stops_where_it_can_when_told_to():
    _, robot = bench()
    machine = robot.machine
    machine.motors.move_axis("hoist", 0.3)
    ticks(machine, 100)
    at, speed = machine.motors.axis_position("hoist"), 0.1
    machine.motors.stop_axis("hoist")
    ticks(machine, 200)
    assert machine.motors.axis_position("hoist") - at == pytest.approx(
        speed**2 / (2 * 0.2), abs=1e-3
    )
    assert not machine.motors.axis_busy("hoist")


@pytest.mark.parametrize(
    ("motor", "target"),
    [("hoist", 0.301), ("hoist", -0.001), ("hoist", math.nan), ("drive_left", 1.0)],
)
def test_an_axis_is_not_sent_where_it_cannot_go(motor, target):
    _, robot = bench()
    with pytest.raises(ValueError, match=motor):
        robot.machine.motors.move_axis(motor, target)


SPANS = {
    "slide": (("mps", 0.5), ("mps2", 1.0), ("mps2", 1.0), ("m", -1), ("m", 1)),
    "gripper": (("mmps", 50), ("mmps2", 100), ("mmps2", 120), ("mm", 0), ("mm", 80)),
    "press": (("cmps", 5), ("cmps2", 10), ("cmps2", 10), ("cm", 0), ("cm", 8)),
    "table": (("degps", 90), ("degps2", 180), ("degps2", 180), ("deg", -180), ("deg", 180)),
    "arm": (("radps", 1.0), ("radps2", 2.0), ("radps2", 2.0), ("rad", -1), ("rad", 1)),
    "screw": (("rpm", 120), ("rpmps", 240), ("rpmps", 240), ("rev", 0), ("rev", 10)),
    "wheel": (("rps", 2), ("rps2", 4), ("rps2", 4), None, None),
    "fine": (("umps", 500), ("umps2", 1000), ("umps2", 1000), ("um", 0), ("um", 900)),
    "inch": (("in/s", 2), ("in/s2", 4), ("in/s2", 4), ("in", 1), ("in", 5)),
    "mixed": (("mmps", 100), ("mps2", 0.2), ("cmps2", 30), ("cm", -10), ("mm", 100)),
    "open_end": (("mmps", 100), ("mmps2", 200), ("mmps2", 200), ("mm", 0), None),
    "tilt": (("mrad/s", 100), ("mrad/s2", 200), ("mrad/s2", 200), ("deg", -5), ("deg", 5)),
}


def test_new_motors_of_any_unit_work_by_configuration_alone():
    drives = own()["motors"][:2]
    axes = [axis(name, name.upper(), *limits) for name, limits in SPANS.items()]
    sim, robot = bench(motors=drives + axes)
    sim.run(seconds=0.05)
    machine = robot.machine
    targets = {}
    for name in SPANS:
        low, high = machine.motors.span(name)
        targets[name] = 0.75 * high + 0.25 * max(low, 0.0) if math.isfinite(high) else 0.4
        machine.motors.move_axis(name, targets[name])
    sim.run(seconds=15.0)
    assert {name: machine.motors.axis_position(name) for name in SPANS} == targets
    healths = {health.motorId: health for health in machine.motors.healths()}
    assert healths["table"].position == pytest.approx(135)
    assert healths["table"].functionKey == "TABLE"
    assert healths["screw"].position == pytest.approx(7.5)
    assert healths["mixed"].position == pytest.approx(7.5), "in the unit of its positionMin"
    assert len(machine.motors.readings()) == 14
    assert machine.motors.motor_of("WHEEL") == "wheel"


# Power and heat


def test_a_motor_heats_to_its_final_temperature_by_first_order():
    _, robot = bench()
    limits = robot.machine.limits
    motors = m.at_rest(limits)
    motors[0, m.MODE], motors[0, m.GOAL] = m.RUN, limits[0, m.TOP]
    for _ in range(600):
        m.tick(motors, limits, m.warmth(1.0), 1.0)
    load = m.RUNNING_PART + m.SPEED_PART
    assert motors[0, m.CURRENT] == pytest.approx(load * m.RATED_DRIVE_A)
    rise_k = motors[0, m.TEMPERATURE] - m.AMBIENT_C
    assert rise_k == pytest.approx(m.RISE_K * load**2 * (1 - math.exp(-600 / m.TAU_S)), rel=0.01)
    assert motors[2, m.TEMPERATURE] == m.AMBIENT_C


def test_a_warm_motor_cools_while_nothing_moves():
    sim, robot = bench()
    sim.run(seconds=0.1)
    state = robot.machine.state
    state.motors[:, m.TEMPERATURE] = 65.0
    sim.run(seconds=60.0)
    expected = m.AMBIENT_C + 40 * math.exp(-60 / m.TAU_S)
    assert state.motors[0, m.TEMPERATURE] == pytest.approx(expected, abs=0.1)


# Faults


@pytest.mark.parametrize(
    ("kind", "state", "connected"), [("error", "ERROR", True), ("disconnected", "DISABLED", False)]
)
def test_an_injected_fault_makes_a_motor_ill_as_long_as_it_lasts(kind, state, connected):
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    before = machine.motors.health("hoist")
    machine.motors.move_axis("hoist", 0.3)
    sim.run(seconds=1.0)
    sim.apply(Inject("agv", "hoist", kind))
    sim.run(seconds=1.0)
    health = machine.motors.health("hoist")
    assert (health.state, health.connected, bool(health.faultCode)) == (state, connected, True)
    assert health.velocity == 0.0
    assert not machine.motors.axis_busy("hoist")
    assert not machine.motors.healthy("hoist")
    assert machine.motors.functional_faults == ["hoist"]
    assert not machine.motors.drive_fault
    assert machine.motors.missing_functions == ["HOIST"]
    at = machine.motors.axis_position("hoist")
    sim.apply(Clear("agv", "hoist"))
    sim.run(seconds=0.5)
    after = machine.motors.health("hoist")
    assert (after.state, after.connected, after.faultCode) == (
        before.state,
        before.connected,
        before.faultCode,
    )
    assert machine.motors.axis_position("hoist") == at, "it does not go on by itself"
    assert machine.motors.missing_functions == []
    assert not machine.drivers.changed()


def test_a_latched_error_stays_until_a_reset_that_keeps_its_cooldown():
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    sim.apply(Inject("agv", "drive_left", "error", {"latch": True, "code": "E42"}))
    sim.run(seconds=0.1)
    assert machine.motors.drive_fault
    assert machine.motors.health("drive_left").faultCode == "E42"
    assert machine.motors.cooldown_left_s("drive_left") == 0.0
    machine.motors.reset_motor("drive_left")
    sim.run(seconds=0.1)
    assert machine.motors.drive_fault, "an error that is still injected is there again at once"
    sim.apply(Clear("agv", "drive_left"))
    sim.run(seconds=0.1)
    assert machine.motors.drive_fault, "latched"
    assert machine.motors.cooldown_left_s("drive_left") == pytest.approx(0.3)
    sim.run(seconds=0.3)
    assert machine.motors.cooldown_left_s("drive_left") == 0.0
    machine.motors.reset_motor("drive_left")
    sim.run(seconds=0.1)
    assert not machine.motors.drive_fault
    assert machine.motors.health("drive_left").faultCode is None


def test_a_stalled_axis_stands_and_goes_on_when_it_can():
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    sim.apply(Inject("agv", "hoist", "stall"))
    machine.motors.move_axis("hoist", 0.3)
    sim.run(seconds=5.0)
    assert machine.motors.axis_position("hoist") == 0.0
    assert machine.motors.axis_busy("hoist")
    draws_a = machine.motors.readings()[3].currentA
    assert draws_a > m.RATED_FUNCTIONAL_A, "held back, it draws more than it is made for"
    sim.apply(Clear("agv", "hoist"))
    sim.run(seconds=10.0)
    assert machine.motors.axis_position("hoist") == 0.3
    assert not machine.motors.axis_busy("hoist")


def test_a_weak_axis_takes_longer_and_a_runaway_one_ends_at_its_end():
    sim, robot = bench()
    sim.run(seconds=0.1)
    machine = robot.machine
    sim.apply(Inject("agv", "hoist", "weak", {"factor": 0.5}))
    sim.apply(Inject("agv", "gripper", "runaway", {"level": 1.0}))
    machine.motors.move_axis("hoist", 0.3)
    sim.run(seconds=trapezoid_s(0.3, 0.1, 0.2, 0.2) + 0.5)
    assert machine.motors.axis_busy("hoist")
    sim.run(seconds=10.0)
    assert machine.motors.axis_position("hoist") == 0.3
    assert not machine.motors.axis_busy("hoist")
    assert machine.motors.axis_position("gripper") == machine.motors.span("gripper")[1]


def test_of_two_motors_for_a_function_the_one_that_is_well_is_used():
    spare = axis(
        "hoist2", "HOIST", ("mmps", 100), ("mmps2", 200), ("mmps2", 200), ("mm", 0), ("mm", 300)
    )
    sim, robot = bench(motors=[*own()["motors"], spare])
    sim.run(seconds=0.1)
    sim.apply(Inject("agv", "hoist", "error"))
    sim.run(seconds=0.1)
    assert robot.machine.motors.motor_of("HOIST") == "hoist2"
    assert robot.machine.motors.missing_functions == []


def test_a_ramp_never_changes_direction_without_coming_to_rest():
    speeds = [1.0]
    for _ in range(300):
        speeds.append(m.ramp(speeds[-1], -0.5, 0.8, 1.0, DT_S))
    changes = np.diff(speeds)
    assert speeds[-1] == -0.5
    assert 0.0 in speeds
    assert changes.min() >= -1.0 * DT_S * (1 + 1e-9)


def test_an_ill_axis_that_is_sent_somewhere_does_not_go_there_when_it_is_well():
    sim, robot = bench()
    sim.run(seconds=0.1)
    sim.apply(Inject("agv", "hoist", "error"))
    sim.run(seconds=0.1)
    robot.machine.motors.move_axis("hoist", 0.2)
    sim.run(seconds=0.1)
    assert not robot.machine.motors.axis_busy("hoist")
    sim.apply(Clear("agv", "hoist"))
    sim.run(seconds=1.0)
    assert robot.machine.motors.axis_position("hoist") == 0.0


def test_a_lag_begins_at_the_speed_that_the_motor_has():
    sim, robot = bench()
    sim.run(seconds=0.1)
    robot.machine.motors.move_axis("hoist", 0.3)
    sim.run(seconds=1.0)
    sim.apply(Inject("agv", "hoist", "lag", {"tau_s": 1.0}))
    sim.run(seconds=0.3)
    assert robot.machine.motors.health("hoist").velocity == pytest.approx(100)


def test_a_fault_that_lasts_is_told_once():
    """A lasting fault is not applied again in every tick, so a faulty fleet ticks as fast."""
    sim, robot = bench()
    sim.run(seconds=0.1)
    sim.apply(Inject("agv", "hoist", "error"))
    sim.run(seconds=0.05)
    assert not robot.machine.drivers.changed()
    assert not robot.machine.state.moving
    sim.apply(Inject("agv", "hoist", "disconnected"))
    assert robot.machine.drivers.changed()
    sim.run(seconds=0.05)
    assert not robot.machine.motors.health("hoist").connected
