"""Tasks: steps, requirements, failures, the queue, and final messages."""

import json

import msgspec
import pytest

from rigless.robots.agv import messages as m
from rigless.robots.agv.params import COMMANDS

from .scene import Scene


def enveloped(kind, payload):
    head = {
        "v": 1,
        "messageId": f"b-{payload['revision']}",
        "type": kind,
        "robotId": "agv",
        "bootId": "b",
        "seq": 1,
    }
    return json.dumps({**head, "ts": "2026-01-01T00:00:00.000Z", "payload": payload}).encode()


def words(scene, name="t1"):
    return [
        (progress.state, progress.stepIndex)
        for progress in scene.published("task.progress")
        if progress.taskId == name
    ]


def failed(scene):
    end = scene.last("task.failed")
    return end.taskId, end.stepId, end.code


def test_steps_are_done_in_order_and_told():
    scene = Scene(streams={"taskHz": 4}).run(0.1)
    scene.assign(
        ("MOVE", {"x": 1.0, "y": 0.0}),
        ("RELEASE", {}, ["GRIPPER"]),
        ("WAIT", {"seconds": 0.5}),
        ("GRIP",),
        ("SET_OUTPUT", {"ioId": "buzzer", "value": True}),
    )
    scene.run(1)
    assert scene.last("state").taskId == "t1"
    scene.until(lambda: scene.published("task.done"))
    done = scene.last("task.done")
    assert (done.taskId, done.metrics["retries"], done.metrics["skipped"]) == ("t1", 0, 0)
    assert done.metrics["distanceM"] == pytest.approx(1.0, abs=1e-3)
    assert done.finishedAt > done.startedAt
    steps = words(scene)
    assert steps[0] == ("QUEUED", 0)
    assert sorted(steps[1:], key=lambda step: step[1]) == steps[1:]
    assert {index for _, index in steps} == {0, 1, 2, 3, 4}
    duration_s = done.metrics["durationS"]
    assert len(steps) == pytest.approx(1 + 5 + 4 * duration_s, abs=2)
    assert scene.last("task.progress").stepCount == 5
    assert scene.truth.task == ""


def test_scans_wait_for_a_code():
    scripts = [{"atS": 2.0, "code": "wrong"}, {"atS": 3.0, "code": "A-17"}]
    scene = Scene(runtime={"simulationProfile": {"barcodeScript": scripts}}).run(0.1)
    scene.assign(("SCAN", {"code": "A-17"}), ("SCAN", {"code": "never", "timeoutS": 1.0}))
    scene.run(2.5)
    assert words(scene)[-1] == ("RUNNING", 0)
    scene.run(3)
    assert failed(scene) == ("t1", "s2", "STEP_FAILED")
    assert [event.data["code"] for event in scene.events("BARCODE_READ")] == ["wrong", "A-17"]


@pytest.mark.parametrize(("x", "end"), [(0.05, "task.done"), (1.0, "task.failed")])
def test_a_code_counts_for_a_scan_where_it_was_read(x, end):
    scene = Scene(
        runtime={"simulationProfile": {"barcodeScript": [{"atS": 0.5, "code": "A"}]}}
    ).run(0.6)
    scene.assign(("MOVE", {"x": x, "y": 0.0}), ("SCAN", {"timeoutS": 1.0})).run(5)
    assert len(scene.published(end)) == 1


def test_what_is_held_goes_on():
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 2.0, "y": 0.0}), ("WAIT", {"seconds": 0.1}), ("RELEASE",))
    scene.run(1)
    scene.control("HOLD")
    scene.run(4)
    assert (scene.status, scene.truth.velocity[0], scene.last("task.progress").state) == (
        "PAUSED",
        0.0,
        "HELD",
    )
    assert scene.last("state").holds == ["h1"]
    scene.control("RELEASE", seq=2)
    scene.until(lambda: scene.published("task.done"))
    assert scene.truth.pose[0] == pytest.approx(2.0, abs=1e-3)


