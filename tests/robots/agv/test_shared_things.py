"""Loads, chargers and devices that the robots of several parts of a fleet use."""

import json
import random
from io import BytesIO

import pytest

import rigless
from rigless.kernel.fleet.shard import to_bytes
from rigless.kernel.inputs import Follow, SetDevice, Share
from rigless.kernel.recording import Recorder
from rigless.recordings.replay import verify
from rigless.robots.agv import messages as m
from rigless.scenario.load import open_target
from rigless.worlds.layout.sharing.state import Request

STEP_NS = 20_000_000
UP = 1.5707963267948966
NODES = {
    "a": (0, 0), "b": (6, 0), "c": (12, 0), "d": (18, 0), "e": (24, 0), "low": (30, 0),
    "high": (30, 20), "k1": (0, 10), "k2": (6, 10), "k3": (12, 10),
}  # fmt: skip
SITE = {
    "name": "site",
    "nodes": [{"id": name, "x": x, "y": y, "theta": 0.0} for name, (x, y) in NODES.items()],
    "edges": [{"nodes": ["a", "b", "c", "d", "e", "low"], "direction": "both"}],
    "chargers": [{"id": f"K{n}", "node": f"k{n}"} for n in (1, 2, 3)],
    "stations": [
        *({"id": n.upper(), "node": n, "slots": 3, "loads": 1} for n in "abc"),
        {"id": "SOURCE", "node": "d", "kind": "source", "slots": 3, "every_s": 1.0},
        {"id": "OTHER", "node": "k3", "kind": "source", "slots": 3, "every_s": 1.0},
        {"id": "END", "node": "e", "slots": 3},
    ],
    "conveyors": [{"id": "belt", "start": "SOURCE", "end": "END"}],
    "doors": [
        {"id": "gate", "x": 3.0, "y": 0.0, "theta": UP, "auto": False},
        {"id": "auto", "x": 3.0, "y": 30.0, "theta": UP, "close_after_s": 2.0},
        {"id": "door-0", "x": 28.5, "y": 0.0, "theta": UP},
    ],
    "lifts": [
        {
            "id": "lift",
            "seconds": 3.0,
            "floors": [
                {"name": "0", "node": "low", "door": "door-0"},
                {"name": "1", "node": "high"},
            ],
        }
    ],
}  # fmt: skip


class Fleet:
    """Parts of a fleet that exchange poses and things once per step."""

    def __init__(self, folder, starts, count=2):
        (folder / "site.json").write_text(json.dumps(SITE))
        self.folder = folder
        self.robots = "".join(
            f'[[robots]]\nkind = "agv"\nname = "r{n}"\nstart = {{ x = {x}, y = {y} }}\n'
            for n, (x, y) in enumerate(starts)
        )
        self.parts = {n: self.part(n, count) for n in range(1, count + 1)}
        self.sent = 0
        self.loses = lambda: False

    def part(self, number, count):
        text = f'shard = "{number}/{count}"\n[world]\nlayout = "site.json"\ndoors = true\n'
        path = self.folder / f"{number}.toml"
        path.write_text(text + self.robots)
        sim = open_target(path, seed=5).simulation
        sim.world.outgoing()  # from now on it notes changes
        return sim

    def __getitem__(self, robot):
        return self.parts[int(robot[1:]) % len(self.parts) + 1]

    def run(self, seconds):
        for _ in range(round(seconds * 1e9 / STEP_NS)):
            sent = {}
            for number, sim in self.parts.items():
                poses = to_bytes([robot.whereabouts() for robot in sim.core.stepped])
                sent[number] = poses, json.loads(json.dumps(sim.world.outgoing()))
            for here, sim in self.parts.items():
                for number, (poses, content) in sent.items():
                    if number != here:
                        sim.apply(Follow(number, poses))
                        if content and not self.loses():
                            sim.apply(Share(number, content))
                sim.run_until(sim.now_ns + STEP_NS)

    def command(self, robot, kind, seconds=0.1, **params):
        """Send a command, and return the last acknowledgement after some time."""
        self.sent += 1
        name = f"c{self.sent}"
        request = m.CommandRequest(commandId=name, commandType=kind, params=params)
        self[robot].send(robot, "nats", request)
        self.run(seconds)
        taken = self[robot].take(robot, "nats")
        acks = [one.payload for one in taken if one.type == "command.ack"]
        return [ack for ack in acks if ack.commandId == name][-1]

    def loads(self, *stations):
        """Return the loads of stations (all), which must be the same in all parts."""
        found = [
            {
                name: [load.id for load in stock.loads]
                for name, stock in sim.world.state.stocks.items()
                if name in (stations or sim.world.stations)
            }
            for sim in self.parts.values()
        ]
        assert all(one == found[0] for one in found)
        return found[0]


