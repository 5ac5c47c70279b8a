"""Sliding along a wall: the acceleration limit holds, and friction acts only once."""

import numpy as np

from .scene import NOISELESS, drive, vacuum

TICK_S = 1 / 110


def test_a_sliding_robot_brakes_no_harder_than_it_can():
    sim = vacuum(*NOISELESS, "robot.collision_mode=slide", "start_x=2.5", "start_theta=0.8")
    drive(sim, 0.3)
    sim.run(4.0)
    assert sim.truth("vacuum").contacts
    drive(sim, 0.0)
    speeds = [sim.truth("vacuum").velocity[0]]
    for _ in range(60):
        sim.run(TICK_S)
        speeds.append(sim.truth("vacuum").velocity[0])
    assert speeds[0] > 0.1
    assert speeds[-1] == 0.0
    assert np.abs(np.diff(speeds)).max() <= 1.0 * TICK_S * 1.001
