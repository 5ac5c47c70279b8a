"""Progress of tasks, and their card on the page."""

import pytest

from rigless.robots.agv import messages as m

from .scene import Scene
from .task_messages import DONE, FAILED, WAIT

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
    reports = [(progress.pct, progress.etaS) for progress in scene.published("task.progress")]
    assert reports == sorted(reports, key=lambda pair: pair[0])
    assert reports[-1][0] > 95
    assert reports[-1][1] < 0.5


def test_a_step_that_will_be_skipped_takes_no_time():
    scene = Scene().run(0.1)
    scene.assign(("WAIT", {"seconds": 5.0}), m.Step("far", "WAIT", {"seconds": 1e9}, [], "SKIP"))
    assert scene.last("task.progress").etaS == pytest.approx(5.0, abs=0.1)


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


def test_the_page_lists_the_tasks_with_their_states():
    scene = Scene().run(0.1)
    scene.assign(("WAIT", {"seconds": 7}))
    scene.assign(WAIT, WAIT, id="t2").run(0.01)
    lines = scene.robot.view().lines()["tasks"]
    assert lines.texts == ("ACTIVE t1 · step 1 of 1: WAIT", "WAITING t2 · 2 steps")
    assert (lines.current, lines.wrong) == (1, ())
    assert scene.robot.view().summary().task == "t1 · step 1 of 1: WAIT"
    scene.send(m.TaskCancel(taskId="t1")).run(0.05)
    lines = scene.robot.view().lines()["tasks"]
    assert lines.texts[0].startswith("FAILED t1: CANCELLED")
    assert lines.texts[1:] == ("ACTIVE t2 · step 1 of 2: WAIT",)
    assert (lines.current, lines.wrong) == (2, (1,))
