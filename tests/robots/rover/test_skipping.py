"""Rovers of a fleet skip ticks together, with the same bits as one by one."""

import random

import pytest

from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError
from rigless.robots.rover.robot import Rover
from rigless.scenario.load import open_target

from .scene import command

SETTINGS = (
    ("count=5", "enc_vel.vx_drift_std=0.1", "gps.drift_std_m=1.0"),
    ("count=3", "map_file=apartment", "limits.linear_mps2=2.0", "imu.gyro_walk_radps=0.1"),
    ("map_file=empty_room", "cmd_vel_timeout_s=1.5", "low_rate_update_period_s=0.033"),
)


def fleet(settings, seed):
    return open_target("rover", settings, seed, collect=False).simulation


def run(settings, seed):
    """Return all events of a random run and its snapshots."""
    sim, draw, saved = fleet(settings, seed), random.Random(seed), []
    for number in range(25):
        name = draw.choice(list(sim.robots))
        match draw.randrange(6):
            case 0:
                sim.set_input(name, "estop", draw.random() < 0.3)
            case 1:
                sim.inject(name, "drive", "weak", until_s=sim.now_s + 0.3)
            case 2:
                x, y, _ = sim.truth(name).pose
                place = inp.PlaceObstacle(f"o{number % 2}", x + draw.uniform(1, 2), y, 0.0, 0.1)
                remove = inp.RemoveObstacle(f"o{draw.randrange(2)}")
                try:
                    sim.apply(draw.choice([place, remove, remove]))
                except InputError:  # no room for it, or no such obstacle
                    continue
            case _:
                command(sim, draw.uniform(-1, 2), draw.uniform(-1, 1), name)
        sim.run(draw.choice([0.003, 0.1, 0.57, 1.2]))
        if draw.random() < 0.3:
            saved.append(sim.snapshot())
        if saved and draw.random() < 0.15:
            sim.restore(draw.choice(saved))
    events = [(event.time_ns, event.robot, event.text) for event in sim.events]
    processed = sim.core.agenda.processed
    return events, [one.to_bytes() for one in (*saved, sim.snapshot())], processed


@pytest.mark.parametrize("seed", range(6))
def test_skipped_ticks_have_the_bits_of_single_ones(seed, monkeypatch):
    settings = SETTINGS[seed % 3]
    skipped = run(settings, seed)
    monkeypatch.setattr(Rover, "silent_ticks", lambda self, times: 0)
    assert skipped == run(settings, seed)


def own_ticks(sim, monkeypatch, seconds):
    """Return how many ticks rovers did by themselves."""
    ticks = []
    collide = Rover.collide
    monkeypatch.setattr(Rover, "collide", lambda self, *a: (ticks.append(1), collide(self, *a))[1])
    sim.run(seconds)
    return len(ticks)


def test_rovers_far_from_walls_and_each_other_skip_most_ticks(monkeypatch):
    sim = fleet(("count=2", "map_file=apartment", "cmd_vel_timeout_s=1e6"), 1)
    command(sim, 0.1, 0.5, "rover-1")
    assert own_ticks(sim, monkeypatch, 5.0) < 100


def test_rovers_that_meet_tick_one_by_one_and_collide(monkeypatch):
    sim = fleet(("count=2", "map_file=empty_room", "cmd_vel_timeout_s=1e6"), 1)
    x, y, _ = sim.truth("rover-1").pose
    sim.apply(inp.PlaceRobot("rover-2", x + 1.5, y))
    command(sim, 0.5, 0.0, "rover-1")
    own_ticks(sim, monkeypatch, 5.0)
    assert sim.truth("rover-1").contacts
    assert sim.truth("rover-1").pose[0] == pytest.approx(x + 0.8, abs=1e-6)