def keeper(fleet, thing):
    found = {sim.world.sharing.keeper(thing) for sim in fleet.parts.values()}
    assert len(found) == 1
    return found.pop()


def test_each_thing_is_kept_by_one_part_and_a_conveyor_with_its_stations(tmp_path):
    fleet = Fleet(tmp_path, [(0, 0), (6, 0)])
    for thing in fleet.parts[1].world.all_things:
        assert keeper(fleet, thing) in (1, 2)
        assert sum(sim.world.sharing.keeps(thing) for sim in fleet.parts.values()) == 1
    found = {keeper(fleet, thing) for thing in ("belts/belt", "stations/SOURCE", "stations/END")}
    assert len(found) == 1
    assert len({keeper(fleet, thing) for thing in fleet.parts[1].world.all_things}) == 2


@pytest.mark.parametrize("station", ["A", "B", "C"])
def test_a_load_that_one_part_puts_down_is_picked_by_a_robot_of_another(tmp_path, station):
    x, y = NODES[station.lower()]
    fleet = Fleet(tmp_path, [(x, y), (x, y + 3)])
    assert fleet.command("r0", "PICK", 4.0).status == "SUCCEEDED"
    load = fleet["r0"].robots["r0"].machine.state.load_id
    assert fleet.loads()[station] == []
    assert fleet.command("r0", "DROP", 4.0).result == {"loadId": load, "stationId": station}
    assert fleet.loads()[station] == [load]
    fleet["r0"].robots["r0"].relocate(x, y + 6.0, 0.0)
    fleet["r1"].robots["r1"].relocate(x, y, 0.0)
    picked = fleet.command("r1", "PICK", 4.0)
    assert (picked.status, picked.result["loadId"]) == ("SUCCEEDED", load)
    assert fleet.loads()[station] == []
    assert fleet["r0"].robots["r0"].machine.state.load_id == ""


@pytest.mark.parametrize("station", ["A", "B", "C"])
def test_of_two_parts_that_take_one_load_one_gets_it(tmp_path, station):
    fleet = Fleet(tmp_path, [(0, 0), (6, 0)])
    load = fleet.loads()[station][0]
    answers = {}
    for _ in range(20):
        for name in ("r0", "r1"):
            request = Request(name, "take", f"stations/{station}", load_id=load)
            if answers.get(name) is None:
                answers[name] = fleet[name].world.ask(request, fleet[name].now_ns)
        fleet.run(0.02)
    assert sorted(one.granted for one in answers.values()) == [False, True]
    assert fleet.loads()[station] == []


@pytest.mark.parametrize("charger", ["K1", "K2", "K3"])
def test_a_charger_that_is_taken_in_one_part_is_taken_in_all(tmp_path, charger):
    fleet = Fleet(tmp_path, [(0, 0), (6, 0)])
    granted = {"r0": None, "r1": None}
    for _ in range(20):
        for name, known in granted.items():
            if known is None:
                granted[name] = fleet[name].world.claim(charger, name, fleet[name].now_ns)
        fleet.run(0.02)
    assert sorted(granted.values()) == [False, True]
    winner = next(name for name, one in granted.items() if one)
    assert [sim.world.state.claims for sim in fleet.parts.values()] == [{charger: winner}] * 2
    fleet[winner].world.release(winner, fleet[winner].now_ns)
    fleet.run(0.1)
    assert [sim.world.state.claims for sim in fleet.parts.values()] == [{}, {}]


def test_start_charging_takes_the_charger_in_all_parts(tmp_path):
    fleet = Fleet(tmp_path, [NODES["k1"], NODES["k2"]])
    for robot, charger in (("r0", "K1"), ("r1", "K2")):
        assert fleet.command(robot, "START_CHARGING").status == "SUCCEEDED"
        for sim in fleet.parts.values():
            assert sim.world.state.claims[charger] == robot
            other = sim.robots["r1" if robot == "r0" else "r0"]
            free = [one.id for one in other.site.work.free_chargers()]
            assert charger not in free
    fleet.command("r0", "STOP_CHARGING")
    assert [sim.world.state.claims for sim in fleet.parts.values()] == [{"K2": "r1"}] * 2