@pytest.mark.parametrize(
    ("how", "status"),
    [
        (("set_input", "estop", True), "PAUSED"),
        (("inject", "drive_left", "error"), "ERROR"),
        (("inject", "nats", "disconnect"), "OFFLINE"),
    ],
)
def test_nothing_is_assigned_while_the_status_forbids(how, status):
    scene = Scene().run(0.1)
    getattr(scene.sim, how[0])("agv", *how[1:])
    scene.run(0.1)
    assert scene.status == status
    scene.assign(("WAIT", {"seconds": 1}))
    scene.sim.set_input("agv", "estop", False)
    scene.sim.clear("agv")
    scene.run(0.5)
    assert failed(scene) == ("t1", None, "STATUS_FORBIDS")
    assert words(scene) == []


WRONG = [
    ([], "INVALID_PARAMS"),
    ([("MOVE", {"x": 1.0})], "INVALID_PARAMS"),
    ([("DANCE",)], "NOT_SUPPORTED"),
    ([("WAIT", {"seconds": -1})], "INVALID_PARAMS"),
    ([("WAIT", {"seconds": 1}, ["CRANE"])], "REQUIRED_MOTOR_UNAVAILABLE"),
    ([m.Step("a", "WAIT", {"seconds": 1}), m.Step("a", "WAIT", {"seconds": 1})], "INVALID_PARAMS"),
    ([("WAIT", {"seconds": 1})] * 201, "INVALID_PARAMS"),
]


@pytest.mark.parametrize(("steps", "code"), WRONG)
def test_a_task_that_makes_no_sense_is_not_begun(steps, code):
    scene = Scene().run(0.1)
    scene.assign(*steps)
    assert scene.last("task.failed").code == code
    assert scene.last("task.failed").message
    assert scene.robot.state.task.queue == []


def grip_that_fails(on_fail):
    """Assign a step that needs a gripper which fails during it."""
    scene = Scene().run(0.1)
    scene.assign(
        m.Step("a", "RELEASE", {}, [], on_fail),
        m.Step("b", "SET_OUTPUT", {"ioId": "buzzer", "value": True}),
    )
    scene.run(0.3)
    scene.sim.inject("agv", "gripper", "error")
    return scene.run(0.1)


def test_a_failed_step_aborts():
    scene = grip_that_fails("ABORT").run(1)
    assert failed(scene) == ("t1", "a", "REQUIRED_MOTOR_UNAVAILABLE")
    assert scene.last("telemetry").io["buzzer"] is False


def test_a_failed_step_is_skipped():
    scene = grip_that_fails("SKIP").run(1)
    assert scene.last("task.done").metrics["skipped"] == 1
    assert scene.last("telemetry").io["buzzer"] is True


def test_a_failed_step_is_tried_again_three_times():
    scene = grip_that_fails("RETRY").run(2.8)
    assert scene.published("task.failed") == []
    scene.run(0.4)
    assert failed(scene) == ("t1", "a", "REQUIRED_MOTOR_UNAVAILABLE")
    scene = Scene().run(0.1)
    scene.assign(m.Step("a", "SCAN", {"timeoutS": 1.0}, [], "RETRY"))
    scene.run(6.9)
    assert scene.published("task.failed") == []
    scene.run(0.5)
    assert failed(scene) == ("t1", "a", "STEP_FAILED")


def test_a_retry_that_succeeds():
    script = [{"atS": 2.5, "code": "X"}]
    scene = Scene(runtime={"simulationProfile": {"barcodeScript": script}}).run(0.1)
    scene.assign(m.Step("a", "SCAN", {"timeoutS": 1.0}, [], "RETRY"))
    scene.run(4)
    assert scene.last("task.done").metrics["retries"] == 1


def test_each_step_has_its_own_tries():
    script = [{"atS": 3.3, "code": "A"}, {"atS": 6.5, "code": "B"}]
    scene = Scene(runtime={"simulationProfile": {"barcodeScript": script}}).run(0.1)
    scene.assign(
        *(m.Step(code, "SCAN", {"code": code, "timeoutS": 0.5}, [], "RETRY") for code in "AB")
    )
    scene.run(8)
    assert scene.last("task.done").metrics["retries"] == 4


