"""Expectations on messages: received ones, rates, and reactions to events and faults."""

import pytest

from rigless.scenario.expectations import ExpectationMonitor

from .scenes import built, cart, judged, problems


def go(at_s, speed=1.0, label=""):
    message = {"type": "Go", "speed_mps": speed, "label": label}
    return {"at_s": at_s, "port": "drive", "message": message}


GOES = [go(0.5), go(1.0, 2.0, "fast"), go(1.5, 0.0)]
IN = {"port": "drive", "direction": "in"}


@pytest.mark.parametrize(
    ("expect", "margin"),
    [
        ({**IN, "min_count": 2}, 1),
        ({**IN, "min_count": 4}, -1),
        ({**IN, "message": "Go", "max_count": 3}, 0),
        ({**IN, "message": "Go", "where": {"label": "fast"}, "max_count": 0}, -1),
        ({**IN, "message": "Go", "where": {"label": "slow"}, "seen": False}, 0),
        ({**IN, "message": "Go", "where": {"speed_mps": 2}, "from_s": 1, "to_s": 1}, 0),
        ({"value": "received.drive.Go.speed_mps", "equals": 0}, 0),
        ({"value": "received.drive.Go.speed_mps", "at_s": 1.2, "min": 2.5}, -0.5),
        ({"value": "received.drive.Go.speed_mps", "at_s": 1.2, "max": 2.5}, 0.5),
        ({**IN, "min_hz": 1, "max_hz": 2}, 0.5),
        ({**IN, "min_hz": 2}, -0.5),
        ({**IN, "from_s": 0.4, "to_s": 0.9, "max_hz": 1}, -1),
        ({"port": "odometry", "min_hz": 9, "max_hz": 12}, 1),
    ],
    ids=str,
)
def test_messages_that_a_robot_receives(expect, margin):
    (verdict,) = judged([expect], timeline=GOES)
    assert verdict.margin == pytest.approx(margin)
    assert verdict.passed == (margin >= 0)


def test_bytes_from_a_client_are_received_messages():
    wire = [{"at_s": 0.5, "port": "drive", "wire_hex": "0703"}]
    (count, last, sentence) = judged(
        [
            {**IN, "message": "Go", "min_count": 2, "max_count": 2},
            {"value": "received.drive.Go.speed_mps", "equals": 3},
            {**IN, "message": "Go", "where": {"speed_mps": 9}},
        ],
        timeline=wire,
    )
    assert count.passed
    assert last.passed
    assert sentence.text == "Go speed_mps=9.0 received on drive seen in the whole run"
    assert (sentence.detail, sentence.broke_at_s) == ("0 messages, 1 too few", 2.0)


def test_a_message_that_a_fault_drops_is_not_received():
    wire = [{"at_s": 0.5, "port": "drive", "wire_hex": "07"}]
    drop = [{"target": "drive", "kind": "drop", "probability": 1.0}]
    (verdict,) = judged([{**IN, "max_count": 0}], timeline=wire, faults=drop)
    assert verdict.passed


@pytest.mark.parametrize(
    ("expect", "what"),
    [
        ({"port": "serial", "min_count": 1}, 'for those that it receives, add direction = "in"'),
        ({"port": "drive", "message": "Go"}, 'do not send Go on drive (add direction = "in")'),
        ({"port": "odometry", "direction": "in", "min_count": 1}, "receives no messages"),
        ({**IN, "message": "Gone"}, "unknown message of drive 'Gone' (did you mean 'Go'?)"),
        ({**IN, "message": "Injected"}, "unknown message of drive"),
        ({**IN, "message": "Go", "where": {"lable": ""}}, "did you mean 'label'?"),
        ({"value": "received.drive.Goo.label", "equals": ""}, "did you mean 'Go'?"),
        ({"value": "received.drive.Go", "equals": ""}, "received.PORT.TYPE.FIELD"),
        ({**IN, "reacts_within_ms": 5, "after": "goo"}, "unknown event 'goo'"),
        ({**IN, "reacts_within_ms": 5, "after_fault": "moto"}, "did you mean 'motor'?"),
    ],
    ids=str,
)
def test_names_of_received_messages_are_checked(expect, what):
    (problem,) = problems(ExpectationMonitor, built(expect=[expect]), 1.0)
    assert what in str(problem)


