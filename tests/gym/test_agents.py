"""Environments for several agents, and the adapter for Stable-Baselines3."""

import importlib.util
import sys
import types
import warnings

import gymnasium
import numpy as np
import pytest

import rigless
from rigless.gym.fleet_agents import AgvFleetAgents
from rigless.gym.match_agents import PacbotMatchAgents
from rigless.gym.stable_baselines import make_vec_env
from rigless.kernel.problems import InputError
from rigless.recordings.replay import verify
from rigless.robots.pacbot.game import board as b

with warnings.catch_warnings():  # PettingZoo imports a deprecated module of its own
    warnings.simplefilter("ignore")
    from pettingzoo.test import parallel_api_test

ALL = (PacbotMatchAgents, AgvFleetAgents)


def episode(env, seed, choose, steps):
    """Return the observations, rewards and infos of an episode."""
    found, (observations, infos) = [], env.reset(seed=seed)
    while env.agents and len(found) < steps:
        for agent, values in observations.items():
            assert env.observation_space(agent).contains(values)
        actions = {agent: choose(agent, observations[agent], infos[agent]) for agent in env.agents}
        observations, rewards, ended, late, infos = env.step(actions)
        found.append((observations, rewards, ended, late, infos))
    return found


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.filterwarnings("error")
def test_pettingzoo_finds_no_fault(kind):
    parallel_api_test(kind(), 40)


@pytest.mark.parametrize("kind", ALL)
def test_a_seed_decides_the_episode(kind):
    def bits(seed):
        env, draw = kind(), np.random.default_rng(1)
        steps = episode(env, seed, lambda agent, *_: draw.integers(env.action_space(agent).n), 30)
        return [(agent, row.tobytes()) for step in steps for agent, row in step[0].items()]

    assert bits(1) == bits(1) != bits(2)


@pytest.mark.parametrize("kind", ALL)
def test_mistakes_of_agents_are_named(kind):
    env = kind(max_cycles=1)
    env.reset(seed=1)
    with pytest.raises(InputError, match="9 is no action of"):
        env.step(dict.fromkeys(env.agents, 9))
    _, _, ended, late, _ = env.step(dict.fromkeys(env.agents, 0))
    assert not any(ended.values())
    assert all(late.values())
    assert env.agents == []
    with pytest.raises(InputError, match="reset"):
        env.step({})


def test_ghosts_that_hunt_catch_a_pacbot_that_stands():
    def hunt(agent, seen, info):
        if agent == "pacbot":
            return 0
        away = dict(
            zip((b.UP, b.LEFT, b.DOWN, b.RIGHT), (-seen[6], -seen[7], *seen[6:8]), strict=True)
        )
        ways = [way for way in range(4) if seen[2 + way]]
        return 1 + max(ways, key=lambda way: away[way]) if ways else 0

    def flee(agent, seen, info):
        found = hunt(agent, np.concatenate((seen[:6], -seen[6:])), info)
        return found if agent != "pacbot" else 0

    caught, free = (episode(PacbotMatchAgents(), 4, play, 300) for play in (hunt, flee))
    assert caught[-1][-1]["pacbot"]["lives"] < 3 == free[-1][-1]["pacbot"]["lives"]
    lost = [step for step in caught if step[1]["red"] > 10]
    assert lost[0][1]["red"] == 20.0 - lost[0][1]["pacbot"]


def test_an_episode_of_a_fleet_is_recorded(tmp_path):
    def drive(agent, seen, info):
        assert info["recording"] == str(path)
        return int(info["action_mask"].nonzero()[0][-1])

    env, path = AgvFleetAgents(count=2, max_cycles=8), tmp_path / "fleet.mcap"
    env.reset(seed=3)
    begun = env.reset(seed=3, options={"record": path})
    for _ in range(8):
        actions = {agent: drive(agent, begun[0][agent], begun[1][agent]) for agent in env.agents}
        begun = env.step(actions)[::4]
    assert not env.agents  # the episode has ended, and its file is complete
    assert verify(path).difference is None
    inputs = [each for each in rigless.Recording.open(path) if each.direction == "in"]
    assert len(inputs) == env._sent > 2
    assert "recording" not in env.reset(seed=3)[1]["agv-1"]
    with pytest.raises(InputError, match="cannot be written"):
        env.reset(options={"record": tmp_path / "none" / "fleet.mcap"})
    with pytest.raises(InputError, match="PacbotMatch-v0"):
        PacbotMatchAgents().reset(options={"record": path})


def test_agvs_arrive_by_the_shortest_way_and_give_way():
    def drive(agent, seen, info):
        gained = np.where(info["action_mask"][1:], seen[4:].reshape(-1, 5)[:, 3], -1.0)
        return int(gained.argmax()) + 1 if gained.max() > 0 else 0

    env = AgvFleetAgents(count=3)
    steps = episode(env, 3, drive, 160)
    arrivals = [info["arrivals"] for info in steps[-1][-1].values()]
    assert sum(arrivals) >= 2
    assert sum(sum(step[1].values()) for step in steps) > sum(arrivals)
    assert all("COLLISION" not in event.code.upper() for event in env.sim.events)
    with pytest.raises(InputError, match="nodes"):
        AgvFleetAgents(map="apartment")
    with pytest.raises(InputError, match="0 is no number"):
        AgvFleetAgents(count=0)


class VecEnv:
    """The part of Stable-Baselines3 that the adapter uses, for where it is not installed."""

    def __init__(self, num_envs, observation_space, action_space):
        self.num_envs, self.reset_infos, self._seeds = num_envs, [], [None] * num_envs
        self.observation_space, self.action_space = observation_space, action_space
        assert self.get_attr("render_mode") == [None] * num_envs

    def seed(self, seed=None):
        self._seeds = [None if seed is None else seed + i for i in range(self.num_envs)]

    def step(self, actions):
        self.step_async(actions)
        return self.step_wait()


@pytest.mark.parametrize("name", ["VacuumGoal", "PacbotMatch"])
def test_the_adapter_for_stable_baselines_equals_single_environments(name, monkeypatch):
    if importlib.util.find_spec("stable_baselines3") is None:
        module = types.ModuleType("stable_baselines3.common.vec_env")
        module.VecEnv = VecEnv
        for part in ("stable_baselines3", "stable_baselines3.common", module.__name__):
            monkeypatch.setitem(sys.modules, part, module)
    name, n = f"rigless/{name}-v0", 3
    envs = make_vec_env(name, n, seed=5, max_episode_steps=4)
    singles = [gymnasium.make(name, max_episode_steps=4) for _ in range(n)]
    seen = [env.reset(seed=5 + i)[0] for i, env in enumerate(singles)]
    assert np.array_equal(envs.reset(), seen)
    envs.action_space.seed(1)
    ends = 0
    for _ in range(10):
        actions = np.array([envs.action_space.sample() for _ in range(n)])
        observations, rewards, dones, infos = envs.step(actions)
        for i, env in enumerate(singles):
            last, reward, over, late, info = env.step(actions[i])
            if over or late:
                ends += 1
                info["terminal_observation"], last = last, env.reset()[0]
                assert np.array_equal(
                    infos[i].pop("terminal_observation"), info.pop("terminal_observation")
                )
            assert infos[i] == info | {"TimeLimit.truncated": late and not over}
            assert np.array_equal(observations[i], last)
            assert (rewards[i], dones[i]) == (np.float32(reward), over or late)
    assert ends >= 2 * n
    assert envs.env_is_wrapped(gymnasium.Wrapper) == [False] * n
    with pytest.raises(InputError, match="one batch"):
        envs.set_attr("render_mode", "rgb_array", 1)
