"""Search for a policy that drives a vacuum to a goal: the cross-entropy method over a batch.

Each of 40 candidates drives 4 vacuums of one vector environment for 20 s of simulated time. The
policy is linear in eight features. Give another number of generations as an argument.
"""

import sys

import numpy as np

from rigless.gym.vector import RobotVectorEnv

CANDIDATES, EPISODES, BEST, STEPS = 40, 4, 8, 100


def features(observed):
    """Return what the policy sees: free space ahead, left and right, bumpers, the goal's way."""
    ranges = np.roll(observed[:, :36], 18, axis=1)  # beam 18 points ahead
    left, ahead, right = (
        ranges[:, at].min(axis=1) for at in (slice(8, 15), slice(15, 22), slice(22, 29))
    )
    bumped, goal = observed[:, 36:38].max(axis=1), observed[:, -3:]
    return np.column_stack((left, ahead, right, bumped, goal, np.ones(len(observed))))


def act(weights, observed):
    """Return speeds for each robot; `weights` has a row of two times eight numbers per robot."""
    seen = features(observed)
    return np.tanh(np.einsum("nij,nj->ni", weights.reshape(-1, 2, 8), seen)).astype(np.float32)


def scores(envs, candidates, seed):
    """Return the mean reward of each candidate over its episodes, the same for all candidates."""
    observed, _ = envs.reset(seed=list(range(seed, seed + EPISODES)) * len(candidates))
    weights, total = np.repeat(candidates, EPISODES, axis=0), 0.0
    alive = np.ones(len(weights))
    for _ in range(STEPS):
        observed, reward, ended, _, _ = envs.step(act(weights, observed))
        total, alive = total + alive * reward, alive * ~ended
    return total.reshape(-1, EPISODES).mean(axis=1)


def main(generations=8):
    envs = RobotVectorEnv("VacuumGoal", CANDIDATES * EPISODES)
    rng, curve, mean, deviation = np.random.default_rng(0), [], np.zeros(16), np.ones(16)
    for generation in range(generations):
        candidates = mean + deviation * rng.standard_normal((CANDIDATES, 16))
        found = scores(envs, candidates, 1000 * generation)
        best = candidates[np.argsort(found)[-BEST:]]
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.1
        curve.append(found.mean())
        bar = "#" * max(0, round(10 * (curve[-1] + 2)))
        print(f"generation {generation + 1:2}: mean reward {curve[-1]:6.2f} {bar}", flush=True)
    print(f"learned: {curve[-1] > curve[0] + 0.5}")
    return curve


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
