"""The room against the closed form: T(t) = T∞ + (T₀ − T∞)·exp(−t·loss/capacity)."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .room import CAPACITY, HEATER, LOSS, room

QUIET = ("noise_c=0",)


def newton(start_c, final_c, seconds, loss=LOSS):
    return final_c + (start_c - final_c) * math.exp(-seconds * loss / CAPACITY)


@pytest.mark.parametrize("hz", [1, 3, 10, 110])
@pytest.mark.parametrize("seconds", [1, 60, 3600])
def test_a_cold_room_follows_newtons_law(seconds, hz):
    sim = room("setpoint_c=5", f"control_hz={hz}", *QUIET)
    sim.run(seconds)
    assert sim.truth("thermostat").temperature_c == pytest.approx(
        newton(18.0, 5.0, seconds), abs=1e-9
    )


@pytest.mark.parametrize("seconds", [1, 60, 600])
def test_a_heated_room_follows_newtons_law(seconds):
    sim = room("setpoint_c=30", *QUIET)
    sim.run(seconds)
    assert sim.truth("thermostat").heating
    assert sim.truth("thermostat").temperature_c == pytest.approx(
        newton(18.0, 5.0 + HEATER / LOSS, seconds), abs=1e-9
    )


def test_an_open_window_loses_eight_times_the_heat():
    sim = room("setpoint_c=5", *QUIET)
    sim.set_input("thermostat", "window_open", True)
    sim.run(100)
    warm = newton(18.0, 5.0, 100, 8 * LOSS)
    assert sim.truth("thermostat").temperature_c == pytest.approx(warm, abs=1e-9)
    sim.set_input("thermostat", "window_open", False)
    sim.run(100)
    assert sim.truth("thermostat").temperature_c == pytest.approx(newton(warm, 5.0, 100), abs=1e-9)


def test_the_weather_is_an_input():
    sim = room("setpoint_c=5", *QUIET)
    sim.set_input("thermostat", "outside_c", 28)
    sim.run(500)
    assert sim.truth("thermostat").temperature_c == pytest.approx(newton(18.0, 28.0, 500), abs=1e-9)


def test_the_band_holds_and_the_switching_times_are_those_of_the_closed_form():
    sim = room("start_c=20", *QUIET)
    low, high, hot = 20.0 - 0.3, 20.0 + 0.3, 5.0 + HEATER / LOSS
    seen = []
    sim.core.sample(10, lambda: seen.append(sim.truth("thermostat").temperature_c))
    sim.run(3600)
    step = 0.1 * HEATER / CAPACITY  # the largest overshoot of one period
    assert low - step < min(seen) < low + step
    assert high - step < max(seen) < high + step
    times = [event.time_ns / 1e9 for event in sim.events if event.code == "heater"]
    spans = [b - a for a, b in itertools.pairwise(times)]
    on_s = CAPACITY / LOSS * math.log((hot - low) / (hot - high))
    off_s = CAPACITY / LOSS * math.log((high - 5.0) / (low - 5.0))
    assert len(spans) > 20
    assert spans[1::2] == pytest.approx([off_s] * len(spans[1::2]), abs=0.3)
    assert spans[2::2] == pytest.approx([on_s] * len(spans[2::2]), abs=0.3)
    assert sim.robot("thermostat").metrics["switched"] == len(times)


def test_the_noise_has_the_spread_of_the_datasheet():
    sim = room("setpoint_c=5", "noise_c=0.2")
    errors = []
    sim.core.sample(
        10,
        lambda: errors.append(
            sim.truth("thermostat").measured_c - sim.truth("thermostat").temperature_c
        ),
    )
    sim.run(500)
    mean = sum(errors) / len(errors)
    spread = math.sqrt(sum((error - mean) ** 2 for error in errors) / len(errors))
    assert abs(mean) < 0.02
    assert spread == pytest.approx(0.2, rel=0.05)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    start=st.floats(-20, 50),
    outside=st.floats(-40, 50),
    setpoint=st.floats(5, 30),
    window=st.booleans(),
    hz=st.sampled_from([1, 10, 37]),
)
def test_no_energy_appears(start, outside, setpoint, window, hz):
    """The room is never colder than outside nor warmer than the radiator allows."""
    sim = room(f"start_c={start}", f"setpoint_c={setpoint}", f"control_hz={hz}")
    sim.set_input("thermostat", "outside_c", outside)
    sim.set_input("thermostat", "window_open", window)
    for _ in range(20):
        sim.run(30)
        now = sim.truth("thermostat").temperature_c
        assert min(start, outside) - 1e-9 <= now <= max(start, outside + HEATER / LOSS) + 1e-9
