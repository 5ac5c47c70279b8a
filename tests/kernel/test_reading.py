import io
import os
import re

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
    near = {mark + by for mark, _ in MARKS for by in range(-12, 13)}  # a record's head has 9 bytes
    for length in sorted({*range(0, len(WHOLE), 9), *near, len(WHOLE) - 1}, reverse=True):
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


def content(path):
    """Return everything that a recording says."""
    recording = Recording.open(path)
    return list(recording), recording.metadata, recording.snapshot, recording.end_ns


@pytest.mark.parametrize("length", [len(WHOLE), MARKS[-1][0], MARKS[-2][0] + 60])
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_recording_with_any_byte_flipped_is_refused_or_says_the_same(
    tmp_path_factory, length, data
):
    """A complete file, one cut off between two records, and one cut off in a record."""
    place, flip = data.draw(st.integers(0, length - 1)), data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.mcap"
    path.write_bytes(WHOLE[:length])
    recorded = content(path)
    damaged = bytearray(WHOLE[:length])
    damaged[place] ^= flip
    path.write_bytes(damaged)
    try:
        assert content(path) == recorded
    except InputError:
        return
    assert length < len(WHOLE), "the checksums of a complete file cover every byte"


def test_damage_is_reported_with_its_place_and_a_truncation_with_what_is_missing(file):
    at = WHOLE.index(b"zstd", MARKS[1][0]) + 20
    for change, words in (
        (lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], "damaged at byte"),
        (lambda data: data + b"x", "does not end as an MCAP file"),
        (lambda data: data[: MARKS[1][0]] + data[MARKS[2][0] : MARKS[3][0]], "records are missing"),
    ):
        file.write_bytes(change(WHOLE))
        with pytest.raises(InputError, match=words) as caught:
            Recording.open(file)
        good = re.search(r"the (\d+) records before it end at", str(caught.value))
        assert good is not None
        assert int(good[1]) >= MARKS[1][1]
    file.write_bytes(WHOLE[: MARKS[2][0] + 5])
    assert "its end is missing, and 5 bytes" in Recording.open(file).missing
    file.write_bytes(WHOLE[:-3])
    recording = Recording.open(file)
    assert (recording.missing, recording.end_ns) == ("only its index is missing", 900_000_000)


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
