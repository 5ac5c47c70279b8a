"""Robots of a fleet: different phases, and obstacles to each other."""

import math
from collections import Counter

import pytest

from rigless.kernel import robot as kernel
from rigless.kernel.simulation import Simulation
from rigless.robots.agv import Robot
from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig, own
from rigless.robots.agv.machine.path import Waypoint
from rigless.scenario.load import open_target

from .configs import changed

OWN = RobotConfig.model_validate(own())


def test_robots_of_a_fleet_speak_at_instants_of_their_own_and_the_first_at_whole_periods(tmp_path):
    (tmp_path / "fleet.toml").write_text('[[robots]]\nkind = "agv"\ncount = 3\n')
    sim = open_target(tmp_path / "fleet.toml").simulation
    sim.run(1.0)
    times_ms = {
        name: [
            round(1000 * message.sim.simTimeS)
            for message in sim.take(name, "nats")
            if message.type == "state"
        ]
        for name in sim.robots
    }
    assert times_ms["agv-1"][-10:] == list(range(100, 1001, 100))
    assert times_ms["agv-2"][-10:] == list(range(90, 1000, 100))  # 610 ms early
    assert times_ms["agv-3"][-10:] == list(range(70, 1000, 100))  # 230 ms


def test_a_change_of_rates_for_all_at_once_does_not_make_them_speak_together(tmp_path):
    (tmp_path / "fleet.toml").write_text('[[robots]]\nkind = "agv"\ncount = 3\n')
    sim = open_target(tmp_path / "fleet.toml").simulation
    sim.run(0.2345)
    for name in sim.robots:
        sim.send(name, "nats", m.SettingsDesired(version=1, settings={"streams.stateHz": 5}))
    sim.run(1.0)
    times_ms = {
        name: [
            round(1000 * message.sim.simTimeS, 1)
            for message in sim.take(name, "nats")
            if message.type == "state"
        ]
        for name in sim.robots
    }
    assert times_ms["agv-1"][-5:] == list(range(400, 1201, 200))
    assert times_ms["agv-2"][-5:] == list(range(390, 1201, 200))
    assert times_ms["agv-3"][-5:] == list(range(370, 1201, 200))


