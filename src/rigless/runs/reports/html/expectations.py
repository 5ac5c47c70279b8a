"""The expectations of a run: failed ones with a large plot, the others as lines that open."""

import math

from rigless.runs.reports.explanation import failed_verdicts, seconds
from rigless.runs.reports.html.markup import Axis, figure, text
from rigless.runs.reports.html.plot import render_plot, render_spark
from rigless.runs.result import Result
from rigless.scenario.verdict import FaultPeriod, Verdict

MAX_SHOWN = 300


def render_expectations(result: Result, axis: Axis) -> str:
    """Return the section of all expectations."""
    if not result.verdicts:
        return ""
    failed = failed_verdicts(result)
    held = [verdict for verdict in result.verdicts if verdict.passed]
    title = f"{len(held)} of {len(result.verdicts)} held"
    body = [f'<h3>Expectations <span class="count">{title}</span></h3>']
    shown = (failed + held)[:MAX_SHOWN]
    body += [
        _card(verdict, result.verdicts.index(verdict), result.faults, axis) for verdict in shown
    ]
    left_out = len(result.verdicts) - len(shown)
    if left_out:
        body.append(f'<p class="dim">{left_out} more expectations are left out.</p>')
    return f'<section class="expectations">{"".join(body)}</section>'


def _card(verdict: Verdict, index: int, faults: list[FaultPeriod], axis: Axis) -> str:
    bad = not verdict.passed
    summary = (
        f'<summary><i class="mark" aria-hidden="true"></i><span class="name">'
        f'<span class="sr">{"failed: " if bad else "held: "}</span>{text(verdict.text)}</span>'
        f"{'' if bad else render_spark(verdict, axis)}{_when(verdict)}{_margin(verdict)}</summary>"
    )
    expected = verdict.expected if verdict.expected != verdict.text else ""
    facts = [f'<p class="seen">{text(verdict.detail)}</p>']
    if expected:
        facts.append(f'<p class="dim"><b>Expected</b> {text(expected)}</p>')
    if verdict.place:
        facts.append(f'<p class="dim"><code>{text(verdict.place)}</code></p>')
    plot = render_plot(
        verdict, axis, [f for f in faults if not verdict.robot or f.robot in ("", verdict.robot)]
    )
    value = f'<output class="value" data-plot="{index}"></output>' if plot else ""
    return (
        f'<details class="expectation {"failed" if bad else "held"}"{" open" if bad else ""}>'
        f"{summary}<div>{''.join(facts)}{value}{plot}</div></details>"
    )


def _when(verdict: Verdict) -> str:
    if verdict.passed or verdict.broke_at_s is None:
        return ""
    time_s = verdict.broke_at_s
    return (
        f'<button type="button" class="jump" data-jump="{time_s:.4f}" '
        f'title="Move the cursor here">broke at {seconds(time_s)}</button>'
    )


def _margin(verdict: Verdict) -> str:
    if verdict.margin is None or not math.isfinite(verdict.margin):
        return ""
    sign = "+" if verdict.margin > 0 else ""
    return f'<span class="margin"><small>margin</small> {sign}{figure(verdict.margin)}</span>'
