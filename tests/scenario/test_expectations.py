from dataclasses import dataclass, replace

import numpy as np
import pytest

from rigless.kernel.problems import InputError
from rigless.scenario.build import Built
from rigless.scenario.expect.paths import look_up
from rigless.scenario.expect.sentences import describe
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target
from rigless.scenario.model.expectation import Expectation
from rigless.scenario.source import Source

from .scenes import CART, built, cart, judged, opened, problems

ROLLING = [cart(config={"speed_mps": 1.0})]  # its x is the time, in ticks of 10 ms


def passed(expect, **kwargs):
    (verdict,) = judged([expect], **{"robots": ROLLING, **kwargs})
    return verdict.passed


X = {"value": "truth.pose.0"}


@pytest.mark.parametrize(
    ("expect", "holds"),
    [
        # at the end, which is at 2 s
        ({**X, "min": 1.99}, True),
        ({**X, "min": 2.01}, False),
        ({**X, "max": 1.99}, False),
        ({**X, "min": 1.99, "max": 2.01}, True),
        # at a time
        ({**X, "at_s": 1, "min": 0.99, "max": 1.01}, True),
        ({**X, "at_s": 1, "min": 1.5}, False),
        ({**X, "at_s": 0, "max": 0}, True),
        ({**X, "at_s": 2, "min": 1.99}, True),
        ({**X, "at_s": 2.5, "min": 0}, False),  # never sampled
        # over a window
        ({**X, "from_s": 0.5, "to_s": 1, "min": 0.49, "max": 1.01}, True),
        ({**X, "from_s": 0.5, "to_s": 1, "min": 0.6}, False),
        ({**X, "from_s": 0.5, "to_s": 1, "max": 0.9}, False),
        ({**X, "from_s": 1, "min": 0.99}, True),
        ({**X, "from_s": 1, "max": 1.9}, False),
        ({**X, "to_s": 1, "max": 1.01}, True),
        ({**X, "to_s": 1, "max": 0.9}, False),
        ({**X, "from_s": 1, "to_s": 1, "min": 0.99, "max": 1.01}, True),
        ({**X, "from_s": 3, "min": 0}, False),
        # at least once
        ({**X, "from_s": 0, "eventually": True, "min": 1.9}, True),
        ({**X, "from_s": 0, "eventually": True, "min": 2.5}, False),
        ({**X, "from_s": 0, "to_s": 1, "eventually": True, "min": 1.5}, False),
        # equals
        ({"value": "input.brake", "equals": False}, True),
        ({"value": "input.brake", "equals": True}, False),
        ({"value": "input.mode", "equals": "eco"}, True),
        ({"value": "input.mode", "equals": "sport"}, False),
        ({"value": "input.gear", "equals": 1}, True),
        ({"value": "input.gear", "equals": 2}, False),
        ({"value": "state.gears.top", "equals": 5}, True),
        # metrics, which exist after the first count
        ({"value": "metrics.sent", "equals": 20}, True),
        ({"value": "metrics.sent", "max": 19}, False),
        ({"value": "metrics.never", "max": 0}, True),
        # regions
        ({"region": {"x": [1.9, 2.1], "y": [-0.1, 0.1]}}, True),
        ({"region": {"x": [1.9, 2.1]}}, True),
        ({"region": {"x": [0, 1]}}, False),
        ({"region": {"y": [1, 2]}}, False),
        ({"region": {"x": [1.9, 2.1], "y": [1, 2]}}, False),
        ({"region": {"center": [2, 0], "radius_m": 0.1}}, True),
        ({"region": {"center": [2, 0.3], "radius_m": 0.2}}, False),
        ({"region": {"center": [1, 0], "radius_m": 0.1}, "at_s": 1}, True),
        ({"region": {"x": [0, 1.5]}, "from_s": 0}, False),
        ({"region": {"x": [0.5, 0.6]}, "from_s": 0, "eventually": True}, True),
        # events; "booted" is logged at time zero, before anything runs
        ({"event": "booted"}, True),
        ({"event": "booted", "min_count": 1, "max_count": 1}, True),
        ({"event": "booted", "seen": False}, False),
        ({"event": "booted", "from_s": 0.1}, False),
        ({"event": "never"}, False),
        ({"event": "never", "seen": False}, True),
        ({"event": "go", "min_count": 2}, True),
        ({"event": "go", "min_count": 3}, False),
        ({"event": "go", "max_count": 1}, False),
        ({"event": "never", "max_count": 1}, False),  # at least one, as without max_count
        ({"event": "never", "max_count": 0}, True),
        ({"event": "never", "min_count": 0, "max_count": 1}, True),
        ({"event": "go", "from_s": 0.5, "to_s": 0.6, "max_count": 1}, True),
        ({"event": "go", "from_s": 0.51, "to_s": 1.49, "seen": False}, True),
        ({"event": "go", "robot": "cart"}, True),
        # messages: ten a second
        ({"port": "odometry", "min_count": 20, "max_count": 20}, True),
        ({"port": "odometry", "min_count": 21}, False),
        ({"port": "odometry", "max_count": 19}, False),
        ({"port": "odometry", "from_s": 1, "to_s": 1.5, "min_count": 6, "max_count": 6}, True),
        ({"port": "drive", "max_count": 0}, True),
    ],
    ids=str,
)
def test_an_expectation_holds_or_not(expect, holds):
    go = {"port": "drive", "message": {"type": "Go", "speed_mps": 1}}
    assert passed(expect, timeline=[{"at_s": 0.5, **go}, {"at_s": 1.5, **go}]) is holds


