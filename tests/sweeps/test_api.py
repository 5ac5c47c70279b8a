"""`rigless.sweep`: a sweep from Python."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rigless
from rigless.kernel.problems import InputError
from rigless.sweeps.table import read_table

COLD = Path(__file__).with_name("cold_room.toml")


def test_rows_are_yielded_and_kept_in_a_table(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    found = list(rigless.sweep(COLD, {"hall.heater_w": [600, 1500]}, range(2), out=table))
    assert {(row.settings["hall.heater_w"], row.seed, row.verdict) for row in found} == {
        (watts, seed, verdict)
        for watts, verdict in ((600, "fail"), (1500, "pass"))
        for seed in (0, 1)
    }
    kept = read_table(table)
    assert [row.key for row in rigless.sweep(COLD, {"hall.heater_w": [600, 1500]}, 2, out=table)]
    assert read_table(table) == kept


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([1500, 600]), [1500, 600]),
        (np.array([0.5]), [0.5]),
        ("1..2", [1, 2]),
        ({"range": [1, 2, 3]}, [1.0, 1.5, 2.0]),
        ({"choice": [600, 1500], "weights": [3, 1]}, [600, 1500]),
    ],
)
def test_values_are_those_of_a_table_vary(values: Any, expected: list[float]) -> None:
    found = rigless.sweep(COLD, {"hall.heater_w": values}, workers=1)
    assert sorted(row.settings["hall.heater_w"] for row in found) == sorted(expected)


@pytest.mark.parametrize(
    ("vary", "seeds", "part"),
    [
        ({"hall.heater": [1]}, 1, "unknown key 'heater'"),
        ({"hall.heater_w": {"gauss": [1, 2]}}, 1, "is no distribution"),
        ({"hall.heater_w": {"choice": [1, 2], "weights": [1]}}, 1, "weights do not fit"),
        ({}, [], "there is no seed"),
    ],
)
def test_mistakes_raise_before_anything_runs(vary: Any, seeds: Any, part: str) -> None:
    with pytest.raises(InputError, match=part):
        rigless.sweep(COLD, vary, seeds)
