"""A short run of `rigless bench pacbot` with a real process and sockets: it has its figures."""

import math

import pytest

from rigless.cli.bench import table

from .measuring import figures_of

STEPS = {"steps_per_s", "real_time_x", "bare_steps_per_s", "steps_at_walls"}
REPLIES = {
    "replies",
    "replies_per_s",
    "p50_us",
    "p99_us",
    "bare_rep_p50_us",
    "bare_rep_p99_us",
    "p50_ratio_to_bare_rep",
    "p99_ratio_to_bare_rep",
}


@pytest.fixture(scope="module")
def figures():
    return figures_of("pacbot")


def test_it_has_its_figures(figures):
    assert set(figures) == {"steps", "replies", "window"}
    assert set(figures["steps"]) == STEPS
    assert set(figures["replies"]) == REPLIES


def test_the_figures_are_positive_and_finite(figures):
    for group in (figures["steps"], figures["replies"], figures["window"]):
        for name, value in group.items():
            if not isinstance(value, int | float):
                continue
            assert math.isfinite(value), name
            assert value > 0, name


def test_every_command_was_answered(figures):
    assert figures["replies"]["replies"] == 4 * 5 * (
        12 - 1
    )  # four clients, five rounds of 12 commands less the first


def test_the_figures_can_be_printed(figures):
    assert any("steps_per_s" in row for row in table(figures))