def test_a_value_is_sampled_after_all_else_of_the_instant():
    brake = [{"at_s": 1, "set": {"brake": True}}]
    assert passed({"value": "input.brake", "at_s": 1, "equals": True}, timeline=brake)
    assert passed({"value": "input.brake", "at_s": 0.99, "equals": False}, timeline=brake)


def test_the_sampling_rate_of_a_window():
    (verdict,) = judged([{**X, "from_s": 0, "to_s": 1, "every_s": 0.25, "min": 0}], robots=ROLLING)
    assert "held in 5 samples" in verdict.detail


def test_a_short_excursion_is_seen_at_a_high_sampling_rate():
    stop = [{"at_s": 1.0, "set": {"load_kg": 9}}, {"at_s": 1.02, "set": {"load_kg": 0}}]
    expect = {"value": "input.load_kg", "from_s": 0, "max": 1}
    assert not passed({**expect, "every_s": 0.01}, timeline=stop)
    assert passed({**expect, "every_s": 0.3}, timeline=stop)


def test_a_missing_value_is_within_no_bounds():
    off = [{"target": "odometer", "kind": "off"}]
    assert not passed({"value": "truth.travelled_m", "min": -1e9}, faults=off)


def test_the_named_one_of_several_robots_is_examined():
    robots = [cart(name="still"), cart(name="rolls", config={"speed_mps": 1.0})]
    verdicts = judged(
        [
            {**X, "robot": "rolls", "min": 1},
            {**X, "robot": "still", "min": 1},
            {"event": "booted", "min_count": 2},
            {"event": "booted", "robot": "still", "max_count": 1},
            {"port": "odometry", "min_count": 40, "max_count": 40},
            {"port": "odometry", "robot": "still", "max_count": 20},
        ],
        robots=robots,
    )
    assert [verdict.passed for verdict in verdicts] == [True, False, True, True, True, True]


def test_a_star_selects_all_robots_that_match():
    robots = [cart(name="fleet", count=3, config={"speed_mps": 1.0}), cart(name="still")]
    verdicts = judged(
        [
            {**X, "robot": "fleet-*", "min": 1.99},
            {**X, "robot": "*", "min": 1.99},
            {"region": {"x": [0, 1.5]}, "robot": "fleet-*", "from_s": 0},
            {"event": "booted", "robot": "fleet-*", "min_count": 3, "max_count": 3},
            {"port": "odometry", "robot": "*", "min_count": 80, "max_count": 80},
            {"value": "input.brake", "robot": "fleet-*", "equals": True},
            {"value": "input.brake", "robot": "still", "equals": False},
        ],
        robots=robots,
        timeline=[{"at_s": 2, "robot": "fleet-*", "set": {"brake": True}}],
    )
    assert [verdict.passed for verdict in verdicts] == [True, False, False, True, True, True, True]
    assert verdicts[1].detail.startswith("was still: 0 at 2 s")


def test_expectations_do_not_change_the_run():
    scene, other = built(ROLLING, expect=[{**X, "from_s": 0, "min": 0}]), built(ROLLING)
    ExpectationMonitor(scene, 1.0)
    scene.simulation.run(1)
    other.simulation.run(1)
    assert scene.simulation.snapshot().robots == other.simulation.snapshot().robots


