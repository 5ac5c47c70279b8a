"""The parts of the page that are text: verdict, failures with commands, cells, facts."""

import shlex
from typing import Any

from rigless.runs.reports.explanation import seconds, shortened
from rigless.runs.reports.html.markup import figure, number, text
from rigless.scenario.expect.margins import counted
from rigless.sweeps.report.data import Facts, FailedRun, Summary
from rigless.sweeps.settings import command_words
from rigless.sweeps.statistics.decision import Cell, Decision, percent
from rigless.sweeps.toml_writer import inline

CLASSES = {"PASS": "passed", "FAIL": "failed", "UNDECIDED": "invalid"}
KEY = 12  # characters of a key in a command


def render_verdict(summary: Summary) -> str:
    """Return the banner: word, pass rate, interval, sentence and facts."""
    decision = summary.decision
    rate = decision.passed / decision.total if decision.total else None
    word = "RUNNING" if summary.running else decision.word
    kind = "" if summary.running else CLASSES[decision.word]
    shown = percent(rate).removesuffix(" %") if rate is not None else "–"
    return (
        f'<div class="banner verdict {kind}"><div class="headline">'
        f'<span class="badge">{word}</span>'
        f'<span class="rate">{shown}<small>%&thinsp;passed</small></span></div>'
        f"{_interval(decision, rate)}"
        f'<p class="why">{text(decision.sentence)}</p>{_facts(summary.facts, summary.rows)}</div>'
    )


def _interval(decision: Decision, rate: float | None) -> str:
    """Return the 95 % interval on a scale that ends at 100 %."""
    least = min(decision.low, decision.want if decision.want is not None else 1.0)
    begin = next(one for one in (0.999, 0.99, 0.95, 0.9, 0.5, 0.0) if least >= one or one == 0.0)

    def at(value: float) -> float:
        return 100 * min(max((value - begin) / (1 - begin), 0.0), 1.0)

    want = ""
    if decision.want is not None:
        last = " last" if at(decision.want) > 85 else ""
        want = (
            f'<i class="want" style="left:{number(at(decision.want))}%"></i>'
            f'<span class="want-label{last}" style="left:{number(at(decision.want))}%">'
            f"wanted {percent(decision.want)}</span>"
        )
    seen = f'<i class="seen" style="left:{number(at(rate))}%"></i>' if rate is not None else ""
    bounds = f"{percent(decision.low)} to {percent(decision.high)}"
    return (
        f'<div class="interval" role="img" aria-label="95 % interval of the pass rate: {bounds}">'
        f'<i class="track"></i><i class="range" style="left:{number(at(decision.low))}%;'
        f'width:{number(at(decision.high) - at(decision.low))}%"></i>{seen}{want}'
        f"<span>{percent(begin)}</span><span class=bounds>{bounds}</span>"
        '<span class="high">100 %</span></div>'
    )


def _facts(facts: Facts, rows: int) -> str:
    speed = facts.simulated_s / facts.wall_s if facts.wall_s > 0 else 0.0
    mean_ms = 1000 * facts.wall_s / rows if rows else 0.0
    plain = facts.deterministic
    shown = [
        (
            "Runs",
            f"{rows:,} ({counted(facts.settings, 'setting')}, {counted(facts.seeds, 'seed')})",
        ),
        ("Scenario", ", ".join(facts.scenarios) or "unknown"),
        ("Engine", f"{', '.join(facts.engines) or 'unknown'}, {counted(facts.workers, 'worker')}"),
        ("Simulated", duration(facts.simulated_s)),
        ("Worker time", f"{duration(facts.wall_s)} ({speed:,.0f}×)"),
        ("A run", f"{mean_ms:,.0f} ms, the longest {seconds(facts.slowest_s)}"),
        ("Deterministic", "all runs" if plain == rows else f"{plain:,} of {rows:,} runs"),
        ("Version", ", ".join(facts.versions) or "unknown"),
    ]
    items = "".join(f"<div><dt>{name}</dt><dd>{text(value)}</dd></div>" for name, value in shown)
    return f'<dl class="facts">{items}</dl>'


def duration(time_s: float) -> str:
    """Return a long time for people, such as 3 h 20 min."""
    if time_s < 120:
        return seconds(round(time_s, 1))
    minutes = round(time_s / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60:,} h {minutes % 60} min"


def render_expectations(summary: Summary) -> str:
    """Return the expectations that failed, the most frequent first."""
    total = sum(summary.expectations.values())
    items = "".join(
        f'<li><span class="name">{text(shortened(name, 120))}</span><b>{count:,}</b>'
        f'<i style="--share:{number(100 * count / total)}%"></i></li>'
        for name, count in list(summary.expectations.items())[:12]
    )
    if not items:
        return '<section><h3>Failed first</h3><p class="dim">No run failed.</p></section>'
    return f'<section><h3>Failed first</h3><ul class="shares">{items}</ul></section>'


def render_influence(summary: Summary) -> str:
    """Return the parameters by their influence on the pass rate."""
    axes = [axis for axis in summary.axes[:12] if axis.influence > 0]
    if not axes:
        return ""
    axes.sort(key=lambda axis: -axis.influence)
    items = "".join(
        f'<li><span class="name">{text(axis.key)}</span>'
        f"<b>{100 * axis.influence**0.5:.0f} %</b>"
        f'<i style="--share:{number(100 * (axis.influence / axes[0].influence) ** 0.5)}%"></i></li>'
        for axis in axes
    )
    return (
        '<section><h3>Influence <span class="count">deviation of the pass rate over the values, '
        f'without chance</span></h3><ul class="shares grey">{items}</ul></section>'
    )


