"""The vacuum's motion: closed forms of lines and arcs, limits, ramps, and stops."""

import math

import pytest

from rigless.robots.vacuum.wire import Shutdown

from .client import CONFIGURE, control, framed
from .scene import INSTANT, NOISELESS, TICK_S, Peer, drive, events, statuses, switch, vacuum

BASE = 0.233


def pose(sim):
    return sim.truth("vacuum").pose


def velocity(sim):
    return sim.truth("vacuum").velocity


@pytest.mark.parametrize("theta", [0.0, 0.7, -2.5])
def test_a_straight_line(theta):
    sim = vacuum(*INSTANT, f"start_theta={theta}")
    drive(sim, 0.2)
    sim.run(5.0)
    assert pose(sim) == pytest.approx((math.cos(theta), math.sin(theta), theta), abs=1e-9)
    drive(sim, -0.2)
    sim.run(5.0)
    assert pose(sim) == pytest.approx((0.0, 0.0, theta), abs=1e-9)


@pytest.mark.parametrize(("v", "w"), [(0.25, 0.5), (0.3, -1.0), (-0.2, 0.8)])
def test_a_circle_has_the_radius_v_over_w(v, w):
    sim = vacuum(*INSTANT)
    drive(sim, v, w)
    radius = v / w
    for _ in range(20):
        sim.run(0.5)
        x, y, theta = pose(sim)
        assert math.hypot(x, y - radius) == pytest.approx(abs(radius), abs=1e-9)
        turned = w * sim.now_s
        assert (x, y) == pytest.approx(
            (radius * math.sin(turned), radius * (1 - math.cos(turned))), abs=1e-9
        )
        assert math.cos(theta - turned) == pytest.approx(1.0)


def test_turning_on_the_spot():
    sim = vacuum(*INSTANT)
    drive(sim, 0.0, 0.5)
    sim.run(4.0)
    assert pose(sim) == pytest.approx((0.0, 0.0, 2.0))
    sim.run(4.0)
    assert pose(sim) == pytest.approx((0.0, 0.0, 4.0 - 2 * math.pi))  # headings stay within a turn
    assert sim.truth("vacuum").distance_m == 0.0


@pytest.mark.parametrize(
    ("asked", "got"),
    [((5.0, 0.0), (0.3, 0.0)), ((-5.0, 9.0), (-0.3, 1.0)), ((0.1, -3.0), (0.1, -1.0))],
)
def test_speeds_are_clamped(asked, got):
    sim = vacuum()
    drive(sim, *asked)
    sim.run(1.0)
    assert velocity(sim) == pytest.approx(got)


