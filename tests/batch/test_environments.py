"""Environments on a graphics processor have the bits of those on the processor.

Without one, their kernels run as C++ on the host, over arrays that are as strict as CuPy's.
"""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import rigless.gym
from rigless.batch.engines import make_engine
from rigless.kernel.problems import InputError

from .host_kernels import DeviceArray, DeviceArrays, HostEngine
from .test_translation import NO_GPU

NAMES = ("VacuumCoverage", "VacuumGoal", "RoverWaypoint")
MODES = list(AutoresetMode)


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


def on_host(array):
    return array.get() if hasattr(array, "get") else array


def same(ours, theirs):
    if isinstance(ours, dict):
        assert set(ours) == set(theirs)
        for key, value in ours.items():
            same(value, theirs[key])
    elif ours.dtype == object:  # None where an episode goes on
        assert any(row is not None for row in ours)
        for row, other in zip(ours, on_host(theirs), strict=True):
            assert row is None or row.tobytes() == other.tobytes()
    else:
        found = on_host(theirs)
        assert (ours.dtype, ours.shape) == (found.dtype, found.shape)
        assert np.ascontiguousarray(ours).tobytes() == np.ascontiguousarray(found).tobytes()


def compare(name, mode, to_device, n, steps):
    """Run the same episodes twice and compare all results. Return the second environments."""
    options = {"faults": [{"target": "drive" if "Rover" in name else "wheel_left",
                           "kind": "weak", "probability": 0.5}]}  # fmt: skip
    one, two = (
        gymnasium.make_vec(f"rigless/{name}-v0", n, vectorization_mode="vector_entry_point",
                           autoreset_mode=mode, max_episode_steps=7, device=device, **options)
        for device in ("cpu", "cuda")
    )  # fmt: skip
    same(one.reset(seed=4)[0], two.reset(seed=4)[0])
    one.action_space.seed(1)
    ends = 0
    for _ in range(steps):
        actions = one.action_space.sample()
        ours, theirs = one.step(actions), two.step(to_device(actions))
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)
        ended = ours[2] | ours[3]
        ends += int(ended.sum())
        if mode is AutoresetMode.DISABLED and ended.any():
            same(one.reset(options={"reset_mask": ended})[0],
                 two.reset(options={"reset_mask": theirs[2] | theirs[3]})[0])  # fmt: skip
    assert ends >= n
    return two


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_translated_environments_have_the_same_bits(name, mode, kernels, monkeypatch):
    def engine(device, threads):
        if device == "cpu":
            return make_engine(device, threads)
        return HostEngine(kernels, DeviceArrays())

    monkeypatch.setattr("rigless.batch.batch.make_engine", engine)
    arrays = DeviceArrays()
    envs = compare(name, mode, arrays.asarray, 5, 17)
    for part in (*envs.step(arrays.asarray(envs.action_space.sample()))[:4],
                 envs.unwrapped.task.robots.poses):  # fmt: skip
        assert isinstance(part, DeviceArray)
    envs = gymnasium.make_vec(f"rigless/{name}-v0", 2, vectorization_mode="vector_entry_point",
                              device="cuda", render_mode="rgb_array")  # fmt: skip
    envs.reset(seed=1)
    assert [picture.dtype for picture in envs.render()] == [np.uint8] * 2


@pytest.mark.skipif(bool(NO_GPU), reason=f"no GPU: {NO_GPU}")
@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_environments_on_a_gpu_have_the_same_bits(name, mode):
    import cupy

    envs = compare(name, mode, cupy.asarray, 200, 40)
    observed, reward, *_ = envs.step(cupy.asarray(envs.action_space.sample()))
    assert isinstance(observed, cupy.ndarray)
    assert isinstance(reward, cupy.ndarray)
    assert cupy.from_dlpack(observed).data.ptr == observed.data.ptr


@pytest.mark.parametrize("name", rigless.gym.IDS)
def test_a_single_environment_and_the_match_need_the_processor(name):
    with pytest.raises(InputError, match="device"):
        gymnasium.make(f"rigless/{name}-v0", device="cuda")
    if name == "PacbotMatch":
        with pytest.raises(InputError, match="device"):
            gymnasium.make_vec(f"rigless/{name}-v0", 2, device="cuda",
                               vectorization_mode="vector_entry_point")  # fmt: skip
