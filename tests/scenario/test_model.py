import math

import pytest
from pydantic import ValidationError

from rigless.scenario.model import (
    FaultEntry,
    ObstacleEntry,
    Scenario,
    TimelineEntry,
)
from rigless.scenario.model.expectation import Expectation, Region

ROBOT = {"kind": "x"}


def scenario(**keys):
    return Scenario.model_validate({"robots": [ROBOT], **keys})


def test_the_smallest_scenario_is_one_robot():
    made = scenario()
    assert (made.name, made.seed, made.duration_s, made.speed) == ("scenario", 0, None, 1.0)
    robot = made.robots[0]
    assert (robot.name, robot.config, robot.count, robot.start, robot.ports) == (
        "",
        {},
        1,
        None,
        {},
    )


@pytest.mark.parametrize(
    "keys",
    [
        {"robots": []},
        {"robots": [{}]},
        {"robots": [{"kind": "x", "name": ""}]},
        {"robots": [{"kind": "x", "name": "a/b"}]},
        {"robots": [{"kind": "x", "name": "-a"}]},
        {"robots": [{"kind": "x", "name": "a" * 65}]},
        {"robots": [{"kind": "x", "count": 0}]},
        {"robots": [{"kind": "x", "count": 10_001}]},
        {"robots": [{"kind": "x", "count": 1.5}]},
        {"robots": [{"kind": "x", "start": {"z": 1}}]},
        {"robots": [{"kind": "x", "start": {"x": math.nan}}]},
        {"robots": [{"kind": "x", "ports": {"a": [1]}}]},
        {"name": "has space"},
        {"seed": -1},
        {"seed": 2**63},
        {"seed": 1.5},
        {"duration_s": 0},
        {"duration_s": math.inf},
        {"duration_s": 1e10},
        {"speed": 0.05},
        {"speed": 101},
        {"speed": "quick"},
        {"world": {"map": 1}},
        {"nope": 1},
    ],
    ids=str,
)
def test_invalid_scenarios_are_rejected(keys):
    with pytest.raises(ValidationError):
        scenario(**keys)


@pytest.mark.parametrize("speed", [0.1, 1, 100, "fast", "lockstep"])
def test_speeds(speed):
    assert scenario(speed=speed).speed == speed


@pytest.mark.parametrize("name", ["a", "A_b.c-1", "1", "a" * 64])
def test_names(name):
    assert scenario(robots=[{"kind": "x", "name": name}]).robots[0].name == name


def test_a_scenario_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        scenario().seed = 3


def refused(model, **keys):
    with pytest.raises(ValidationError) as caught:
        model.model_validate(keys)
    return str(caught.value)


def test_an_obstacle_has_one_shape():
    assert ObstacleEntry(name="o", radius_m=1).radius_m == 1
    assert ObstacleEntry(name="o", size_m=(1, 2)).size_m == (1, 2)
    for keys in ({}, {"radius_m": 1, "size_m": (1, 1)}):
        assert "either a disc" in refused(ObstacleEntry, name="o", **keys)
    for keys in ({"radius_m": 0}, {"size_m": (1, 0)}, {"size_m": (1,)}, {"radius_m": math.inf}):
        assert refused(ObstacleEntry, name="o", **keys)


@pytest.mark.parametrize(
    "action",
    [
        {"port": "p", "message": {"type": "Go"}},
        {"port": "p", "wire": "GET\n"},
        {"port": "p", "wire_hex": "00ff"},
        {"set": {"brake": True}},
        {"clear": ""},
        {"clear": "motor"},
        {"obstacle": "o", "x": 0, "y": 0},
    ],
    ids=str,
)
def test_a_timeline_entry_does_one_thing(action):
    assert TimelineEntry(at_s=1, **action).at_s == 1
    other = {"set": {"brake": True}} if "set" not in action else {"clear": ""}
    assert "exactly one of" in refused(TimelineEntry, at_s=1, **{**action, **other})


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({}, "exactly one of"),
        ({"wire": "x"}, "wire needs the port"),
        ({"wire_hex": "00"}, "wire_hex needs the port"),
        ({"message": {"type": "Go"}}, "message needs the port"),
        ({"message": {}, "port": "p"}, "message needs a type"),
        ({"obstacle": "o"}, "needs x and y"),
        ({"obstacle": "o", "x": 1}, "needs x and y"),
        ({"set": {"a": [1]}}, "set"),
        ({"clear": "", "at_s": -1}, "at_s"),
        ({"clear": "", "over_s": -1}, "over_s"),
    ],
    ids=str,
)
def test_invalid_timeline_entries(keys, reason):
    assert reason in refused(TimelineEntry, **{"at_s": 1, **keys})


