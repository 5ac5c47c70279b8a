import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel.inputs import MoveObstacle
from rigless.kernel.problems import InputError
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import Obstacle, World

S = 10**9


def test_an_obstacle_stands_where_it_was_put():
    world = World({"box": Obstacle(size_m=(1.0, 2.0), end=(3.0, 4.0, 0.5))})
    assert world.state.obstacles["box"].pose(0) == (3.0, 4.0, 0.5)
    assert world.state.obstacles["box"].pose(10**15) == (3.0, 4.0, 0.5)


def test_a_move_without_a_time_is_a_jump():
    world = World({"box": Obstacle()})
    world.move(MoveObstacle("box", 1.0, 2.0, 3.0), 5)
    assert world.state.obstacles["box"].pose(5) == (1.0, 2.0, 3.0)


def test_a_move_in_whole_numbers_is_kept_as_a_snapshot_or_a_recording_gives_it_back():
    sim = Simulation([], World({"box": Obstacle()}))
    sim.apply(MoveObstacle("box", 1, 2, 3))
    before = sim.snapshot()
    sim.restore(before)
    assert sim.snapshot() == before


@given(st.integers(-S, 4 * S))
def test_a_move_over_some_time_is_even(at_ns):
    world = World({"box": Obstacle(end=(1.0, 0.0, 0.0))})
    world.move(MoveObstacle("box", 5.0, -8.0, 1.0, over_s=2.0), S)
    part = min(max((at_ns - S) / (2 * S), 0.0), 1.0)
    assert world.state.obstacles["box"].pose(at_ns) == pytest.approx(
        (1 + 4 * part, -8 * part, part)
    )


def test_a_new_move_begins_where_the_old_one_had_come_to():
    world = World({"box": Obstacle()})
    world.move(MoveObstacle("box", 4.0, 0.0, over_s=4.0), 0)
    world.move(MoveObstacle("box", 1.0, 6.0, over_s=2.0), S)
    box = world.state.obstacles["box"]
    assert box.pose(S) == (1.0, 0.0, 0.0)
    assert box.pose(2 * S) == (1.0, 3.0, 0.0)
    assert box.pose(3 * S) == (1.0, 6.0, 0.0)


def test_only_obstacles_that_are_there_can_be_moved():
    with pytest.raises(InputError, match=r"unknown obstacle 'bx' \(did you mean 'box'\?\)"):
        World({"box": Obstacle()}).check(MoveObstacle("bx", 0, 0))


def test_reset_brings_back_what_it_was_built_with():
    world = World({"box": Obstacle(end=(1.0, 1.0, 0.0))})
    world.move(MoveObstacle("box", 9.0, 9.0), 0)
    world.state.obstacles["new"] = Obstacle()
    world.reset()
    assert world.state.obstacles == {"box": Obstacle(end=(1.0, 1.0, 0.0))}


def test_moves_are_inputs_and_worlds_are_in_snapshots():
    sim, heard = Simulation([], World({"box": Obstacle(size_m=(1.0, 2.0))})), []
    sim.core.listeners.input.append(lambda at, given, source: heard.append((at, given)))
    sim.run(1)
    move = MoveObstacle("box", 2.0, 0.0, over_s=2.0)
    sim.apply(move)
    saved = sim.snapshot()
    sim.run(1)
    sim.apply(MoveObstacle("box", 7.0, 7.0))
    sim.restore(saved)
    box = sim.world.state.obstacles["box"]
    assert heard[0] == (S, move)
    assert box.size_m == (1.0, 2.0)
    assert box.pose(2 * S) == (1.0, 0.0, 0.0)
