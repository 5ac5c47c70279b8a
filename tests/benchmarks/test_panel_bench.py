"""A short run of `rigless bench panel` with a real server and browser: it has its figures."""

import math

import pytest

from .measuring import figures_of

LOOKS = {"cpu_share", "added_cpu_share", "bytes_per_s", "bytes_each_per_s", "pictures_each_per_s"}
BROWSER = {
    "loaded_ms",
    "first_picture_ms",
    "beams",
    "drawn_per_s",
    "pictures_per_s",
    "server_cpu_share",
    "wire_messages_per_s",
    "plots_cpu_share",
    "plot_points_per_s",
}
WIRE = {"cpu_share", "added_cpu_share", "messages_per_s", "bytes_per_s", "flood"}


@pytest.fixture(scope="module")
def figures():
    return figures_of("panel", 0.5)


def test_it_has_its_figures(figures):
    looks = {f"{count}_at_{hz}_hz" for hz in (20, 60) for count in (1, 5, 20)}
    assert set(figures) == {"nobody_cpu_share", "first_picture", "wire", "browser", "fleet"} | looks
    assert all(set(figures[look]) == LOOKS for look in looks)
    assert set(figures["browser"]) == BROWSER
    assert set(figures["wire"]) == WIRE


def test_the_figures_make_sense(figures):
    for hz in (20, 60):
        for count in (1, 5, 20):
            look = figures[f"{count}_at_{hz}_hz"]
            assert look["bytes_per_s"] == pytest.approx(count * look["bytes_each_per_s"])
            assert look["bytes_each_per_s"] > look["pictures_each_per_s"] > 0
    assert figures["browser"]["beams"] == 360
    assert figures["browser"]["drawn_per_s"] > 0
    assert figures["browser"]["wire_messages_per_s"] > 0
    flood = figures["wire"]["flood"]
    assert flood["rows"] + flood["left_out"] <= flood["messages"] + 1
    assert figures["wire"]["messages_per_s"] > 0
    assert figures["fleet"]["picture_bytes"] == 32 + 12 * figures["fleet"]["robots"]
    assert 0 < figures["fleet"]["pictures_per_s"] <= 30
    assert figures["browser"]["plot_points_per_s"] > 0
    assert all(math.isfinite(value) and value > 0 for value in figures["first_picture"].values())
