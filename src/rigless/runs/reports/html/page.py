"""The page: an index of several runs, then a section for each."""

from importlib.resources import files

from rigless.runs.reports.explanation import broke_at_s, headline, seconds, shortened
from rigless.runs.reports.html.banner import WORDS, render_banner
from rigless.runs.reports.html.expectations import render_expectations
from rigless.runs.reports.html.map import map_data, render_maps, worlds_drawn
from rigless.runs.reports.html.map_view import view_of
from rigless.runs.reports.html.markup import Axis, data, text
from rigless.runs.reports.html.output import render_events, render_output
from rigless.runs.reports.html.plot import stepped, thinned
from rigless.runs.reports.html.programs import render_programs
from rigless.runs.reports.html.timeline import render_timeline, timeline_data
from rigless.runs.result import Result
from rigless.runs.trace import Trace

COLUMN, MAP, PLOT, LINES, LINE, HEAD = 600, 520, 250, 110, 42, 80  # pixels, about
DETAILED = 25  # runs with all their drawings; of more runs that passed only the words are shown


def render_html(results: list[Result]) -> str:
    """Return one self-contained page for all results."""
    counts = {word: sum(one.status == word for one in results) for word in WORDS}
    summary = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    title = f"rigless check: {summary or 'nothing to check'}"
    several = len(results) > 1
    body = [_run(result, n, several) for n, result in enumerate(results)]
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{text(title)}</title>"
        f'<link rel="icon" href="data:,"><style>{_file("style.css")}</style></head><body>'
        f"<header class=top><h1>rig<i>·</i>less <span>check</span></h1>{_counts(counts)}</header>"
        f"<main>{_index(results) if several else ''}{''.join(body)}</main>"
        f'<div class="tip" role="tooltip" hidden></div>'
        f"<script data-report>{_file('report.js')}</script></body></html>\n"
    )


def _file(name: str) -> str:
    return files("rigless.runs.reports.html").joinpath(name).read_text("utf-8")


def _counts(counts: dict[str, int]) -> str:
    shown = "".join(
        f'<span class="{word}"><b>{count}</b> {word}</span>'
        for word, count in counts.items()
        if count
    )
    return f'<p class="counts">{shown}</p>'


def _index(results: list[Result]) -> str:
    rows = "".join(
        f'<tr class="{one.status}"><td><span class="badge">{WORDS[one.status]}</span></td>'
        f'<td><a href="#run-{n}">{text(one.name)}</a></td>'
        f"<td class=reason>{text(shortened(headline(one), 200))}</td>"
        f"<td class=num>{seconds(one.duration_s)}</td><td class=num>{one.seed}</td></tr>"
        for n, one in enumerate(results)
    )
    return (
        '<section class="index"><table><thead><tr><th>Result</th><th>Scenario</th><th>Reason</th>'
        f"<th class=num>Simulated</th><th class=num>Seed</th></tr></thead><tbody>{rows}</tbody>"
        "</table></section>"
    )


def _run(result: Result, n: int, several: bool) -> str:
    trace = result.trace
    passed = result.status == "passed"
    drawn = trace is not None and not (passed and n >= DETAILED)
    axis = Axis((trace.duration_s if trace else 0.0) or result.duration_s)
    head = f"<h2>{text(result.name)}</h2>"
    parts = [render_banner(result)]
    expectations = render_expectations(result, axis)
    maps = render_maps(result, f"run-{n}") if drawn else ""
    programs = render_programs(result)
    if maps:
        short = _height_of_maps(trace or Trace()) < _height_of_expectations(result)
        left, right = (maps + programs, expectations) if short else (maps, expectations + programs)
        parts.append(
            f'<div class="where"><div class="picture">{left}</div><div>{right}</div></div>'
        )
    elif expectations and programs:
        parts.append(
            f'<div class="where wide"><div>{expectations}</div><div>{programs}</div></div>'
        )
    else:
        parts += [expectations, programs]
    if drawn:
        parts.append(render_timeline(result, axis))
        parts += [render_output(result, several and passed), render_events(trace)]
        parts.append(f'<script type="application/json">{data(_data(result, trace, axis))}</script>')
    content = "".join(parts)
    if several:
        mark = f'<span class="badge">{WORDS[result.status]}</span>'
        return (
            f'<details class="run {result.status}" id="run-{n}" data-run'
            f"{'' if passed else ' open'}>"
            f"<summary>{mark}{head}</summary>{content}</details>"
        )
    return f'<article class="run {result.status}" id="run-{n}" data-run>{head}{content}</article>'


def _height_of_maps(trace: Trace) -> float:
    """Estimate the height of all maps on a wide screen."""
    views = [view_of(trace, n) for n in worlds_drawn(trace)]
    return sum(HEAD + min(MAP, COLUMN * view.height / view.width) for view in views)


def _height_of_expectations(result: Result) -> float:
    """Estimate the height of the list of expectations on a wide screen."""
    failed = [one for one in result.verdicts if not one.passed]
    plots = sum(PLOT for one in failed if one.series is not None)
    return HEAD + plots + LINES * len(failed) + LINE * (len(result.verdicts) - len(failed))


def _data(result: Result, trace: Trace | None, axis: Axis) -> dict[str, object]:
    """Return the numbers for the cursor."""
    trace = trace or Trace()
    moment = broke_at_s(result)
    return {
        "duration": axis.duration_s,
        "start": moment if moment is not None else axis.duration_s,
        "plots": {
            str(n): (list if one.series.single else stepped)(thinned(one.series))
            for n, one in enumerate(result.verdicts)
            if one.series
        },
        "single": [n for n, one in enumerate(result.verdicts) if one.series and one.series.single],
        "maps": map_data(trace),
        **timeline_data(trace),
    }
