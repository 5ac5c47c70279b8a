"""The sensors' mounting from config and tf_static; topics without it are held back."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rigless.kernel.inputs import Connect
from rigless.robots.rover.tf import transforms
from rigless.ros.codec import Published
from rigless.ros.messages import Log, TFMessage
from rigless.scenario.build import build
from rigless.scenario.model import Scenario

from .scene import NO_TRANSFORMS, codes, command, heading, one, rover, said, tell, transform

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
    assert topics(sim) == {"enc_vel", "ground_truth", "odom/ground_truth", "/tf"}
    assert sim.robots["rover"].status() == "waiting"
    tell(sim, transform("base_link", "gps_link", (1.0, 0.0, 0.5)))
    assert topics(sim) == {"enc_vel", "ground_truth", "odom/ground_truth", "/tf", "gps"}
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
    assert topics(sim) == {"enc_vel", "ground_truth", "odom/ground_truth", "/tf"}


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


def pose(stamped):
    at, turned = stamped.transform.translation, heading(stamped.transform.rotation)
    return stamped.header.frame_id, stamped.child_frame_id, at.x, at.y, turned


def test_tf_has_the_true_pose_and_the_dead_reckoned_one():
    sim = rover("enc_vel.vx_drift_std=0.2", "imu.initial_yaw_rad=0.5", seed=4)
    command(sim, 1.0, 0.3)
    (last,) = said(sim, "/tf", 0.4)[-1:]
    truth = sim.truth("rover")
    assert [pose(each) for each in last.transforms] == [
        pytest.approx(("map", "base_link_ground_truth", *truth.pose)),
        pytest.approx(("odom", "base_link", *truth.odometry)),
    ]
    assert truth.odometry != truth.pose
    assert {each.header.stamp.nanosec for each in last.transforms} == {sim.now_ns}


def test_tf_static_has_the_transforms_of_the_config_for_each_peer():
    sim = rover()
    sim.apply(Connect("rover", "dds", 1, "peer", "here"))
    (out,) = [out for out in sim.take("rover", "dds") if out.topic == "/tf_static"]
    found = [(each.child_frame_id, each.transform.translation.z) for each in out.message.transforms]
    assert found == [("imu_link", 0.2), ("gps_link", 0.6)]
    assert {each.header.frame_id for each in out.message.transforms} == {"base_link"}
    node = sim.robots["rover"].ports[0].options["node"]
    static = [topic for topic in node.topics if topic.name == "/tf_static"]
    assert [(topic.direction, topic.transient_local) for topic in static] == [
        ("in", True),
        ("out", True),
    ]


@pytest.mark.parametrize(
    ("setting", "before", "after"), [("auto", 2, 1), ("true", 2, 2), ("false", 1, 1)]
)
def test_odom_to_base_link_is_left_to_a_filter_that_publishes_it(setting, before, after):
    sim = rover(f"publish_odom_tf={setting}")
    assert len(said(sim, "/tf", 0.1)[-1].transforms) == before
    if setting == "auto":
        others = TFMessage((transform("map", "odom"), transform("base_link", "wheel")))
        sim.send("rover", "dds", Published("/tf", others))
        assert len(said(sim, "/tf", 0.1)[-1].transforms) == before
        for _ in range(2):
            filtered = TFMessage((transform("odom", "base_link"),))
            sim.send("rover", "dds", Published("/tf", filtered))
    assert len(said(sim, "/tf", 0.1)[-1].transforms) == after
    assert codes(sim) == (["odom-tf-taken"] if setting == "auto" else [])


def test_frames_of_a_named_rover_begin_with_its_name():
    sim = build(Scenario(robots=[{"kind": "rover", "name": "left"}])).simulation
    sim.run(0.1)
    frames = set()
    for out in sim.take("left", "dds"):
        transforms = getattr(out.message, "transforms", ())
        frames |= {each.child_frame_id for each in transforms}
        frames |= {out.message.header.frame_id} if not transforms else set()
    assert frames == {
        "map", "left/base_link", "left/imu_link", "left/gps_link", "left/base_link_ground_truth",
    }  # fmt: skip
    assert not sim.truth("left").waiting_for


def test_events_are_on_rosout_also_those_of_the_start():
    sim = rover(NO_TRANSFORMS, collect=False)
    sim.set_input("rover", "epoch_s", 100.0)
    sim.run(1.0)
    sent = []
    sim.core.listeners.output.append(lambda time_ns, out: sent.append(out.content))
    sim.apply(Connect("rover", "dds", 1, "peer", "here"))
    tell(sim, transform("base_link", "gps_link"), transform("base_link", "imu_link"))
    sim.run(0.1)
    logged = [message for message in sent if isinstance(message, Log)]
    assert [(each.level, each.function, each.stamp.sec, each.name) for each in logged] == [
        (30, "transform-missing", 100, "sensor_simulator"),
        (20, "transform-found", 101, "sensor_simulator"),
    ]
    assert logged[0].msg.startswith("held back until tf_static gives the transform: imu")


def test_parameters_are_the_keys_of_the_config():
    node = rover("gps.noise_std_m=2").robots["rover"].ports[0].options["node"]
    wanted = {
        "gps.noise_std_m": 2.0,
        "imu.accelerometer": False,
        "imu.accel_bias_mps2": (0.0, 0.0, 0.0),
        "ground_truth_topics": ("ground_truth", "odom/ground_truth"),
        "base_frame_id": "base_link",
    }
    assert {name: node.parameters[name] for name in wanted} == wanted
    assert not node.parameters.keys() & {"transforms", "vn300", "namespace"}
