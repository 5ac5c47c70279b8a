"""Tasks: steps, requirements, failures, the queue, and final messages."""

import json

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
