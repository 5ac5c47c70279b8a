"""One robot as it is looked at: what has not changed is left out, what was missed is made up for, and time may jump."""

import math

import numpy as np
import pytest

from rigless.panel import robot_stream as watches
from rigless.panel.messages import FRAME, HISTORY, unpack
from rigless.panel.robot_stream import RobotStream
from rigless.scenario.load import open_target

from .harness import TROLLEY

NUMBERS, TRAIL, BODY, MARKS, PLAN = range(5)


class Here:
    """A simulation as a stage."""

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
def stage():
    return Here()


def watching(stage, record=True):
    watch = RobotStream(stage, stage.sim, "trolley", 1)
    watch.record(record)
    watch.look()
    return watch


def go(stage, forward=1.0, seconds=0.0):
    stage.sim.send("trolley", "box", {"type": "Go", "forward": forward, "left": 0.0, "turn": 0.0})
    stage.sim.run(seconds)


def fields(watch, seen):
    return unpack(watch.frame(seen))[5]


def past(watch):
    """Times, numbers (x, stopped, y) and the trail of the history."""
    kind, *_, found = unpack(watch.history())
    assert kind == HISTORY
    return found[0], found[1].reshape(-1, 3), found[2].reshape(-1, 3)


# Pictures


def test_the_first_picture_has_everything(stage):
    kind, page, sequence, epoch, time_s, found = unpack(watching(stage).frame(0))
    assert (kind, page, sequence, epoch, time_s, sorted(found)) == (
        FRAME,
        1,
        1,
        0,
        0,
        [NUMBERS, TRAIL, BODY, MARKS, PLAN],
    )
    assert found[PLAN].tolist() == [0, 0, 1, 1]


def test_what_has_not_changed_is_left_out(stage):
    watch = watching(stage)
    stage.sim.run(0.1)
    watch.look()
    assert (watch.sequence, fields(watch, 1)) == (2, {})
    go(stage, 1.0, 0.1)
    watch.look()
    assert sorted(fields(watch, 2)) == [NUMBERS, TRAIL, BODY, MARKS]
    assert fields(watch, 2)[BODY][0] == pytest.approx(0.1)


def test_one_who_missed_pictures_gets_all_that_changed_since_its_last(stage):
    watch = watching(stage)
    go(stage, 1.0, 0.1)
    watch.look()
    go(stage, 0.0, 0.1)  # stands from here on
    for _ in range(5):
        stage.sim.run(0.1)
        watch.look()
    assert fields(watch, watch.sequence - 1) == {}
    assert sorted(fields(watch, 1)) == [NUMBERS, TRAIL, BODY, MARKS]
    assert sorted(fields(watch, 0)) == [NUMBERS, TRAIL, BODY, MARKS, PLAN]


def test_those_who_saw_the_same_get_the_same_bytes(stage):
    watch = watching(stage)
    go(stage, 1.0, 0.1)
    watch.look()
    assert watch.frame(1) is watch.frame(1)
    assert watch.frame(0) is not watch.frame(1)


def test_what_never_changes_is_asked_for_once_and_again_after_a_jump(stage):
    watch, asked = watching(stage), []
    for view in (watch.view,):
        view.still = lambda: asked.append(1) or {"plan": [(5, 5)]}
    watch._still = None
    for _ in range(3):
        go(stage, 1.0, 0.1)
        watch.look()
    assert (len(asked), fields(watch, 0)[PLAN].tolist()) == (1, [5, 5])
    assert PLAN not in fields(watch, 2)
    stage.epoch += 1
    watch.look()
    assert fields(watch, 0)[PLAN].tolist() == [0, 0, 1, 1]


def test_nothing_is_drawn_again_while_time_stands_still(stage):
    watch = watching(stage)
    watch.view.draw = None  # would fail
    watch.look()
    assert (watch.failure, watch.sequence) == ("", 1)
    watch.look(again=True)
    assert watch.failure


def test_an_array_that_the_robot_goes_on_writing_to_is_seen_to_change(stage):
    watch = watching(stage)
    go(stage, 1.0, 0.1)
    watch.look()
    before = fields(watch, 1)[MARKS]
    assert before[0] == pytest.approx(0.1)
    stage.sim.run(0.1)
    watch.look()
    assert fields(watch, 2)[MARKS][0] == pytest.approx(0.2)
    assert before[0] == pytest.approx(0.1)


def test_numbers_that_are_missing_are_no_numbers(stage):
    watch = watching(stage)
    watch.view.measure = lambda: {"x": 1.0}
    watch.view.trace = dict
    watch.view.draw = dict
    watch.look(again=True)
    found = fields(watch, 1)
    assert (found[NUMBERS][0], [math.isnan(value) for value in found[NUMBERS][1:]]) == (
        1,
        [True, True],
    )
    assert np.isnan(found[TRAIL]).all()
    assert [found[part].size for part in (BODY, MARKS, PLAN)] == [0, 0, 0]


def test_numbers_too_large_for_a_picture_are_infinite(stage):
    watch = watching(stage)
    watch.view.measure = lambda: {"x": 1e308, "y": -1e308}
    watch.look(again=True)
    watch.sample()
    assert (watch.failure, fields(watch, 1)[NUMBERS].tolist()) == (
        "",
        [math.inf, pytest.approx(math.nan, nan_ok=True), -math.inf],
    )


# The past


def test_the_past_is_kept_ten_times_a_second_of_simulated_time(stage):
    watch = watching(stage)
    go(stage, 1.0, 5.0)
    watch.look()
    times, numbers, trail = past(watch)
    assert times == pytest.approx(np.arange(-4.9, 0.05, 0.1), abs=1e-4)
    assert numbers[:, 0] == pytest.approx(np.arange(0.1, 5.05, 0.1), abs=1e-4)
    assert trail[:, 0] == pytest.approx(numbers[:, 0])


