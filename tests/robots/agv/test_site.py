"""Charging at chargers, and loads that stations hold."""

import math

import numpy as np
import pytest

from rigless.kernel.simulation import Simulation
from rigless.robots.agv import Robot
from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig
from rigless.worlds.grid import Grid
from rigless.worlds.layout.model import Charger, Edge, Layout, LoadType, Node, Station
from rigless.worlds.layout.site_world import SiteWorld

from .configs import changed

LAYOUT = Layout(
    nodes=(
        Node(id="a", x=0.0, y=0.0),
        Node(id="b", x=4.0, y=0.0),
        Node(id="c", x=4.0, y=2.0, theta=math.pi / 2),
        Node(id="s", x=8.0, y=0.0),
        Node(id="t", x=8.0, y=3.0),
    ),
    edges=(
        Edge(nodes=("a", "b", "s", "t"), direction="both"),
        Edge(nodes=("b", "c"), direction="both"),
    ),
    chargers=(Charger(id="K1", node="c", power_w=300.0),),
    stations=(
        Station(id="in", node="s", kind="source", slots=2, loads=1, every_s=20.0,
                load=LoadType(type="pallet", size_m=(1.2, 0.8, 0.5), mass_kg=80.0)),
        Station(id="out", node="t", kind="sink", slots=1, every_s=30.0),
    ),
)  # fmt: skip


class Site:
    def __init__(self, start=(0.0, 0.0, 0.0), soc=0.5, **battery):
        profile = {
            "initialPose": dict(zip(("x", "y", "theta"), start, strict=True)),
            "battery": {"initialSoc": soc, "capacityWh": 10.0, "idleW": 0.0, **battery},
        }
        config = RobotConfig.model_validate(changed({"runtime.simulationProfile": profile}))
        self.robot = Robot("agv", config)
        self.world = SiteWorld(Grid(np.zeros((200, 200), bool), 0.1, (-5.0, -5.0, 0.0)), LAYOUT)
        self.sim = Simulation([self.robot], self.world)
        self.sim.run(0.1)
        self.count = 0

    def command(self, kind, seconds=0.1, **params):
        """Send a command, and return the last acknowledgement after some time."""
        self.count += 1
        name = f"c{self.count}"
        request = m.CommandRequest(commandId=name, commandType=kind, params=params)
        self.sim.send("agv", "nats", request)
        self.sim.run(seconds)
        acks = [one.payload for one in self.sim.take("agv", "nats") if one.type == "command.ack"]
        return [ack for ack in acks if ack.commandId == name][-1]

    def state(self):
        self.sim.take("agv", "nats")
        self.sim.run(0.2)
        return [one.payload for one in self.sim.take("agv", "nats") if one.type == "state"][-1]


def test_a_robot_docks_charges_and_does_not_drive_off_while_it_charges():
    site = Site()
    refused = site.command("START_CHARGING")
    assert (refused.code, refused.message) == (
        "STATUS_FORBIDS", "the robot is not on a charger: send DOCK first",
    )  # fmt: skip
    assert "is 4.5 m away" in site.command("DOCK", chargerId="K1").message
    assert site.command("MOVE", 8.0, x=4.0, y=0.0).status == "SUCCEEDED"
    docked = site.command("DOCK", 8.0)
    assert (docked.status, docked.result) == ("SUCCEEDED", {"chargerId": "K1"})
    assert site.robot.machine.drive.pose == pytest.approx((4.0, 2.0, math.pi / 2))
    assert site.command("START_CHARGING").status == "SUCCEEDED"
    before = site.robot.machine.battery[0]
    state = site.state()
    assert (state.battery.charging, state.battery.chargerId) == (True, "K1")
    site.sim.run(12.0)
    rate = (site.robot.machine.battery[0] - before) / 12.2
    assert rate == pytest.approx(300.0 / 3600 / 10, rel=0.1)  # what the charger supplies
    stays = site.command("MOVE", x=0.0, y=0.0)
    assert (stays.status, stays.code) == ("REJECTED", "STATUS_FORBIDS")
    assert "STOP_CHARGING" in stays.message
    assert site.command("STOP_CHARGING").status == "SUCCEEDED"
    assert site.command("MOVE", 8.0, x=4.0, y=0.0).status == "SUCCEEDED"
    assert not site.state().battery.charging


