"""The rover's page shows true pose, dead reckoning, and the uncertainty of fixes."""

import math

import numpy as np
import pytest

from rigless.kernel.inputs import Send

from .scene import ENDLESS, command, rover


def numbers(sim):
    return sim.robots["rover"].view().measure()


def rows(sim, name):
    return np.atleast_2d(sim.robots["rover"].view().draw()[name])


def test_the_true_path_is_apart_from_dead_reckoning():
    sim = rover("enc_vel.vx_drift_std=0.3", "enc_vel.drift_start=stationary", ENDLESS)
    command(sim, 1.0)
    sim.run(5.0)
    trace = sim.robots["rover"].view().trace()
    assert trace["trail"] == pytest.approx((5.0, 0.0))
    assert math.dist(trace["trail"], trace["odometry_trail"]) == pytest.approx(
        sim.truth("rover").odometry_error_m
    )
    assert numbers(sim)["odometry_error"] > 0.05
    assert numbers(sim)["scale_v"] == pytest.approx(
        100 * sim.truth("rover").encoder_scale_errors[0]
    )


def test_the_ellipse_holds_95_of_100_fixes():
    sim = rover("gps.noise_std_m=0.5", collect=False)
    sim.run(20.0)
    east, north, _, half, other = rows(sim, "sure")[0]
    fixes = rows(sim, "fixes")
    assert (half, len(fixes)) == (other, 200)
    assert (fixes[0] == [east, north]).all()  # the ring begins at the 200th
    inside = np.hypot(fixes[:, 0] + 0.2, fixes[:, 1]) < half
    assert inside.mean() == pytest.approx(0.95, abs=5 * math.sqrt(0.95 * 0.05 / 200))


def test_the_ellipse_of_dead_reckoning_grows_across_the_path():
    """A rover that drives east with a noisy turn rate has an uncertain north."""
    sim = rover("enc_vel.wz_noise_std_radps=0.5", ENDLESS, collect=False)
    assert rows(sim, "reckoned").size == 0
    command(sim, 1.0)
    sim.run(4.0)
    x, y, angle, along, across = rows(sim, "reckoned")[0]
    assert (x, y) == pytest.approx(sim.robots["rover"].view().trace()["odometry_trail"])
    assert abs(abs(angle) - math.pi / 2) < 0.2
    assert along == pytest.approx(2.4477 * 0.5 * 0.01 * 0.01 * math.sqrt(400**3 / 3), rel=0.1)
    assert across < 0.2 * along


def test_there_is_no_ellipse_without_a_fix():
    sim = rover("gps.noise_std_m=0.5")
    sim.inject("rover", "gps", "no_fix")
    sim.run(1.0)
    assert rows(sim, "sure").size == 0
    assert (numbers(sim)["fix_status"], numbers(sim)["has_fix"]) == (-1, 0)


@pytest.mark.parametrize("latitude", [0.0, 46.5, -78.0])
def test_the_graticule_is_a_ten_thousandth_of_a_degree(latitude):
    sim = rover(f"gps.origin_latitude_deg={latitude}", "gps.origin_longitude_deg=179.99995")
    plane = sim.robots["rover"].plane
    lines = rows(sim, "graticule")
    ends = lines[np.isfinite(lines[:, 0])]
    degrees = np.array([plane.to_geodetic(x, y)[:2] for x, y in ends]) / 1e-4
    assert np.abs(degrees - np.rint(degrees)).max() < 1e-3
    assert len(ends) == 52
    assert np.abs(ends).max() < 100


def test_at_a_pole_there_is_no_graticule():
    assert rows(rover("gps.origin_latitude_deg=90.0"), "graticule").size == 0


def test_keys_drive_it_with_what_it_listens_to():
    sim = rover()
    view = sim.robots["rover"].view()
    assert view.drive(1.0, 0.0, -1.0) == [
        Send("rover", "dds", "Twist", {"linear": {"x": 1.0}, "angular": {"z": -1.0}})
    ]
    stamped = (
        rover("twist_stamped=true", "limits.linear_mps=3.0")
        .robots["rover"]
        .view()
        .drive(0.5, 0.0, 0.0)
    )
    assert stamped[0].type == "TwistStamped"
    assert stamped[0].fields["twist"]["linear"] == {"x": 1.5}
