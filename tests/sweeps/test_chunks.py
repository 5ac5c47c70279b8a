"""Chunks: short runs travel together, long ones alone, and all workers end at the same time."""

from collections.abc import Iterable

from rigless.sweeps.engines.chunks import AHEAD, MOST, WORK_S, Chunks
from rigless.sweeps.engines.engine import broken, lost
from rigless.sweeps.row import Row
from rigless.sweeps.task import Task


def tasks(count: int) -> list[Task]:
    return [Task(index, Row(str(index), {}, index), "room.toml") for index in range(count)]


def chunks_of(given: Iterable[Task]) -> Chunks:
    chunks = Chunks()
    chunks.begin(given)
    return chunks


def runs_of(seconds: float, count: int = 100) -> list[Row]:
    return [Row(str(index), {}, index, wall_s=seconds) for index in range(count)]


def indices(chunk: list[Task]) -> list[int]:
    return [task.index for task in chunk]


def test_a_chunk_has_as_many_runs_as_fit_in_its_time() -> None:
    chunks = chunks_of(tasks(10_000))
    assert indices(chunks.take(2)) == [0]
    chunks.ended(runs_of(WORK_S / 10.5))
    assert indices(chunks.take(2)) == list(range(1, 11))
    chunks.ended(runs_of(WORK_S / 1e4, 1000))
    assert len(chunks.take(2)) == MOST
    chunks.ended(runs_of(10 * WORK_S))
    assert len(chunks.take(2)) == 1


def test_the_next_lot_of_tasks_begins_with_chunks_of_the_same_size() -> None:
    chunks = chunks_of(tasks(100))
    chunks.ended(runs_of(WORK_S / 10.5))
    assert len(chunks.take(2)) == 10
    chunks.begin(tasks(100))
    assert indices(chunks.take(2)) == list(range(10))


def test_errors_that_took_no_time_say_nothing_about_the_next_runs() -> None:
    chunks = chunks_of(tasks(100))
    chunks.ended(runs_of(0.0))
    assert len(chunks.take(2)) == 1


def test_the_last_chunks_are_smaller_and_each_task_is_taken_once() -> None:
    chunks = chunks_of(iter(tasks(100)))
    chunks.ended(runs_of(WORK_S / 10.5))
    taken = []
    while chunk := chunks.take(2):
        taken.append(indices(chunk))
    sizes = [len(chunk) for chunk in taken]
    assert sizes[0] == 10
    assert sizes[-AHEAD * 2 :] == [1] * AHEAD * 2
    assert [index for chunk in taken for index in chunk] == list(range(100))
    assert chunks.take(2) == []


def test_few_runs_are_shared_by_all_workers() -> None:
    chunks = chunks_of(tasks(16))
    chunks.ended(runs_of(WORK_S / 100))
    assert len(chunks.take(8)) == 1


def test_the_tasks_of_a_lost_chunk_are_taken_again_one_by_one() -> None:
    chunks = chunks_of(tasks(4))
    assert chunks.not_ended(tasks(3), "dask", lost, "killed") == []
    taken = [indices(chunks.take(2)) for _ in range(4)]
    assert taken[:3] == [[0], [1], [2]]
    assert taken[3] == [0], "the first of the others"


def test_a_lost_task_has_a_row_that_says_why() -> None:
    chunks = chunks_of([])
    died = chunks.not_ended(tasks(1), "dask", lost, "killed")
    assert [(row.verdict, row.engine, row.note) for row in died] == [
        ("error", "dask", "its worker died 3 times: killed")
    ]
    refused = chunks.not_ended(tasks(1), "ray", broken, "no module")
    assert refused[0].note == "its worker cannot run it: no module"