def test_verdicts_report_the_observed_values():
    expect = [
        {**X, "min": 5, "name": "far enough"},
        {**X, "at_s": 9, "min": 0},
        {"event": "go"},
        {"event": "booted", "seen": False},
        {"port": "odometry", "max_count": 3},
        {**X, "from_s": 0, "eventually": True, "min": 1.8},
        {"region": {"x": [5, 6]}},
        {**X, "from_s": 1, "every_s": 0.5, "max": 0.5},
        {**X, "from_s": 0, "eventually": True, "max": -1},
        {"region": {"center": [1, 0], "radius_m": 0.25}},
        {"value": "input.gear", "equals": 3},
        {"value": "input.mode", "equals": "sport"},
    ]
    found = judged(expect, robots=ROLLING)
    assert found[0].expected == "truth.pose.0 at least 5 at the end"
    assert [(verdict.text, verdict.detail) for verdict in found] == [
        ("far enough", "was 2 at 2 s, 3 below the minimum"),
        ("truth.pose.0 at least 0 at 9 s", "never sampled: the run ended at 2 s"),
        ("event go seen in the whole run", "seen 0 times, 1 too few; events of this run: booted"),
        ("event booted not seen in the whole run", "seen 1 time, 1 too many (0 s)"),
        ("at most 3 messages on odometry in the whole run", "20 messages, 17 too many"),
        (
            "truth.pose.0 at least 1.8 at least once from 0 s to the end",
            "held in 5 of 41 samples; last 2 at 2 s",
        ),
        ("within x 5 to 6 m at the end", "was 2, 0, 0 at 2 s, 3 m outside"),
        (
            "truth.pose.0 at most 0.5 from 1 s to the end",
            "was 1 at 1 s, 0.5 above the maximum; worst 2 at 2 s, 1.5 above the maximum; "
            "failed in 3 of 3 samples",
        ),
        (
            "truth.pose.0 at most -1 at least once from 0 s to the end",
            "held in 0 of 41 samples; nearest 0 at 0 s, 1 above the maximum",
        ),
        ("within 0.25 m around (1, 0) at the end", "was 2, 0, 0 at 2 s, 0.75 m outside"),
        ("input.gear = 3.0 at the end", "was 1 at 2 s, off by 2"),
        ("input.mode = 'sport' at the end", "was 'eco' at 2 s"),
    ]


@pytest.mark.parametrize(
    ("expect", "text"),
    [
        ({**X, "min": 1, "max": 2, "robot": "r"}, "r: truth.pose.0 between 1 and 2 at the end"),
        ({"port": "p", "min_count": 2, "max_count": 2}, "exactly 2 messages on p in the whole run"),
        ({"program": "nav", "restarts_max": 0}, "nav is never restarted"),
        ({**X, "max": 2, "from_s": 1, "to_s": 3}, "truth.pose.0 at most 2 from 1 s to 3 s"),
        ({**X, "equals": "a", "at_s": 1}, "truth.pose.0 = 'a' at 1 s"),
        (
            {"region": {"center": [1, 2], "radius_m": 3}, "at_s": 1},
            "within 3 m around (1, 2) at 1 s",
        ),
        (
            {"reaches": {"x": [-2.5, -1], "y": [0, 1]}},
            "reaches x -2.5 to -1 m, y 0 to 1 m in the whole run",
        ),
        ({"event": "go", "max_count": 1}, "exactly 1 event go in the whole run"),
        ({"event": "go", "max_count": 2}, "between 1 and 2 events go in the whole run"),
        ({"event": "go", "max_count": 0}, "at most 0 events go in the whole run"),
        ({"event": "go", "min_count": 0, "max_count": 2}, "at most 2 events go in the whole run"),
        ({"port": "p", "min_count": 1}, "at least 1 message on p in the whole run"),
        (
            {"port": "p", "direction": "in", "message": "Go", "min_hz": 1, "max_hz": 3},
            "between 1 and 3 Go per second received on p in the whole run",
        ),
        ({"program": "nav", "restarts_max": 1}, "nav restarts at most 1 time"),
    ],
    ids=str,
)
def test_an_expectation_reads_as_a_sentence(expect, text):
    assert describe(Expectation.model_validate(expect)) == text


# Errors