@pytest.mark.parametrize(
    ("on_fail", "end"), [("ABORT", "task.failed"), ("SKIP", "task.done"), ("RETRY", "task.done")]
)
def test_a_motor_that_is_not_well_when_the_task_comes(on_fail, end):
    """Rejected with the step's name, or accepted if the step may fail or be retried."""
    scene = Scene().run(0.1)
    scene.sim.inject("agv", "gripper", "error")
    scene.run(0.1)
    scene.assign(
        m.Step("a", "WAIT", {"seconds": 0.5}), m.Step("b", "RELEASE", {}, ["GRIPPER"], on_fail)
    )
    assert scene.truth.task == "" or on_fail != "ABORT"
    scene.run(1)
    scene.sim.clear("agv", "gripper")
    scene.run(4)
    assert scene.last(end).taskId == "t1"
    assert on_fail != "ABORT" or failed(scene) == ("t1", "b", "REQUIRED_MOTOR_UNAVAILABLE")


AXIS = {"motorId": "hoist", "target": {"unit": "mm", "value": 9000}}


@pytest.mark.parametrize(
    ("kind", "params", "code"),
    [
        ("MOVE_AXIS", AXIS, "INVALID_PARAMS"),
        ("MOVE_AXIS", {**AXIS, "motorId": "crane"}, "INVALID_PARAMS"),
        ("WAIT", {"seconds": 1e9}, "INVALID_PARAMS"),
        ("MOVE", {"x": 1e7, "y": 0.0}, "INVALID_PARAMS"),
        ("FOLLOW_ROUTE", {"routeId": "nowhere"}, "INVALID_PARAMS"),
        ("SET_OUTPUT", {"ioId": "siren", "value": True}, "INVALID_PARAMS"),
        ("GRIP", {"functionKey": "CLAW"}, "REQUIRED_MOTOR_UNAVAILABLE"),
        ("HOME", {}, "NOT_SUPPORTED"),
    ],
)
def test_an_impossible_step_is_skipped_if_it_may_be_and_else_the_task_is_rejected(
    kind, params, code
):
    commands = [name for name in COMMANDS if name != "HOME"]
    scene = Scene(capabilities={"supportedCommands": commands}).run(0.1)
    after = m.Step("after", "SET_OUTPUT", {"ioId": "buzzer", "value": True})
    scene.assign(m.Step("a", kind, params), after, id="aborts")
    assert failed(scene) == ("aborts", "a", code)
    scene.assign(m.Step("a", kind, params, [], "SKIP"), after, id="skips").run(0.2)
    assert (scene.last("task.done").taskId, scene.last("task.done").metrics["skipped"]) == (
        "skips",
        1,
    )
    assert scene.events("STEP_SKIPPED")[0].data == {"taskId": "skips", "stepId": "a", "code": code}
    assert scene.robot.machine.outputs()["buzzer"] is True


@pytest.mark.parametrize("on_fail", ["SKIP", "RETRY"])
@pytest.mark.parametrize(
    ("kind", "params"),
    [("MOVEE", {}), ("MOVE", {"x": "1", "y": 0.0}), ("WAIT", {}), ("WAIT", {"hours": 1.0})],
)
def test_a_malformed_step_is_never_skipped(kind, params, on_fail):
    scene = Scene().run(0.1)
    scene.assign(m.Step("a", kind, params, [], on_fail))
    assert failed(scene)[:2] == ("t1", "a")


def test_what_may_be_left_out_may_be_null():
    step = {
        "stepId": "a",
        "type": "WAIT",
        "params": {"seconds": 0.1},
        "requires": None,
        "onFail": None,
    }
    payload = {"taskId": "t1", "revision": 1, "priority": None, "deadline": None, "steps": [step]}
    scene = Scene().run(0.1).wire("task.assign", enveloped("task.assign", payload)).run(1)
    assert scene.last("task.done").taskId == "t1"


