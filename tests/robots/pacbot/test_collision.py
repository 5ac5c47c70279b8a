"""Walls: the robot stops, slides, never penetrates, and wheels and sensors agree."""

import math

import numpy as np
import pytest

from rigless.worlds.bundled import bundled_mazes

from .scene import (
    CLOCKWISE,
    DT_S,
    FORWARD,
    RIGHT,
    WHEELS,
    codes,
    drive,
    pacbot,
    times,
    truth,
    wander,
)

TOP = 0.3 / 1.005
REST_Y = 1.8 - 0.075  # against the upper wall of the empty maze
GAIN = -math.expm1(-DT_S * (1 / 0.05 + 0.1))  # share of the lag that a motor makes up in a step


def pressed(*settings, command=FORWARD, seconds=4.0):
    sim = pacbot(*settings)
    drive(sim, command)
    sim.run(seconds)
    return sim


def test_it_stops_at_a_wall_and_stays():
    sim = pressed()
    assert truth(sim).pose == pytest.approx((1.05, REST_Y, 0), abs=1e-8)
    assert truth(sim).pose[1] < REST_Y
    assert truth(sim).velocity == (0, 0, 0)
    assert codes(sim) == ["collision"]
    (touch,) = truth(sim).contacts
    assert (touch.x, touch.y, touch.normal_x, touch.normal_y) == pytest.approx(
        (1.05, 1.8, 0, -1), abs=1e-8
    )


def test_the_wheels_stall_with_it():
    sim = pressed()
    ticks, wheels = truth(sim).ticks, truth(sim).wheels
    assert wheels == pytest.approx(dict.fromkeys(WHEELS, 0.0), abs=1e-12)
    wanted = 0.675 * 1000 / (2 * math.pi * 0.025)
    assert (ticks["west"], ticks["east"]) == pytest.approx((wanted, -wanted), abs=1e-3)
    sim.run(1)
    assert truth(sim).ticks == pytest.approx(ticks, abs=1e-9)


def test_wheels_without_grip_spin_at_a_wall():
    sim = pressed("motors.grip=0.02")
    assert truth(sim).wheels["west"] == pytest.approx(TOP - 0.02 * 9.80665 * DT_S / GAIN, rel=1e-6)
    assert truth(sim).pose[1] == pytest.approx(REST_Y, abs=1e-8)


def test_it_leaves_a_wall_as_if_from_rest():
    sim = pressed()
    drive(sim, times(FORWARD, -1))
    sim.run(0.05)
    fallen = TOP * (0.05 - 0.05 / 1.005 * (1 - math.exp(-0.05 * 20.1)))
    assert truth(sim).pose[1] == pytest.approx(REST_Y - fallen, abs=1e-7)
    assert truth(sim).contacts == []


def test_an_impact_is_one_event_with_its_speed():
    sim = pacbot("imu.accel_filter_s=0")
    drive(sim, FORWARD)
    felt = []
    for _ in range(300):
        sim.run(DT_S)
        felt.append(truth(sim).acceleration[1])
    hardest = int(np.argmin(felt))
    assert felt[hardest] == pytest.approx(-TOP / DT_S, rel=0.02)
    assert abs(np.array(felt[hardest + 1 :])).max() == pytest.approx(0, abs=1e-9)
    (event,) = [event for event in sim.events if event.code == "collision"]
    assert event.data["impact_mps"] == pytest.approx(TOP, rel=0.01)


@pytest.mark.parametrize(("share", "events"), [(0.015, []), (0.03, ["collision"])])
def test_a_contact_at_0_00_mps_is_no_event(share, events):
    sim = pacbot("start_x_m=1.05", f"start_y_m={REST_Y - 0.002}")
    drive(sim, times(FORWARD, share))
    sim.run(2)
    assert len(truth(sim).contacts) == 1
    assert codes(sim) == events
    assert sim.robots["pacbot"].metrics.get("collisions", 0) == len(events)


@pytest.mark.parametrize("hz", [60, 20])
def test_an_impact_is_seen_in_messages_of_any_rate(hz):
    sim = pacbot(f"sensors_hz={hz}", "imu.accel_filter_s=0.05")
    drive(sim, FORWARD)
    sim.run(4)
    said = [
        message.ay for message in sim.take("pacbot", "sensors") if type(message).__name__ == "Imu"
    ]
    assert min(said) < -2.0


def test_it_slides_along_a_wall_with_what_is_left_of_its_speed():
    sim = pressed(command={"west": 1, "east": -1, "north": 0.2, "south": -0.2}, seconds=3.0)
    before = truth(sim)
    sim.run(0.5)
    assert before.velocity == pytest.approx((0.2 * TOP, 0, 0), abs=1e-9)
    assert truth(sim).pose[0] - before.pose[0] == pytest.approx(0.1 * TOP, abs=1e-9)
    assert truth(sim).pose[1] == pytest.approx(REST_Y, abs=1e-8)


