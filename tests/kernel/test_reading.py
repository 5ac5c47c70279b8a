import io
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.writer import Writer

from rigless.kernel.problems import InputError
from rigless.kernel.recording import Recorder, record_to_bytes
from rigless.kernel.simulation import Simulation
from rigless.kernel.snapshot import MAGIC
from rigless.recordings.reader import Record, Recording

from .robots import Counter


def flushed():
    """Return a recording that starts late, and (length, messages) after each of four flushes."""
    sim, stream = Simulation([Counter("c")], seed=1), io.BytesIO()
    sim.run(0.1)
    recorder = Recorder(sim, stream, truth_hz=5)
    sim.send("c", "line", b"add 1\n")
    marks = [(len(stream.getvalue()), 0)]
    for _ in range(4):
        sim.run(0.2)
        recorder.flush()
        marks.append((len(stream.getvalue()), recorder.messages))
    recorder.close()
    return stream.getvalue(), marks


WHOLE, MARKS = flushed()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.mcap"
    path.write_bytes(WHOLE)
    return path


def test_a_recording_cut_at_any_byte_is_read_up_to_the_cut(file):
    records = list(Recording.open(file))
    assert len(records) == MARKS[-1][1] > 10
    for length in reversed(range(len(WHOLE))):
        os.truncate(file, length)
        try:
            recording = Recording.open(file)
            found = list(recording)
        except InputError:
            assert length < MARKS[0][0], "what had been flushed is lost"
            continue
        safe = max(count for mark, count in MARKS if mark <= max(length, MARKS[0][0]))
        assert len(found) >= safe
        assert found == records[: len(found)]
        assert recording.snapshot is not None or length < MARKS[0][0]
        assert recording.metadata["seed"] == "1"


def test_the_end_is_known_only_when_the_recording_was_closed(file):
    assert Recording.open(file).end_ns == 900_000_000
    os.truncate(file, MARKS[-1][0])
    assert Recording.open(file).end_ns is None


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
def test_a_damaged_recording_is_read_or_refused_and_gives_nothing_that_was_not_recorded(
    tmp_path_factory, place, flip
):
    path = tmp_path_factory.getbasetemp() / "damaged.mcap"
    spoiled = bytearray(WHOLE)
    spoiled[place] ^= flip
    path.write_bytes(WHOLE)
    recorded = set(Recording.open(path))
    path.write_bytes(spoiled)
    try:
        found = set(Recording.open(path))
    except InputError:
        return
    assert found <= recorded


def test_a_damaged_snapshot_is_not_taken_for_none(file):
    spoiled = bytearray(WHOLE)
    spoiled[WHOLE.index(MAGIC) + 200] ^= 1
    file.write_bytes(spoiled)
    with pytest.raises(InputError, match="damaged"):
        Recording.open(file)


@given(st.binary(max_size=300))
def test_a_foreign_file_is_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "foreign.mcap"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"foreign\.mcap"):
        Recording.open(path)


def test_a_missing_file_and_one_that_another_program_wrote_are_refused(tmp_path):
    with pytest.raises(InputError, match="there is no such recording"):
        Recording.open(tmp_path / "no.mcap")
    with (tmp_path / "other.mcap").open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        writer.add_message(writer.register_channel("/x", "json", 0), 0, b"{}", 0)
        writer.finish()
    with pytest.raises(InputError, match="no rigless recording"):
        Recording.open(tmp_path / "other.mcap")


def test_another_format_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("rigless.kernel.recording.FORMAT", "0")
    (tmp_path / "old.mcap").write_bytes(record_to_bytes(Simulation([]), 1))
    with pytest.raises(InputError, match="format 0 is not 1"):
        Recording.open(tmp_path / "old.mcap")


def test_records_know_their_place():
    out, truth = Record("/c/line/out", 5, b"{}"), Record("/c/truth", 5, b"{}")
    assert (out.robot, out.port, out.direction) == ("c", "line", "out")
    assert (truth.robot, truth.direction) == ("c", "")
