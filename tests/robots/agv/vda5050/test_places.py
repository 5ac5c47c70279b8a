"""Actions at stations and chargers of a layout, carried out by the core."""

import math

import numpy as np
import pytest
from tests.robots.agv.test_site import LAYOUT

from rigless.worlds.grid import Grid
from rigless.worlds.layout.site_world import SiteWorld

from .scene import Scene, action, graph

FINAL = ("FINISHED", "FAILED")


def site(version, x, y, theta=0.0, **battery):
    world = SiteWorld(Grid(np.zeros((200, 200), bool), 0.1, (-5.0, -5.0, 0.0)), LAYOUT)
    profile = {"initialPose": {"x": x, "y": y, "theta": theta}, "battery": battery or None}
    runtime = {"simulationProfile": profile}
    return Scene(version, world=world, runtime=runtime).run(0.05), world


def result(scene, name):
    key = "resultDescription" if scene.major == 2 else "actionResult"
    listed = scene.state["actionStates"] + scene.state.get("instantActionStates", [])
    return next(one.get(key, "") for one in listed if one["actionId"] == name)


@pytest.mark.parametrize("version", ["2.1.0", "3.0.0"])
def test_loads_move_between_stations_of_the_layout(version):
    scene, world = site(version, 8, 0)
    at = {
        0: [action("pick", "wrong", stationName="out"), action("pick", "none", loadType="box"),
            action("pick", "p", stationName="in"), action("pick", "full")],
        2: [action("drop", "d")],
    }  # fmt: skip
    scene.order(graph((8, 0), (8, 3), at=at)).until(lambda: scene.status("p") == "FINISHED")
    assert result(scene, "p") == "L1, in"
    load = scene.state["loads"][0]
    assert (load["loadId"], load["loadType"], load["weight"]) == ("L1", "pallet", 80.0)
    assert world.state.stocks["in"].loads == []
    assert scene.robot.machine.protection.front_m == 0.6, "it is longer than the robot"
    scene.until(lambda: scene.done)
    assert [scene.status(name) for name in ("wrong", "none", "full", "d")] == [
        "FAILED", "FAILED", "FAILED", "FINISHED"
    ]  # fmt: skip
    assert "not at out" in result(scene, "wrong")
    assert result(scene, "none") == "in has no such load"
    assert "carries L1" in result(scene, "full")
    assert scene.state["loads"] == []
    assert [one.id for one in world.state.stocks["out"].loads] == ["L1"]


def test_a_load_of_a_station_is_not_put_down_elsewhere():
    scene, _ = site("2.1.0", 8, 0)
    at = {0: [action("pick", "p")], 2: [action("drop", "d")]}
    scene.order(graph((8, 0), (6, 0), at=at)).until(lambda: scene.done)
    assert (scene.status("p"), scene.status("d")) == ("FINISHED", "FAILED")
    assert [one["loadId"] for one in scene.state["loads"]] == ["L1"]


@pytest.mark.parametrize(
    ("kind", "params"), [("fail", {}), ("blocked", {}), ("slow", {"factor": 3.0})]
)
def test_faults_of_an_action_at_a_station_leave_its_load_there(kind, params):
    scene, world = site("2.1.0", 8, 0)
    scene.sim.inject("agv", "pick", kind, **params)
    scene.order(graph((8, 0), (8, 1), at={0: [action("pick", "p")]})).run(5.0)
    assert [one.id for one in world.state.stocks["in"].loads] == ["L1"]
    assert scene.status("p") == ("FAILED" if kind == "fail" else "RUNNING")
    assert scene.state["loads"] == []
    if kind != "fail":
        scene.sim.clear("agv", "pick")
        scene.until(lambda: scene.status("p") == "FINISHED")
        assert [one["loadId"] for one in scene.state["loads"]] == ["L1"]


@pytest.mark.parametrize("version", ["2.1.0", "3.0.0"])
def test_charging_uses_the_charger_and_docks_at_a_near_one(version):
    scene, _ = site(version, 4, 0)
    scene.act("startCharging", "c").until(lambda: scene.status("c") in FINAL)
    assert (scene.status("c"), result(scene, "c")) == ("FINISHED", "K1")
    assert scene.truth.pose == pytest.approx((4.0, 2.0, math.pi / 2))
    machine = scene.robot.machine.state
    assert (machine.charger, machine.charger_w) == ("K1", 300.0)
    scene.act("stopCharging", "s").until(lambda: scene.status("s") in FINAL)
    assert (machine.charger, machine.charging) == ("", False)
    scene.act("startCharging", "again").until(lambda: scene.status("again") in FINAL)
    assert machine.charger == "K1"
    scene.order(graph((4, 2), (4, 0))).until(lambda: scene.done)
    assert (machine.charger, machine.charging) == ("", False), "driving off ends it"


def test_a_robot_goes_to_chargers_only_by_orders():
    scene, _ = site("2.1.0", 4, 0, initialSoc=0.1, whenLow="CHARGE", capacityWh=10.0)
    scene.run(10.0)
    assert scene.truth.pose == (4.0, 0.0, 0.0)