def test_a_task_that_cannot_be_read_has_failed():
    scene = (
        Scene()
        .run(0.1)
        .wire(
            "task.assign", enveloped("task.assign", {"taskId": "t1", "revision": 1, "steps": "x"})
        )
    )
    assert failed(scene) == ("t1", None, "INVALID_PARAMS")
    scene.assign(("WAIT", {"seconds": 0.1})).run(0.05)
    scene.wire(
        "task.assign", enveloped("task.assign", {"taskId": "t1", "revision": 2, "steps": [None]})
    ).run(1)
    assert len(scene.published("task.failed")) == 1
    assert scene.last("task.done").taskId == "t1", "the one that was understood stands"


# The queue


def test_the_more_urgent_goes_first_and_none_is_interrupted():
    scene = Scene().run(0.1)
    wait = ("WAIT", {"seconds": 0.5})
    scene.assign(wait, id="first")
    scene.run(0.1)
    scene.assign(wait, id="low", priority=1).assign(wait, id="high", priority=9).assign(
        wait, id="low2", priority=1
    )
    scene.run(5)
    assert [done.taskId for done in scene.published("task.done")] == [
        "first",
        "high",
        "low",
        "low2",
    ]


def test_a_revision_replaces_and_a_repetition_is_ignored():
    scene = Scene().run(0.1)
    far, near = ("MOVE", {"x": 9.0, "y": 0.0}), ("MOVE", {"x": 1.5, "y": 0.0})
    scene.assign(far).run(0.5)
    scene.assign(far).run(0.5)
    scene.assign(near, revision=2)
    scene.assign(far, revision=1)
    scene.until(lambda: scene.published("task.done"))
    assert scene.truth.pose[0] == pytest.approx(1.5, abs=1e-3)
    scene.assign(near, revision=2).run(1)
    assert len(scene.published("task.done")) == 1
    assert scene.published("task.failed") == []
    waiting = Scene().run(0.1)
    waiting.assign(("WAIT", {"seconds": 1}), id="a").assign(far, id="b")
    waiting.assign(("WAIT", {"seconds": 0.1}), id="b", revision=2)
    waiting.run(3)
    assert [done.taskId for done in waiting.published("task.done")] == ["a", "b"]


@pytest.mark.parametrize("ahead", [[], [("WAIT", {"seconds": 1})]], ids=["running", "waiting"])
def test_a_revision_that_makes_no_sense_leaves_the_task_as_it_was(ahead):
    scene = Scene().run(0.1)
    for step in ahead:
        scene.assign(step, id="ahead")
    scene.assign(("WAIT", {"seconds": 1})).run(0.1)
    scene.assign(("NONSENSE",), revision=2).run(3)
    assert scene.last("task.done").taskId == "t1"
    assert scene.published("task.failed") == []
    assert [event.data["revision"] for event in scene.events("TASK_REJECTED")] == [2]


def test_a_revision_of_the_task_that_runs_goes_before_those_that_wait():
    scene = Scene().run(0.1)
    scene.assign(("WAIT", {"seconds": 5})).run(0.1).assign(
        ("WAIT", {"seconds": 0.1}), id="t2", priority=9
    ).run(0.1)
    scene.assign(("WAIT", {"seconds": 0.1}), revision=2).run(1)
    assert [done.taskId for done in scene.published("task.done")] == ["t1", "t2"]


def test_too_many_tasks_are_refused():
    scene = Scene().run(0.1)
    for n in range(102):
        scene.assign(("WAIT", {"seconds": 1}), id=f"t{n}")
        scene.run(0.01)
    assert failed(scene) == ("t101", None, "BUSY")


def test_a_deadline_ends_it_wherever_it_is():
    scene = Scene().run(0.1)
    scene.assign(("WAIT", {"seconds": 5}), deadline=scene.at(-1))
    assert failed(scene) == ("t1", None, "DEADLINE")
    scene.assign(("MOVE", {"x": 9, "y": 0}), id="t2", deadline=scene.at(2)).assign(
        ("WAIT", {"seconds": 1}), id="t3", deadline=scene.at(1)
    )
    scene.run(1.5)
    assert failed(scene) == ("t3", None, "DEADLINE")
    scene.run(2.5)
    assert failed(scene) == ("t2", "s1", "DEADLINE")
    assert not scene.truth.driving


