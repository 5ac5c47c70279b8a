"""Open files as seekable recordings: errors for bad ones, and the events of the timeline."""

import os

import msgspec
import pytest
from mcap.writer import Writer

from rigless.kernel import inputs as inp
from rigless.kernel.events import Event
from rigless.kernel.problems import InputError
from rigless.kernel.recording import Recorder, record_to_bytes
from rigless.kernel.simulation import RobotError
from rigless.recordings.reader import Recording
from rigless.recordings.seekable import EVENTS_KEPT, SeekableRecording
from rigless.scenario.load import open_target

from .samples import BRITTLE, MS, THERMOSTAT, look


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.mcap"
    path.write_bytes(record_to_bytes(open_target(THERMOSTAT, seed=1, collect=False).simulation, 5))
    return path


def with_metadata(path, **changed):
    """Return a recording with this metadata and no records."""
    metadata = {**Recording.open(path).metadata, **changed}
    del metadata["checksum"]
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start(profile="", library="test")
        writer.add_metadata("rigless", metadata)
        writer.finish()


def scenario(**entry):
    return msgspec.json.encode({"robots": [{"name": "r", **entry}]}).decode()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("vaccum", "unknown robot kind 'vaccum' (did you mean 'vacuum'?"),
        ("/no/such/robot", "/no/such/robot is not a robot folder"),
        ("no.such.package", "no package 'no'"),
    ],
)
def test_robots_that_are_not_here_are_named(file, kind, words):
    with_metadata(file, scenario=scenario(kind=kind))
    with pytest.raises(InputError) as caught:
        SeekableRecording.open(file)
    assert words in str(caught.value)
    assert str(file) in str(caught.value)


def test_what_is_no_recording_is_refused(file, tmp_path):
    for path, words in (
        (tmp_path / "none.mcap", "no such recording"),
        (tmp_path, "no such recording"),
    ):
        with pytest.raises(InputError, match=words):
            SeekableRecording.open(path)
    (tmp_path / "b.mcap").write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="not a readable MCAP file"):
        SeekableRecording.open(tmp_path / "b.mcap")
    with_metadata(file, scenario="{")
    with pytest.raises(InputError, match="does not say what was run"):
        SeekableRecording.open(file)


def test_a_robot_that_cannot_start_any_more_is_refused(file, tmp_path):
    folder = tmp_path / "stillborn"
    folder.mkdir()
    text = (
        "from rigless.kernel.robot import Robot as Base\nclass Robot(Base):\n    def "
        "start(self): raise OSError('no eyes')\n"
    )
    (folder / "__init__.py").write_text(text)
    with_metadata(file, scenario=scenario(kind=str(folder)))
    with pytest.raises(
        InputError, match=r"cannot be rebuilt here: OSError: no eyes \(open it with"
    ):
        SeekableRecording.open(file)


def test_a_recording_of_another_version_opens_with_a_note(file):
    with_metadata(file, rigless="0.0.7")
    assert SeekableRecording.open(file).note.startswith("recorded with rigless 0.0.7, this is ")


def test_a_recording_that_was_cut_off_ends_with_its_last_record(file):
    with file.open("wb") as stream:
        sim = open_target(THERMOSTAT, seed=1, collect=False).simulation
        recorder = Recorder(sim, stream)
        sim.run(4)
        recorder.flush()
        good = stream.tell()
        sim.run(1)
        recorder.close()
    os.truncate(file, good + 10)
    reel = SeekableRecording.open(file)
    assert (reel.cut, reel.begin_ns) == (True, 0)
    assert reel.end_ns == max(record.time_ns for record in Recording.open(file)) == 4000 * MS


def test_a_recording_can_be_opened_while_it_is_being_made(tmp_path):
    sim = open_target(THERMOSTAT, seed=1, collect=False).simulation
    with (tmp_path / "now.mcap").open("wb") as stream:
        recorder = Recorder(sim, stream)
        sim.run(2)
        sim.set_input("thermostat", "outside_c", -20.0)
        sim.run(1)
        recorder.flush()
        stream.flush()
        then = look(sim)
        sim.run(4)
        reel = SeekableRecording.open(tmp_path / "now.mcap")
        recorder.close()
    assert (reel.cut, reel.end_ns) == (True, 3000 * MS)
    reel.seek(reel.end_ns)
    assert look(reel.simulation) == then


@pytest.mark.parametrize(
    ("word", "at_ms", "why"), [("fail", 400, "told to"), ("later", 450, "broke down")]
)
def test_a_run_in_which_a_robot_failed_ends_there(tmp_path, word, at_ms, why):
    sim = open_target(BRITTLE, collect=False).simulation
    with (tmp_path / "f.mcap").open("wb") as stream:
        recorder = Recorder(sim, stream)
        sim.run(0.4)
        sim.schedule(sim.now_ns, inp.Connect("brittle", "line", 1))
        sim.schedule(sim.now_ns, inp.Arrive("brittle", "line", 1, f"{word}\n".encode()))
        with pytest.raises(RobotError, match=why):
            sim.run(0.2)
        recorder.close()
    reel = SeekableRecording.open(tmp_path / "f.mcap")
    assert (reel.end_ns, reel.failure) == (at_ms * MS, "")
    for _ in range(2):
        reel.seek(reel.end_ns)
        assert why in reel.failure
        broken = look(reel.simulation)
        reel.seek(reel.end_ns + 1)
        assert (reel.now_ns, look(reel.simulation)) == (
            at_ms * MS,
            broken,
        )  # what was still due then never happens
        reel.seek(300 * MS)
        assert (reel.failure, reel.now_ns, reel.simulation.truth("brittle").ticks) == (
            "",
            300 * MS,
            30,
        )


def test_a_robot_that_fails_where_the_recorded_one_did_not_ends_the_reel(file):
    reel = SeekableRecording.open(file)
    reel.simulation.robots["thermostat"].config = None  # as if its code had been changed since
    reel.seek(reel.end_ns)
    assert "thermostat.control failed" in reel.failure
    assert reel.end_ns == reel.now_ns == 100 * MS


def test_the_timeline_has_the_events_of_robots_and_host(tmp_path):
    sim = open_target(THERMOSTAT, seed=1, collect=False).simulation
    with (tmp_path / "e.mcap").open("wb") as stream:
        recorder = Recorder(sim, stream)
        sim.run(1)
        sim.core.log(Event(sim.now_ns, "", "pace-lost", "warning", "too slow", {"behind_s": 0.7}))
        sim.inject("thermostat", "relay", until_s=2)
        sim.run(2)
        recorder.close()
        said = list(sim.events)
    assert SeekableRecording.open(tmp_path / "e.mcap").events == said
    assert {event.code for event in said} >= {
        "heater",
        "pace-lost",
        "fault-injected",
        "fault-cleared",
    }


def test_of_too_many_events_the_severe_and_the_newest_are_kept(tmp_path):
    sim = open_target(THERMOSTAT, seed=1, collect=False).simulation
    with (tmp_path / "e.mcap").open("wb") as stream:
        recorder = Recorder(sim, stream)
        for number in range(EVENTS_KEPT + 500):
            severity = "error" if number == 3 else "info"
            sim.core.log(Event(sim.now_ns, "thermostat", "heater", severity, str(number), {}))
        recorder.close()
    texts = [event.text for event in SeekableRecording.open(tmp_path / "e.mcap").events]
    assert texts == ["3", *(str(number) for number in range(501, EVENTS_KEPT + 500))]
