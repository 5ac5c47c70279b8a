"""Lifts, doors and conveyors: robots and scenarios use them."""

import itertools
import json

import pytest

from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.recordings.replay import verify
from rigless.scenario.load import open_target

NODES = {
    "a": (0, 0), "b": (4, 0), "low": (8, 0), "high": (8, 20), "up": (4, 20), "end": (0, 20),
}  # fmt: skip
SITE = {
    "name": "site",
    "nodes": [{"id": name, "x": x, "y": y, "theta": 0.0} for name, (x, y) in NODES.items()],
    "edges": [
        {"nodes": ["a", "b", "low"], "direction": "both"},
        {"nodes": ["high", "up", "end"], "direction": "both"},
    ],
    "doors": [
        {"id": "gate", "x": 2.0, "y": 0.0, "theta": 1.5707963267948966, "auto": False},
        {"id": "door-0", "x": 6.5, "y": 0.0, "theta": 1.5707963267948966},
        {"id": "door-1", "x": 6.5, "y": 20.0, "theta": 1.5707963267948966},
    ],
    "lifts": [
        {
            "id": "lift-1",
            "seconds": 8.0,
            "floors": [
                {"name": "0", "node": "low", "door": "door-0"},
                {"name": "1", "node": "high", "door": "door-1", "map_id": "upper"},
            ],
        }
    ],
    "stations": [
        {"id": "in", "node": "b", "slots": 3, "loads": 2, "place": {"x": 4, "y": 2}},
        {"id": "out", "node": "up", "slots": 1, "place": {"x": 4, "y": 5}},
    ],
    "conveyors": [{"id": "belt", "start": "in", "end": "out", "speed_mps": 0.3}],
}
TIMELINE = "[[timeline]]\nat_s = {}\n{}\n"


def opened(tmp_path, x=0.0, y=0.0, count=1, timeline=(), doors="true"):
    (tmp_path / "site.json").write_text(json.dumps(SITE))
    robots = "".join(
        f'[[robots]]\nkind = "agv"\nname = "r{n}"\nstart = {{ x = {x - 4.0 * n}, y = {y} }}\n'
        for n in range(count)
    )
    entries = "".join(TIMELINE.format(at_s, what) for at_s, what in timeline)
    text = f"[world]\nlayout = 'site.json'\ndoors = {doors}\n{robots}{entries}"
    (tmp_path / "scenario.toml").write_text(text)
    return open_target(tmp_path / "scenario.toml", [], 3).simulation


class Backend:
    def __init__(self, sim, robot="r0"):
        self.sim, self.robot, self.sent = sim, robot, 0

    def command(self, kind, seconds=0.1, **params):
        """Send a command, and return the last acknowledgement after some time."""
        self.sent += 1
        name = f"{self.robot}-{self.sent}"
        fields = {"commandId": name, "commandType": kind, "params": params}
        self.sim.send(self.robot, "nats", {"type": "CommandRequest", **fields})
        self.sim.run(seconds)
        taken = self.sim.take(self.robot, "nats")
        acks = [one.payload for one in taken if one.type == "command.ack"]
        return [ack for ack in acks if ack.commandId == name][-1]