def test_further_keys_of_a_fault_are_its_parameters():
    fault = FaultEntry(target="temperature", kind="bias", value=2.5)
    assert fault.model_extra == {"value": 2.5}
    assert (fault.at_s, fault.until_s) == (0.0, None)
    assert "target" in refused(FaultEntry, kind="bias")
    assert "until_s" in refused(FaultEntry, target="t", until_s=-1)


def test_a_region_is_a_rectangle_or_a_circle():
    assert Region(x=(0, 1)).y is None
    assert Region(y=(0, 1)).x is None
    assert Region(center=(0, 0), radius_m=1).radius_m == 1
    for keys in (
        {},
        {"center": (0, 0)},
        {"radius_m": 1},
        {"center": (0, 0), "radius_m": 0},
        {"x": (0,)},
    ):
        assert refused(Region, **keys)


def test_a_region_is_not_both():
    assert refused(Region, center=(0, 0), radius_m=1, x=(0, 1))


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({}, "exactly one of: value, region, event, port"),
        ({"value": "truth.x", "event": "e", "min": 1}, "exactly one of"),
        ({"value": "truth.x"}, "needs min, max or equals"),
        ({"port": "p"}, "needs message, min_count or max_count"),
        ({"event": "e", "message": "Ack"}, "name the port"),
        ({"port": "p", "where": {"a": 1}, "min_count": 1}, "name the message"),
        ({"event": "e", "min_count": -1}, "min_count"),
        ({"value": "t", "min": 1, "at_s": 1, "from_s": 0}, "not both"),
        ({"value": "t", "min": 1, "at_s": 1, "to_s": 2}, "not both"),
        ({"event": "e", "min_count": 0}, "min_count = 0 always holds"),
        ({"port": "p", "min_hz": 0}, "min_hz = 0 always holds"),
        ({"event": "e", "min_count": 3, "max_count": 2}, "max_count is less than min_count"),
        ({"event": "e", "seen": False, "max_count": 3}, "seen = false is max_count = 0"),
        ({"event": "e", "seen": False, "min_count": 1}, "seen = false is max_count = 0"),
        ({"keeps_distance_m": 0}, "greater than 0"),
        ({"value": "t", "min": 1, "from_s": 3, "to_s": 2}, "to_s is before from_s"),
        ({"value": "t", "min": 1, "every_s": 0}, "every_s"),
        ({"value": "t", "min": math.nan}, "min"),
        ({"event": "e", "min": 1}, "min does not belong to event"),
        ({"no_collision": False}, "no_collision"),
        ({"no_collision": True, "at_s": 1}, "at_s does not belong to no_collision"),
        ({"port": "p", "min_hz": 1, "min_count": 1}, "not both"),
        ({"port": "p", "min_hz": 1, "to_s": 0}, "a rate needs a window"),
        ({"event": "e", "direction": "in"}, "direction does not belong to event"),
        ({"reacts_within_ms": 5, "port": "p"}, "needs after (an event) or after_fault"),
        ({"reacts_within_ms": 5, "after": "e"}, "needs the port"),
        ({"reacts_within_ms": 5, "port": "p", "after": "e", "after_fault": "f"}, "needs after"),
        ({"reacts_within_ms": 5, "port": "p", "after": "e", "seen": False}, "seen does not belong"),
        ({"coverage_min": 1.5}, "coverage_min"),
        ({"program": "nav"}, "exactly one of: exit, alive, output"),
        ({"program": "nav", "exit": 0, "alive": True}, "exactly one of: exit, alive, output"),
        ({"program": "nav", "exit": 0, "from_s": 1}, "from_s belongs to the output of a program"),
        ({"program": "nav", "output": "("}, "is not a regular expression"),
        ({"program": "nav", "alive": True, "robot": "r"}, "has no robot"),
    ],
    ids=str,
)
def test_invalid_expectations(keys, reason):
    assert reason in refused(Expectation, **keys)


def test_an_event_is_not_expected_at_an_instant():
    assert refused(Expectation, event="e", at_s=1)
    assert refused(Expectation, port="p", min_count=1, at_s=1)


def test_a_sampling_period_below_a_nanosecond_is_rejected():
    assert refused(Expectation, value="t", min=1, from_s=0, every_s=1e-12)


def test_equals_keeps_the_type_it_is_given():
    kinds = [type(Expectation(value="t", equals=given).equals) for given in (True, 1, 1.5, "a")]
    assert kinds == [bool, float, float, str]