def test_in_a_corner_it_rests():
    sim = pressed(command={**FORWARD, **RIGHT}, seconds=6.0)
    assert truth(sim).pose == pytest.approx((REST_Y, REST_Y, 0), abs=1e-7)
    assert truth(sim).velocity == pytest.approx((0, 0, 0), abs=1e-12)
    drive(sim, times(RIGHT, -1))
    sim.run(1.0)
    assert truth(sim).pose[:2] == pytest.approx((REST_Y - TOP * (1 - 0.05), REST_Y), abs=1e-3)


def test_it_can_turn_on_the_spot_at_a_wall():
    sim = pressed()
    drive(sim, times(CLOCKWISE, 0.5))
    sim.run(1.0)
    assert truth(sim).velocity[2] == pytest.approx(-2.0 / 1.005, rel=1e-6)
    assert truth(sim).pose[:2] == pytest.approx((1.05, REST_Y), abs=1e-7)


def test_a_sticky_wall_slows_and_turns_it_as_mass_and_inertia_say():
    """Friction μ on the force m·v/τ into the wall.

    Along it μ·v is lost, and the disc spins at 2·μ·v/r.
    """
    friction, into, along = 0.1, 0.3 * TOP, 0.2 * TOP
    command = {"west": 0.3, "east": -0.3, "north": 0.2, "south": -0.2}
    place = ("maze=full", "start_x_m=1.0", "start_y_m=8.92")
    sim = pacbot(f"body.wall_friction={friction}", *place)
    drive(sim, command)
    sim.run(0.4)
    assert truth(sim).contacts
    assert truth(sim).velocity[2] == pytest.approx(
        2 * friction * into / 0.075, rel=0.08
    )  # the push is slightly oblique as the robot turns
    heavy = pacbot(f"body.wall_friction={friction}", "body.inertia_kgm2=1e6", *place)
    drive(heavy, command)
    heavy.run(1.0)
    assert truth(heavy).velocity == pytest.approx((along - friction * into, 0, 0), abs=1e-5)


def test_a_very_sticky_wall_makes_it_roll():
    command = {"west": 0.5, "east": -0.5, "north": 0.1, "south": -0.1}
    sim = pacbot(
        "body.wall_friction=1000",
        "body.inertia_kgm2=1000",
        "maze=full",
        "start_x_m=1.0",
        "start_y_m=8.9",
    )
    drive(sim, command)
    sim.run(0.9)
    start = truth(sim)
    assert start.contacts
    sim.run(0.5)
    assert abs(truth(sim).velocity[0]) < 0.05 * 0.1 * TOP  # it cannot turn, so it does not move
    free = pacbot("body.wall_friction=1000", "maze=full", "start_x_m=1.0", "start_y_m=8.9")
    drive(free, command)
    free.run(1.0)
    vx, _, turn = truth(free).velocity
    assert vx == pytest.approx(turn * 0.075, rel=0.02)  # the rim does not slide


@pytest.mark.parametrize("name", sorted(bundled_mazes()))
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_no_wall_is_entered_in_a_million_steps(name, friction):
    sim = pacbot(
        f"maze={name}",
        f"body.wall_friction={friction}",
        "body.wheel_speed_mps=1.5",
        "body.turn_speed_radps=12",
    )
    robot = sim.robots["pacbot"]
    steps = 1_000_000 if friction == 0 else 100_000
    hits, gap, wide, high = wander(sim, steps, seed=len(name))
    assert hits > steps / 20
    assert gap * robot.grid.resolution_m >= 0.075
    assert min(wide, high) > 2  # cells: it moved through the maze


def test_two_robots_are_walls_to_each_other(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text(
        '[[robots]]\nname = "a"\nkind = "pacbot"\nstart = { x = 1.05, y = 0.6 }\n'
        '[[robots]]\nname = "b"\nkind = "pacbot"\nstart = { x = 1.05, y = 1.2 }\n'
    )
    from rigless.scenario.load import open_target

    sim = open_target(file).simulation
    assert sim.robots["a"].world is sim.robots["b"].world
    drive(sim, FORWARD, "a")
    sim.run(4)
    assert truth(sim, "a").pose[1] == pytest.approx(1.2 - 0.15, abs=1e-7)
    assert truth(sim, "b").pose == (1.05, 1.2, 0.0)
    (north,) = [ray for ray in truth(sim, "a").tof if ray.name == "north"]
    assert north.range_m == pytest.approx(0, abs=1e-7)


def test_obstacles_of_the_world_stop_it(tmp_path):
    file = tmp_path / "post.toml"
    file.write_text(
        '[[world.obstacles]]\nname = "post"\nradius_m = 0.05\nx = 1.05\ny = 1.5\n'
        '[[robots]]\nkind = "pacbot"\n'
    )
    from rigless.scenario.load import open_target

    sim = open_target(file).simulation
    drive(sim, FORWARD)
    sim.run(4)
    assert truth(sim).pose[1] == pytest.approx(1.5 - 0.125, abs=1e-6)
