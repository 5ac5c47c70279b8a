import math

import pytest
from numpy.testing import assert_array_equal

from rigless.kernel import inputs as inp
from rigless.kernel.events import Event
from rigless.kernel.faults import KINDS, Cleared, Fault, Param
from rigless.kernel.problems import InputError
from rigless.kernel.robot import on
from rigless.kernel.simulation import Simulation

from .robots import Counter, Diary


def test_faults_on_one_sensor_act_in_the_order_they_came_and_nothing_follows_off():
    sim = Simulation([Counter("c")])
    counter = sim.robots["c"]
    sim.inject("c", "level", "bias", value=2.0)
    sim.inject("c", "level", "stuck")
    assert counter.sense("level", 1.0) == 3.0
    assert counter.sense("level", 5.0) == 3.0
    sim.clear("c")
    sim.inject("c", "level", "off")
    sim.inject("c", "level", "bias")
    assert counter.sense("level", 5.0) is None
    assert counter.sense("another", 5.0) == 5.0


def test_actuator_faults_reach_the_robot():
    sim = Simulation([Counter("c")])
    sim.inject("c", "drive", "runaway", level=-0.5)
    sim.run(0.1)
    assert sim.truth("c").drive == -1.0


def test_a_robots_own_condition_is_seen_by_target_and_kind():
    sim = Simulation([Counter("c")])
    counter = sim.robots["c"]
    sim.inject("c", "fuse", amperes=16)
    found = counter.fault("fuse")
    assert (found.kind, found.seam, found.params) == ("blown", "own", {"amperes": 16})
    assert counter.fault("fuse", "loose") is None
    assert counter.fault("level") is None
    sim.clear("c", "fuse")
    assert counter.fault("fuse") is None


def test_a_robot_handles_the_begin_and_the_end_of_a_fault():
    sim = Simulation([Diary("d")])
    sim.inject("d", "ink", "dry", until_s=0.05)
    sim.run(0.06)
    assert sim.truth("d").entries == [(0, "Injected"), (50_000_000, "Cleared")]


def test_the_begin_and_the_end_of_a_fault_are_events():
    sim = Simulation([Counter("c")])  # it handles neither Injected nor Cleared
    sim.inject("c", "level", "bias", value=2, until_s=0.05)
    sim.run(0.06)
    data = {"target": "level", "kind": "bias"}
    assert list(sim.events) == [
        Event(
            0,
            "c",
            "fault-injected",
            "warning",
            "fault begins: level bias",
            {**data, "params": {"value": 2.0}},
        ),
        Event(50_000_000, "c", "fault-cleared", "info", "fault ends: level bias", data),
    ]


def test_active_faults_are_numbered_and_hold_their_robot_seam_and_times():
    sim = Simulation([Counter("b"), Counter("c")])
    sim.inject("c", "level", "off")
    sim.run(0.25)
    sim.inject("c", "beat", "disconnect", until_s=3)
    sim.clear("c", "level")
    sim.inject("b", "drive", "weak")
    assert sim.robots["c"].faults == [
        Fault(2, "c", "beat", "disconnect", "wire", {}, 250_000_000, 3_000_000_000)
    ]
    assert sim.robots["b"].faults == [
        Fault(3, "b", "drive", "weak", "actuator", {"factor": 0.5}, 250_000_000)
    ]


def test_a_robot_can_begin_a_fault_from_its_own_code():
    sim = Simulation([Counter("c")])
    counter = sim.robots["c"]
    counter.begin_fault(inp.Inject("c", "fuse", ""))
    assert counter.fault("fuse", "blown")
    with pytest.raises(InputError) as caught:
        counter.begin_fault(inp.Inject("c", "level", "loose"))
    assert "c level: unknown fault kind 'loose'" in str(caught.value)


def test_a_robot_may_begin_a_fault_again_while_all_are_cleared():
    class Stubborn(Counter):
        @on(Cleared)
        def cleared(self, message, link):
            if message.target == "fuse":
                self.begin_fault(inp.Inject("c", "level", "off"))

    sim = Simulation([Stubborn("c")])
    sim.inject("c", "fuse", "blown")
    sim.inject("c", "level", "off")
    sim.inject("c", "drive", "weak")
    sim.clear("c")
    assert [(found.id, found.target) for found in sim.robots["c"].faults] == [(4, "level")]
    codes = [event.code for event in sim.events if event.data["target"] == "level"]
    assert codes == ["fault-injected", "fault-cleared", "fault-injected"]


def test_a_fault_ends_at_its_time_and_one_that_is_over_ends_at_once():
    sim = Simulation([Counter("c")])
    counter = sim.robots["c"]
    sim.inject("c", "level", "off", until_s=0.5)
    sim.run_until(499_999_999)
    assert counter.fault("level")
    sim.run_until(500_000_000)
    assert not counter.fault("level")
    sim.inject("c", "level", "off", until_s=0.1)
    assert not counter.fault("level")


def test_the_same_fault_again_replaces_the_old_one_with_its_end():
    sim = Simulation([Counter("c")])
    sim.inject("c", "level", "bias", value=1, until_s=0.5)
    sim.inject("c", "level", "bias", value=5)
    assert [found.params for found in sim.robots["c"].faults] == [{"value": 5.0}]
    sim.run(1)
    assert [found.params for found in sim.robots["c"].faults] == [{"value": 5.0}]


def test_clear_ends_one_target_or_all():
    sim = Simulation([Counter("c")])
    for target, kind in (
        ("level", "bias"),
        ("level", "stuck"),
        ("drive", "weak"),
        ("beat", "drop"),
    ):
        sim.inject("c", target, kind)
    sim.clear("c", "level")
    assert [found.target for found in sim.robots["c"].faults] == ["drive", "beat"]
    sim.clear("c")
    assert sim.robots["c"].faults == []


