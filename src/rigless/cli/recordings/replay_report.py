"""The result of `rigless replay --compare`: a sentence, a table, and a JSON report."""

from pathlib import Path
from typing import Any

from rigless.console import print_line, write_text
from rigless.kernel.plain import to_json
from rigless.recordings.compare_inputs import InputComparison, InputDifference, Row

OPEN_LOOP = "open loop: the robot was played from the recording and did not react to the program"
HEADER = ("type", "recorded", "new", "worst delay", "worst field difference")


def print_comparison(found: InputComparison, recorded: int) -> None:
    """Print the first difference, the table, and the limits of the method."""
    if found.first is None:
        print_line(f"the same: {recorded} messages within tolerance")
    else:
        print_line(f"different: {found.first}")
        if len(found.differences) > 1:
            print_line(f"{len(found.differences)} differences in all")
    lines = [HEADER, *map(_cells, found.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.ljust(width) if n in (0, 4) else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print_line("  ".join(cells).rstrip())
    print_line(OPEN_LOOP)


def _cells(row: Row) -> tuple[str, ...]:
    paired = min(row.recorded, row.new)
    if not row.worst_field:
        worst = "none" if paired else "-"
    elif row.worst_difference is None:
        worst = f"{row.worst_field} differs"
    else:
        worst = f"{row.worst_field} {row.worst_difference:.6g}"
    delay = f"{row.worst_delay_ns / 1e6:+.0f} ms" if paired else "-"
    name = f"{row.robot}/{row.port} {row.type}"
    return name, str(row.recorded), str(row.new), delay, worst


def write_report(
    path: Path,
    found: InputComparison,
    recording: str,
    command: list[str],
    exit: int | None,
    failure: str,
) -> None:
    """Write everything as JSON. Raises InputError if that fails."""
    content = {
        "recording": recording,
        "command": command,
        "open_loop": True,
        "same": found.first is None and not failure,
        "program": {"exit": exit, "stopped": exit is None, "failure": failure},
        "differences": [_difference(one) for one in found.differences],
        "table": [_row(row) for row in found.rows],
    }
    write_text(path, to_json(content).decode() + "\n")


def _difference(one: InputDifference) -> dict[str, Any]:
    return {
        "time_s": one.time_ns / 1e9,
        "robot": one.robot,
        "port": one.port,
        "type": one.type,
        "kind": one.kind,
        "field": one.field,
        "recorded": one.recorded,
        "new": one.new / 1e6 if one.kind == "delay" else one.new,
        "text": str(one),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "robot": row.robot,
        "port": row.port,
        "type": row.type,
        "recorded": row.recorded,
        "new": row.new,
        "worst_delay_ms": row.worst_delay_ns / 1e6,
        "worst_field": row.worst_field,
        "worst_field_difference": row.worst_difference,
    }