def render_failures(summary: Summary, table: str) -> str:
    """Return the list of failures, the worst first, each with its commands."""
    failures = summary.failures
    if not failures:
        return ""
    total = sum(summary.expectations.values())
    count = f"{total:,}" if total == len(failures) else f"the {len(failures)} worst of {total:,}"
    names = dict.fromkeys(failure.expectation for failure in failures)
    options = "".join(f"<option>{text(name)}</option>" for name in names)
    choice = (
        f'<select aria-label="Expectation"><option value="">all expectations</option>{options}'
        "</select>"
        if len(names) > 1
        else ""
    )
    items = "".join(_failure(n, failure, table) for n, failure in enumerate(failures))
    return (
        f'<section class="failures"><h3>Failures <span class="count">{count}, the worst first'
        '</span></h3><div class="tools"><input type="search" placeholder="Filter failures" '
        f'aria-label="Filter failures">{choice}<output class="found" aria-live="polite"></output>'
        '</div><div class="head" aria-hidden="true"><span>Failed expectation</span>'
        '<span>Settings</span><span class="number">Margin</span><span class="number">At</span>'
        f"</div><ol>{items}</ol></section>"
    )


def _failure(n: int, failure: FailedRun, table: str) -> str:
    at = seconds(failure.broke_at_s) if failure.broke_at_s is not None else ""
    margin = figure(failure.margin) if failure.margin is not None else "–"
    note = f'<p class="seen">{text(shortened(failure.note))}</p>' if failure.note else ""
    rows = "".join(
        f"<li><span>{purpose}</span><code>{_words(words)}</code>"
        f'<button type="button" class="copy" aria-label="Copy the command: {purpose}">Copy'
        "</button></li>"
        for purpose, words in commands(failure, table)
    )
    return (
        f'<li data-n="{n}" data-key="{text(failure.key)}"><details><summary>'
        f'<span class="name">{text(shortened(failure.expectation or "unknown", 160))}</span>'
        f'<span class="set">{_settings(failure)}</span>'
        f'<span class="number margin-value">{margin}</span>'
        f'<span class="number when">{at}</span></summary>'
        f'<div class="body">{note}<p class="dim">row {failure.index}, key {text(failure.key)}</p>'
        f'<ul class="commands">{rows}</ul></div></details></li>'
    )


def commands(failure: FailedRun, table: str) -> list[tuple[str, list[str]]]:
    """Return the commands that show, shrink and check a failing run, as words."""
    key = failure.key[:KEY]
    repeat = ["rigless", "check", failure.scenario or "SCENARIO"]
    return [
        ("Show", ["rigless", "sweep", "show", table, key, "--open"]),
        ("Shrink", ["rigless", "shrink", table, key, "--out", "small.toml"]),
        ("Check", [*repeat, *command_words(failure.settings, failure.seed)]),
    ]


def _words(words: list[str]) -> str:
    """Return a command that breaks between its words."""
    return " ".join(f"<span>{text(shlex.quote(word))}</span>" for word in words)


def _settings(failure: FailedRun) -> str:
    parts = [*failure.settings.items(), ("seed", failure.seed)]
    parts += [("repeat", failure.repeat)] if failure.repeat else []
    return " &nbsp;".join(
        f"{text(key)}=<b>{text(shortened(_value(value), 60))}</b>" for key, value in parts
    )


def _value(value: Any) -> str:
    """Return a value for people: numbers have four digits; the commands have all."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_value(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    if isinstance(value, float):
        return figure(value)
    return value if isinstance(value, str) else inline(value)


def render_cells(summary: Summary) -> str:
    """Return the cells with their intervals, the worst first."""
    if not summary.cells:
        return ""
    shown = len(summary.cells)
    count = f"{shown:,}" if shown == summary.cell_count else f"the {shown} worst of "
    count += "" if shown == summary.cell_count else f"{summary.cell_count:,}"
    rows = "".join(_cell(cell) for cell in summary.cells)
    expected = round(0.05 * summary.cell_count)
    lead = (
        f'<p class="lead">{summary.cell_count:,} cells, each with a 95 % interval of its own: '
        f"by chance about {expected:,} of them miss the true rate.</p>"
        if expected
        else ""
    )
    return (
        f'<section class="index cells"><h3>Pass rate by cell <span class="count">{count}, the '
        f"worst first</span></h3>{lead}<table><thead><tr><th>Settings</th>"
        "<th class=num>Passed</th><th>95 % interval</th><th class=num></th></tr></thead>"
        f"<tbody>{rows}</tbody></table></section>"
    )


def _cell(cell: Cell) -> str:
    rate = cell.passed / cell.total if cell.total else 0.0
    name = ", ".join(f"{key} {_value(value)}" for key, value in cell.settings.items()) or "all"
    unjudged = f" +{cell.unjudged} without" if cell.unjudged else ""
    return (
        f"<tr{' class=bad' if cell.passed < cell.total else ''}>"
        f'<td class="settings">{text(shortened(name, 200))}</td>'
        f"<td class=num>{cell.passed:,}/{cell.total:,}{unjudged}</td>"
        f'<td class="bar-cell"><span class="tiny"><i style="left:{number(100 * cell.low)}%;'
        f'width:{number(100 * (cell.high - cell.low))}%"></i>'
        f'<b style="left:{number(100 * rate)}%"></b></span></td>'
        f"<td class=num>{percent(cell.low)} to {percent(cell.high)}</td></tr>"
    )
