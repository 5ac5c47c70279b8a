"""The Gymnasium environments: gymnasium's checks, vectors against single ones, episodes."""

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import rigless
import rigless.gym
from rigless.kernel.problems import InputError
from rigless.recordings.replay import verify

IDS = [f"rigless/{name}-v0" for name in rigless.gym.IDS]
MODES = list(AutoresetMode)


def make_vec(name, n, mode, **options):
    if mode is None:  # the oracle: gymnasium's own loop over single environments
        return gymnasium.make_vec(name, n, vectorization_mode="sync", **options)
    return gymnasium.make_vec(name, n, vectorization_mode="vector_entry_point",
                              autoreset_mode=mode, **options)  # fmt: skip


def equal(one, two):
    if isinstance(one, dict):
        assert set(one) == set(two)
        for key in one:
            equal(one[key], two[key])
    elif one is None or two is None:
        assert one is two
    elif any(getattr(each, "dtype", None) is np.dtype(object) for each in (one, two)):
        for a, b in zip(one, two, strict=True):
            equal(a, b)
    else:
        assert np.array_equal(one, two)


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_finds_no_fault(name):
    env = gymnasium.make(name, render_mode="rgb_array").unwrapped
    check_env(env)
    env.reset(seed=1)
    picture = env.render()
    assert picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) >= 2


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("name", IDS)
def test_a_vector_equals_single_environments(name, mode):
    most, n = 7, 3
    ours = make_vec(name, n, mode, max_episode_steps=most)
    oracle = gymnasium.vector.SyncVectorEnv(
        [lambda: gymnasium.make(name, max_episode_steps=most)] * n, autoreset_mode=mode
    )
    assert ours.metadata["autoreset_mode"] is mode
    equal(ours.reset(seed=[5, 60, 700])[0], oracle.reset(seed=[5, 60, 700])[0])
    ours.action_space.seed(2)
    ends = 0
    for step in range(19):
        actions = ours.action_space.sample()
        found, wanted = ours.step(actions), oracle.step(actions)
        for one, two in zip(found, wanted, strict=True):
            equal(one, two)
        ended = found[2] | found[3]
        ends += int(ended.sum())
        if mode is AutoresetMode.DISABLED and ended.any():
            options = {"reset_mask": ended}
            equal(ours.reset(options=options)[0], oracle.reset(options=dict(options))[0])
        assert found[0].dtype == np.float32
        assert step < most - 1 or ends
    assert ends >= 2 * n


def test_an_episode_does_not_depend_on_the_number_of_environments():
    few, many = (make_vec(IDS[1], n, MODES[0]) for n in (2, 33))
    one, two = few.reset(seed=9)[0], many.reset(seed=9)[0]
    rng = np.random.default_rng(1)
    for _ in range(10):
        assert one.tobytes() == two[:2].tobytes()
        actions = rng.uniform(-1, 1, (33, 2)).astype(np.float32)
        one, two = few.step(actions[:2])[0], many.step(actions)[0]
    with pytest.raises(InputError, match="3 seeds for 2"):
        few.reset(seed=[1, 2, 3])


@pytest.mark.parametrize("name", IDS)
def test_an_environment_survives_pickling(name):
    env = gymnasium.make(name)
    copy = pickle.loads(pickle.dumps(env))
    one, two = env.reset(seed=3)[0], copy.reset(seed=3)[0]
    assert np.array_equal(one, two)
    assert not np.array_equal(one, env.reset(seed=4)[0])
    assert pickle.loads(pickle.dumps(make_vec(name, 2, MODES[0]))).num_envs == 2


def faults(name):
    target = "wheel_left" if "Vacuum" in name else "drive"
    return {} if "Pacbot" in name else {"faults": [{"target": target, "kind": "weak"}]}


@pytest.mark.parametrize("name", IDS[1:])
def test_a_recorded_episode_is_that_of_the_robot_itself(name, tmp_path):
    env = gymnasium.make(name, **faults(name)).unwrapped
    env.reset(seed=8, options={"record": str(tmp_path / "episode.mcap")})
    env.action_space.seed(1)
    for _ in range(12):
        info = env.step(env.action_space.sample())[-1]
    robot = next(iter(env._recording.sim.robots.values()))
    body, poses = robot.state.body.tobytes(), env.task.robots.poses.tobytes()
    env.close()
    if "Pacbot" not in name:  # a match is the simulation that is recorded
        assert body == env.task.robots.state.bodies[0].tobytes()
    assert info["recording"].endswith("episode.mcap")
    records = list(rigless.Recording.open(tmp_path / "episode.mcap"))
    assert sum(record.direction == "in" for record in records) >= 12
    assert verify(tmp_path / "episode.mcap").difference is None
    plain = gymnasium.make(name, **faults(name)).unwrapped
    plain.reset(seed=8)
    plain.action_space.seed(1)
    for _ in range(12):
        plain.step(plain.action_space.sample())
    assert plain.task.robots.poses.tobytes() == poses


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("name", [IDS[1], IDS[3]])
def test_episodes_of_a_vector_are_recorded(name, mode, tmp_path):
    envs = make_vec(name, 3, mode, max_episode_steps=5, **faults(name))
    paths = {1: tmp_path / "one.mcap", 2: tmp_path / "two.mcap"}
    envs.reset(seed=8, options={"record": paths})
    envs.action_space.seed(1)
    for step in range(5):
        infos = envs.step(envs.action_space.sample())[-1]
        assert infos["_recording"].tolist() == [False, True, True], step
    assert infos["recording"][2] == str(paths[2])
    assert not envs.unwrapped._recordings.open  # complete, since the episodes have ended
    for path in paths.values():
        assert sum(each.direction == "in" for each in rigless.Recording.open(path)) >= 5
    with pytest.raises(InputError, match="no environment 3"):
        envs.reset(options={"record": {3: tmp_path / "three.mcap"}})
    with pytest.raises(InputError, match="does not begin"):
        envs.reset(options={"record": {0: "zero.mcap"}, "reset_mask": [False, True, True]})
    envs.reset(options={"record": tmp_path / "zero.mcap"})
    envs.step(envs.action_space.sample())
    envs.close()
    assert list(rigless.Recording.open(tmp_path / "zero.mcap"))


def test_configs_and_faults_are_drawn_for_each_episode():
    options = {
        "vary": {"robot.max_linear_speed": "0.1..0.3", "robot.wheel_base": [0.2, 0.25]},
        "faults": [{"target": "wheel_left", "kind": "slip", "share": 0.3, "probability": 0.5}],
    }
    envs = make_vec(IDS[1], 60, MODES[0], **options)
    envs.reset(seed=1)
    episodes = envs.unwrapped.task.episodes
    assert len(set(episodes.chosen.tolist())) > 10
    slips = episodes.robots.state.faults[:, 0, 0] != 0
    assert 15 < slips.sum() < 45
    envs.step(np.ones((60, 2), np.float32))
    speeds = np.round(episodes.robots.velocities[:, 0], 6)
    assert len(set(speeds[~slips].tolist())) > 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"speed": 3}, ("speed", "option")),
        ({"vary": {"robot.wheels": "1..2"}}, ("wheels",)),
        ({"faults": [{"target": "arm"}]}, ("arm",)),
        ({"map": "nowhere"}, ("nowhere",)),
    ],
)
def test_mistakes_are_named(options, words):
    with pytest.raises(InputError) as caught:
        gymnasium.make(IDS[1], **options)
    assert all(word in str(caught.value) for word in words), str(caught.value)
