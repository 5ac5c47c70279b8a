"""The table of a sweep: formats, the journal, and files that do not belong to the sweep."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel.problems import InputError
from rigless.sweeps.row import COLUMNS, Row
from rigless.sweeps.table import Store, journal_of, read_table
from rigless.sweeps.table.formats import SUFFIXES, read_rows, write_rows

NAMES = st.text("abc.x", min_size=1, max_size=6).filter(lambda name: name not in COLUMNS)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = (
    st.lists(st.integers(-(2**53), 2**53), min_size=2, max_size=2),
    st.lists(NUMBERS, min_size=2, max_size=2),
    st.lists(st.booleans(), min_size=2, max_size=2),
    st.lists(st.text(min_size=1).filter(lambda text: "\0" not in text), min_size=2, max_size=2),
    st.lists(st.fixed_dictionaries({"x": NUMBERS}), min_size=2, max_size=2),
)


def digests(settings: Mapping[str, Any]) -> tuple[str, str]:
    return "c", ""


def row(key: str, seed: int = 1, **fields: Any) -> Row:
    given_fields = {"settings": {}, "verdict": "pass", "content": "c", "version": "1", **fields}
    return Row(key, seed=seed, **given_fields)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(columns=st.dictionaries(NAMES, st.one_of(*VALUES), max_size=4), margins=st.lists(NUMBERS))
@settings(max_examples=15)
def test_rows_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory,
    suffix: str,
    columns: dict[str, list[Any]],
    margins: list[float],
) -> None:
    path = tmp_path_factory.mktemp("table") / f"t{suffix}"
    rows = [
        row(
            "ab"[n],
            settings={name: values[n] for name, values in columns.items()},
            margins={f"m{k}": margin for k, margin in enumerate(margins)},
            margin=margins[0] if margins else None,
            note='it said "no", twice\nand a line',
        )
        for n in range(2)
    ]
    write_rows(path, rows)
    assert read_rows(path) == rows


@pytest.mark.parametrize("texts", [["1", "2"], ["true", ""], ["[1]", "null"]])
def test_texts_that_look_like_numbers_stay_texts(tmp_path: Path, texts: list[str]) -> None:
    rows = [row(key, settings={"name": text}) for key, text in zip("ab", texts, strict=True)]
    write_rows(tmp_path / "t.csv", rows)
    assert read_rows(tmp_path / "t.csv") == rows


def test_a_killed_sweep_keeps_its_rows_and_a_torn_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    store = Store(path, digests, "1")
    store.append(row("a"))
    store.append(row("b", metrics={"hits": 2.0}))
    store.close()  # as at a kill: no table was written
    journal = journal_of(path)
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"key":"half')
    assert [each.key for each in read_table(path)] == ["a", "b"]
    with Store(path, digests, "1") as again:
        assert list(again.rows) == ["a", "b"]
        again.append(row("c"))
        again.finish(["c", "b", "a"])
    assert not journal.exists()
    assert [each.key for each in read_rows(path)] == ["c", "b", "a"]
    assert [each.metrics["hits"] for each in read_rows(path)] == [0.0, 2.0, 0.0]


def test_a_sweep_without_rows_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    with Store(path, digests, "1") as store:
        store.finish()
    assert list(tmp_path.iterdir()) == []


def test_two_sweeps_cannot_write_one_table(tmp_path: Path) -> None:
    with (
        Store(tmp_path / "t.csv", digests, "1"),
        pytest.raises(InputError, match="another sweep writes to"),
    ):
        Store(tmp_path / "t.csv", digests, "1")


@pytest.mark.parametrize(
    ("now", "part"),
    [
        (("d", "", "1"), "another scenario"),
        (("c", "", "2"), "runs of version 1; this is 2"),
        (("c", "p", "1"), "other builds of the programs"),
    ],
)
def test_a_table_of_another_sweep_is_left_alone(
    tmp_path: Path, now: tuple[str, str, str], part: str
) -> None:
    path = tmp_path / "t.jsonl"
    write_rows(path, [row("a")])
    before = path.read_bytes()
    with pytest.raises(InputError, match=part):
        Store(path, lambda settings: now[:2], now[2])
    assert path.read_bytes() == before
    assert not journal_of(path).exists()


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe", b"PAR1 but not really", b"[1,2]\n"])
def test_a_damaged_table_gets_a_sentence(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"t{suffix}"
    path.write_bytes(content)
    if suffix != ".parquet" and content == b"":
        assert read_rows(path) == []
        return
    with pytest.raises(InputError) as error:
        read_rows(path)
    assert str(path) in str(error.value)


def test_a_name_that_is_no_table_and_a_missing_folder_get_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"does not end in \.parquet, \.csv or \.jsonl"):
        Store(tmp_path / "t.txt", digests, "1")
    with pytest.raises(InputError, match="there is no folder"):
        Store(tmp_path / "no" / "t.csv", digests, "1")
    with pytest.raises(InputError, match="cannot be read"):
        read_table(tmp_path / "none.csv")
