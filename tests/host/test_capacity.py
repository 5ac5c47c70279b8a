"""The cost of a robot, and the warning of a fleet that is too large for this machine."""

import asyncio

import pytest

from rigless.host import capacity
from rigless.host.capacity import Cost, measure, sample_of, warning
from rigless.scenario.load import open_target


def fleet(*settings):
    return open_target("agv", ["count=200", *settings], collect=False)


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(capacity.os, "cpu_count", lambda: 2)


def test_a_sample_of_a_fleet_is_measured_at_work(tmp_path):
    path = tmp_path / "mixed.toml"
    path.write_text(
        '[[robots]]\nkind = "agv"\ncount = 150\n[[robots]]\nkind = "vacuum"\ncount = 50\n'
        '[[timeline]]\nat_s = 1\nrobot = "agv-7"\nset = { estop = true }\n'
    )
    small = sample_of(open_target(path, collect=False), 4)
    assert [*small.simulation.robots] == ["agv-1", "agv-2", "agv-3", "vacuum"]
    cost = asyncio.run(measure(small, 2.0, 0.3))
    assert 1e-6 < cost.robot_s < 1.0
    assert cost.robots == max(1, int(0.9 / cost.robot_s))
    assert small.simulation.truth("agv-1").odometer_m > 0.0


@pytest.mark.parametrize(
    ("settings", "speed", "processes", "held"),
    [
        ((), 1.0, 1, 200),
        (("shard=1/2",), 1.0, 1, 100),
        (("shard=0/2",), 1.0, 2, 100),
        ((), 2.0, 1, 400),
    ],
)
def test_a_fleet_that_fits_needs_no_warning(settings, speed, processes, held, two_cores):
    built = fleet(*settings)
    assert warning(built, Cost(0.9 / (held + 0.5)), speed, processes) == ""
    assert "cannot hold" in warning(built, Cost(0.9 / (held - 0.5)), speed, processes)


def test_the_warning_names_the_number_that_fits(two_cores):
    text = warning(fleet(), Cost(0.9 / 120.5), 1.0)
    assert text == (
        "this machine cannot hold 200 of these robots at 1x: they need about 1.5 cores, and a "
        "process holds about 120. Use --count 120, or --processes 2 for about 240."
    )
    text = warning(fleet("shard=0/4"), Cost(0.9 / 30.5), 1.0, 4)
    assert text == (
        "this machine cannot hold 200 of these robots at 1x: they need about 5.9 cores, and 4 "
        "processes on 2 cores hold about 60."
    )
