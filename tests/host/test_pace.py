"""Pace turns wall time into simulated time and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.host.host import Host
from rigless.host.timing.pace import FASTEST, SLOWEST, Pace
from rigless.kernel.problems import InputError
from rigless.scenario.load import open_target

SPEEDS = st.floats(SLOWEST, FASTEST)
TIMES = st.integers(0, 10**15)  # eleven days, within what a float holds exactly


@given(SPEEDS, TIMES, TIMES, st.integers(0, 10**14))
def test_wall_at_is_the_first_instant_at_which_sim_at_has_got_there(
    speed, wall0_ns, sim0_ns, ahead_ns
):
    pace = Pace.of(speed)
    pace.anchor(wall0_ns, sim0_ns)
    wall_ns = pace.wall_at(sim0_ns + ahead_ns)
    assert pace.sim_at(wall_ns) >= sim0_ns + ahead_ns
    if ahead_ns:
        assert pace.sim_at(wall_ns - 2) < sim0_ns + ahead_ns  # to the nanosecond of rounding


@given(SPEEDS, TIMES, TIMES)
def test_at_the_anchor_both_clocks_stand_where_they_were_put(speed, wall_ns, sim_ns):
    pace = Pace.of(speed)
    pace.anchor(wall_ns, sim_ns)
    assert pace.sim_at(wall_ns) == sim_ns
    assert pace.wall_at(sim_ns) == wall_ns


@given(SPEEDS, st.lists(TIMES, min_size=2, max_size=5))
def test_simulated_time_never_runs_back(speed, walls_ns):
    pace = Pace.of(speed)
    times_ns = [pace.sim_at(wall_ns) for wall_ns in sorted(walls_ns)]
    assert times_ns == sorted(times_ns)


def test_ten_times_real_time_is_ten_times():
    pace = Pace.of(10)
    pace.anchor(5_000, 70)
    assert pace.sim_at(5_000 + 1_000_000) == 70 + 10_000_000
    assert pace.wall_at(70 + 10_000_000) == 5_000 + 1_000_000


@pytest.mark.parametrize(
    ("speed", "mode", "text"),
    [
        ("fast", "fast", "fast"),
        ("lockstep", "lockstep", "lockstep"),
        (2.5, "real", "2.5×"),
        ("3", "real", "3×"),
    ],
)
def test_a_pace_is_read_as_people_write_it(speed, mode, text):
    pace = Pace.of(speed)
    assert (pace.mode, str(pace)) == (mode, text)


@pytest.mark.parametrize("speed", [0, 0.09, 101, -1, float("nan"), float("inf"), "quick", ""])
def test_an_impossible_pace_is_refused_with_what_is_possible(speed):
    with pytest.raises(InputError, match=r"from 0\.1 to 100"):
        Pace.of(speed)


def test_an_input_to_an_idle_robot_has_its_true_time(monkeypatch, thermostat):
    """With nothing due for a while, time still advances to the present before an input."""
    now_ns = [1_000_000_000]
    monkeypatch.setattr("rigless.host.host.time.monotonic_ns", lambda: now_ns[0])
    host = Host(open_target(thermostat, ["control_hz=1"]), 1.0)
    host.begun = True
    host.pace.anchor(now_ns[0], 0)
    now_ns[0] += 300_000_000
    host.catch_up()
    assert host.sim.now_ns == 300_000_000