@pytest.mark.parametrize("seed", range(4))
def test_lost_messages_neither_lose_nor_double_a_load(tmp_path, seed):
    fleet, rng = Fleet(tmp_path, [NODES["a"], NODES["b"]]), random.Random(seed)
    fleet.loses = lambda: rng.random() < 0.6
    for robot, station in (("r0", "A"), ("r1", "B")):
        assert fleet.command(robot, "PICK", 30.0).status == "SUCCEEDED"
        assert fleet.command(robot, "DROP", 30.0).status == "SUCCEEDED"
        kept = fleet.parts[keeper(fleet, f"stations/{station}")].world.state.stocks[station]
        assert len(kept.loads) == 1
    fleet.loses = lambda: False
    for number, sim in fleet.parts.items():
        for other in fleet.parts.values():
            if other is not sim:
                other.apply(Share(number, json.loads(json.dumps(sim.world.things_of(number)))))
    assert [len(fleet.loads()[name]) for name in "ABC"] == [1, 1, 1]


@pytest.mark.parametrize("station", ["A", "B", "C"])
def test_a_pick_that_is_cancelled_gives_the_load_back(tmp_path, station):
    x, y = NODES[station.lower()]
    fleet = Fleet(tmp_path, [(x, y), (x, y + 3)])
    name = next(
        name
        for name in ("r0", "r1")
        if fleet[name] is not fleet.parts[keeper(fleet, f"stations/{station}")]
    )
    fleet["r0"].robots["r0"].relocate(x, y + 6.0, 0.0)
    fleet[name].robots[name].relocate(x, y, 0.0)
    before = fleet.loads()
    fleet.loses = lambda: True
    assert fleet.command(name, "PICK", 3.4).status == "RUNNING"
    fleet[name].robots[name].stop_all("cancelled")
    fleet.loses = lambda: False
    fleet.run(1.5)
    assert fleet.loads(station) == {station: []}
    fleet.run(8.0)
    assert fleet.loads(station) == {station: before[station]}
    assert fleet[name].robots[name].machine.state.load_id == ""


@pytest.mark.parametrize("robot", ["r0", "r1"])
def test_a_robot_rides_a_lift_of_any_part(tmp_path, robot):
    starts = {"r0": (18, 0), "r1": (12, 0)}
    starts[robot] = NODES["low"]
    fleet = Fleet(tmp_path, starts.values())
    for sim in fleet.parts.values():
        sim.apply(SetDevice("lift", "floor", "1"))
    fleet.run(8.0)
    lifts = [sim.world.lift("lift", sim.now_ns).floor for sim in fleet.parts.values()]
    assert lifts == [1, 1]
    assert fleet.command(robot, "RIDE_LIFT", 1.0, floor="1").status == "RUNNING"
    users = [sim.world.lift("lift", sim.now_ns).user for sim in fleet.parts.values()]
    assert users == [robot, robot]
    fleet.run(20.0)
    for sim in fleet.parts.values():
        assert sim.robots[robot].machine.drive.pose[:2] == pytest.approx((30.0, 20.0), abs=0.01)
        car = sim.world.lift("lift", sim.now_ns)
        assert (car.floor, car.user, car.rider) == (1, "", "")


@pytest.mark.parametrize("robot", ["r0", "r1"])
def test_a_door_that_a_robot_opens_is_open_in_all_parts(tmp_path, robot):
    fleet = Fleet(tmp_path, [(0, 0), (0, 3)])

    def is_open():
        return [sim.world.door_is_open("gate", sim.now_ns) for sim in fleet.parts.values()]

    assert is_open() == [False, False]
    assert fleet.command(robot, "OPEN_DOOR", 4.0, doorId="gate").status == "SUCCEEDED"
    assert is_open() == [True, True]
    assert fleet.command(robot, "CLOSE_DOOR", 4.0, doorId="gate").status == "SUCCEEDED"
    assert is_open() == [False, False]