# Cancelling


@pytest.mark.parametrize("mode", ["GRACEFUL", "IMMEDIATE"])
def test_a_cancelled_task_fails_and_the_robot_brakes(mode):
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 9.0, "y": 0.0}))
    scene.run(1.5)
    scene.send(m.TaskCancel(taskId="t1", mode=mode))
    assert failed(scene) == ("t1", "s1", "CANCELLED")
    scene.run(2)
    assert not scene.truth.driving
    assert len(scene.published("task.failed")) == 1


@pytest.mark.parametrize(("mode", "where"), [("GRACEFUL", 0.08), ("IMMEDIATE", 0.03)])
def test_an_axis_gets_there_or_not(mode, where):
    scene = Scene().run(0.1)
    scene.assign(("RELEASE",))
    scene.run(0.5)
    scene.send(m.TaskCancel(taskId="t1", mode=mode))
    scene.run(3)
    assert (scene.truth.axes["gripper"] < where) == (mode == "IMMEDIATE")
    assert failed(scene)[2] == "CANCELLED"


def test_a_waiting_task_is_cancelled_and_an_unknown_one_is_told():
    scene = Scene().run(0.1)
    scene.assign(("WAIT", {"seconds": 1})).run(0.1)
    scene.assign(("WAIT", {"seconds": 1}), id="t2")
    scene.send(m.TaskCancel(taskId="t2"))
    assert failed(scene) == ("t2", None, "CANCELLED")
    scene.send(m.TaskCancel(taskId="ghost"))
    assert scene.events("UNKNOWN_TASK")
    scene.run(2)
    assert [done.taskId for done in scene.published("task.done")] == ["t1"]


def test_stop_ends_all_tasks_and_a_move_waits_for_none():
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 9.0, "y": 0.0})).assign(("WAIT", {"seconds": 1}), id="t2")
    scene.run(1)
    assert scene.ack(scene.command("MOVE", x=0.0, y=0.0)).code == "BUSY"
    scene.command("STOP")
    assert [(end.taskId, end.code) for end in scene.published("task.failed")] == [
        ("t1", "CANCELLED"),
        ("t2", "CANCELLED"),
    ]
    scene.run(3)
    assert scene.published("task.done") == []


def test_a_task_waits_for_a_command_that_drives():
    scene = Scene().run(0.1)
    scene.command("MOVE", x=1.0, y=0.0)
    scene.run(0.2)
    scene.assign(("MOVE", {"x": 0.0, "y": 0.0}))
    scene.run(0.5)
    assert scene.truth.task == ""
    scene.until(lambda: scene.published("task.done"))
    assert scene.truth.pose[0] == pytest.approx(0.0, abs=1e-3)


# Restarts


def progress(name, revision, correlation="m-1"):
    told = {"taskId": name, "state": "RUNNING", "stepId": "s3", "revision": revision}
    return m.Recalled("task.progress", told, "boot-0", correlation)


def ended(scene):
    """Return the id, the outcome and the correlation of every final message."""
    return [
        (one.payload.taskId, getattr(one.payload, "code", "DONE"), one.correlationId)
        for one in scene.received
        if one.type in ("task.done", "task.failed")
    ]


WAIT = ("WAIT", {"seconds": 0.1})
DONE = {
    "taskId": "t1",
    "startedAt": "2026-01-01T00:00:01Z",
    "finishedAt": "2026-01-01T00:00:02Z",
    "metrics": {"distanceM": 7.0},
    "revision": 1,
}
FAILED = {
    "taskId": "t1",
    "code": "STEP_FAILED",
    "message": "why",
    "recoverable": True,
    "revision": 1,
}


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


# Progress