def test_nothing_is_kept_unless_somebody_looks(stage):
    watch = watching(stage, record=False)
    stage.sim.run(1)
    watch.record(True)
    watch.record(True)
    assert len(stage.sim.core.samples) == 1
    stage.sim.run(1)
    watch.record(False)
    assert stage.sim.core.samples == []
    stage.sim.run(1)
    watch.look()
    assert past(watch)[0] == pytest.approx(np.arange(-1.9, -0.95, 0.1), abs=1e-4)


def test_what_goes_out_of_the_past_is_bounded(stage, monkeypatch):
    for name, value in (("KEPT", 100), ("PLOTTED", 30), ("TRAILED", 20)):
        monkeypatch.setattr(watches, name, value)
    watch = watching(stage)
    go(stage, 1.0, 25.0)
    watch.look()
    times, numbers, trail = past(watch)
    assert (len(times), len(numbers)) == (30, 30)
    assert times == pytest.approx(np.arange(-2.9, 0.05, 0.1), abs=1e-4)
    assert 10 < len(trail) <= 20
    assert trail[0, 0] > 14
    assert watch._times.size == 100


def test_asking_for_the_past_takes_nothing_out_of_it(stage):
    watch = watching(stage)
    stage.sim.run(1)
    watch.look()
    stage.sim.run(1)  # fast: the picture is of a second ago
    assert len(past(watch)[0]) == 10
    watch.look()
    assert len(past(watch)[0]) == 20


# Time jumps


def test_a_reset_voids_the_past_and_every_field(stage):
    watch = watching(stage)
    go(stage, 1.0, 2.0)
    watch.look()
    seen = watch.sequence
    stage.sim.reset()
    stage.epoch += 1
    watch.look()
    assert watch.view.robot is stage.sim.robots["trolley"]
    assert sorted(fields(watch, seen)) == [NUMBERS, TRAIL, BODY, MARKS, PLAN]
    assert unpack(watch.frame(seen))[3] == 1
    assert past(watch)[0].size == 0
    stage.sim.run(0.5)
    watch.look()
    assert past(watch)[1][:, 0].tolist() == [0] * 5


def test_going_back_leaves_the_past_up_to_there(stage):
    watch = watching(stage)
    go(stage, 1.0, 1.0)
    saved = stage.sim.snapshot()
    stage.sim.run(2)
    watch.look()
    stage.sim.restore(saved)
    stage.epoch += 1
    watch.look()
    times, numbers, _ = past(watch)
    assert (len(times), numbers[-1, 0]) == (10, pytest.approx(1.0))
    go(stage, -1.0, 1.0)
    watch.look()
    times, numbers, _ = past(watch)
    assert np.diff(times) == pytest.approx(0.1, abs=1e-4)
    assert numbers[-1, 0] == pytest.approx(0, abs=1e-6)


def test_samples_that_come_before_the_next_look_make_the_other_past_void(stage):
    watch = watching(stage)
    go(stage, 1.0, 1.0)
    saved = stage.sim.snapshot()
    stage.sim.run(2)
    stage.sim.restore(saved)
    stage.epoch += 1
    go(stage, -1.0, 0.5)
    watch.look()
    times, numbers, _ = past(watch)
    assert np.diff(times) == pytest.approx(0.1, abs=1e-4)
    assert numbers[9:, 0] == pytest.approx(np.arange(1.0, 0.45, -0.1), abs=1e-5)


def test_a_view_may_remember_but_not_beyond_a_jump(stage):
    watch = watching(stage)
    before = watch.view
    stage.epoch += 1
    watch.look()
    assert watch.view is not before


def test_lines_break_where_nobody_looked(stage):
    watch = watching(stage)
    go(stage, 1.0, 1.0)
    watch.record(False)
    stage.sim.run(5.0)
    watch.record(True)
    stage.sim.run(1.0)
    watch.look()
    times, numbers, trail = past(watch)
    broken = np.isnan(trail).any(axis=1)
    assert broken.sum() == 1
    assert np.isnan(numbers[broken]).all()
    assert -1.2 < times[broken][0] < -0.9


def test_a_fixed_past_stays_known_when_time_goes_back():
    stage = Here(fixed=True)
    watch = watching(stage)
    begin = stage.sim.snapshot()
    go(stage, 1.0, 2.0)
    stage.sim.restore(begin)
    stage.epoch += 1
    watch.look()
    assert len(past(watch)[0]) == 0
    stage.sim.send("trolley", "box", {"type": "Go", "forward": 1.0, "left": 0.0, "turn": 0.0})
    stage.sim.run(1.0)
    watch.record(False)
    watch.record(True)
    watch.look()
    assert len(past(watch)[0]) == 10
    assert stage.known == [0, 2_000_000_000]


def test_what_lies_between_two_pictures_far_apart_comes_too(stage):
    watch = watching(stage)
    go(stage, 1.0, 3.0)
    watch.look()
    kind, *_, time_s, found = unpack(watch.more(0.0))
    assert (kind, time_s, len(found[0])) == (watches.messages.MORE, 3.0, 30)
    assert found[2].reshape(-1, 3)[9, 0] == pytest.approx(1.0)
    assert watch.more(0.0) is watch.more(0.0)
    assert watch.more(2.8) == b""
    assert len(unpack(watch.more(1.0))[5][0]) == 20


def test_a_past_that_nobody_saw_end_is_void(stage):
    watch = watching(stage)
    go(stage, 1.0, 3.0)
    watch.record(False)
    stage.sim.reset()
    stage.epoch += 1
    stage.sim.run(2.0)
    watch.record(True)
    stage.sim.run(0.5)
    watch.look()
    assert len(past(watch)[0]) == 5
