"""Checks that output is a function of robot, seed and stamped inputs, and of nothing else."""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, cast

from rigless.kernel import inputs as inp
from rigless.kernel.plain import to_json
from rigless.kernel.recording import Recorder, record_to_bytes
from rigless.kernel.robot import Robot
from rigless.kernel.snapshot import Snapshot
from rigless.kernel.streams import OFF, Noise, matches_stream
from rigless.recordings.replay import Verification, verify
from rigless.scenario.noise import declared_streams
from rigless.testing.exercise import (
    Outputs,
    Split,
    at_random,
    events,
    feed,
    one_by_one,
    random_numbers,
    session,
    tap,
    whole,
)
from rigless.testing.subject import Subject

NEIGHBOUR = "rigless.testing.template_robot"
SNAPSHOTS = 12  # random instants at which a snapshot is taken

Run = tuple[Outputs, list[tuple[int, str, str]], bytes]


def run(subject: Subject, seed: int = 1, split: Split = whole) -> Run:
    """Return the outputs, events and final truth of a session of three seconds."""
    sim, robot = subject.load(seed)
    return observe(subject, sim, robot, split)


def usual_run(subject: Subject) -> Run:
    """Return the run with default arguments. Several checks compare others with it."""
    return cast("Run", subject.once("run", lambda: run(subject)))


def usual_session(subject: Subject, seed: int = 1) -> bytes:
    """Return the recording of a session. Several checks compare others with it."""
    return cast("bytes", subject.once(f"session {seed}", lambda: session(subject, seed)))


def observe(subject: Subject, sim: Any, robot: Robot, split: Split = whole) -> Run:
    outputs = tap(sim, robot)
    feed(sim, robot, subject, split)
    sim.run(3)
    return outputs, events(sim, robot), to_json(robot.truth())


def same_seed_gives_same_bytes(subject: Subject) -> None:
    assert session(subject, seed=3) == usual_session(subject, seed=3), "two runs differ"