@pytest.mark.parametrize("robot", ["r0", "r1"])
def test_an_automatic_door_opens_for_robots_of_all_parts(tmp_path, robot):
    fleet = Fleet(tmp_path, [(0, 0), (0, 3)])
    fleet[robot].robots[robot].relocate(0.0, 30.0, 0.0)
    fleet.run(5.5)
    states = [sim.world.door_is_open("auto", sim.now_ns) for sim in fleet.parts.values()]
    assert states == [True, True]
    fleet[robot].robots[robot].relocate(0.0, 6.0, 0.0)
    fleet.run(9.0)
    states = [sim.world.door_is_open("auto", sim.now_ns) for sim in fleet.parts.values()]
    assert states == [False, False]


def test_loads_that_sources_of_different_parts_make_have_names_of_their_own(tmp_path):
    fleet = Fleet(tmp_path, [(0, 0), (6, 0), (12, 0)], 3)
    fleet.run(30.0)
    loads = [load for some in fleet.loads().values() for load in some]
    on_belt = [one.load.id for one in fleet.parts[1].world.state.belts["belt"].loads]
    assert len(loads) > 6
    assert len({*loads, *on_belt}) == len(loads) + len(on_belt)


def test_a_part_that_returns_gets_its_things_back(tmp_path):
    fleet = Fleet(tmp_path, [NODES["a"], NODES["b"]])
    for robot in ("r0", "r1"):
        assert fleet.command(robot, "PICK", 4.0).status == "SUCCEEDED"
    fleet.run(5.0)
    before = fleet.loads()
    for number in (1, 2):
        known = json.loads(json.dumps(fleet.parts[3 - number].world.things_of(number)))
        again = fleet.part(number, 2)
        again.core.begin_at(fleet.parts[3 - number].now_ns)
        again.apply(Share(number, known))
        kept = {name for name in before if keeper(fleet, f"stations/{name}") == number}
        for name in kept:
            stock = again.world.state.stocks[name]
            assert [load.id for load in stock.loads] == before[name]


def test_the_recording_of_a_part_that_uses_things_of_another_replays(tmp_path):
    fleet, streams = Fleet(tmp_path, [NODES["a"], NODES["b"]]), {}
    recorders = {}
    for number, sim in fleet.parts.items():
        streams[number] = BytesIO()
        recorders[number] = Recorder(sim, streams[number])
    for robot in ("r0", "r1"):
        fleet.command(robot, "PICK", 4.0)
        fleet.command(robot, "DROP", 4.0)
    for number, recorder in recorders.items():
        recorder.close()
        path = tmp_path / f"{number}.mcap"
        path.write_bytes(streams[number].getvalue())
        assert verify(path).difference is None


def test_wrong_messages_about_things_are_refused(tmp_path):
    sim = Fleet(tmp_path, [NODES["a"], NODES["b"]]).parts[1]
    for wrong, what in (
        (Share(3, {}), "there is no shard 3"),
        (Share(2, {"things": {"stations": {"A": 1}}}), "Expected `object`"),
        (Share(2, {"requests": [{"robot": "r1"}]}), "missing required field"),
    ):
        with pytest.raises(rigless.InputError, match=what):
            sim.apply(wrong)
    before = sim.snapshot().to_bytes()
    unknown = {"stations": {"Z": {"loads": []}}, "chargers": {"Z": "r1"}, "lifts": {"Z": {}}}
    wrong_floor = {"lifts": {"lift": {"floor": 7}}, "doors": {"Z": {"open": True}}}
    for things in (unknown, wrong_floor):
        sim.apply(Share(2, {"things": things}))
    sim.apply(Share(2, {"requests": [{"robot": "r1", "action": "take", "thing": "stations/Z"}]}))
    assert len(sim.snapshot().to_bytes()) == len(before)


def test_a_door_of_a_lift_that_is_moved_by_hand_stays_until_the_car_is_called(tmp_path):
    fleet = Fleet(tmp_path, [NODES["low"], NODES["a"]])

    def doors():
        fleet.run(4.0)
        return [sim.world.door_is_open("door-0", sim.now_ns) for sim in fleet.parts.values()]

    def by_hand(is_open):
        for sim in fleet.parts.values():
            sim.apply(sim.world.door_move("door-0", is_open))

    assert doors() == [True, True]
    by_hand(False)
    assert doors() == [False, False]
    assert fleet.command("r0", "CALL_LIFT", 6.0, floor="0").status == "SUCCEEDED"
    assert doors() == [True, True]
    assert fleet.command("r0", "CALL_LIFT", 8.0, floor="1").status == "SUCCEEDED"
    assert doors() == [False, False]
    by_hand(True)
    assert doors() == [True, True]
    by_hand(False)
    assert doors() == [False, False]