def test_a_robot_calls_a_lift_rides_and_drives_out_on_the_other_floor(tmp_path):
    sim = opened(tmp_path, x=4.0)
    backend, site = Backend(sim), sim.world
    sim.apply(inp.SetDevice("lift-1", "floor", "1"))
    sim.run(12.0)
    assert not site.door_is_open("door-0", sim.now_ns)
    assert backend.command("MOVE", 8.0, x=8.0, y=0.0).status == "RUNNING"
    assert sim.truth("r0").pose[0] < 6.0  # it stands before the closed door
    backend.command("STOP", 0.5)
    called = backend.command("CALL_LIFT", 16.0)
    assert (called.status, called.result) == ("SUCCEEDED", {"liftId": "lift-1", "floor": "0"})
    assert backend.command("MOVE", 8.0, x=8.0, y=0.0).status == "SUCCEEDED"
    assert backend.command("RIDE_LIFT", 4.0, floor="1").status == "RUNNING"
    refused = backend.command("MOVE", x=4.0, y=0.0)
    assert (refused.code, refused.message) == (
        "STATUS_FORBIDS", "lift-1 carries the robot: wait for its floor",
    )  # fmt: skip
    saved = sim.snapshot()
    sim.run(10.0)
    assert sim.truth("r0").pose == pytest.approx((8.0, 20.0, 0.0), abs=1e-3)
    sim.restore(saved)
    assert sim.truth("r0").pose[1] == pytest.approx(0.0, abs=1e-3)
    sim.run(12.0)
    assert sim.truth("r0").pose == pytest.approx((8.0, 20.0, 0.0), abs=1e-3)
    assert sim.robots["r0"].machine.state.map_id == "upper"
    assert backend.command("MOVE", 16.0, x=0.0, y=20.0).status == "SUCCEEDED"


def test_a_route_rides_a_lift_by_an_action_at_its_node(tmp_path):
    sim = opened(tmp_path, x=4.0)
    names = ("b", "low", "high", "up")
    nodes = [
        {"nodeId": name, "sequenceId": 2 * n, "x": NODES[name][0], "y": NODES[name][1],
         "released": True,
         "actions": [{"type": "RIDE_LIFT", "params": {"floor": "1"}}] if name == "low" else []}
        for n, name in enumerate(names)
    ]  # fmt: skip
    edges = [
        {"edgeId": f"e{n}", "sequenceId": 2 * n + 1, "startNodeId": a, "endNodeId": b}
        for n, (a, b) in enumerate(itertools.pairwise(names))
    ]
    done = Backend(sim).command("FOLLOW_ROUTE", 40.0, nodes=nodes, edges=edges)
    assert (done.status, done.result["nodeId"]) == ("SUCCEEDED", "up")
    assert sim.truth("r0").pose[:2] == pytest.approx((4.0, 20.0), abs=1e-3)


def test_a_lift_carries_one_robot_and_waits_for_the_one_that_called_it(tmp_path):
    sim = opened(tmp_path, x=8.0, count=2)
    first, second = Backend(sim, "r0"), Backend(sim, "r1")
    assert first.command("RIDE_LIFT", 1.0, floor="1").status == "RUNNING"
    assert second.command("CALL_LIFT", 1.0, floor="0").status == "RUNNING"
    sim.run(14.0)
    assert sim.truth("r0").pose[1] == pytest.approx(20.0)
    assert sim.world.lift("lift-1", sim.now_ns).user == "r1"
    assert first.command("RIDE_LIFT", 0.1, floor="0").status == "RUNNING"  # it waits
    sim.run(16.0)
    assert sim.truth("r0").pose[1] == pytest.approx(20.0)
    assert second.command("MOVE", 8.0, x=8.0, y=0.0).status == "SUCCEEDED"
    assert second.command("RIDE_LIFT", 20.0, floor="1").status == "RUNNING"
    assert sim.truth("r1").pose[1] == pytest.approx(0.0)  # the other one stands up there


def test_a_lift_out_of_order_carries_nobody_until_it_runs_again(tmp_path):
    timeline = [(0.1, 'lift = "lift-1"\nrunning = false'), (10, 'lift = "lift-1"\nrunning = true')]
    sim = opened(tmp_path, x=8.0, timeline=timeline)
    sim.run(0.5)
    assert Backend(sim).command("RIDE_LIFT", 9.0, floor="1").status == "RUNNING"
    assert sim.robots["r0"].machine.state.lift == ""
    sim.run(14.0)
    assert sim.truth("r0").pose[1] == pytest.approx(20.0)


