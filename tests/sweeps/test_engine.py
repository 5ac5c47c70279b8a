"""The engine on this machine: equal rows, and runs that crash, hang or raise."""

import os
import signal
from pathlib import Path

import pytest

from rigless.sweeps.engines.local import LocalEngine
from rigless.sweeps.preparation import Question, prepare
from rigless.sweeps.row import UNSTABLE, Row
from rigless.sweeps.statistics.goal import Goal
from rigless.sweeps.sweep import Sweep
from rigless.sweeps.task import run_task
from rigless.sweeps.vary.plan import Plan, Point, Sample, choose_settings

HERE = Path(__file__).parent
COLD, TROUBLE = str(HERE / "cold_room.toml"), str(HERE / "trouble.toml")


def stable(row: Row) -> dict[str, object]:
    return {name: value for name, value in row.flat().items() if name not in UNSTABLE}


def behave(*behaviours: str, limit_s: float | None = None, **settings: str) -> dict[str, Row]:
    """Run the robot of trouble once for each behaviour, on two workers."""
    texts = [f"{key}={value}" for key, value in settings.items()]
    prepared = prepare(Question(TROUBLE, settings=texts, limit_s=limit_s))
    points = [Point({"it.behaviour": behaviour}, 0) for behaviour in behaviours]
    tasks = [prepared.task(index, point) for index, point in enumerate(points)]
    engine = LocalEngine(2)
    try:
        return {str(row.settings["it.behaviour"]): row for row in engine.run(tasks)}
    finally:
        engine.close()


def test_rows_are_those_of_runs_in_this_process() -> None:
    prepared = prepare(Question(COLD, ["hall.heater_w=600,1500"], [0, 1, 2]))
    plan = Plan(choose_settings(prepared.axes, Sample()), prepared.seeds)
    engine = LocalEngine(2)
    try:
        rows = {row.key: row for row in Sweep(prepared, engine).run(plan)}
    finally:
        engine.close()
    here = [run_task(prepared.task(0, point)) for point in plan]
    assert [stable(rows[row.key]) for row in here] == [stable(row) for row in here]
    assert {row.verdict for row in here} == {"pass", "fail"}
    assert len({row.worker for row in rows.values()}) == 2
    assert all(row.margin is not None and row.margin < 0 for row in here if row.verdict == "fail")


def test_a_run_that_raises_or_fails_does_not_harm_the_others() -> None:
    rows = behave("pass", "raise", "fail", "pass ")
    assert rows["pass"].verdict == rows["pass "].verdict == "pass"
    assert rows["fail"].verdict == "fail"
    assert rows["fail"].failed == "all is well"
    assert rows["raise"].verdict == "error"
    assert "it.tick failed at 0.500000 s: ValueError: a bug" in rows["raise"].note


def test_a_run_whose_worker_dies_is_repeated(tmp_path: Path) -> None:
    rows = behave("die once", "pass", **{"it.memory": f'"{tmp_path}/ran"'})
    assert {row.verdict for row in rows.values()} == {"pass"}


def test_a_run_that_kills_every_worker_is_an_error_of_its_own() -> None:
    rows = behave("pass", "die", "pass ", "fail")
    assert rows["die"].verdict == "error"
    assert rows["die"].note == "its worker died 3 times: exit code 7"
    assert [rows[name].verdict for name in ("pass", "pass ", "fail")] == ["pass", "pass", "fail"]


def test_a_run_that_hangs_is_ended_at_its_limit() -> None:
    behave("pass")  # what it imports is on disk now
    rows = behave("hang", "pass", "pass ", limit_s=8.0)
    assert rows["hang"].verdict == "error"
    assert "ended at its limit of 8 s" in rows["hang"].note
    assert rows["hang"].worker.split(":")[1].isdigit(), "the worker that it held"
    assert rows["pass"].verdict == rows["pass "].verdict == "pass"


def test_a_worker_that_is_killed_from_outside_is_replaced() -> None:
    prepared = prepare(Question(COLD, seeds=list(range(8))))
    engine = LocalEngine(2)
    rows = []
    try:
        for row in Sweep(prepared, engine).run(Plan([{}], prepared.seeds)):
            if not rows:
                os.kill(int(row.worker.split(":")[1]), signal.SIGKILL)
            rows.append(row)
    finally:
        engine.close()
    assert sorted(row.seed for row in rows) == list(range(8))
    assert all(row.verdict in ("pass", "fail") for row in rows)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_sequential_sweep_ends_at_the_same_run_whatever_the_speed(workers: int) -> None:
    prepared = prepare(Question(COLD, ["hall.heater_w=600"], list(range(100))))
    engine = LocalEngine(workers)
    sweep = Sweep(prepared, engine, goal=Goal(0.9, until_decided=True))
    try:
        list(sweep.run(Plan(choose_settings(prepared.axes, Sample()), prepared.seeds)))
    finally:
        engine.close()
    decision = sweep.decision()
    assert decision.word == "FAIL"
    assert decision.total == len(sweep.results()) < 20
    assert [row.seed for row in sweep.results()] == list(range(decision.total))
