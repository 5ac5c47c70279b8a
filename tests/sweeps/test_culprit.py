"""Culprits: the random streams that decide between a failing and a passing seed."""

from pathlib import Path

import pytest

from rigless.kernel.problems import InputError
from rigless.runs.request import Request, run_here
from rigless.scenario.load import open_target
from rigless.sweeps.shrink import find_culprit

THERMOSTAT = Path(__file__).resolve().parents[2] / "examples" / "thermostat"
ROBOT = '[[robots]]\nname = "{name}"\nkind = "{kind}"\nconfig = {{ noise_c = {noise} }}\n'
EXPECT = '[[expect]]\nname = "calm"\n{robot}event = "heater"\nmax_count = {most}\n'


def switches(path, seed):
    """Return how often each thermostat switches its heater in a run."""
    sim = open_target(path, seed=seed, collect=False).simulation
    sim.run(20)
    return {name: robot.metrics.get("switched", 0) for name, robot in sim.robots.items()}


def status(path, seed=None):
    result = run_here(Request(str(path)), open_target(path, seed=seed, collect=False))
    return result.status


@pytest.fixture
def rooms(tmp_path):
    """Return a function that writes three noisy thermostats with a limit for some of them."""

    def write(most, robot=""):
        path = tmp_path / "rooms.toml"
        robots = "".join(
            ROBOT.format(name=name, kind=THERMOSTAT, noise=0.25) + "[robots.ports]\nreports = 0\n"
            for name in ("a", "b", "c")
        )
        text = robots.replace("noise_c = 0.25", "noise_c = 0.25, start_c = 20.0")
        path.write_text(
            f'name = "rooms"\nduration_s = 20\n{text}' + EXPECT.format(most=most, robot=robot)
        )
        return path

    return write


@pytest.fixture
def single(rooms):
    """Return a scenario on robot b alone, a seed that fails it, and one that passes."""
    counts = {seed: switches(rooms(0), seed)["b"] for seed in range(12)}
    most = min(counts.values())
    passing = min(seed for seed in counts if counts[seed] == most)
    failing = max(seed for seed in counts if counts[seed] > most)
    return rooms(most, 'robot = "b"\n'), failing, passing


def test_the_stream_that_decides_is_named_and_alone_makes_it_fail(single, tmp_path):
    path, failing, passing = single
    out = tmp_path / "small.toml"
    found = find_culprit(path, seed=failing, out=out)
    assert (found.failing_seed, found.passing_seed) == (failing, passing)
    assert found.streams == ["b/temperature"]
    assert [(swap.stream, swap.failing_passes, swap.passing_fails) for swap in found.swaps] == [
        ("a/temperature", False, False),
        ("b/temperature", True, True),
        ("c/temperature", False, False),
    ]
    assert found.scenario["noise"] == {"b/temperature": failing}
    assert (status(path, passing), status(out)) == ("passed", "failed")
    assert '[noise]\n"b/temperature" = ' in out.read_text()


def test_several_streams_that_decide_together(rooms):
    """A limit on the switches of all rooms that the noise of one room alone does not exceed."""
    counts = {seed: switches(rooms(0), seed) for seed in range(20)}
    total = {seed: sum(each.values()) for seed, each in counts.items()}
    low, high = min(total, key=total.get), max(total, key=total.get)
    gains = sorted((counts[high][name] - counts[low][name], name) for name in "abc")
    most = total[low] + gains[-1][0]  # the largest gain alone does not exceed it
    assert most < total[high]
    found = find_culprit(rooms(most), seed=high, passing_seed=low)
    assert len(found.streams) >= 2
    assert not any(swap.passing_fails for swap in found.swaps)


def test_the_command_prints_a_table(single, run_cli):
    path, failing, passing = single
    done = run_cli("shrink", path, "--seed", failing, "--culprit", "--passing-seed", passing)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].split("  ")[0] == "stream"
    assert [line.split()[0] for line in lines if line.endswith("decides")] == ["b/temperature"]
    assert f"b/temperature of seed {failing} makes seed {passing} fail" in done.stderr


def test_bad_input_is_a_sentence(single):
    path, failing, passing = single
    with pytest.raises(InputError, match=f"passes with seed {passing}"):
        find_culprit(path, seed=passing)
    with pytest.raises(InputError, match=f"seed {failing} does not pass"):
        find_culprit(path, seed=failing, passing_seed=failing)
    with pytest.raises(InputError, match="budget of 10 runs is spent"):
        find_culprit(path, seed=failing, budget=10)
    path.write_text(path.read_text() + f'[noise]\n"*" = {failing}\n')
    with pytest.raises(InputError, match="none of the seeds 0 to 49 passes"):
        find_culprit(path, seed=failing)
