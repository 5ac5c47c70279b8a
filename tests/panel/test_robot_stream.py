"""Frames of one robot: unchanged fields are omitted, missed ones are sent, time may jump."""

import math

import numpy as np
import pytest

from rigless.panel.history.sampler import Sampler
from rigless.panel.stream import robot_stream
from rigless.panel.stream.messages import FRAME, HISTORY, unpack
from rigless.panel.stream.robot_stream import RobotStream
from rigless.scenario.load import open_target

from .harness import TROLLEY

NUMBERS, TRAIL, BODY, MARKS, PLAN = range(5)


class Here:
    """A simulation as a source."""

    name = "live"

    def __init__(self, fixed=False):
        self.sim, self.epoch, self.fixed, self.known = (
            open_target(TROLLEY, collect=False).simulation,
            0,
            fixed,
            [],
        )

    def fill_history(self, known_ns):
        self.known.append(known_ns)


@pytest.fixture
def source():
    return Here()


def watching(source, record=True):
    stream = RobotStream(source, source.sim, "trolley", 1)
    stream.record(record)
    stream.update()
    return stream


def go(source, forward=1.0, seconds=0.0):
    source.sim.send("trolley", "box", {"type": "Go", "forward": forward, "left": 0.0, "turn": 0.0})
    source.sim.run(seconds)


def fields(stream, seen):
    return unpack(stream.frame(seen))[5]


def past(stream):
    """Return times, numbers (x, stopped, y) and the trail of the history."""
    kind, *_, found = unpack(stream.history())
    assert kind == HISTORY
    return found[0], found[1].reshape(-1, 3), found[2].reshape(-1, 3)


# Frames


def test_the_first_frame_has_everything(source):
    kind, page, sequence, epoch, time_s, found = unpack(watching(source).frame(0))
    assert (kind, page, sequence, epoch, time_s, sorted(found)) == (
        FRAME,
        1,
        1,
        0,
        0,
        [NUMBERS, TRAIL, BODY, MARKS, PLAN],
    )
    assert found[PLAN].tolist() == [0, 0, 1, 1]


def test_unchanged_fields_are_omitted(source):
    stream = watching(source)
    source.sim.run(0.1)
    stream.update()
    assert (stream.sequence, fields(stream, 1)) == (2, {})
    go(source, 1.0, 0.1)
    stream.update()
    assert sorted(fields(stream, 2)) == [NUMBERS, TRAIL, BODY, MARKS]
    assert fields(stream, 2)[BODY][0] == pytest.approx(0.1)


def test_a_client_that_missed_frames_gets_all_changes_since_its_last(source):
    stream = watching(source)
    go(source, 1.0, 0.1)
    stream.update()
    go(source, 0.0, 0.1)  # it stops here
    for _ in range(5):
        source.sim.run(0.1)
        stream.update()
    assert fields(stream, stream.sequence - 1) == {}
    assert sorted(fields(stream, 1)) == [NUMBERS, TRAIL, BODY, MARKS]
    assert sorted(fields(stream, 0)) == [NUMBERS, TRAIL, BODY, MARKS, PLAN]


def test_clients_with_the_same_last_frame_get_the_same_bytes(source):
    stream = watching(source)
    go(source, 1.0, 0.1)
    stream.update()
    assert stream.frame(1) is stream.frame(1)
    assert stream.frame(0) is not stream.frame(1)


def test_static_rows_are_drawn_once_and_again_after_a_jump(source):
    stream, asked = watching(source), []
    for view in (stream.view,):
        view.draw_static = lambda: asked.append(1) or {"plan": [(5, 5)]}
    stream._static_fields = None
    for _ in range(3):
        go(source, 1.0, 0.1)
        stream.update()
    assert (len(asked), fields(stream, 0)[PLAN].tolist()) == (1, [5, 5])
    assert PLAN not in fields(stream, 2)
    source.epoch += 1
    stream.update()
    assert fields(stream, 0)[PLAN].tolist() == [0, 0, 1, 1]


def test_nothing_is_drawn_again_while_time_is_paused(source):
    stream = watching(source)
    stream.view.draw = None  # would fail
    stream.update()
    assert (stream.failure, stream.sequence) == ("", 1)
    stream.update(force=True)
    assert stream.failure


def test_an_array_that_the_robot_goes_on_writing_to_is_seen_to_change(source):
    stream = watching(source)
    go(source, 1.0, 0.1)
    stream.update()
    before = fields(stream, 1)[MARKS]
    assert before[0] == pytest.approx(0.1)
    source.sim.run(0.1)
    stream.update()
    assert fields(stream, 2)[MARKS][0] == pytest.approx(0.2)
    assert before[0] == pytest.approx(0.1)


