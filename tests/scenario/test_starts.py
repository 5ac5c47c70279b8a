"""Robots of one world that share their configured start are spread around it."""

import itertools
import re

import pytest

from rigless.kernel.problems import InputError
from rigless.scenario.build import build
from rigless.scenario.model import Scenario


def simulation(*robots, **world):
    given = {"robots": list(robots), "world": world}
    return build(Scenario.model_validate(given), seed=1).simulation


def starts(sim):
    return [tuple(sim.truth(name).pose) for name in sim.robots]


def overlapping(sim):
    bodies = {name: robot.body() for name, robot in sim.robots.items()}
    return [
        (one, two)
        for one, two in itertools.combinations(bodies, 2)
        if bodies[one].overlaps(bodies[two])
    ]


@pytest.mark.parametrize("kind", ["vacuum", "pacbot", "rover"])
def test_members_of_a_fleet_start_apart_and_the_first_at_the_configured_start(kind):
    alone, fleet = simulation({"kind": kind}), simulation({"kind": kind, "count": 5})
    assert starts(fleet)[0] == starts(alone)[0]
    assert overlapping(fleet) == []
    assert {theta for _, _, theta in starts(fleet)} == {starts(alone)[0][2]}
    before = starts(fleet)
    assert starts(simulation({"kind": kind, "count": 5})) == before
    assert starts(simulation({"kind": kind, "count": 3})) == before[:3]
    fleet.run(0.05)
    fleet.reset()
    assert starts(fleet) == before


def test_nobody_starts_in_a_wall_or_on_an_obstacle():
    box = {"name": "box", "size_m": (0.6, 0.6), "x": 0.5, "y": 0.0}
    sim = simulation({"kind": "vacuum", "count": 9}, map="apartment", obstacles=[box])
    assert overlapping(sim) == []
    for robot in sim.robots.values():
        assert sim.core.world.why_blocked(robot.body(), 0) == ""


def test_a_fleet_with_a_start_in_the_scenario_is_spread_around_it():
    start = {"x": 1.0, "y": 2.0, "theta": 0.5}
    agvs = simulation({"kind": "agv", "count": 3, "start": start})
    assert starts(agvs)[0] == (1.0, 2.0, 0.5)
    assert overlapping(agvs) == []


def test_a_robot_with_its_own_start_keeps_it_and_is_avoided():
    """It comes after the fleet, at the place that the second member would get."""
    second = starts(simulation({"kind": "vacuum", "count": 2}))[1]
    own = {"x": second[0], "y": second[1], "theta": 1.0}
    sim = simulation(
        {"kind": "vacuum", "count": 2}, {"kind": "vacuum", "name": "own", "start": own}
    )
    assert starts(sim)[2] == (*second[:2], 1.0)
    assert overlapping(sim) == []


def test_robots_in_worlds_of_their_own_do_not_move_each_other():
    sim = simulation(
        {"kind": "vacuum", "name": "here"},
        {"kind": "vacuum", "name": "there", "config": {"map_file": "warehouse"}},
    )
    assert starts(sim)[0][:2] == starts(sim)[1][:2]


def test_a_world_without_room_is_an_error_that_names_the_robot():
    with pytest.raises(InputError, match=r"pacbot-\d+: there is no free place near") as failure:
        simulation({"kind": "pacbot", "count": 400})
    found = re.search(r"this world holds (\d+) of the robots \(use \1 robots", str(failure.value))
    assert len(starts(simulation({"kind": "pacbot", "count": int(found[1])}))) == int(found[1])
