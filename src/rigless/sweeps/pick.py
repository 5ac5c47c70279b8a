"""Pick a row of a table, and check that its run can be made again."""

from pathlib import Path

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.row import METRIC, UNSTABLE, Row

SAME = tuple(name for name in ("verdict", "margin", "failed", "broke_at_s", "simulated_s"))


def pick(rows: list[Row], wanted: str, table: str = "") -> Row:
    """Return the row of a number from 0, a key or the beginning of a key; or the worst failure.

    Raises InputError if there is none.
    """
    if not rows:
        raise InputError(Problem("", "the table has no rows", "run the sweep first", table))
    if wanted == "worst":
        return min(rows, key=badness)
    if wanted.isascii() and wanted.isdigit() and int(wanted) < len(rows) and len(wanted) < 9:
        return rows[int(wanted)]
    found = [row for row in rows if row.key.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        what = f"{len(found)} keys begin with {wanted!r}"
        raise InputError(Problem("ROW", what, f"give more of it: {found[0].key}", table))
    what = f"there is no row {wanted!r}"
    fix = f"a number from 0 to {len(rows) - 1}, the beginning of a key, or worst"
    raise InputError(Problem("ROW", what, fix, table))


def scenario_of(row: Row, table: Path) -> str:
    """Return the scenario of a row: as it was named, or in the folder of the table."""
    near = table.parent / row.scenario
    return str(near) if not Path(row.scenario).exists() and near.is_file() else row.scenario


def badness(row: Row) -> tuple[bool, float]:
    """Return a sort key: failures first, the worst margin first."""
    return row.verdict != "fail", row.margin if row.margin is not None else 0.0


def differences(was: Row, now: Row) -> list[str]:
    """Return in words what differs between two runs of one row, apart from time and place.

    A metric that this run does not count is 0 in a table in which other runs count it.
    """
    before = was.flat()
    after = {**{METRIC + name: 0.0 for name in was.metrics}, **now.flat()}
    names = [name for name in before if name not in UNSTABLE and name not in ("note", "repeat")]
    return [
        f"{name}: {before[name]!r} in the table, {after.get(name)!r} now"
        for name in names
        if before[name] != after.get(name)
    ]
