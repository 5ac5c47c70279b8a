"""The path of a robot: bounded, whole, and joined with the samples of another observer."""

from types import SimpleNamespace

import numpy as np
import pytest

from rigless.kernel.drawing import Trail
from rigless.panel.stream import paths
from rigless.panel.stream.paths import Path

NOWHERE = (float("nan"),) * 3


class Walk:
    """A view with one trail, whose point the test moves."""

    def __init__(self):
        self.parts, self.at = [Trail("trail", "Trail")], {"trail": (0.0, 0.0)}
        self.robot = SimpleNamespace()

    def trace(self):
        return self.at


def walked(steps, step_m=0.1, path=None, begin_s=0.0):
    view = Walk()
    path = path or Path(view)
    for step in range(steps):
        view.at = {"trail": (step_m * step, 0.0)}
        path.sample(begin_s + step / 10, view)
    return path


def points(path, times=(), places=()):
    return path.fill(np.array(times, float), np.array(places, np.float32).reshape(-1, 3))


def test_points_that_are_close_are_left_out():
    _, places = points(walked(100, step_m=0.003))
    assert np.diff(places[:, 0]) == pytest.approx(0.012, abs=1e-6)


def test_memory_is_bounded_and_the_whole_path_stays(monkeypatch):
    monkeypatch.setattr(paths, "MAX_POINTS", 100)
    times, places = points(walked(1000, step_m=0.05))
    assert 45 <= len(times) <= 100
    assert places[[0, -1], 0] == pytest.approx([0, 50], abs=1.5)
    assert np.diff(places[:, 0]).max() < 1.5  # 50 m in at least half of the points


def test_a_pause_of_the_sampler_breaks_the_line_and_standing_still_does_not():
    path = walked(10)
    walked(10, path=path, begin_s=20.0)
    _, places = points(path)
    assert np.isnan(places[:, 0]).sum() == 1
    view = Walk()
    path = Path(view)
    for second in range(100):
        path.sample(float(second), view)
    assert len(points(path)[0]) == 1


def test_a_robot_that_is_put_elsewhere_breaks_the_line_and_a_fast_one_does_not():
    view = Walk()
    path = walked(10)
    view.at = {"trail": (0.9, 1.5)}
    path.sample(1.0, view)
    view.at = {"trail": (0.9, 1.6)}
    path.sample(1.1, view)
    _, places = points(path)
    assert np.flatnonzero(np.isnan(places[:, 0])).tolist() == [10]
    _, fast = points(walked(50, step_m=3.0))  # 30 m/s
    assert np.isnan(fast[2:]).sum() == 0


def test_points_after_a_jump_back_are_dropped():
    path = walked(100)
    path.forget_from(5.0)
    times, _ = points(path)
    assert times.max() < 5.0


def test_other_samples_stay_and_only_their_gaps_are_filled():
    path = walked(100)  # to 9.9 s
    own = [(7.0, 0.0, 0.0), (7.1, 0.0, 0.0), NOWHERE, (9.0, 0.0, 0.0)]
    times, places = points(path, [2.05, 2.15, 4.95, 5.05], own)
    assert not np.isnan(places).any()  # the break is filled
    assert list(times) == sorted(times)
    inside = (times > 2.05) & (times < 2.15)
    assert not inside.any()  # between two samples of the other nothing is added
    assert ((times > 2.2) & (times < 4.9)).sum() == 26
