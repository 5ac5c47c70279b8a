"""Read and write the rows of a sweep as Parquet, CSV or JSON lines.

A column of numbers, text or true and false keeps its type. Any other column, such as one of poses,
holds JSON.
"""

import csv
import io
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.row import COLUMNS, MARGIN, METRIC, Row

SUFFIXES = (".parquet", ".csv", ".jsonl")
JSON_COLUMN = b"json"  # the mark of a Parquet column that holds JSON
Records = list[dict[str, Any]]


def suffix_of(path: Path, option: str = "--out") -> str:
    """Return the format of a table by its name. Raises InputError if it is no format."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        what = f"{str(path)!r} does not end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
        raise InputError(Problem(option, what, f"for example {path.with_suffix('.parquet').name}"))
    if suffix == ".parquet":
        _pyarrow()
    return suffix


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a table. Raises InputError if it is damaged or no table of a sweep."""
    try:
        records = _READERS[suffix_of(path, str(path))](path)
    except OSError as error:
        fix = "rigless sweep SCENARIO --out writes one"
        raise InputError(Problem("", f"cannot be read: {error.strerror}", fix, str(path))) from None
    except (ValueError, KeyError, csv.Error) as error:
        raise InputError(damaged(path, error)) from None
    lacking = [name for name in ("key", "seed", "verdict") if records and name not in records[0]]
    if lacking:
        what = f"is no table of a sweep: it has no column {lacking[0]!r}"
        raise InputError(Problem("", what, "choose another file", str(path)))
    try:
        return [Row.of_record(record) for record in records]
    except (TypeError, ValueError) as error:
        raise InputError(damaged(path, error)) from None


def damaged(path: Path, error: Exception) -> Problem:
    """Return the problem of a table that cannot be decoded."""
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return Problem("", f"is damaged: {reason}", "remove it, and run the sweep again", str(path))


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write a table whole: a reader sees the old file or the new one, never a part."""
    records = [row.flat() for row in rows]
    data = _WRITERS[suffix_of(path)](records)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        what = f"cannot write {path}: {error.strerror}"
        raise InputError(Problem("--out", what, "choose another file")) from None


def columns(records: Records) -> dict[str, list[Any]]:
    """Return the columns of all records: fixed ones, parameters, margins, metrics."""
    names: dict[str, None] = {}
    for record in records:
        names.update(dict.fromkeys(record))
    ordered = sorted(names, key=_rank)
    return {name: [record.get(name) for record in records] for name in ordered}


def _rank(name: str) -> int:
    if name in ("key", "seed", "repeat"):
        return 0
    if name.startswith(MARGIN):
        return 3
    if name.startswith(METRIC):
        return 4
    return 2 if name in COLUMNS else 1


def _kind(values: list[Any], name: str) -> type | None:
    """Return the type of a column, or None if it holds JSON."""
    if name in COLUMNS:
        return COLUMNS[name]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and (float in kinds or not kinds):
        return float
    return kinds.pop() if len(kinds) == 1 and kinds <= {int, bool, str} else None


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        fix = "pip install 'rigless[sweep]', or a table that ends in .csv or .jsonl"
        raise InputError(Problem("--out", "needs 'pyarrow', which is not installed", fix)) from None
    return pyarrow


def _write_parquet(records: Records) -> bytes:
    pa = _pyarrow()
    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    arrays, fields = [], []
    for name, values in columns(records).items():
        kind = _kind(values, name)
        if kind is None:
            values = [None if value is None else json.dumps(value) for value in values]
        of = types[kind or str]
        arrays.append(pa.array(values, type=of))
        fields.append(pa.field(name, of, metadata={b"rigless": JSON_COLUMN} if not kind else None))
    sink = io.BytesIO()
    pa.parquet.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), sink)
    return sink.getvalue()


def _read_parquet(path: Path) -> Records:
    pa = _pyarrow()
    data = path.read_bytes()
    try:
        table = pa.parquet.read_table(pa.BufferReader(data))
    except pa.ArrowException as error:
        raise ValueError(str(error)) from None
    encoded = {
        field.name
        for field in table.schema
        if (field.metadata or {}).get(b"rigless") == JSON_COLUMN
    }
    records: Records = table.to_pylist()
    for record in records:
        for name in encoded:
            record[name] = None if record[name] is None else json.loads(record[name])
    return records


def _write_csv(records: Records) -> bytes:
    text = io.StringIO()
    found = columns(records)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(found)
    kinds = {name: _csv_kind(values, name) for name, values in found.items()}
    for index in range(len(records)):
        writer.writerow([_csv_text(values[index], kinds[name]) for name, values in found.items()])
    return text.getvalue().encode()


def _csv_kind(values: list[Any], name: str) -> type | None:
    """Return the type of a column; texts that would be read as numbers are written as JSON."""
    kind = _kind(values, name)
    if kind is str and name not in COLUMNS and ("" in values or _all_json(values, name)):
        return None
    return kind


def _csv_text(value: Any, kind: type | None) -> str:
    if value is None:
        return ""
    if kind is str:
        return str(value)
    return json.dumps(value)


def _read_csv(path: Path) -> Records:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        raw, names = list(reader), list(reader.fieldnames or ())
    if names and not {"key", "seed", "verdict"} <= set(names):
        return [{name: None for name in names if name}]  # it is no table of a sweep
    texts = {name for name in names if not _all_json([record[name] for record in raw], name)}
    return [
        {name: _csv_value(record[name], name, name in texts) for name in names} for record in raw
    ]


def _all_json(values: list[str | None], name: str) -> bool:
    if name in COLUMNS:
        return COLUMNS[name] is not str
    try:
        for value in values:
            if value:
                json.loads(value)
    except (ValueError, TypeError):
        return False
    return True


def _csv_value(text: str | None, name: str, is_text: bool) -> Any:
    if text is None:
        raise ValueError("a line has too few columns")
    if is_text:
        return text if text or name in COLUMNS else None
    value = json.loads(text) if text else None
    return float(value) if isinstance(value, int) and COLUMNS.get(name) is float else value


def _write_jsonl(records: Records) -> bytes:
    return "".join(json_line(record) for record in records).encode()


def json_line(record: dict[str, Any]) -> str:
    """Return a record as a line of JSON. Numbers that JSON lacks are left out."""
    plain = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in record.items()
    }
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")) + "\n"


def _read_jsonl(path: Path) -> Records:
    records = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("a line is no JSON object")
    return records


_READERS = {".parquet": _read_parquet, ".csv": _read_csv, ".jsonl": _read_jsonl}
_WRITERS = {".parquet": _write_parquet, ".csv": _write_csv, ".jsonl": _write_jsonl}