def test_stations_of_a_large_fleet_are_not_settled_for_each_robot(monkeypatch):
    world, settled = Site().world, []
    monkeypatch.setattr(SiteWorld, "_run_belts", lambda self, now_ns: settled.append(now_ns))
    for now_ns in range(10**9, 2 * 10**9, 10**6):
        world.tick(now_ns)
    assert settled == [10**9 + n * 10**8 for n in range(10)]
    world.tick(0)  # after a reset
    assert settled[-1] == 0


def test_charging_is_slower_at_the_end():
    site = Site((4.0, 2.0, math.pi / 2), soc=0.7)
    site.command("START_CHARGING")
    times = []
    for goal in (0.79, 0.8, 0.9, 0.99):
        while site.robot.machine.battery[0] < goal:
            site.sim.run(0.5)
        times.append(site.sim.now_s)
    assert times[0] == pytest.approx(0.09 * 10 * 3600 / 300, rel=0.1)
    assert times[2] - times[1] > 1.2 * 0.1 * 10 * 3600 / 300
    assert times[3] - times[2] > 2.0 * 0.09 * 10 * 3600 / 300


def test_a_robot_that_is_put_elsewhere_does_not_charge():
    site = Site((4.0, 2.0, math.pi / 2))
    site.command("START_CHARGING")
    site.robot.relocate(0.0, 0.0, 0.0)
    site.sim.run(1.5)
    assert not site.robot.machine.battery[1]


@pytest.mark.parametrize("policy", ["REPORT", "CHARGE"])
def test_a_low_battery_is_reported_or_the_robot_goes_and_charges(policy):
    site = Site(soc=0.21, idleW=100.0, driveWPerMps=0.0, lowSoc=0.2, whenLow=policy,
                chargeToSoc=0.3)  # fmt: skip
    site.sim.run(30.0)
    assert [event.code for event in site.sim.events if event.code == "battery-low"]
    if policy == "REPORT":
        assert site.robot.machine.drive.pose == (0.0, 0.0, 0.0)
        return
    assert site.robot.machine.drive.pose == pytest.approx((4.0, 2.0, math.pi / 2))
    assert site.robot.machine.battery[1]
    site.sim.run(12.0)
    assert not site.robot.machine.battery[1]
    assert 0.28 < site.robot.machine.battery[0] < 0.31
    assert site.command("MOVE", 8.0, x=4.0, y=0.0).status == "SUCCEEDED"


def test_robots_with_low_batteries_go_to_chargers_that_are_free():
    chargers = (Charger(id="K1", node="c"), Charger(id="K2", node="t"))
    layout = LAYOUT.model_copy(update={"chargers": chargers})
    world = SiteWorld(Grid(np.zeros((200, 200), bool), 0.1, (-5.0, -5.0, 0.0)), layout)
    starts = {"first": (0.0, 0.0), "second": (4.0, 0.0), "third": (-3.0, 0.0)}
    robots = [
        Robot(
            name,
            RobotConfig.model_validate(
                changed(
                    {
                        "identity.robotId": name,
                        "runtime.simulationProfile": {
                            "initialPose": {"x": x, "y": y},
                            "battery": {"initialSoc": 0.1, "whenLow": "CHARGE", "chargeToSoc": 1.0},
                        },
                    }
                )
            ),
        )
        for name, (x, y) in starts.items()
    ]
    sim = Simulation(robots, world)
    sim.run(60.0)
    charging = {robot.name: robot.machine.state.charger for robot in robots}
    assert sorted(charging.values()) == ["", "K1", "K2"]  # the last one waits
    waiting = next(name for name, charger in charging.items() if not charger)
    before = sim.truth(waiting).pose
    assert before[:2] == pytest.approx(starts[waiting])
    world.state.claims, claims = {}, world.state.claims
    assert sim.robots[waiting].site.work.free_chargers() == []  # robots stand there
    world.state.claims = claims
    user = sim.robots[next(name for name, charger in charging.items() if charger == "K1")]
    user.machine.relocate(-3.0, 5.0, 0.0)
    user.machine.state.soc = 1.0
    sim.run(40.0)
    assert sim.robots[waiting].machine.state.charger == "K1"


