"""Settings that differ between two tables as a whole are what is compared."""

from typing import Any

import pytest

from rigless.kernel.problems import InputError
from rigless.sweeps.row import Row
from rigless.sweeps.statistics.comparison import compare


def rows(verdict: Any, **settings: object) -> list[Row]:
    return [
        Row(f"{seed}{settings}", dict(settings), seed, verdict=verdict, scenario="a.toml")
        for seed in range(10)
    ]


def test_two_builds_of_a_program_are_paired_by_their_seeds() -> None:
    before = rows("pass", **{"program.nav": "./old", "x": 1})
    after = rows("fail", **{"program.nav": "./new", "x": 1})
    found = compare(before, after)
    assert (found.pairs, found.word) == (10, "WORSE")
    assert "Compared: program.nav = ./old, then ./new." in found.notes


def test_a_setting_of_one_table_alone_is_compared_with_the_default() -> None:
    found = compare(rows("pass"), rows("pass", speed=2))
    assert found.pairs == 10
    assert "Compared: speed = the default, then 2." in found.notes


def test_a_varied_setting_stays_a_part_of_the_pair() -> None:
    before = rows("pass", x=1) + rows("pass", x=2)
    with pytest.raises(InputError, match="no run in common"):
        compare(before, rows("pass", x=3) + rows("pass", x=4))
    assert compare(before, rows("fail", x=2) + rows("fail", x=3)).pairs == 10
