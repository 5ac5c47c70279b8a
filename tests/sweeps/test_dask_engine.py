"""The Dask engine when results are lost with the workers that hold them."""

from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest

from rigless.sweeps.engines import dask_engine
from rigless.sweeps.engines.dask_engine import DaskEngine


class Future:
    """A run whose result is lost for a number of looks, and then there again."""

    def __init__(self, lost: int):
        self._lost = lost

    @property
    def status(self) -> str:
        self._lost -= 1
        return "finished" if self._lost < 0 else "lost"


def engine_of(workers: int, notes: list[str]) -> Any:
    engine: Any = DaskEngine.__new__(DaskEngine)
    info = {"workers": dict.fromkeys(range(workers))}
    engine._client = SimpleNamespace(status="running", scheduler_info=lambda n_workers: info)
    engine._note, engine._at, engine._look_s = notes.append, "tcp://127.0.0.1:8786", 0.0
    return engine


@pytest.mark.parametrize("workers", [0, 2])
def test_a_lost_result_is_waited_for_while_others_go_on(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "AGAIN_S", 0.01)
    notes: list[str] = []
    engine, ended = engine_of(workers, notes), SimpleQueue[Any]()
    lost, other = Future(3), Future(0)
    ended.put(lost)
    ended.put(other)
    assert engine._wait(ended) is other
    assert engine._wait(ended) is lost
    assert bool(notes) == (workers == 0)
