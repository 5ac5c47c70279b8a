"""Tasks across a restart of the robot."""

import msgspec
import pytest

from rigless.robots.agv import messages as m

from .scene import Scene
from .task_messages import DONE, FAILED, WAIT


def progress(name, revision, correlation="m-1"):
    payload = {"taskId": name, "state": "RUNNING", "stepId": "s3", "revision": revision}
    return m.Recalled("task.progress", payload, "boot-0", correlation)


def ended(scene):
    """Return the id, the outcome and the correlation of every final message."""
    return [
        (one.payload.taskId, getattr(one.payload, "code", "DONE"), one.correlationId)
        for one in scene.received
        if one.type in ("task.done", "task.failed")
    ]


def test_a_task_from_before_a_restart_has_failed_unless_it_had_ended():
    scene = Scene()
    for name in ("cut", "t1"):
        scene.send(progress(name, 1))
    scene.send(m.Recalled("task.done", DONE, "boot-0", "m-1"))
    scene.run(1)
    assert [(end.taskId, end.stepId, end.code) for end in scene.published("task.failed")] == [
        ("cut", "s3", "RESTARTED")
    ]
    scene.assign(
        WAIT, id="cut", ageS=30.0, correlationId="m-1"
    )  # redelivered, from before the boot
    scene.run(1)
    assert scene.published("task.done") == []
    scene.assign(WAIT, id="cut", revision=2)
    scene.run(1)
    assert scene.last("task.done").taskId == "cut"


def test_a_revision_that_came_while_the_robot_was_down_replaces_what_the_restart_cut():
    scene = Scene().send(progress("t1", 1)).run(0.1)
    scene.assign(WAIT, revision=2, ageS=5.0, correlationId="m-2").run(2)
    assert ended(scene) == [("t1", "DONE", "m-2")]
    assert scene.last("task.done").revision == 2


def test_what_it_said_in_this_very_boot_is_no_restart():
    scene = Scene().run(0.1)
    boot = scene.robot.state.link.boot_id
    scene.send(
        m.Recalled("task.progress", {"taskId": "t1", "state": "RUNNING", "stepId": "s1"}, boot)
    ).run(1)
    assert scene.published("task.failed") == []


@pytest.mark.parametrize("end", ["task.done", "task.failed"])
def test_an_assignment_that_had_ended_before_a_restart_is_not_done_again(end):
    scene = Scene().send(m.Recalled(end, DONE if end == "task.done" else FAILED, "boot-0", "m-1"))
    scene.run(1).assign(WAIT, ageS=30.0, correlationId="m-1").run(
        1
    )  # redelivered, from before the boot
    assert (ended(scene), scene.published("task.progress")) == ([], [])
    scene.assign(WAIT, revision=2, ageS=5.0, correlationId="m-2").run(
        1
    )  # assigned while the robot was down
    assert ended(scene) == [("t1", "DONE", "m-2")]


@pytest.mark.parametrize(("type", "payload"), [("task.done", DONE), ("task.failed", FAILED)])
def test_a_task_that_had_ended_before_a_restart_is_told_again_when_it_is_sent_again(type, payload):
    scene = Scene().send(m.Recalled(type, payload, "boot-0", "m-1")).run(1)
    scene.assign(WAIT, correlationId="m-2").run(1)
    assert msgspec.to_builtins(scene.last(type)) == payload
    assert (len(ended(scene)), ended(scene)[0][2], scene.published("task.progress")) == (
        1,
        "m-2",
        [],
    )
    scene.assign(WAIT, revision=0, correlationId="m-3").run(1)
    assert len(ended(scene)) == 1  # older ones are not requested again


def test_a_task_that_was_refused_before_a_restart_may_come_again():
    refused = {key: value for key, value in FAILED.items() if key != "revision"}
    scene = Scene().send(m.Recalled("task.failed", refused, "boot-0", "m-1")).run(1)
    scene.assign(WAIT, ageS=30.0, correlationId="m-1").run(1)
    assert ended(scene) == []
    scene.assign(WAIT, correlationId="m-2").run(1)
    assert ended(scene) == [("t1", "DONE", "m-2")]


def test_a_revision_that_was_refused_does_not_bring_back_the_one_before():
    scene = Scene().run(0.1)
    scene.assign(WAIT, correlationId="m-1").run(1)
    scene.assign(("NONSENSE",), revision=2, correlationId="m-2").assign(
        WAIT, correlationId="m-3"
    ).run(1)
    assert ended(scene) == [
        ("t1", "DONE", "m-1"),
        ("t1", "NOT_SUPPORTED", "m-2"),
        ("t1", "DONE", "m-3"),
    ]
    assert len(scene.published("task.done")) == 2
    assert scene.published("task.done")[0] == scene.published("task.done")[1]


@pytest.mark.parametrize(
    "nonsense", [{"taskId": "t1"}, {"taskId": "t1", "revision": "x", "code": 5}, {"revision": 1}]
)
def test_what_is_remembered_of_a_task_and_cannot_be_read_is_forgotten(nonsense):
    scene = Scene().send(m.Recalled("task.done", nonsense, "boot-0", "m-1")).run(1)
    scene.assign(WAIT, correlationId="m-2").run(1)
    assert ended(scene) == [("t1", "DONE", "m-2")]


def test_a_task_sent_again_is_answered_with_where_it_is_and_then_with_how_it_ended():
    scene = Scene().run(0.1)
    scene.assign(WAIT, id="first").assign(WAIT, correlationId="m-1").run(0.05)
    for number in (2, 3):
        before = len(scene.published("task.progress"))
        scene.assign(WAIT, correlationId=f"m-{number}")
        (again,) = [one for one in scene.received if one.type == "task.progress"][before:]
        assert (again.correlationId, again.payload.taskId, again.payload.state) == (
            f"m-{number}",
            "t1",
            ("QUEUED", "RUNNING")[number - 2],
        )
        scene.run(0.15)
    done = scene.run(1).last("task.done")
    scene.assign(WAIT, correlationId="m-4").assign(WAIT, correlationId="m-4")
    assert scene.published("task.done")[1:] == [done, done]
    assert ended(scene)[1:] == [("t1", "DONE", "m-1"), ("t1", "DONE", "m-4")]


def test_a_task_that_a_restart_cut_off_is_told_as_the_answer_to_its_assignment():
    scene = Scene()
    scene.send(progress("t1", 1)).run(1)
    assert [one.correlationId for one in scene.received if one.type == "task.failed"] == ["m-1"]


def test_a_robot_without_the_module_neither_listens_nor_speaks():
    scene = Scene(capabilities={"supportedModules": {"task": False}}).run(0.1)
    scene.assign(("WAIT", {"seconds": 0.1}))
    scene.run(1)
    assert not [envelope for envelope in scene.received if envelope.type.startswith("task.")]
    assert scene.events("NOT_SUPPORTED")[0].source == "task.assign"