def error_texts(expect, robots=None):
    scene = built(robots, expect=[{"event": "wire-error"}, expect])
    return [str(problem) for problem in problems(ExpectationMonitor, scene, 1.0)]


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("truht.pose.0", "did you mean 'truth'?"),
        ("pose", "choose from: input, metrics, received, sent, state, truth"),
        ("", "choose from: input, metrics, received, sent, state, truth"),
        ("truth.pos.0", "did you mean 'pose'?"),
        ("truth.pose.3", "choose from: 0, 1, 2"),
        ("truth.pose.x", ""),
        ("truth.gears.tp", "did you mean 'top'?"),
        ("truth.gears.0", "choose from: now, top"),
        ("input.brak", "did you mean 'brake'?"),
        ("truth.speed_mps.real", ""),
        ("truth.pose.²", ""),
        ("truth.pose." + "1" * 5000, ""),
        ("truth.pose.-1", ""),
        ("truth.__class__", ""),
        ("truth..pose", ""),
    ],
)
def test_unknown_paths(path, fix):
    (text,) = error_texts({"value": path, "min": 0})
    assert text.startswith("expect[1]")
    assert fix in text


@pytest.mark.parametrize("path", ["truth", "truth.pose", "state.gears", "input.mode", "metrics"])
def test_bounds_are_for_numbers(path):
    (text,) = error_texts({"value": path, "min": 0})
    assert "is not a number" in text


def test_an_unknown_port():
    (text,) = error_texts({"port": "odometri", "max_count": 0})
    assert "unknown port 'odometri' (did you mean 'odometry'?)" in text


@pytest.mark.parametrize(
    ("expect", "what"),
    [
        ({"event": "bananas", "seen": False}, "unknown event 'bananas' (choose from: booted, "),
        ({"event": "bootet"}, "unknown event 'bootet' (did you mean 'booted'?)"),
        ({"event": "bootet", "max_count": 3}, "did you mean 'booted'?"),
        ({"event": "fault-ended"}, "did you mean 'fault-cleared'?"),
        ({"port": "odometry", "message": "Odometri"}, "did you mean 'Odometry'?"),
        ({"port": "odometry", "message": "Go", "seen": False}, "unknown message of odometry 'Go'"),
        ({"port": "drive", "message": "Odometry", "seen": False}, "unknown message of drive"),
        ({"port": "serial", "max_count": 0}, "the port 'serial' sends no messages"),
        (
            {"port": "odometry", "message": "Odometry", "where": {"x": 1}, "seen": False},
            "unknown field of Odometry 'x' (choose from: travelled_m)",
        ),
        ({"value": "sent.odometry.Odometri.travelled_m", "max": 1}, "did you mean 'Odometry'?"),
        ({"value": "sent.odometry.Odometry.traveled_m", "max": 1}, "did you mean 'travelled_m'?"),
        ({"event": "go", "seen": False, "from_s": 1.1}, "1.1 s is after the end of the run, 1 s"),
        ({"value": "metrics.snet", "max": 0}, "unknown metric 'snet' (did you mean 'sent'?)"),
        (
            {"port": "odometry", "message": "Odometry", "where": {"travelled_m": "far"}},
            "Odometry.travelled_m is never 'far' (it is float)",
        ),
    ],
    ids=str,
)
def test_names_that_the_robot_does_not_have(expect, what):
    (text,) = error_texts(expect)
    assert what in text


def test_wrong_names_are_found_when_a_scenario_is_opened(tmp_path):
    wrong = "event = 'bananas'\nseen = false", "port = 'odometry'\nmessage = 'Go'"
    text = "".join(f"[[expect]]\n{each}\n" for each in ("event = 'go'", *wrong))
    found = problems(opened, tmp_path, f"{text}[[robots]]\nkind = '{CART}'\n")
    assert [(problem.where, problem.line) for problem in found] == [
        ("expect[1].event", 4),
        ("expect[2].message", 8),
    ]


def test_a_robot_that_declares_nothing_cannot_be_expected_not_to_do_something():
    scene = built(expect=[{"event": "go"}, {"event": "bananas"}])
    robot = scene.simulation.robots["cart"]
    robot.event_codes = None
    robot.ports = tuple(replace(port, emits=None) for port in robot.ports)
    ExpectationMonitor(scene, 1.0)  # each fails if the event does not occur
    for expect in ({"event": "bananas"}, {"port": "odometry", "message": "Bananas"}):
        unseen = Expectation.model_validate({**expect, "seen": False})
        scene = replace(scene, scenario=scene.scenario.model_copy(update={"expect": [unseen]}))
        (problem,) = problems(ExpectationMonitor, scene, 1.0)
        assert "would hold for any name (declare them in its class: " in str(problem)


