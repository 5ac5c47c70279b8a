"""Output is a function of (robot, seed, stamped inputs), and of nothing else."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel import inputs as inp
from rigless.kernel.plain import to_json
from rigless.kernel.recording import Recorder, record_to_bytes
from rigless.kernel.snapshot import Snapshot
from rigless.recordings.replay import verify

from .exercise import (
    THERMOSTAT,
    among,
    at_random,
    events,
    feed,
    load,
    one_by_one,
    session,
    tap,
    targets,
    whole,
)

NEIGHBOURS = [
    {"kind": THERMOSTAT, "name": "neighbour"},
    {"kind": THERMOSTAT, "name": "neighbour-2"},
]


def test_the_same_seed_gives_the_same_bytes(target):
    assert session(target, seed=3) == session(target, seed=3)


@pytest.fixture(scope="module")
def elsewhere() -> dict[str, set[str]]:
    """What two other processes make of each robot, the second in the opposite order: to start one costs more than all it does."""
    script, chosen = str(Path(__file__).with_name("exercise.py")), targets()
    digests: dict[str, set[str]] = {target: set() for target in chosen}
    for hash_seed, order in (("1", chosen), ("4242", chosen[::-1])):
        run = subprocess.run(
            [sys.executable, script, "3", *order],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        for target, digest in zip(order, run.stdout.split(), strict=True):
            digests[target].add(digest)
    return digests


def test_another_process_gives_the_same_bytes(target, elsewhere):
    assert elsewhere[target] == {hashlib.sha256(session(target, seed=3)).hexdigest()}


def heard(target, seed=1, split=whole, seconds=3.0):
    """Outputs, events and truth of a session."""
    sim, robot = load(target, seed)
    outputs = tap(sim, robot)
    feed(sim, robot, split)
    sim.run(seconds)
    return outputs, events(sim, robot), to_json(robot.truth())


def test_another_seed_differs_where_there_is_something_to_measure(target):
    _, robot = load(target)
    same = heard(target, 1) == heard(target, 2)
    assert not (robot.sensors and same)


@pytest.mark.parametrize("split", [one_by_one, at_random(1), at_random(2), at_random(3)])
def test_how_the_bytes_are_cut_does_not_matter(target, split):
    assert heard(target, split=split) == heard(target)


@pytest.mark.parametrize("first", [True, False])
def test_a_neighbour_changes_nothing(target, first):
    sim, robot = among(target, NEIGHBOURS, first)
    outputs = tap(sim, robot)
    feed(sim, robot)
    sim.run(3)
    assert (outputs, events(sim, robot), to_json(robot.truth())) == heard(target)


def test_one_step_or_many_are_the_same(target):
    rng = np.random.Generator(np.random.Philox(7))
    steps = [round(float(step), 6) for step in rng.uniform(0, 0.02, 250)]
    many = [*steps, round(3.0 - sum(steps), 6)] if sum(steps) < 3.0 else [0.01] * 300
    assert session(target, steps=many) == session(target)


def test_a_reset_is_a_fresh_start(target):
    sim, robot = load(target)
    feed(sim, robot)
    sim.run(1.5)
    sim.reset()
    robot = sim.robot(robot.name)
    outputs = tap(sim, robot)
    feed(sim, robot)
    sim.run(3)
    assert (outputs, events(sim, robot), to_json(robot.truth())) == heard(target)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(at_ms=st.integers(0, 1500) | st.sampled_from([150, 280, 410]), delay=st.booleans())
def test_a_snapshot_holds_everything(target, at_ms, delay):
    """At any instant, with input still to come, half a sample in the codec, and packets on their way."""
    sim, robot = load(target)
    if delay:
        for port in robot.ports:
            sim.inject(robot.name, port.name, "delay", ms=90, jitter_ms=60)
    feed(sim, robot, lambda data: [data[: len(data) // 2]])
    feed(sim, robot, at_random(5))
    sim.run_until(at_ms * 1_000_000)
    saved = sim.snapshot()
    wanted, end = record_to_bytes(sim, 1.0), sim.snapshot()
    sim.restore(saved)
    assert record_to_bytes(sim, 1.0) == wanted
    assert sim.snapshot() == end
    other, _ = load(target, seed=99)
    other.run(0.3)
    other.restore(Snapshot.from_bytes(saved.to_bytes()))
    assert record_to_bytes(other, 1.0) == wanted


def test_a_recording_replays(target, tmp_path):
    sim, robot = load(target, seed=8)
    path = tmp_path / "r.mcap"
    with path.open("wb") as stream:
        recorder = Recorder(sim, stream)
        feed(sim, robot)
        sim.run(1)
        for name, spec in robot.inputs.items():
            sim.set_input(robot.name, name, spec.default)
        for name in robot.fault_targets.seams:
            sim.inject(robot.name, name, until_s=1.5)
        sim.run(1)
        sim.apply(inp.Disconnect(robot.name, robot.ports[0].name, 1))
        sim.run(1)
        recorder.close()
    found = verify(path)
    assert found.difference is None
    assert not found.cut
    assert found.records > 60


def test_a_recording_that_starts_late_replays(target, tmp_path):
    sim, robot = load(target, seed=8)
    feed(sim, robot)
    sim.run(0.7)
    path = tmp_path / "late.mcap"
    path.write_bytes(record_to_bytes(sim, 1.0))
    assert verify(path).difference is None