def another_process_gives_the_same_bytes(subject: Subject) -> None:
    """Hash seeds differ between processes: the order of a set must not matter."""
    command = [sys.executable, "-m", "rigless.testing.exercise", "3"]
    done = subprocess.run(
        [*command, subject.target, str(subject.golden)],
        env={**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == hashlib.sha256(usual_session(subject, 3)).hexdigest()


def another_seed_differs(subject: Subject) -> None:
    """Robots that draw no random numbers are exempt."""
    sim, robot = subject.load(1)
    first = observe(subject, sim, robot)
    random = [name for name in sim.core.streams.save() if name.startswith(f"{robot.name}/")]
    assert not random or first != run(subject, 2), (
        f"the robot has the random streams {', '.join(random)}, but another seed changes nothing; "
        f"if noise is off by default, switch it on in {subject.golden / 'settings'}"
    )


def chunking_does_not_matter(subject: Subject) -> None:
    expected = usual_run(subject)
    for split in (one_by_one, at_random(1), at_random(2), at_random(3)):
        assert run(subject, split=split) == expected, "the same bytes in other pieces differ"


def neighbour_changes_nothing(subject: Subject) -> None:
    expected = usual_run(subject)
    others = [{"kind": NEIGHBOUR, "name": name} for name in ("neighbour", "neighbour-2")]
    for first in (True, False):
        sim, robot = subject.load_among(others, first)
        assert observe(subject, sim, robot) == expected, "another robot changes the output"


def step_size_does_not_matter(subject: Subject) -> None:
    rng = random_numbers(7)
    steps = [round(float(step), 6) for step in rng.uniform(0, 0.02, 250)]
    steps = [*steps, round(3.0 - sum(steps), 6)] if sum(steps) < 3.0 else [0.01] * 300
    assert session(subject, steps=steps) == usual_session(subject), "small steps give other bytes"


def reset_is_a_fresh_start(subject: Subject) -> None:
    sim, robot = subject.load()
    feed(sim, robot, subject)
    sim.run(1.5)
    sim.reset()
    again = observe(subject, sim, sim.robot(robot.name))
    assert again == usual_run(subject), "a reset leaves traces"


def snapshot_holds_everything(subject: Subject) -> None:
    """Check it at any time: with input to come, half a sample in the codec and delayed packets."""
    rng = random_numbers("snapshot")
    instants_ms = [0, 150, 280, 410, *rng.integers(0, 1500, SNAPSHOTS - 4).tolist()]
    for number, at_ms in enumerate(instants_ms):
        sim, robot = subject.load()
        if number % 2:
            for port in robot.ports:
                sim.inject(robot.name, port.name, "delay", ms=90, jitter_ms=60)
        feed(sim, robot, subject, lambda data: [data[: len(data) // 2]])
        feed(sim, robot, subject, at_random(5))
        sim.run_until(at_ms * 1_000_000)
        saved = sim.snapshot()
        expected, end = record_to_bytes(sim, 1.0), sim.snapshot()
        sim.restore(saved)
        assert record_to_bytes(sim, 1.0) == expected, f"restored at {at_ms} ms, the output differs"
        assert sim.snapshot() == end, f"restored at {at_ms} ms, the state differs later"
        other, _ = subject.load(seed=99)
        other.run(0.3)
        other.restore(Snapshot.from_bytes(saved.to_bytes()))
        assert record_to_bytes(other, 1.0) == expected, "restored elsewhere, the output differs"


def random_streams_are_declared(subject: Subject) -> None:
    """A robot that names its random streams names all of them."""
    sim, robot = subject.load()
    if robot.random_streams is None:
        return
    feed(sim, robot, subject)
    for target, kind in (
        (target, kind) for target, kinds in robot.fault_targets.seams.items() for kind in kinds
    ):
        sim.inject(robot.name, target, kind, until_s=sim.now_s + 0.05)
        sim.run(0.1)
    known = declared_streams(robot)
    missing = [
        name
        for name in sim.core.streams.names
        if name.startswith(f"{robot.name}/") and not any(matches_stream(n, name) for n in known)
    ]
    assert not missing, f"random_streams of {type(robot).__name__} lacks {', '.join(missing)}"


def noise_can_be_set_for_single_streams(subject: Subject) -> None:
    """Streams with another seed are those of that seed; without noise, no seed matters."""

    def seen(seed: int, noise: Noise | None = None) -> Any:
        sim, robot = subject.load(seed, noise=noise)
        return observe(subject, sim, robot)[1:]  # outputs may hold ids that depend on the seed

    assert seen(1, {"*": 2}) == seen(2), "the streams of another seed give another run"
    assert seen(1, {"*": OFF}) == seen(2, {"*": OFF}), "noise that is off depends on the seed"
    sim, robot = subject.load(1, noise={"*": OFF})
    feed(sim, robot, subject)
    sim.run(0.3)
    other, _ = subject.load(seed=99)
    other.restore(Snapshot.from_bytes(sim.snapshot().to_bytes()))
    assert _replay(record_to_bytes(other, 1.0)).difference is None, "it replays with other noise"
    sim.run(1.0)
    ends = [(each.robots, each.streams) for each in (sim.snapshot(), other.snapshot())]
    assert ends[0] == ends[1], "restored elsewhere, the noise is not off"
    other.reset()
    again = observe(subject, other, other.robot(robot.name))[1:]
    assert again == seen(1, {"*": OFF}), "after a reset, the noise is not off"


def recording_replays(subject: Subject) -> None:
    sim, robot = subject.load(seed=8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.mcap"
        with path.open("wb") as stream:
            recorder = Recorder(sim, stream)
            feed(sim, robot, subject)
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
    assert found.difference is None, found.difference
    assert not found.cut
    assert found.records > 0


def recording_that_starts_late_replays(subject: Subject) -> None:
    sim, robot = subject.load(seed=8)
    feed(sim, robot, subject)
    sim.run(0.7)
    found = _replay(record_to_bytes(sim, 1.0))
    assert found.difference is None, found.difference


def _replay(recorded: bytes) -> Verification:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "late.mcap"
        path.write_bytes(recorded)
        return verify(path)


CHECKS = (
    same_seed_gives_same_bytes,
    another_process_gives_the_same_bytes,
    another_seed_differs,
    chunking_does_not_matter,
    neighbour_changes_nothing,
    step_size_does_not_matter,
    reset_is_a_fresh_start,
    snapshot_holds_everything,
    random_streams_are_declared,
    noise_can_be_set_for_single_streams,
    recording_replays,
    recording_that_starts_late_replays,
)