def test_a_metric_that_is_not_declared_must_be_larger_than_0():
    scene = built(expect=[{"value": "metrics.snet", "min": 1}])
    robot = scene.simulation.robots["cart"]
    robot.metric_names = None
    ExpectationMonitor(scene, 1.0)
    zero = Expectation(value="metrics.snet", max=0)
    scene = replace(scene, scenario=scene.scenario.model_copy(update={"expect": [zero]}))
    (problem,) = problems(ExpectationMonitor, scene, 1.0)
    assert "would hold for any name (declare them in its class: metric_names" in str(problem)


@pytest.mark.parametrize(
    ("expect", "holds"),
    [
        ({"event": "go", "seen": False}, False),
        ({"port": "odometry", "max_count": 99}, False),
        ({"port": "odometry", "max_hz": 99}, False),
        ({**X, "from_s": 0, "max": 99}, False),
        ({"path_length_max_m": 99}, False),
        ({"event": "booted"}, True),  # decided long before
        ({"port": "odometry", "min_count": 1}, True),
        ({**X, "eventually": True, "min": 0}, True),
        ({"reaches": {"x": [-9, 9]}}, True),
    ],
    ids=str,
)
def test_a_window_that_the_run_does_not_reach_the_end_of(expect, holds):
    (verdict,) = judged([{**expect, "to_s": 3}])
    cut = "; not checked to 3 s: the run ends at 2 s (set duration_s)"
    assert (verdict.passed, verdict.detail.endswith(cut)) == (holds, not holds)
    (verdict,) = judged([{**expect, "to_s": 2}])
    assert verdict.passed


def test_a_delayed_message_keeps_its_type():
    delay = [{"target": "odometry", "kind": "delay", "ms": 30}]
    expect = {"port": "odometry", "message": "Odometry", "where": {"travelled_m": 0.0}}
    assert passed({**expect, "min_count": 20}, faults=delay, robots=[cart()], duration_s=2.05)


def test_several_robots_need_a_robot_name():
    (text,) = error_texts({**X, "min": 0}, [cart(name="a"), cart(name="b")])
    assert "names no robot and there are several" in text


def test_the_error_for_a_wrong_element_names_the_elements():
    (text,) = error_texts({"value": "truth.pose.x", "min": 0})
    assert (
        "there is no 'x' here (it is a list: its elements are truth.pose.0 to truth.pose.2)" in text
    )


def test_a_region_needs_a_robot_with_a_pose():
    (text,) = error_texts(
        {"region": {"x": [0, 1]}},
        [{"kind": __file__.rpartition("/tests/")[0] + "/examples/thermostat"}],
    )
    assert "there is no 'pose' here" in text


def test_all_wrong_expectations_are_reported_at_once():
    scene = built(expect=[{**X, "min": 0}, {"value": "a", "min": 0}, {"port": "b", "max_count": 0}])
    assert [
        problem.where.split(":")[0] for problem in problems(ExpectationMonitor, scene, 1.0)
    ] == [
        "expect[1]",
        "expect[2]",
    ]


# Look-up of values


@dataclass
class Truth:
    grid: np.ndarray
    parts: dict
    nothing: None = None


class Anything:
    metrics = {"a": 2.0}
    input = {"on": True}
    state = Truth(np.array([[1.0, 2.0], [3.0, 4.0]]), {"arm": [Truth(np.zeros(1), {"0": "zero"})]})

    def truth(self):
        return self.state


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("state.grid.1.0", 3.0),
        ("truth.parts.arm.0.parts.0", "zero"),
        ("truth.nothing", None),
        ("metrics.a", 2.0),
        ("metrics.b", 0),
        ("input.on", True),
    ],
)
def test_paths_go_through_anything_plain(path, value):
    assert look_up(Anything(), path) == value


