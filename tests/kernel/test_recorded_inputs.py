import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel import inputs as inp
from rigless.kernel.recording import Recorder, record_to_bytes
from rigless.kernel.simulation import Simulation
from rigless.recordings.reader import Recording

from .robots import Counter
from .scenes import scene


def test_inputs_read_back_as_what_was_given(tmp_path):
    path = tmp_path / "a.mcap"
    path.write_bytes(record_to_bytes(scene(), 1))
    read = [
        record.input()
        for record in Recording.open(path)
        if record.direction == "in" or record.port == "control"
    ]
    scheduled = [shot for shot in scene().core.agenda.pending() if shot[2] == "input"]
    live = [item.given for item in read if item.source == "live"]
    assert live == [what for *_, (source, what) in scheduled if source == "live"]
    assert len(live) == 6


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.binary(max_size=6).map(lambda junk: b"add 1\n" + junk)),
        max_size=6,
    )
)
def test_a_live_run_is_repeated_to_the_byte_from_the_inputs_in_its_recording(
    tmp_path_factory, steps
):
    path = tmp_path_factory.getbasetemp() / "live.mcap"
    live, again = Simulation([Counter("c")], seed=1), Simulation([Counter("c")], seed=1)
    with path.open("wb") as stream:
        recorder = Recorder(live, stream)
        for step, data in steps:
            live.run(step * 0.025)
            live.send("c", "line", data)
        live.run(0.1)
        recorder.close()
    for record in Recording.open(path):
        if record.direction == "in":
            again.schedule(record.time_ns, record.input().given)
    assert record_to_bytes(again, live.now_s) == path.read_bytes()


def test_numbers_of_numpy_can_be_given_while_recording():
    sim = Simulation([Counter("c")])
    recorder = Recorder(sim, io.BytesIO())
    sim.inject("c", "level", "bias", value=np.float64(2))
    sim.run(0.1)
    recorder.close()
    assert sim.robots["c"].fault("level").params == {"value": 2.0}


@pytest.mark.parametrize("late", ["time", "link", "input", "fault"])
def test_a_recording_that_starts_late_carries_a_snapshot_to_start_from(late, tmp_path):
    sim = Simulation([Counter("c")], seed=1)
    match late:
        case "time":
            sim.run(0.33)
        case "link":
            sim.apply(inp.Connect("c", "line", 1))
        case "input":
            sim.set_input("c", "gear", 3)
        case "fault":
            sim.inject("c", "level", "bias")
    (tmp_path / "a.mcap").write_bytes(record_to_bytes(sim, 1))
    recording = Recording.open(tmp_path / "a.mcap")
    assert recording.snapshot is not None
    again = Simulation([Counter("c")])
    again.restore(recording.snapshot)
    assert record_to_bytes(again, 1) == (tmp_path / "a.mcap").read_bytes()


def test_a_recording_from_the_start_carries_none(tmp_path):
    (tmp_path / "a.mcap").write_bytes(record_to_bytes(scene(), 1))
    assert Recording.open(tmp_path / "a.mcap").snapshot is None
