"""Several rovers in one simulation, each in its own namespace; names on the wire."""

import numpy as np
import pytest

from rigless.ros.messages import Twist
from rigless.scenario.build import build
from rigless.scenario.load import open_target
from rigless.scenario.model import Scenario

from .scene import command


def fleet(*robots):
    return build(Scenario.model_validate({"robots": list(robots)}), seed=1).simulation


def subjects(sim):
    heard = set()
    sim.core.recording = True
    sim.core.listeners.output.append(lambda at_ns, out: heard.add(out.subject))
    sim.run(0.1)
    return heard


def test_a_fleet_has_a_namespace_each():
    sim = fleet({"kind": "rover", "count": 3}, {"kind": "rover", "name": "husky"})
    wanted = {
        f"/{who}/{topic}"
        for who in ("rover_1", "rover_2", "rover_3", "husky")
        for topic in ("imu", "gps", "enc_vel")
    }
    assert subjects(sim) >= wanted
    assert {subject for subject in subjects(sim) if subject.count("/") < 2} == {"/tf"}


def test_each_has_its_own_commands_and_its_own_noise():
    sim = fleet({"kind": "rover", "count": 2, "config": {"gps": {"noise_std_m": 1.0}}})
    before = [sim.truth(f"rover-{n}").pose[0] for n in (1, 2)]
    command(sim, 1.0, robot="rover-2")
    sim.run(0.3)
    after = [sim.truth(f"rover-{n}").pose[0] for n in (1, 2)]
    assert np.subtract(after, before) == pytest.approx([0.0, 0.3])
    first, second = (
        [out.message for out in sim.take(f"rover-{n}", "dds") if out.topic == "gps"] for n in (1, 2)
    )
    assert first[0].latitude != second[0].latitude


def test_a_rover_alone_has_none_and_any_can_be_set():
    assert subjects(open_target("rover").simulation) >= {
        "/imu",
        "/gps",
        "/enc_vel",
        "/ground_truth",
        "/odom/ground_truth",
    }
    sim = open_target(
        "rover", ["namespace=/a/b", "remaps={imu='vectornav/data', gps='/fix'}"]
    ).simulation
    assert subjects(sim) >= {"/a/b/vectornav/data", "/fix", "/a/b/enc_vel"}
    assert not subjects(sim) & {"/a/b/imu", "/a/b/gps"}


def test_odd_names_of_robots_become_names_of_ros():
    sim = fleet({"kind": "rover", "name": "7-of.9"})
    node = sim.robots["7-of.9"].ports[0].options["node"]
    assert node.full_name("imu") == "/_7_of_9/imu"
    assert node.full_name("/tf_static") == "/tf_static"


def test_next_to_a_robot_with_walls_it_drives_on_open_ground():
    sim = fleet({"kind": "vacuum"}, {"kind": "rover"})
    sim.send("rover", "dds", Twist())
    assert sim.robots["rover"].contact is None