def test_sent_messages_can_be_expected():
    sensed = {"value": "sent.telemetry.Status.gyro_z", "from_s": 1, "min": -100}
    built = open_target("vacuum", ["duration_s=2"])
    built = Built(
        built.simulation,
        built.scenario.model_copy(update={"expect": [Expectation(**sensed)]}),
        {},
        Source(),
    )
    examiner = ExpectationMonitor(built, 2)
    built.simulation.run(2)
    (verdict,) = examiner.verdicts()
    assert verdict.passed
    assert "held in 21 samples" in verdict.detail


@pytest.mark.parametrize(
    "path", ["sent", "sent.telemetry", "sent.telemetry.Status", "sent.nowhere.Status.gyro_z"]
)
def test_a_sent_path_that_names_no_message(path):
    built = open_target("vacuum", ["duration_s=2"])
    expectation = Expectation(value=path, min=0)
    built = Built(
        built.simulation, built.scenario.model_copy(update={"expect": [expectation]}), {}, Source()
    )
    with pytest.raises(InputError, match=r"sent\.PORT\.TYPE\.FIELD"):
        ExpectationMonitor(built, 2)


def answers(*expect):
    """Return the results of expectations for a robot whose messages are in an envelope.

    Command "go" is executed; "late" arrives meanwhile.
    """
    move = {
        "at_s": 0.5,
        "port": "nats",
        "message": {"type": "CommandRequest", "commandType": "MOVE", "params": {"x": 1, "y": 0}},
    }
    sent = [{**move, "message": {**move["message"], "commandId": name}} for name in ("go", "late")]
    return judged(expect, robots=[{"kind": "agv"}], timeline=sent, duration_s=5)


def test_messages_of_one_type_can_be_chosen_by_their_fields():
    ack = {"port": "nats", "message": "CommandAck"}
    verdicts = answers(
        {**ack, "where": {"commandId": "go", "status": "SUCCEEDED"}},
        {**ack, "where": {"commandId": "late", "code": "BUSY"}, "max_count": 1},
        {**ack, "where": {"commandId": "late", "status": "RUNNING"}, "seen": False},
        {**ack, "where": {"commandId": "go"}, "min_count": 3, "max_count": 3},
        {
            "port": "nats",
            "message": "State",
            "where": {"pose.mapId": "map", "safety.estop": "NONE"},
            "from_s": 4,
        },
        {"value": "sent.nats.State.status", "equals": "RUNNING", "from_s": 1},
        {**ack, "where": {"commandId": "go", "status": "FAILED"}},
        {**ack, "where": {"commandId": "go"}, "seen": False},
    )
    assert [verdict.passed for verdict in verdicts] == [True] * 6 + [False] * 2
    text, detail = verdicts[1].text, verdicts[1].detail
    assert (text, detail) == (
        "exactly 1 CommandAck commandId=late code=BUSY on nats in the whole run",
        "1 message (0.5 s)",
    )


@pytest.mark.parametrize(
    "expect",
    [
        {"port": "nats", "message": "ComandAck"},
        {"port": "nats", "message": "command.ack", "seen": False},
        {"port": "nats", "message": "ComandAck", "where": {"status": "DONE"}},
        {"value": "sent.nats.CommandAk.status", "equals": "DONE"},
    ],
)
def test_an_unknown_message_type_is_an_error_before_the_run(expect):
    with pytest.raises(InputError, match=r"unknown message of nats .*did you mean 'CommandAck'"):
        answers(expect)


@pytest.mark.parametrize(
    ("where", "says"),
    [
        (
            {"status": "SUCCEDED"},
            "CommandAck.status is never 'SUCCEDED' (did you mean 'SUCCEEDED'?)",
        ),
        ({"result.resn": 1, "commandid": "go"}, "unknown field of CommandAck 'commandid'"),
    ],
)
def test_a_value_that_a_message_never_has_is_an_error_before_the_run(where, says):
    with pytest.raises(InputError) as caught:
        answers({"port": "nats", "message": "CommandAck", "where": where, "seen": False})
    assert says in str(caught.value)


def test_an_unknown_message_type_lists_the_known_ones():
    verdicts = answers(
        {"port": "nats", "message": "TaskDone"},
        {"value": "sent.nats.TaskDone.taskId", "equals": "DONE"},
    )
    assert not any(verdict.passed for verdict in verdicts)
    there = (
        "messages on nats: CommandAck, Heartbeat, SettingsReported, State, Telemetry, TrafficState"
    )
    assert verdicts[0].detail == f"0 messages, 1 too few; {there}"
    assert verdicts[1].detail == f"was None at 5 s; {there}"