def test_loads_move_with_robots_from_station_to_station():
    site = Site((8.0, 0.0, 0.0))
    assert site.command("DROP").message == "the robot carries no load: send PICK first"
    assert site.command("PICK", loadType="box").message == "in has no such load"
    picked = site.command("PICK", 3.5, stationId="in")
    assert (picked.status, picked.result) == ("SUCCEEDED", {"loadId": "L1", "stationId": "in"})
    load = site.state().load
    assert (load.loadId, load.type, load.lengthM, load.massKg) == ("L1", "pallet", 1.2, 80.0)
    assert site.robot.machine.protection.front_m == 0.6  # it is longer than the robot
    assert "carries L1" in site.command("PICK").message
    assert len(site.world.state.stocks["in"].loads) == 0
    assert site.command("MOVE", 10.0, x=8.0, y=3.0).status == "SUCCEEDED"
    dropped = site.command("DROP", 3.5)
    assert dropped.result == {"loadId": "L1", "stationId": "out"}
    assert site.state().load is None
    assert [load.id for load in site.world.state.stocks["out"].loads] == ["L1"]
    site.sim.run(31.0)
    assert site.world.state.stocks["out"].loads == []  # a sink
    assert [load.id for load in site.world.state.stocks["in"].loads] == ["L2", "L3"]  # a source
    site.sim.run(60.0)
    assert len(site.world.state.stocks["in"].loads) == 2


def test_loads_are_part_of_snapshots_and_of_a_reset():
    site = Site((8.0, 0.0, 0.0))
    site.command("PICK", 1.0)
    saved = site.sim.snapshot()
    site.sim.run(5.0)
    after = site.sim.snapshot().to_bytes()
    site.sim.restore(saved)
    site.sim.run(5.0)
    assert site.sim.snapshot().to_bytes() == after
    site.sim.reset()
    assert [load.id for load in site.world.state.stocks["in"].loads] == ["L1"]


def test_the_map_shows_the_loads_that_stations_hold():
    site = Site((8.0, 0.0, 0.0))
    view = site.robot.view()

    def outlines():
        rows = np.array(view.draw()["stocks"], float).reshape(-1, 2)
        return [rows[at : at + 5].tolist() for at in range(0, len(rows), 6)]

    [found] = outlines()
    assert found == [[8.6, 0.4], [7.4, 0.4], [7.4, -0.4], [8.6, -0.4], [8.6, 0.4]]
    assert site.command("PICK", 4.0).status == "SUCCEEDED"
    assert outlines() == []
    site.sim.run(45.0)  # the source makes two more
    first, second = outlines()
    assert (first, second[0]) == (found, pytest.approx([8.7, 0.5]))


def test_a_world_without_a_layout_has_no_chargers_and_stations():
    robot = Robot("agv")
    sim = Simulation([robot])
    for kind in ("DOCK", "PICK", "DROP"):
        sim.send("agv", "nats", m.CommandRequest(commandId=kind, commandType=kind, params={}))
    acks = [one.payload for one in sim.take("agv", "nats") if one.type == "command.ack"]
    assert [(ack.status, ack.code) for ack in acks] == [("REJECTED", "NOT_SUPPORTED")] * 3
