"""A summary in Markdown for the job pages of CI servers (`$GITHUB_STEP_SUMMARY`).

Text of scenarios and programs is hostile: every character with a meaning in Markdown or HTML is
written as an entity, and output of programs is in `<pre>`.
"""

import re
from html import escape

from rigless.runs.reports.explanation import (
    commands,
    explained,
    failed_verdicts,
    headline,
    last_output,
    seconds,
    shortened,
    warnings,
)
from rigless.runs.result import Result

MARKS = {"passed": "✅ passed", "failed": "❌ failed", "invalid": "⚠️ invalid"}
SPECIAL = re.compile(r"[^\w\s.,;=+/%°−–…“”-]|_")  # the rest has no meaning inside a line
LONGEST = 400  # characters of a cell
MOST_DETAILS = 50  # runs; a job page may have 1 MiB


def render_markdown(results: list[Result]) -> str:
    """Return the summary of all results."""
    counts = {key: sum(result.status == key for result in results) for key in MARKS}
    title = ", ".join(f"{count} {key}" for key, count in counts.items() if count)
    lines = [
        f"## rigless check: {title or 'nothing to check'}",
        "",
        "| result | scenario | seed | simulated | reason |",
        "|---|---|---:|---:|---|",
    ]
    for result in results:
        held = sum(verdict.passed for verdict in result.verdicts)
        reason = f"{held} of {len(result.verdicts)} held" if result.passed else headline(result)
        lines.append(
            f"| {MARKS[result.status]} | {_inline(result.name)} | {result.seed} "
            f"| {seconds(result.duration_s)} | {_inline(reason)} |"
        )
    bad = [result for result in results if result.status != "passed"]
    for result in bad[:MOST_DETAILS]:
        lines += _details(result)
    if len(bad) > MOST_DETAILS:
        lines += ["", f"{len(bad) - MOST_DETAILS} more runs that did not pass are left out."]
    return "\n".join(lines) + "\n"


def _details(result: Result) -> list[str]:
    summary = f"<b>{_inline(result.name)}</b>: {_inline(headline(result))}"
    lines = ["", "<details>", f"<summary>{summary}</summary>", ""]
    failed = failed_verdicts(result)
    if failed:
        lines += ["| failed expectation | seen | broke at | margin |", "|---|---|---:|---:|"]
    for verdict in failed:
        broke = "" if verdict.broke_at_s is None else seconds(verdict.broke_at_s)
        margin = "" if verdict.margin is None else f"{verdict.margin:.4g}"
        cells = (_inline(verdict.text), _inline(explained(verdict)), broke, margin)
        lines.append(f"| {' | '.join(cells)} |")
    for fault in result.faults:
        lines += ["", f"Fault {_inline(fault.name)}: {fault.when}"]
    for line in warnings(result):
        lines += ["", _inline(line)]
    for purpose, command in commands(result):
        lines += ["", f"{purpose}:", "", f"<pre>{_literal(command)}</pre>"]
    if output := last_output(result):
        lines += ["", "Last output:", "", f"<pre>{_literal(chr(10).join(output))}</pre>"]
    return [*lines, "", "</details>"]


def _inline(text: str) -> str:
    """Return a text in one line in which nothing is markup."""
    return SPECIAL.sub(lambda found: f"&#{ord(found[0])};", shortened(text, LONGEST))


def _literal(text: str) -> str:
    """Return a text for `<pre>`, without control characters."""
    plain = "".join(
        c if c in "\t\n" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text
    )
    return escape(plain)
