"""The line that shows the progress of a sweep."""

import time

import pytest

from rigless.cli.sweeps.progress import Progress
from rigless.sweeps.row import Row


def test_rate_and_time_left_count_runs_of_this_call_only(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    progress = Progress("it", 100, quiet=True)
    progress.known = lambda: 40
    for seed in range(40):
        progress.add(Row(f"{seed}", {}, seed, verdict="pass"))
    assert progress.text() == "0 failed"
    clock[0] += 90.0  # 30 s until the workers have started, then 60 s of runs
    for seed in range(40, 60):
        progress.add(Row(f"{seed}", {}, seed, verdict="fail", wall_s=60.0))
    assert progress.text() == "20 failed, 20 runs/min, 2:00 left"


def test_a_sweep_until_decided_may_end_before(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    progress = Progress("it", 3, quiet=True, bounded=True)
    clock[0] += 60.0
    progress.add(Row("a", {}, 0, verdict="pass", wall_s=60.0))
    assert progress.text() == "0 failed, 1 runs/min, at most 2:00 left"
