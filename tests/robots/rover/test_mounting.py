"""The sensors' mounting from config and tf_static; topics without it are held back."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rigless.robots.rover import transforms

from .scene import NO_TRANSFORMS, codes, heading, one, rover, said, tell, transform

Q90 = (0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5))


def topics(sim, seconds=0.5):
    sim.take("rover", "dds")
    sim.run(seconds)
    return {out.topic for out in sim.take("rover", "dds")}


def test_imu_and_gps_are_held_back_until_tf_static_comes():
    sim = rover(NO_TRANSFORMS)
    warning = next(event for event in sim.events if event.code == "transform-missing")
    assert warning.severity == "warning"
    for frame in ("base_link → imu_link", "base_link → gps_link"):
        assert frame in warning.text
    assert topics(sim) == {"enc_vel", "ground_truth", "odom/ground_truth"}
    assert sim.robots["rover"].status() == "waiting"
    tell(sim, transform("base_link", "gps_link", (1.0, 0.0, 0.5)))
    assert topics(sim) == {"enc_vel", "ground_truth", "odom/ground_truth", "gps"}
    tell(sim, transform("base_link", "imu_link", turn=Q90))
    assert topics(sim) >= {"imu", "gps"}
    assert heading(one(sim, "imu").orientation) == pytest.approx(math.pi / 2)
    assert (codes(sim), sim.robots["rover"].status()) == (
        ["transform-missing", "transform-found"],
        "ok",
    )


def test_a_fix_that_was_held_back_is_not_sent_late():
    sim = rover(NO_TRANSFORMS)
    sim.run(1.05)
    tell(sim, transform("base_link", "gps_link"), transform("base_link", "imu_link"))
    assert [fix.header.stamp.nanosec for fix in said(sim, "gps", 0.1)] == [100_000_000]


def test_frames_may_have_other_names_and_others_between():
    sim = rover(
        NO_TRANSFORMS, "base_frame_id=chassis", "imu_frame_id=/vn100", "gps_frame_id=antenna"
    )
    tell(
        sim,
        transform("chassis", "mast", (1.0, 0.0, 0.0), Q90),
        transform("mast", "antenna", (2.0, 0.0, 0.0)),
    )
    tell(sim, transform("vn100", "chassis", turn=Q90))
    plane = sim.robots["rover"].plane
    fix = one(sim, "gps")
    assert plane.to_enu(fix.latitude, fix.longitude, fix.altitude) == pytest.approx(
        (1.0, 2.0, 0.0), abs=1e-6
    )
    assert heading(one(sim, "imu").orientation) == pytest.approx(-math.pi / 2)


@pytest.mark.parametrize(
    "bad",
    [
        transform("base_link", "gps_link", turn=(0.0, 0.0, 0.0, 0.0)),
        transform("base_link", "gps_link", turn=(math.nan, 0.0, 0.0, 1.0)),
        transform("base_link", "gps_link", (math.inf, 0.0, 0.0)),
        transform("gps_link", "gps_link"),
        transform("", "gps_link"),
    ],
)
def test_an_invalid_transform_is_refused(bad):
    sim = rover(NO_TRANSFORMS)
    robot = sim.robots["rover"]
    robot.mounting.accept(type("T", (), {"transforms": (bad,)}))
    assert "transform-refused" in codes(sim)
    assert not robot.state.gps_mounted


def test_cycles_and_floods_of_frames_are_survived():
    sim = rover(NO_TRANSFORMS)
    tell(
        sim,
        transform("a", "b"),
        transform("b", "c"),
        transform("c", "a"),
        transform("a", "imu_link"),
    )
    tell(sim, *(transform("base_link", f"frame{n}") for n in range(1500)))
    assert len(sim.robots["rover"].state.frames) == transforms.MAX_FRAMES
    assert topics(sim) == {"enc_vel", "ground_truth", "odom/ground_truth"}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.floats(-3, 3), st.floats(-1.5, 1.5)),
        min_size=2,
        max_size=6,
    ),
    st.data(),
)
def test_the_transform_through_a_chain_is_the_product_of_its_steps(steps, data):
    tree, places = {}, [(np.zeros(3), Rotation.identity())]
    for n, (x, y, roll, pitch) in enumerate(steps):
        at, turned = transforms.pose_of((x, y, 1.0), (roll, pitch, x))
        tree[f"f{n + 1}"] = (f"f{n}", at, turned)
        place, rotation = places[-1]
        places.append((place + rotation.apply(at), rotation * Rotation.from_quat(turned)))
    begin, end = data.draw(st.integers(0, len(steps))), data.draw(st.integers(0, len(steps)))
    at, turned = transforms.lookup(tree, f"f{begin}", f"f{end}")
    wanted = places[begin][1].inv()
    assert np.allclose(at, wanted.apply(places[end][0] - places[begin][0]), atol=1e-9)
    assert (Rotation.from_quat(turned).inv() * wanted * places[end][1]).magnitude() < 1e-7