@pytest.mark.parametrize(
    ("target", "kind", "params", "says"),
    [
        ("lever", "off", {}, ["c: unknown fault target 'lever' (did you mean 'level'?)"]),
        ("zzz", "off", {}, ["choose from: beat, bus, drive, fuse, level, line"]),
        ("level", "bais", {}, ["c level: unknown fault kind 'bais' (did you mean 'bias'?)"]),
        ("level", "zzz", {}, ["choose from: bias, dropout, noise, off, stuck, wrong"]),
        ("line", "zzz", {}, ["choose from: corrupt, delay, disconnect, drop, duplicate"]),
        ("drive", "zzz", {}, ["choose from: inverted, lag, runaway, stall, weak"]),
        ("fuse", "zzz", {}, ["choose from: blown, loose"]),
        (
            "level",
            "bias",
            {"valeu": 1},
            ["c level bias: unknown parameter 'valeu' (did you mean 'value'?)"],
        ),
        ("level", "off", {"x": 1}, ["unknown parameter 'x' (there are none to choose from)"]),
        (
            "level",
            "bias",
            {"value": "much"},
            ["c level bias value: 'much' is not a number (for example 1.0)"],
        ),
        (
            "line",
            "drop",
            {"probability": 1.5},
            ["c line drop probability: 1.5 is out of range (between 0 and 1)"],
        ),
        ("level", "bias", {"value": math.nan}, ["nan is not a finite number"]),
        ("level", "bias", {"value": "nan"}, ["c level bias value: nan is out of range"]),
        ("level", "bias", {"value": None}, ["c level bias value: None is not a number"]),
        (
            "line",
            "drop",
            {"direction": "ouT"},
            ["c line drop direction: 'ouT' is not a choice (did you mean 'out'?)"],
        ),
        (
            "line",
            "delay",
            {"ms": -1, "jitter": 2},
            ["-1 is out of range", "did you mean 'jitter_ms'?"],
        ),
    ],
)
def test_a_wrong_request_says_what_would_be_right_all_at_once(target, kind, params, says):
    sim = Simulation([Counter("c")])
    with pytest.raises(InputError) as caught:
        sim.inject("c", target, kind, **params)
    for part in says:
        assert part in str(caught.value)
    assert sim.robots["c"].faults == []


class Boiler(Counter):
    own_faults = {
        "valve": {"leak": {"share": Param(0.5, 0, 1)}, "jam": {}},
        "level": ("foggy",),
        "drive": {"hot": {"kelvin": Param(20.0)}},
    }


@pytest.mark.parametrize(
    ("target", "kind", "given", "wanted"),
    [
        ("valve", "", {}, ("leak", "own", {"share": 0.5})),
        ("valve", "leak", {"share": 1}, ("leak", "own", {"share": 1.0})),
        ("valve", "jam", {}, ("jam", "own", {})),
        ("level", "", {"cause": "steam"}, ("foggy", "own", {"cause": "steam"})),
        ("level", "bias", {}, ("bias", "sensor", {"value": 1.0})),
        ("drive", "", {}, ("stall", "actuator", {})),
        ("drive", "hot", {"kelvin": -1e300}, ("hot", "own", {"kelvin": -1e300})),
    ],
)
def test_own_kinds_without_parameters_come_first_and_those_with_are_checked(
    target, kind, given, wanted
):
    sim = Simulation([Boiler("b")])
    sim.inject("b", target, kind, **given)
    [found] = sim.robots["b"].faults
    assert (found.kind, found.seam, found.params) == wanted


@pytest.mark.parametrize(
    ("kind", "given", "says"),
    [
        ("leak", {"share": 2}, "b valve leak share: 2 is out of range (between 0 and 1)"),
        ("leak", {"shaer": 1}, "b valve leak: unknown parameter 'shaer' (did you mean 'share'?)"),
        ("jam", {"x": 1}, "b valve jam: unknown parameter 'x' (there are none to choose from)"),
        ("off", {}, "b valve: unknown fault kind 'off' (choose from: jam, leak)"),
    ],
)
def test_a_wrong_request_for_an_own_kind_is_refused(kind, given, says):
    with pytest.raises(InputError) as caught:
        Simulation([Boiler("b")]).inject("b", "valve", kind, **given)
    assert str(caught.value) == says


def test_every_kind_can_be_injected_with_its_defaults_run_and_cleared():
    sim = Simulation([Counter("c")])
    for target, seam in (
        ("line", "wire"),
        ("beat", "wire"),
        ("level", "sensor"),
        ("drive", "actuator"),
    ):
        for kind, params in KINDS[seam].items():
            sim.inject("c", target, kind)
            found = sim.robots["c"].fault(target, kind)
            assert found.params == {name: param.default for name, param in params.items()}
            sim.send("c", "line", b"add 1\n")
            sim.run(0.3)
            sim.clear("c", target)
    assert sim.robots["c"].faults == []


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (target, kind)
        for target, seam in (("beat", "wire"), ("drive", "actuator"))
        for kind in KINDS[seam]
    ]
    + [("level", kind) for kind in KINDS["sensor"]]
    + [("fuse", "blown")],
)
def test_a_fault_does_not_shift_the_noise_of_anything(target, kind):
    def window(spoil):
        sim = Simulation([Counter("c")], seed=5)
        sim.send("c", "line", b"subscribe x:1\n")
        if spoil:
            sim.inject("c", target, kind)
        sim.run(3)
        return sim.truth("c").window

    assert_array_equal(window(True), window(False))
