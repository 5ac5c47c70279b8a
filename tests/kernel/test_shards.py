"""Parts of a simulation: which robots a process steps, and the poses that it gets of the others."""

import math

import pytest

from rigless.kernel import inputs as inp
from rigless.kernel.fleet.shard import (
    MOST_SHARDS,
    NOWHERE,
    ROW_BYTES,
    Shard,
    Whereabouts,
    from_bytes,
    to_bytes,
)
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import Obstacle, World

from .robots import Counter
from .wires import Beat

S = 10**9


class Follower(Counter):
    """A robot of which another shard sends the pose."""

    place = None

    def follow_pose(self, place):
        self.place = place


def part(number=1, count=2, names="abc", seed=0):
    return Simulation([Follower(name) for name in names], seed=seed, shard=Shard(number, count))


@pytest.mark.parametrize(("text", "number", "count"), [("1/1", 1, 1), ("0/4", 0, 4), ("4/4", 4, 4)])
def test_a_shard_in_words(text, number, count):
    shard = Shard.parse(text)
    assert (shard.number, shard.count, str(shard)) == (number, count, text)


@pytest.mark.parametrize(
    "text",
    ["", "2", "2/", "/2", "a/2", "1/b", "3/2", "0/0", "1/257", "-1/2", "1/2/3", "0000001/02"],
)
def test_a_text_that_is_no_shard(text):
    with pytest.raises(InputError) as caught:
        Shard.parse(text)
    what = f"{text!r} is not a part of a fleet"
    fix = "give its number and the number of parts, at most 256: 2/4"
    assert caught.value.problems == (Problem("shard", what, fix),)


def test_the_largest_number_of_shards():
    assert Shard.parse(f"1/{MOST_SHARDS}").count == MOST_SHARDS == 256
    assert Shard.parse("0001/0002") == Shard(1, 2)  # nine characters


def test_robots_are_dealt_to_the_shards_in_their_order():
    membership = part(2, 2).core.membership
    assert membership.names == {1: ["a", "c"], 2: ["b"]}
    assert membership.owners == {"a": 1, "b": 2, "c": 1}
    assert membership.elsewhere == {"a", "c"}
    assert membership.count == 2
    assert membership.rows == {}
    alone = Simulation([Counter("a")]).core.membership
    assert (alone.count, alone.names, alone.elsewhere) == (1, {}, frozenset())
    assert part(0, 2).core.membership.elsewhere == {"a", "b", "c"}


def test_a_part_steps_its_own_robots_only():
    for number, own in ((1, "ac"), (2, "b"), (0, "")):
        sim = part(number)
        assert [robot.name for robot in sim.core.stepped] == list(own)
        sim.run(1.0)
        assert [sim.truth(name).ticks for name in "abc"] == [10 * (name in own) for name in "abc"]


def test_a_robot_of_another_part_sends_logs_and_plans_nothing():
    sim = part(1)
    logged = []
    sim.core.listeners.event.append(lambda at, event: logged.append(event.robot))
    for name in "ab":
        robot = sim.robots[name]
        assert robot.wanted("beat") is (name == "a")
        robot.emit("beat", Beat(1, None))
        robot.event("note", "a text")
        assert (robot.after(0.1, robot.grow, 1) > 0) is (name == "a")
        robot.set_rate(robot.tick, 20)
        sim.core.plan(S, inp.Send(name, "line", "Add", {"amount": 5}))
    assert logged == ["a"]
    assert [event.robot for event in sim.events] == ["a"]
    assert [len(sim.take(name, "beat")) for name in "ab"] == [1, 0]
    sim.run(1.0)
    assert (sim.truth("a").total, sim.truth("a").ticks) == (6, 20)
    assert (sim.truth("b").total, sim.truth("b").ticks) == (0, 0)
    sim.core.recording = True
    assert not sim.robots["b"].wanted("beat")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_part_moves_the_obstacles_of_the_scenario(number):
    robots, world = [Follower(name) for name in "ab"], World({"box": Obstacle(0.1)})
    sim = Simulation(robots, world, shard=Shard(number, 2))
    sim.core.plan(S, inp.MoveObstacle("box", 3.0, 4.0))
    sim.run(1.0)
    assert sim.world.state.obstacles["box"].pose(sim.now_ns)[:2] == (3.0, 4.0)


def test_an_input_of_a_robot_elsewhere_is_refused_with_the_shard_that_has_it():
    sim = part(1)
    sim.apply(inp.SetInput("a", "button", True))
    with pytest.raises(InputError) as caught:
        sim.apply(inp.SetInput("b", "button", True))
    what = "is stepped by shard 2, not by 1/2"
    assert caught.value.problems == (Problem("b", what, "send it to that process"),)


def test_poses_of_another_part_are_applied_to_its_robots():
    sim = part(1, names="abcd")
    rows = [Whereabouts(1.0, 2.0, 0.5, 0.1, 0.2, 3.0), NOWHERE]
    data = to_bytes(rows)
    assert len(data) == 2 * ROW_BYTES == 96
    assert from_bytes(data)[0] == rows[0]
    assert all(map(math.isnan, from_bytes(data)[1]))
    sim.apply(inp.Follow(2, data))
    assert sim.robots["b"].place == rows[0]
    assert [sim.robots[name].place for name in "acd"] == [None] * 3  # d has no place


@pytest.mark.parametrize("shard", [1, 3, 0])
def test_poses_of_no_other_part_are_refused(shard):
    with pytest.raises(InputError) as caught:
        part(1).apply(inp.Follow(shard, to_bytes([NOWHERE])))
    what, fix = f"there is no other shard {shard}", "this process is shard 1/2"
    assert caught.value.problems == (Problem("shard", what, fix),)


def test_poses_for_a_process_without_shards_are_refused():
    with pytest.raises(InputError, match="there is no other shard 2"):
        Simulation([Counter("a")]).apply(inp.Follow(2, to_bytes([NOWHERE])))


def test_poses_of_another_number_of_robots_are_refused():
    for rows in ([], [NOWHERE] * 2):
        with pytest.raises(InputError) as caught:
            part(1).apply(inp.Follow(2, to_bytes(rows)))
        what = f"{48 * len(rows)} bytes are not the poses of its robots (48 bytes)"
        fix = "run the same scenario everywhere"
        assert caught.value.problems == (Problem("shard 2", what, fix),)


def test_a_part_that_begins_later_has_no_ticks_before():
    sim, sampled = part(1), []
    sim.core.sample(1, lambda: sampled.append(sim.now_s))
    sim.core.plan(2 * S, inp.Send("a", "line", "Add", {"amount": 5}))
    sim.core.begin_at(5 * S)
    assert sim.now_ns == 5 * S
    assert sim.truth("a").total == 5
    sim.run(1.0)
    assert sim.truth("a").ticks == 10
    assert sampled == [6.0]