def test_a_robot_opens_and_closes_a_door(tmp_path):
    sim = opened(tmp_path)
    backend = Backend(sim)
    assert backend.command("MOVE", 4.0, x=4.0, y=0.0).status == "RUNNING"
    assert sim.truth("r0").reasons == ["OBSTACLE"]
    opened_door = backend.command("OPEN_DOOR", 4.0)
    assert (opened_door.status, opened_door.result) == ("SUCCEEDED", {"doorId": "gate"})
    sim.run(6.0)
    assert sim.truth("r0").pose == pytest.approx((4.0, 0.0, 0.0), abs=1e-3)
    assert backend.command("CLOSE_DOOR", 4.0, doorId="gate").status == "SUCCEEDED"
    assert not sim.world.door_is_open("gate", sim.now_ns)


def test_a_conveyor_takes_loads_to_a_station_with_a_free_slot(tmp_path):
    timeline = [(3, 'conveyor = "belt"\nrunning = false'), (6, 'conveyor = "belt"\nrunning = true')]
    sim = opened(tmp_path, x=4.0, y=20.0, timeline=timeline)
    backend, state = Backend(sim), sim.world.state

    def held():
        return [
            [load.id for load in state.stocks["in"].loads],
            [one.load.id for one in state.belts["belt"].loads],
            [load.id for load in state.stocks["out"].loads],
        ]

    assert held() == [["L1", "L2"], [], []]
    sim.run(4.0)
    assert held() == [[], ["L1", "L2"], []]
    there = [one.at_m for one in state.belts["belt"].loads]
    sim.run(1.5)
    assert [one.at_m for one in state.belts["belt"].loads] == there
    sim.run(9.0)
    assert held() == [[], ["L2"], ["L1"]]
    sim.run(9.0)
    assert held() == [[], ["L2"], ["L1"]]  # no free slot
    assert backend.command("PICK", 4.5, stationId="out").result["loadId"] == "L1"
    assert held() == [[], [], ["L2"]]


@pytest.mark.parametrize(
    ("kind", "params", "what"),
    [
        ("RIDE_LIFT", {"floor": "1"}, "the robot is not in a lift"),
        ("CALL_LIFT", {"liftId": "lift-9"}, "liftId: there is no 'lift-9'"),
        ("CALL_LIFT", {"floor": "7"}, "no lift stops at '7'"),
        ("CALL_LIFT", {"liftId": "lift-1", "floor": "7"}, "lift-1 has no '7'; it has 0, 1"),
        ("OPEN_DOOR", {"doorId": "door-0"}, "door-0 belongs to lift-1: send CALL_LIFT"),
        ("OPEN_DOOR", {"doorId": "x"}, "doorId: there is no 'x'"),
    ],
)
def test_what_a_robot_cannot_do_with_devices_is_a_sentence(tmp_path, kind, params, what):
    refused = Backend(opened(tmp_path)).command(kind, **params)
    assert refused.status == "REJECTED"
    assert what in refused.message


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ('lift = "lift-1"', "a lift needs either a floor or running"),
        ('lift = "lift-1"\nfloor = "9"', "unknown floor '9'"),
        ('lift = "lift-9"\nfloor = "1"', "did you mean 'lift-1'"),
        ('conveyor = "belt"', "a conveyor needs running"),
        ('conveyor = "bell"\nrunning = true', "did you mean 'belt'"),
    ],
)
def test_a_wrong_device_in_a_scenario_is_a_sentence(tmp_path, entry, what):
    with pytest.raises(InputError) as caught:
        opened(tmp_path, timeline=[(1, entry)])
    assert what in str(caught.value)


def test_a_recording_with_devices_replays(tmp_path):
    timeline = [(0.2, 'lift = "lift-1"\nfloor = "1"'), (0.4, 'conveyor = "belt"\nrunning = false')]
    sim = opened(tmp_path, timeline=timeline)
    (tmp_path / "run.mcap").write_bytes(record_to_bytes(sim, 1.0))
    assert verify(tmp_path / "run.mcap").difference is None
