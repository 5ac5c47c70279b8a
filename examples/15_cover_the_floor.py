"""Baselines for coverage: a vacuum that bounces at random, and one that prefers new floor.

Sixteen vacuums of each drive through the apartment for 60 s of simulated time. Give another
number of seconds as an argument.
"""

import sys

import numpy as np

from rigless.gym.vector import RobotVectorEnv

VACUUMS, BEAMS, STEP_S = 16, 36, 0.2


def bounce(observed, turning, rng):
    """Drive ahead; near a wall turn to a random direction."""
    ahead = np.roll(observed[:, :BEAMS], BEAMS // 2, axis=1)[:, 15:22].min(axis=1)
    blocked = (ahead < 0.035) | (observed[:, BEAMS : BEAMS + 2].max(axis=1) > 0)
    new = blocked & (turning == 0)
    steps = rng.integers(3, 12, len(ahead)) * rng.choice((-1, 1), len(ahead))
    turning = np.where(new, steps, turning - np.sign(turning))
    turn = np.sign(turning)
    return np.column_stack((np.where(turn == 0, 1.0, 0.0), turn)), turning


def seek(observed, turning, rng):
    """Bounce, and on the way bend to the side with more new floor near it."""
    actions, turning = bounce(observed, turning, rng)
    new = 1.0 - observed[:, -25:].reshape(-1, 5, 5)  # rows lead ahead, columns to the left
    side = new[:, 2:, 3:].sum(axis=(1, 2)) - new[:, 2:, :2].sum(axis=(1, 2))
    actions[:, 1] = np.where(actions[:, 0] > 0, np.clip(0.15 * side, -0.5, 0.5), actions[:, 1])
    return actions, turning


def cover(policy, seconds):
    """Return the covered shares of the floor of all vacuums, one row a step."""
    envs, rng = RobotVectorEnv("VacuumCoverage", VACUUMS), np.random.default_rng(0)
    observed, _ = envs.reset(seed=1)
    turning, found = np.zeros(VACUUMS, int), []
    for _ in range(round(seconds / STEP_S)):
        actions, turning = policy(observed, turning, rng)
        observed, _, _, _, infos = envs.step(actions.astype(np.float32))
        found.append(infos["coverage"])
    return np.array(found)


def main(seconds=60.0):
    curves = {policy.__name__: cover(policy, seconds) for policy in (bounce, seek)}
    for name, curve in curves.items():
        for part in (0.25, 0.5, 1.0):
            share = 100 * curve[round(part * len(curve)) - 1].mean()
            print(f"{name:6} after {part * seconds:5.0f} s: {share:5.1f} %", "#" * round(5 * share))
    bounced, sought = (curve[-1].mean() for curve in curves.values())
    print(f"new floor first is better: {sought > bounced}")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