def test_it_takes_0_3_s_to_0_3_mps():
    sim = vacuum()
    drive(sim, 0.3)
    speeds = []
    for tick in range(1, 41):
        sim.run_until(tick * 10**9 // 110)
        speeds.append(velocity(sim)[0])
    assert speeds[32] == pytest.approx(0.3)
    assert speeds[:33] == pytest.approx([0.3 * (n + 1) / 33 for n in range(33)])
    drive(sim, 0.0)
    sim.run(0.15)
    assert velocity(sim)[0] == pytest.approx(0.15, abs=0.3 / 33)


def test_mock_compat_has_no_ramp():
    sim = vacuum("mock_compat=true")
    switch(sim, "drive", "enable")
    drive(sim, 0.3, 1.0)
    sim.run(1.5 * TICK_S)
    assert velocity(sim) == pytest.approx((0.3, 1.0))


def test_mock_compat_needs_enable_and_has_neither_wheels_nor_reset():
    sim = vacuum("mock_compat=true")
    drive(sim, 0.3)
    sim.run(0.1)
    assert velocity(sim) == (0.0, 0.0)
    switch(sim, "drive", "enable")
    switch(sim, "drive", "configure", left=0.1, right=0.1)
    sim.run(0.1)
    assert velocity(sim) == (0.0, 0.0)
    drive(sim, 0.3)
    switch(sim, "drive", "reset")
    sim.run(0.1)
    assert velocity(sim)[0] == pytest.approx(0.3)


def test_a_velocity_holds_until_it_is_changed():
    sim = vacuum("start_x=-2.5", *INSTANT)
    drive(sim, 0.01)
    sim.run(300.0)
    assert pose(sim)[0] == pytest.approx(0.5)
    switch(sim, "drive", "disable")
    sim.run(10.0)
    assert pose(sim)[0] == pytest.approx(0.5)


def test_the_deadman_stops_it_and_each_command_puts_that_off():
    sim = vacuum("deadman_timeout_ms=500", *INSTANT)
    for _ in range(5):
        drive(sim, 0.1)
        sim.run(0.4)
    assert velocity(sim)[0] == pytest.approx(0.1)
    sim.run(0.09)
    assert velocity(sim)[0] == pytest.approx(0.1)
    sim.run(0.03)
    assert velocity(sim)[0] == 0.0
    sim.run(10.0)
    assert [event.severity for event in events(sim, "deadman")] == ["warning"]
    assert pose(sim)[0] == pytest.approx(0.1 * 2.1, abs=0.1 * 0.02)


@pytest.mark.parametrize(("setting", "speed"), [("true", 0.0), ("false", 0.2)])
def test_stop_on_disconnect(setting, speed):
    sim = vacuum(f"stop_on_disconnect={setting}", *INSTANT)
    peer = Peer(sim)
    drive(sim, 0.2)
    sim.run(0.1)
    peer.hang_up()
    sim.run(0.1)
    assert velocity(sim)[0] == pytest.approx(speed)


@pytest.mark.parametrize("how", ["reset", "shutdown"])
def test_an_emergency_stop_stops_everything(how):
    sim = vacuum()
    drive(sim, 0.2, 0.5)
    for name in ("vacuum", "main_brush", "side_brush", "water_pump", "lidar"):
        switch(sim, name, "enable")
    sim.run(1.0)
    state = sim.robot("vacuum").state
    assert state.actuators["vacuum"] == 100.0
    if how == "reset":
        switch(sim, "drive", "reset")
    else:
        sim.send("vacuum", "commands", Shutdown())
    sim.run(1.0)
    assert velocity(sim) == (0.0, 0.0)
    assert not sim.truth("vacuum").lidar_on
    names = ("vacuum", "main_brush", "side_brush", "water_pump", "lidar")
    assert {name: state.actuators[name] for name in names} == dict.fromkeys(names, 0.0)


def test_tank_drive():
    sim = vacuum(*INSTANT, *NOISELESS)
    switch(sim, "drive", "configure", left=0.1, right=0.15)
    first, last = (found := statuses(sim, 2.0))[0], found[-1]
    assert velocity(sim) == pytest.approx((0.125, 0.05 / BASE))
    ticks = (last.wheel_left - first.wheel_left, last.wheel_right - first.wheel_right)
    travelled_s = (len(found) - 1) * TICK_S
    assert ticks == pytest.approx((446.4 * travelled_s, 669.6 * travelled_s), abs=1)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"linear": 0.2},
        {"angular": 0.2},
        {"left": 0.2},
        {"linear": 0.2, "right": 0.2},
        {"linear": math.nan, "angular": 0.0},
        {"linear": 0.2, "angular": math.inf},
        {"linear": "0.2", "angular": 0.0},
        {"linear": True, "angular": 0.0},
        {"linear": [0.2, 0.0, 0.0], "angular": 0.0},
    ],
    ids=str,
)
def test_a_malformed_velocity_changes_nothing_and_warns(config):
    sim = vacuum(*INSTANT)
    drive(sim, 0.1, 0.2)
    peer = Peer(sim)
    switch_raw(peer, config)
    sim.run(0.1)
    assert velocity(sim) == pytest.approx((0.1, 0.2))
    assert [event.severity for event in events(sim, "bad-command")] == ["warning"]
    assert not peer.gone


def switch_raw(peer, config):
    """Send over the wire, since JSON messages cannot contain NaN."""
    members = {bool: "bool", float: "f32", str: "string"}
    message = control(
        "drive",
        CONFIGURE,
        **{k: (members[type(v)], v) for k, v in config.items() if not isinstance(v, list)},
    )
    for key, value in config.items():
        if isinstance(value, list):
            message.command.component_control.action.config[key].vector3_val.x = value[0]
    peer.say(framed(message))


# The log


def velocities(sim):
    return [(event.time_ns / 1e9, event.data["linear"]) for event in events(sim, "velocity")]


def test_the_log_has_starts_stops_and_large_changes_at_most_once_a_second():
    sim = vacuum()
    drive(sim, 0.2)
    for step in range(300):  # a controller at 20 Hz
        drive(sim, 0.2 + 0.01 * (-1) ** step)
        sim.run(0.05)
    assert velocities(sim) == [(0.0, 0.2)]
    drive(sim, 0.1)
    drive(sim, 0.0)
    sim.run(0.5)
    assert velocities(sim)[1:] == [(15.0, 0.1)]
    sim.run(1.0)
    assert velocities(sim)[2:] == [(16.0, 0.0)]
    for _ in range(50):  # stop and go
        drive(sim, 0.1)
        sim.run(0.05)
        drive(sim, 0.0)
        sim.run(0.05)
    assert 4 <= len(velocities(sim)[3:]) <= 6
    sim.run(2.0)
    assert velocities(sim)[-1][1] == 0.0