@pytest.mark.parametrize("count", [50, 250, 400])
def test_they_are_spread_evenly_over_states_telemetry_and_heartbeats(count):
    phases_ms = [
        round(1000 * Robot("agv", OWN.offset_from(others)).phase_s()) for others in range(count)
    ]
    assert phases_ms[0] == 0
    for period_ms in (100, 500, 1000):
        slots = Counter(phase % period_ms for phase in phases_ms)
        assert len(slots) >= min(count, period_ms // 10) * 0.6
        assert max(slots.values()) <= count / (period_ms // 10) + 3


def profile(**given):
    """Return the start pose and the phase of the second robot with this profile."""
    runtime = {**own()["runtime"], "simulationProfile": given}
    member = RobotConfig.model_validate({**own(), "runtime": runtime}).offset_from(1)
    found = member.runtime.simulationProfile
    return found.initialPose and (found.initialPose.x, found.initialPose.y), found.phaseS


def test_what_the_profile_says_of_their_start_is_kept():
    assert profile(battery={"initialSoc": 0.5}) == (None, 0.61)
    assert profile(initialPose={"x": 3}, phaseS=0.0) == ((3.0, 0.0), 0.0)


def test_robots_of_several_entries_do_not_stand_in_each_other(tmp_path):
    entries = (
        'name = "a"\ncount = 2',
        'name = "b"\ncount = 2',
        'name = "c"',
        'name = "d"\nstart = { x = 9.0, y = 9.0 }',
    )
    (tmp_path / "fleet.toml").write_text(
        "[world]\nmap = 'open'\n"
        + "".join(f'[[robots]]\nkind = "agv"\n{entry}\n' for entry in entries)
    )
    sim = open_target(tmp_path / "fleet.toml").simulation
    places = [sim.truth(name).pose[:2] for name in sim.robots]
    assert places == [(0.0, -1.8 * n) for n in range(5)] + [(9.0, 9.0)]


# Obstacles to each other

LENGTH, WIDTH, STOP, MARGIN, DEC, DT_S = 0.9, 0.65, 0.6, 0.05, 1.0, 0.01
NEARER = 1e-6  # than where they stop


def agv(name, x, y=0.0, theta=0.0, sees=True, phase=0.0):
    profile = {
        "initialPose": {"x": x, "y": y, "theta": theta},
        "phaseS": phase,
        "robotsAreObstacles": sees,
    }
    return Robot(name, RobotConfig.model_validate(changed({"runtime.simulationProfile": profile})))


def together(*robots):
    sim = Simulation(robots)
    sim.run(0.1)
    return sim


def gap(one, two):
    """Return the gap between two robots in one line."""
    return math.dist(one.machine.drive.pose[:2], two.machine.drive.pose[:2]) - LENGTH


def go(robot, x, y=0.0):
    robot.machine.drive.go([Waypoint(x, y)])


def head_on(apart, phase=0.0):
    """Return two robots that drive towards each other."""
    a, b = agv("a", 0.0), agv("b", apart, theta=math.pi, phase=phase)
    sim = together(a, b)
    go(a, apart)
    go(b, 0.0)
    return sim, a, b


@pytest.mark.parametrize("phase", [0.0, 0.003, 0.005])
@pytest.mark.parametrize("apart", [3.0, 6.7])
def test_two_robots_head_on_stop_at_the_stop_distance_from_each_other(apart, phase):
    sim, a, b = head_on(apart, phase)
    for _ in range(120):
        sim.run(0.1)
        assert gap(a, b) > STOP - 1e-4
    assert gap(a, b) == pytest.approx(STOP, abs=1e-4)
    for robot in (a, b):
        assert (robot.truth().driving, robot.truth().reasons) == (False, ["OBSTACLE"])
    assert [event.code for event in sim.events] == [*["obstacle"] * 2, *["deadlock"] * 2]


def test_one_of_them_can_turn_away_and_then_the_other_goes_on():
    sim, a, b = head_on(3.0)
    sim.run(10.0)
    assert (a.status(), b.status()) == ("PAUSED", "PAUSED")
    go(a, a.machine.drive.pose[0], 4.0)
    sim.run(10.0)
    assert a.machine.drive.pose[:2] == pytest.approx((a.machine.drive.pose[0], 4.0))
    sim.run(5.0)
    assert b.machine.drive.pose[:2] == pytest.approx((0.0, 0.0), abs=1e-9)
    assert (a.status(), b.status()) == ("RUNNING", "RUNNING")


def test_one_behind_another_follows_halts_and_follows_again():
    """The gap is the stop distance, the braking distance and one tick of travel."""
    a, b = agv("a", 0.0), agv("b", 2.0)
    sim = together(a, b)
    b.machine.drive.limit_speed(0.4)
    go(a, 30.0)
    go(b, 10.0)
    sim.run(12.0)
    assert a.machine.drive.velocity[0] == pytest.approx(0.4, abs=1e-6)
    assert gap(a, b) == pytest.approx(STOP + 0.4**2 / (2 * DEC) + 0.4 * DT_S, abs=1e-5)
    assert a.status() == "RUNNING"
    sim.run(20.0)
    assert gap(a, b) == pytest.approx(STOP - NEARER, abs=1e-9)
    assert (a.status(), b.status()) == ("PAUSED", "RUNNING")
    go(b, 14.0)
    sim.run(3.0)
    assert a.machine.drive.driving
    assert a.status() == "RUNNING"
    sim.run(20.0)
    assert a.machine.drive.pose[0] == pytest.approx(14.0 - LENGTH - STOP + NEARER, abs=1e-9)
    assert [event.code for event in sim.events] == ["obstacle", "obstacle-cleared", "obstacle"]


@pytest.mark.parametrize(
    ("y", "theta", "reach"),
    [
        (0.0, math.pi / 2, WIDTH / 2),
        (0.5, 0.0, LENGTH / 2),
        (0.0, math.pi / 4, (LENGTH + WIDTH) / 2 / math.sqrt(2)),
    ],
)
def test_what_counts_of_another_robot_is_its_footprint(y, theta, reach):
    a, b = agv("a", 0.0), agv("b", 6.0, y, theta)
    sim = together(a, b)
    go(a, 12.0)
    sim.run(12.0)
    assert a.machine.drive.pose[0] == pytest.approx(
        6.0 - reach - STOP - LENGTH / 2 + NEARER, abs=1e-6
    )


def test_one_beside_the_way_or_behind_is_in_nobodys_way_and_who_does_not_look_sees_none():
    beside, behind = agv("beside", 3.0, WIDTH + MARGIN + 0.01), agv("behind", -1.0)
    a, blind = agv("a", 0.0), agv("blind", 3.0, -5.0, theta=math.pi, sees=False)
    sim = together(a, beside, behind, blind, agv("ahead of blind", 0.0, -5.0, sees=False))
    go(a, 6.0)
    go(blind, -3.0, -5.0)
    sim.run(10.0)
    assert a.machine.drive.pose[0] == 6.0
    assert a.machine.obstacle_m == math.inf
    assert blind.truth().reasons == ["COLLISION_STOP"]


def test_robots_of_another_kind_are_seen_as_the_discs_they_are():
    class Pillar(kernel.Robot):
        def footprint(self):
            return 5.0, 0.0, 0.3

    class Ghost(kernel.Robot):
        pass

    a = agv("a", 0.0)
    sim = together(a, Pillar("pillar"), Ghost("ghost"))
    go(a, 9.0)
    sim.run(10.0)
    assert a.machine.drive.pose[0] == pytest.approx(
        5.0 - 0.3 - STOP - LENGTH / 2 + NEARER, abs=1e-9
    )


def test_from_a_snapshot_they_go_on_as_they_did():
    sim, a, b = head_on(5.0)
    sim.run(1.5)
    saved, moved = sim.snapshot(), []
    for away in (False, False, True):
        if away:
            b.machine.drive.place(50.0, 50.0, 0.0)
        sim.run(0.01)
        moved.append((a.machine.obstacle_m, sim.snapshot().to_bytes()))
        sim.restore(saved)
    assert moved[0] == moved[1]
    assert moved[2][0] == math.inf