def test_a_ros_robot_receives_the_types_of_its_topics():
    rover = [{"kind": "rover"}]
    expect = {"port": "dds", "direction": "in", "message": "Twst"}
    (problem,) = problems(ExpectationMonitor, built(rover, expect=[expect]), 1.0)
    assert "did you mean 'Twist'?" in str(problem)


# Reactions

REACTS = {"port": "odometry", "direction": "out", "message": "Odometry"}


@pytest.mark.parametrize(
    ("within_ms", "margin", "detail"),
    [
        (80, 10, "worst 70 ms after 1.43 s; 2 measured"),
        (60, -10, "worst 70 ms after 1.43 s; 2 measured, 1 too late"),
        (30, -40, "worst 70 ms after 1.43 s; 2 measured, 2 too late"),
    ],
)
def test_the_time_from_an_event_to_the_next_message(within_ms, margin, detail):
    # odometry is sent at each tenth of a second
    expect = {**REACTS, "reacts_within_ms": within_ms, "after": "go"}
    (verdict,) = judged([expect], timeline=[go(0.66), go(1.43)])
    assert verdict.detail == detail
    assert verdict.margin == pytest.approx(margin)
    assert verdict.series.values == pytest.approx([40, 70])
    assert verdict.high == within_ms
    broke_at_s = {80: None, 60: 1.49, 30: 0.69}[within_ms]
    assert verdict.broke_at_s == (broke_at_s and pytest.approx(broke_at_s))


def test_a_reaction_to_a_fault_that_begins():
    faults = [{"at_s": 0.5, "target": "motor", "kind": "stall"}]
    reacts = {"port": "drive", "message": "Go", "where": {"speed_mps": 0}}
    expect = [
        {**reacts, "after_fault": "motor", "reacts_within_ms": 300},
        {**reacts, "after_fault": "motor", "reacts_within_ms": 200},
        {**reacts, "after_fault": "odometer", "reacts_within_ms": 200},
        {**reacts, "after_fault": "odometer", "reacts_within_ms": 200, "min_count": 0},
    ]
    good, late, none, allowed = judged(expect, timeline=[go(0.6), go(0.75, 0.0)], faults=faults)
    assert good.passed
    assert good.margin == pytest.approx(50)
    assert late.margin == pytest.approx(-50)
    assert not none.passed
    assert none.detail == "a fault of odometer did not occur, so that nothing was measured"
    assert allowed.passed
    assert good.text == (
        "Go speed_mps=0.0 received on drive within 300 ms after a fault of motor in the whole run"
    )


def test_an_occurrence_without_a_reaction_fails():
    expect = {**IN, "message": "Go", "where": {"label": "x"}, "after": "go", "reacts_within_ms": 99}
    (verdict,) = judged([expect], timeline=[go(0.5)])
    assert not verdict.passed
    assert verdict.detail == "no reaction after 0.5 s; 1 measured, 1 too late"
    assert verdict.margin == pytest.approx(99 - 1500)


def test_an_occurrence_shortly_before_the_end_is_not_measured():
    expect = {**REACTS, "after": "go", "reacts_within_ms": 50}
    (verdict,) = judged([expect], timeline=[go(0.99)], duration_s=0.995)
    assert "too short before the end" in verdict.detail
    assert not verdict.passed


def test_reactions_are_those_of_the_same_robot():
    robots = [cart(name="a"), cart(name="b")]
    expect = {**IN, "message": "Go", "after": "go", "where": {"label": "ok"}}
    sent = [{**go(0.5), "robot": "a"}, {**go(0.6, label="ok"), "robot": "b"}]
    (verdict,) = judged([{**expect, "robot": "a", "reacts_within_ms": 500}], robots=robots,
                        timeline=sent)  # fmt: skip
    assert verdict.detail.startswith("no reaction")
    assert verdict.robot == "a"


def test_the_listener_of_messages_is_called_for_each_decoded_message():
    scene = built()
    seen = []
    scene.simulation.core.listeners.message.append(lambda *given: seen.append(given))
    scene.simulation.send("cart", "drive", {"type": "Go", "speed_mps": 4.0})
    ((time_ns, robot, port, link, message),) = seen
    assert (time_ns, robot, port, link.port, message.speed_mps) == (0, "cart", "drive", "drive", 4)
