"""After a seek, the state is that of the recorded run at that instant, however it was reached."""

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.recording import record_to_bytes
from rigless.kernel.snapshot import Snapshot
from rigless.recordings.reader import Recording
from rigless.recordings.seekable import CELLS, FINE, SLICE_WALL_NS, SeekableRecording
from rigless.scenario.load import open_target

from .samples import LENGTH_MS, MS, THERMOSTAT, log, look, make_take

S = 1_000_000_000


@pytest.fixture(scope="module", params=["thermostat", "vacuum"])
def target(request):
    return THERMOSTAT if request.param == "thermostat" else request.param


@pytest.fixture(scope="module", params=[0, 777], ids=["from the start", "from a snapshot"])
def take(request, target, tmp_path_factory):
    return make_take(target, tmp_path_factory.mktemp("takes") / "run.mcap", request.param)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A thermostat alone for twenty minutes."""
    path = tmp_path_factory.mktemp("rooms") / "room.mcap"
    path.write_bytes(
        record_to_bytes(open_target(THERMOSTAT, seed=1, collect=False).simulation, 1200, truth_hz=0)
    )
    return path


class Stopwatch:
    """A clock that advances at each call, so that every slice is short."""

    def __init__(self):
        self.now_ns = 0

    def __call__(self):
        self.now_ns += 700_000
        return self.now_ns


def same(reel, take):
    at_ns = reel.now_ns
    assert Snapshot.from_bytes(look(reel.simulation)) == Snapshot.from_bytes(take.snapshots[at_ns])
    assert look(reel.simulation) == take.snapshots[at_ns]
    assert log(reel.simulation) == take.logs[at_ns]


def test_a_straight_run_is_the_recorded_run(take):
    reel = SeekableRecording.open(take.path)
    assert (reel.begin_ns, reel.end_ns) == (reel.now_ns, LENGTH_MS * MS)
    assert (reel.cut, reel.note, reel.failure) == (False, "", "")
    instants = [at_ns for at_ns in take.snapshots if at_ns >= reel.begin_ns]
    assert len(instants) > 70
    for at_ns in instants:
        reel.seek(at_ns)
        same(reel, take)
    assert reel.epoch == 0


@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data())
def test_any_way_to_an_instant_ends_in_the_same(take, data):
    """Seek forward and back, abandon seeks, with slices of all lengths."""
    reel = _kept(take, data.draw(st.booleans()))
    places = st.sampled_from(sorted(take.snapshots))
    hops = st.tuples(
        places, st.none() | st.integers(0, 6), st.integers(-40 * MS, 40 * MS), st.booleans()
    )
    for place_ns, slices, aside_ns, through in data.draw(st.lists(hops, min_size=1, max_size=5)):
        epoch, before_ns = reel.epoch, reel.now_ns
        if slices is None:
            reel.seek(place_ns, through)
            assert reel.now_ns == place_ns
            assert reel.epoch == epoch + (place_ns < before_ns)
            same(reel, take)
        else:
            moving = reel.seek_in_slices(place_ns + aside_ns, through)
            for _ in range(slices):
                next(moving, None)


REELS: dict[tuple[object, bool], SeekableRecording] = {}


def _kept(take, in_a_hurry):
    """One seekable recording for all examples, with the keyframes of earlier seeks."""
    key = (take.path, in_a_hurry)
    if key not in REELS:
        REELS[key] = SeekableRecording.open(take.path, Stopwatch() if in_a_hurry else None)
    return REELS[key]


def test_between_instants_too(take):
    reel, straight = (
        SeekableRecording.open(take.path, Stopwatch()),
        SeekableRecording.open(take.path),
    )
    reel.seek(reel.end_ns)
    for at_ns in (900 * MS + 1, 1234 * MS + 567_891, 3000 * MS - 1, 3000 * MS, 5_555_555_555):
        straight.seek(at_ns)
        reel.seek(at_ns)
        assert look(reel.simulation) == look(straight.simulation)
        reel.seek(reel.begin_ns)


def test_the_ends_are_the_ends(take):
    reel = SeekableRecording.open(take.path)
    reel.seek(10**15)
    assert reel.now_ns == reel.end_ns
    same(reel, take)
    reel.seek(-(10**15))
    assert reel.now_ns == reel.begin_ns
    assert reel.epoch == 1


def test_who_listens_and_who_samples_stays_and_hears_what_was_recorded(take):
    reel = SeekableRecording.open(take.path)
    recorded = [
        (record.time_ns, record.robot, record.port, base64.b64decode(record.fields()["wire"]))
        for record in Recording.open(take.path)
        if record.direction == "out"
    ]
    assert len(recorded) > 5
    heard, sampled = [], []
    sim = reel.simulation
    sim.core.listeners.output.append(
        lambda at_ns, out: heard.append((at_ns, out.robot, out.port, out.data))
    )
    sim.core.sample(10, lambda: sampled.append(sim.now_ns // MS))
    for _ in range(2):
        for at_ns in (*range(reel.begin_ns, reel.end_ns, 333 * MS), reel.end_ns):
            reel.seek(at_ns, through=True)
        assert heard == [entry for entry in recorded if entry[0] > reel.begin_ns]
        assert sampled == list(range(100 * (reel.begin_ns // (100 * MS) + 1), LENGTH_MS + 1, 100))
        heard.clear(), sampled.clear()
        reel.seek(reel.begin_ns)


def test_keyframes_are_bounded_and_make_going_back_cheap(room):
    reel = SeekableRecording.open(room)
    reel.seek(reel.end_ns)
    whole = reel.simulation.core.agenda.processed
    assert whole > 10_000
    for at_s in range(1199, 0, -7):
        done = reel.simulation.core.agenda.processed
        reel.seek(at_s * S + 500 * MS)
        assert reel.simulation.core.agenda.processed - done < 1.1 * whole / CELLS
        done = reel.simulation.core.agenda.processed
        reel.seek(at_s * S + 400 * MS)
        assert reel.simulation.core.agenda.processed - done < 1.1 * whole / CELLS / FINE + 2
    assert CELLS <= len(reel._frames) <= CELLS + 1 + FINE


def test_going_forward_uses_what_is_known(room):
    reel = SeekableRecording.open(room)
    reel.seek(reel.end_ns)
    reel.seek(0)
    done, epoch = reel.simulation.core.agenda.processed, reel.epoch
    reel.seek(1000 * S)
    assert reel.simulation.core.agenda.processed - done < 300
    assert reel.epoch == epoch
    assert log(reel.simulation)[0].startswith(
        "100000000 heater"
    )  # nothing of what was passed over is missing


def test_slices_are_as_long_as_they_should_be(room):
    """Simulate a machine that takes 1 ms for each simulated second."""
    reel = SeekableRecording.open(room)
    reel._clock = lambda: reel.now_ns // 1000
    lengths, last_ns = [], 0
    for _ in reel.seek_in_slices(reel.end_ns):
        lengths.append(reel.now_ns - last_ns)
        last_ns = reel.now_ns
    assert max(lengths) <= 2 * SLICE_WALL_NS * 1000
    assert len(lengths) < 1.1 * reel.end_ns / (SLICE_WALL_NS * 1000)  # nor needlessly short
    reel.seek(S)
    reel.seek(S + 1)
    next(reel.seek_in_slices(reel.end_ns, through=True))
    assert reel.now_ns > 1.5 * S  # a short move does not make the next slices short


def test_a_newer_move_ends_the_one_before(room):
    reel = SeekableRecording.open(room)
    first = reel.seek_in_slices(600 * S)
    next(first)
    reel.seek(2 * S)
    assert next(first, "over") == "over"
    assert reel.now_ns == 2 * S


def test_inputs_that_are_still_to_come_are_in_no_keyframe(take):
    reel = SeekableRecording.open(take.path)
    reel.seek(reel.end_ns)
    assert len(reel._frames) > 3
    waiting = [
        shot for frame in reel._frames.values() for shot in frame.snapshot.due if shot[2] == "input"
    ]
    assert waiting == []


def test_what_the_scenario_does_happens_once(tmp_path):
    winter = f"{THERMOSTAT}/winter.toml"
    sim = open_target(winter, collect=False).simulation
    (tmp_path / "w.mcap").write_bytes(record_to_bytes(sim, 2500, truth_hz=0))
    scripted = [
        record
        for record in Recording.open(tmp_path / "w.mcap")
        if record.topic == "/rigless/control"
    ]
    assert len(scripted) > 1
    reel = SeekableRecording.open(tmp_path / "w.mcap")
    reel.seek(reel.end_ns)
    assert look(reel.simulation) == look(sim)