def test_numbers_that_are_missing_are_no_numbers(source):
    stream = watching(source)
    stream.view.measure = lambda: {"x": 1.0}
    stream.view.trace = dict
    stream.view.draw = dict
    stream.update(force=True)
    found = fields(stream, 1)
    assert (found[NUMBERS][0], [math.isnan(value) for value in found[NUMBERS][1:]]) == (
        1,
        [True, True],
    )
    assert np.isnan(found[TRAIL]).all()
    assert [found[part].size for part in (BODY, MARKS, PLAN)] == [0, 0, 0]


def test_numbers_too_large_for_float32_are_infinite(source):
    stream = watching(source)
    stream.view.measure = lambda: {"x": 1e308, "y": -1e308}
    stream.update(force=True)
    stream.sample()
    assert (stream.failure, fields(stream, 1)[NUMBERS].tolist()) == (
        "",
        [math.inf, pytest.approx(math.nan, nan_ok=True), -math.inf],
    )


# Samples


def test_samples_are_taken_at_10_hz_of_simulated_time(source):
    stream = watching(source)
    go(source, 1.0, 5.0)
    stream.update()
    times, numbers, trail = past(stream)
    assert times == pytest.approx(np.arange(-4.9, 0.05, 0.1), abs=1e-4)
    assert numbers[:, 0] == pytest.approx(np.arange(0.1, 5.05, 0.1), abs=1e-4)
    assert trail[:, 0] == pytest.approx(numbers[:, 0])


def test_nothing_is_sampled_without_a_subscriber(source):
    stream = watching(source, record=False)
    source.sim.run(1)
    stream.record(True)
    stream.record(True)
    assert len(source.sim.core.samples) == 1
    source.sim.run(1)
    stream.record(False)
    assert source.sim.core.samples == []
    source.sim.run(1)
    stream.update()
    assert past(stream)[0] == pytest.approx(np.arange(-1.9, -0.95, 0.1), abs=1e-4)


def test_the_size_of_a_history_is_bounded(source, monkeypatch):
    for name, value in (("MAX_SAMPLES", 100), ("HISTORY_SAMPLES", 30), ("HISTORY_POINTS", 20)):
        monkeypatch.setattr(robot_stream, name, value)
    stream = watching(source)
    go(source, 1.0, 25.0)
    stream.update()
    times, numbers, trail = past(stream)
    assert (len(times), len(numbers)) == (30, 30)
    assert times == pytest.approx(np.arange(-2.9, 0.05, 0.1), abs=1e-4)
    assert 10 < len(trail) <= 20
    assert trail[0, 0] > 14
    assert stream._times.size == 100


def test_asking_for_the_past_takes_nothing_out_of_it(source):
    stream = watching(source)
    source.sim.run(1)
    stream.update()
    source.sim.run(1)  # fast: the frame is a second old
    assert len(past(stream)[0]) == 10
    stream.update()
    assert len(past(stream)[0]) == 20


# Time jumps


def test_a_reset_voids_the_past_and_every_field(source):
    stream = watching(source)
    go(source, 1.0, 2.0)
    stream.update()
    seen = stream.sequence
    source.sim.reset()
    source.epoch += 1
    stream.update()
    assert stream.view.robot is source.sim.robots["trolley"]
    assert sorted(fields(stream, seen)) == [NUMBERS, TRAIL, BODY, MARKS, PLAN]
    assert unpack(stream.frame(seen))[3] == 1
    assert past(stream)[0].size == 0
    source.sim.run(0.5)
    stream.update()
    assert past(stream)[1][:, 0].tolist() == [0] * 5


def test_going_back_leaves_the_past_up_to_there(source):
    stream = watching(source)
    go(source, 1.0, 1.0)
    saved = source.sim.snapshot()
    source.sim.run(2)
    stream.update()
    source.sim.restore(saved)
    source.epoch += 1
    stream.update()
    times, numbers, _ = past(stream)
    assert (len(times), numbers[-1, 0]) == (10, pytest.approx(1.0))
    go(source, -1.0, 1.0)
    stream.update()
    times, numbers, _ = past(stream)
    assert np.diff(times) == pytest.approx(0.1, abs=1e-4)
    assert numbers[-1, 0] == pytest.approx(0, abs=1e-6)


def test_samples_that_come_before_the_next_look_make_the_other_past_void(source):
    stream = watching(source)
    go(source, 1.0, 1.0)
    saved = source.sim.snapshot()
    source.sim.run(2)
    source.sim.restore(saved)
    source.epoch += 1
    go(source, -1.0, 0.5)
    stream.update()
    times, numbers, _ = past(stream)
    assert np.diff(times) == pytest.approx(0.1, abs=1e-4)
    assert numbers[9:, 0] == pytest.approx(np.arange(1.0, 0.45, -0.1), abs=1e-5)