def test_progress_follows_the_way_and_so_does_what_is_left():
    scene = Scene(streams={"taskHz": 10}).run(0.1)
    scene.assign(("MOVE", {"x": 6.0, "y": 0.0}), ("WAIT", {"seconds": 2}), ("RELEASE",))
    scene.until(lambda: scene.truth.pose[0] >= 3.0)
    scene.run(0.1)
    half = scene.last("task.progress")
    assert half.pct == pytest.approx(100 / 6, abs=1.5)
    assert half.etaS == pytest.approx(3.0 / 1.2 + 2.0 + 80 / 50, abs=0.2)
    scene.until(lambda: scene.published("task.done"))
    told = [(progress.pct, progress.etaS) for progress in scene.published("task.progress")]
    assert told == sorted(told, key=lambda pair: pair[0])
    assert told[-1][0] > 95
    assert told[-1][1] < 0.5


def test_a_speed_limit_makes_what_is_left_take_longer():
    scene = Scene().run(0.1)
    scene.control("SPEED_LIMIT", value=0.25).assign(("MOVE", {"x": 5.0, "y": 0.0})).run(0.1)
    assert scene.last("task.progress").etaS == pytest.approx(20.0, abs=0.5)


def test_the_time_it_was_held_is_counted():
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 1.0, "y": 0.0}))
    scene.control("HOLD", valid_s=6.0)
    scene.run(1)
    scene.until(lambda: scene.published("task.done"))
    assert scene.last("task.done").metrics["heldS"] == pytest.approx(6.0, abs=0.05)


# The panel's page


def card(scene):
    """Return the lines of the task's listing, and which of them are wrong."""
    lines = scene.robot.view().lines()["task"]
    assert (lines.current, lines.read) == (
        lines.first + len(lines.texts),
        lines.first + len(lines.texts) - 1,
    )  # all done
    return lines.texts, [lines.texts[number - lines.first] for number in lines.wrong]


def test_the_page_shows_how_the_last_task_ended_until_the_next_one_comes():
    scene = Scene().run(0.1)
    scene.assign(("MOVE", {"x": 1.0, "y": 0.0}), WAIT).until(lambda: scene.published("task.done"))
    done = scene.last("task.done").metrics
    assert card(scene) == (
        ("MOVE x 1 y 0", "WAIT seconds 0.1", f"DONE t1 in {done['durationS']:.1f} s, 1.00 m"),
        [],
    )
    scene.assign(
        WAIT, ("SCAN", {"code": "A", "timeoutS": 0.5}), ("WAIT", {"seconds": 7}), id="t2"
    ).run(0.05)
    assert scene.robot.view().lines()["task"].texts[:2] == (
        "WAIT seconds 0.1",
        "SCAN code A timeoutS 0.5",
    )
    scene.run(1)
    why = "FAILED t2: STEP_FAILED: no scanner read A in time"
    assert card(scene) == (
        ("WAIT seconds 0.1", "SCAN code A timeoutS 0.5", why),
        ["SCAN code A timeoutS 0.5", why],
    )


def test_the_page_shows_the_end_of_a_long_task_and_of_one_that_never_began():
    scene = Scene().run(0.1)
    scene.assign(*[("WAIT", {"seconds": 0.01})] * 30, id="long").assign(WAIT, id="waits").run(0.05)
    scene.send(m.TaskCancel(taskId="waits"))
    scene.until(lambda: scene.published("task.done"))
    texts, _ = card(scene)
    assert (len(texts), texts[-1][:10]) == (12, "DONE long ")
    scene.assign(WAIT, id="first").assign(WAIT).run(0.05)
    scene.send(m.TaskCancel(taskId="t1")).send(m.TaskCancel(taskId="first"))
    scene.assign(WAIT, id="never", deadline=scene.at(-1.0))  # rejected: it is in the events
    assert card(scene)[0] == (
        "WAIT seconds 0.1",
        "FAILED first: CANCELLED: cancelled by task.cancel",
    )


def test_the_page_shows_what_was_done_before_a_restart():
    scene = Scene().send(m.Recalled("task.done", {**DONE, "metrics": {}}, "boot-0", "m-1")).run(0.1)
    assert card(scene) == (("DONE t1",), [])
    scene.send(m.Recalled("task.failed", {**FAILED, "taskId": "t2"}, "boot-0", "m-1"))
    assert card(scene) == (("FAILED t2: STEP_FAILED: why",), ["FAILED t2: STEP_FAILED: why"])
