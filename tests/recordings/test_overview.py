"""The overview of a recording: density of messages and events, faults and collisions."""

import io

import pytest

import rigless
from rigless.kernel.inputs import Clear, Inject
from rigless.kernel.recording import Recorder
from rigless.recordings.overview import BINS, Density
from rigless.recordings.reader import Recording
from rigless.recordings.seekable import SeekableRecording

FORWARD = {"type": "Control", "id": "drive", "action": "configure"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A vacuum that drives into a wall with two faults, one of which lasts; and its last part."""
    folder = tmp_path_factory.mktemp("overview")
    sim = rigless.load("vacuum", seed=1)
    whole, part = (folder / "whole.mcap").open("wb"), io.BytesIO()
    recorder = Recorder(sim, whole)
    sim.run(1.0)
    sim.apply(Inject("vacuum", "gyro", "stuck", {}))
    sim.send("vacuum", "commands", {**FORWARD, "config": {"linear": 0.3, "angular": 0.0}})
    sim.run(1.0)
    sim.apply(Inject("vacuum", "accel", "noise", {}))
    second = Recorder(sim, part)
    sim.run(8.0)
    sim.apply(Clear("vacuum", "gyro"))
    sim.run(2.0)
    recorder.close()
    second.close()
    whole.close()
    (folder / "part.mcap").write_bytes(part.getvalue())
    return folder


def spans(overview):
    return [(one.target, one.kind, one.begin_s, one.end_s) for one in overview.faults]


def test_faults_and_collisions_are_where_they_happened(run):
    overview = SeekableRecording.open(run / "whole.mcap").overview
    assert spans(overview) == [("gyro", "stuck", 1.0, 10.0), ("accel", "noise", 2.0, None)]
    records = [r for r in Recording.open(run / "whole.mcap") if r.topic == "/vacuum/events"]
    hits = [r.time_ns for r in records if r.fields()["code"] == "collision"]
    assert [event.time_ns for event in overview.collisions] == hits
    assert hits


def test_a_part_begins_with_the_faults_that_are_active(run):
    overview = SeekableRecording.open(run / "part.mcap").overview
    assert spans(overview) == [("gyro", "stuck", 2.0, 10.0), ("accel", "noise", 2.0, None)]


def test_every_message_and_event_is_counted_in_its_bin(run):
    recording = Recording.open(run / "whole.mcap")
    density = SeekableRecording.open(recording).overview.density
    assert density.step_ns * BINS >= 12_000_000_000 > density.step_ns * BINS // 2
    for direction, row in (("in", "received"), ("out", "sent")):
        wanted = [0] * BINS
        for record in recording:
            if record.direction == direction:
                wanted[record.time_ns // density.step_ns] += 1
        assert density.counts[row] == wanted
        assert any(wanted)
    events = sum(r.topic.endswith("/events") for r in recording)
    assert sum(sum(density.counts[row]) for row in ("info", "warnings", "errors")) == events
    assert sum(density.counts["warnings"]) >= 2


def test_bins_grow_with_the_length():
    density = Density(5_000)
    for time_ns in (5_000, 400_000_000, 10**15):
        density.add("sent", time_ns)
    assert sum(density.counts["sent"]) == 3
    assert density.counts["sent"][0] == 2
    place = (10**15 - 5_000) // density.step_ns
    assert density.counts["sent"][place] == 1
    assert BINS // 2 <= place < BINS