def test_a_view_may_remember_but_not_beyond_a_jump(source):
    stream = watching(source)
    before = stream.view
    source.epoch += 1
    stream.update()
    assert stream.view is not before


def test_lines_break_where_nothing_was_sampled(source):
    stream = watching(source)
    go(source, 1.0, 1.0)
    stream.record(False)
    source.sim.run(5.0)
    stream.record(True)
    source.sim.run(1.0)
    stream.update()
    times, numbers, trail = past(stream)
    broken = np.isnan(trail).any(axis=1)
    assert broken.sum() == 1
    assert np.isnan(numbers[broken]).all()
    assert -1.2 < times[broken][0] < -0.9


def test_trails_break_where_a_robot_was_put_elsewhere(source):
    stream = watching(source)
    go(source, 1.0, 1.0)
    state = source.sim.robots["trolley"].state
    state.pose = (state.pose[0] + 3.0, *state.pose[1:])
    source.sim.run(1.0)
    stream.update()
    _, numbers, trail = past(stream)
    broken = np.isnan(trail).all(axis=1)
    assert broken.sum() == 1
    assert not np.isnan(numbers[broken]).any()  # plots have no gap
    before, after = trail[np.flatnonzero(broken)[0] + np.array([-1, 1])]
    assert after[0] - before[0] > 2.5


def test_the_history_of_a_new_client_breaks_lines_before_the_next_sample(source):
    stream = watching(source)
    go(source, 1.0, 1.0)
    stream.record(False)
    source.sim.run(5.0)
    stream.record(True)
    stream.update()
    times, numbers, trail = past(stream)
    assert np.isnan(numbers[-1]).all()
    assert np.isnan(trail[-1]).all()
    assert -0.2 < times[-1] < 0
    source.sim.run(1.0)
    stream.update()
    assert np.isnan(past(stream)[1]).all(axis=1).sum() == 1


def test_trails_have_the_path_that_was_driven_without_a_client(source):
    stream = RobotStream(source, source.sim, "trolley", 1, lambda _: sampler.tracks["trolley"].path)
    sampler = Sampler(source.sim)
    sampler.start()
    go(source, 1.0, 2.0)
    stream.record(True)
    source.sim.run(1.0)
    stream.record(False)
    source.sim.run(2.0)
    stream.record(True)
    source.sim.run(1.0)
    stream.update()
    *_, found = unpack(stream.history())
    trail, ages = found[TRAIL + 1].reshape(-1, 3), found[TRAIL + 2]
    assert not np.isnan(trail).any()
    assert trail[[0, -1], 0] == pytest.approx([0.0, 6.0], abs=0.11)
    assert np.diff(trail[:, 0]).max() < 0.21  # 10 per second, without a gap
    assert ages[[0, -1]] == pytest.approx([-6.0, 0.0], abs=0.11)
    source.sim.run(1.0)
    sampler.tracks["trolley"].forget_from(5.0)
    stream.update()
    assert np.nanmax(unpack(stream.history())[5][TRAIL + 1].reshape(-1, 3)[:, 0]) < 7.1


def test_a_fixed_past_stays_known_when_time_goes_back():
    source = Here(fixed=True)
    stream = watching(source)
    begin = source.sim.snapshot()
    go(source, 1.0, 2.0)
    source.sim.restore(begin)
    source.epoch += 1
    stream.update()
    assert len(past(stream)[0]) == 0
    source.sim.send("trolley", "box", {"type": "Go", "forward": 1.0, "left": 0.0, "turn": 0.0})
    source.sim.run(1.0)
    stream.record(False)
    stream.record(True)
    stream.update()
    assert len(past(stream)[0]) == 10
    assert source.known == [0, 2_000_000_000]


def test_samples_between_two_distant_frames_are_sent(source):
    stream = watching(source)
    go(source, 1.0, 3.0)
    stream.update()
    kind, *_, time_s, found = unpack(stream.samples_since(0.0))
    assert (kind, time_s, len(found[0])) == (robot_stream.messages.MORE, 3.0, 30)
    assert found[2].reshape(-1, 3)[9, 0] == pytest.approx(1.0)
    assert stream.samples_since(0.0) is stream.samples_since(0.0)
    assert stream.samples_since(2.8) == b""
    assert len(unpack(stream.samples_since(1.0))[5][0]) == 20


def test_samples_are_dropped_if_time_jumped_unobserved(source):
    stream = watching(source)
    go(source, 1.0, 3.0)
    stream.record(False)
    source.sim.reset()
    source.epoch += 1
    source.sim.run(2.0)
    stream.record(True)
    source.sim.run(0.5)
    stream.update()
    assert len(past(stream)[0]) == 5
