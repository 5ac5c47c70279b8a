"""The translation to CUDA C++ has the bits of numba: compiled for the host, and on a GPU."""

import re

import numpy as np
import pytest

from rigless.batch import Vacuums
from rigless.cuda.device import Kernel, load_cupy
from rigless.kernel.problems import InputError
from rigless.robots.vacuum import batch
from rigless.worlds import load_map
from rigless.worlds.bundled import find_map

from .host_kernels import HostEngine
from .single import random_commands
from .test_batch import CONFIGS, KINDS


def why_no_gpu() -> str:
    try:
        load_cupy()
    except InputError as error:
        return str(error)
    return ""


NO_GPU = why_no_gpu()


def run_both(kind, config, one, two, seed):
    """Drive two batches alike and check that all their numbers have the same bits."""
    rng = np.random.default_rng(seed)
    moved = 0.0
    for ticks in (1, 25, 60):
        commands = random_commands(kind, one.n, rng)
        one.step(commands, ticks)
        two.step(commands, ticks)
        results = [(one.state, two.state), (one.scan(), two.scan())]
        if kind == "vacuum":
            results.append((one.readings(), two.readings()))
        for ours, others in results:
            for name, a, b in zip(ours._fields, ours, others, strict=True):
                b = b if isinstance(b, np.ndarray) else b.get()
                assert np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes(), name
        moved += abs(commands).sum()
    assert moved > 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_translated_functions_have_the_same_bits(kind, tmp_path, monkeypatch):
    config = CONFIGS[kind][1 if kind == "rover" else -1]
    one = KINDS[kind](12, config, seeds=range(12))
    monkeypatch.setattr("rigless.batch.batch.make_engine", lambda *_: HostEngine(tmp_path))
    two = KINDS[kind](12, config, seeds=range(12))
    one.inject(one.template.actuators[0], "weak", which=[1, 2], factor=0.5)
    two.inject(two.template.actuators[0], "weak", which=[1, 2], factor=0.5)
    run_both(kind, config, one, two, 5)


class NoDevice:
    """The part of CuPy that kernels use; it notes how they are started."""

    def __init__(self):
        self.started = []

    def RawModule(self, code, options):  # noqa: N802
        assert "--fmad=false" in options
        self.code = code
        return self

    def get_function(self, name):
        found = re.search(rf"__global__ void {name}\((.*?)\)", self.code, re.DOTALL)
        self.parameters = found[1].count(",") + 1
        return lambda grid, block, values: self.started.append((grid[0] * block[0], values))


def test_a_kernel_keeps_the_parameters_of_arrays_that_stay():
    robots, device = Vacuums(3, CONFIGS["vacuum"][0]), NoDevice()
    started = Kernel(device, batch.advance, 1)
    for times in (22, 7):
        started((1000,), times, True, robots._robots, robots._model, robots._maps)
    (threads, values), (_, again) = device.started
    assert 1000 <= threads < 1064
    assert [values[:2], again[:2]] == [(1000, 22), (1000, 7)]
    assert len(values) == len(again) == device.parameters
    for one, other in zip(values[3:], again[3:], strict=True):
        assert one is other
    assert values[3] is robots._robots.bodies


@pytest.mark.skipif(not NO_GPU, reason="there is a GPU")
def test_a_missing_gpu_is_named():
    with pytest.raises(InputError, match=r"cuda|CUDA") as caught:
        KINDS["vacuum"](2, device="cuda")
    assert 'device="cpu"' in str(caught.value)
    with pytest.raises(InputError, match='device="cpu"'):
        load_map(find_map("maze")).cast([(0.0, 0.0, 0.0)], [0.0], 8.0, device="cuda")


@pytest.mark.skipif(bool(NO_GPU), reason=f"no GPU: {NO_GPU}")
@pytest.mark.parametrize("kind", KINDS)
def test_a_gpu_has_the_same_bits(kind):
    for config in CONFIGS[kind]:
        one = KINDS[kind](300, config, seeds=range(300))
        two = KINDS[kind](300, config, seeds=range(300), device="cuda")
        run_both(kind, config, one, two, 6)


@pytest.mark.skipif(bool(NO_GPU), reason=f"no GPU: {NO_GPU}")
def test_rays_on_a_gpu_have_the_same_bits():
    rng = np.random.default_rng(4)
    for name in ("maze", "apartment", "warehouse"):
        grid = load_map(find_map(name))
        poses = rng.uniform(-4, 4, (500, 3))
        angles = np.linspace(0, 2 * np.pi, 360, endpoint=False)
        ours, theirs = grid.cast(poses, angles, 8.0), grid.cast(poses, angles, 8.0, device="cuda")
        assert ours.tobytes() == theirs.get().tobytes()
        assert np.isfinite(ours).any()
