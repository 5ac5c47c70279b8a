"""The page: text by Python, pictures by `pictures.js` from the data of the summary."""

from dataclasses import replace
from importlib.resources import files

from rigless.runs.reports.html.markup import data, figure, text
from rigless.sweeps.report.axes import AxisSummary
from rigless.sweeps.report.data import Summary
from rigless.sweeps.report.histograms import Histogram
from rigless.sweeps.report.sections import (
    render_cells,
    render_expectations,
    render_failures,
    render_influence,
    render_verdict,
)
from rigless.sweeps.statistics.decision import percent


def render_report(summary: Summary, table: str) -> str:
    """Return one self-contained page. `table` is the file for the commands."""
    styles = f"<style>{style_sheet()}</style>"
    scripts = f'<script>{_shared("report.js")}</script><script type="module">{page_script()}'
    return render_page(summary, table, styles, f"{scripts}</script>")


def render_page(summary: Summary, table: str, styles: str, scripts: str) -> str:
    """Return the page with these elements for styles and scripts."""
    title = f"rigless sweep: {'running' if summary.running else summary.decision.line}"
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<title>{text(title)}</title><link rel="icon" href="data:,">'
        f"{styles}</head><body>"
        "<header class=top><h1>rig<i>·</i>less <span>sweep</span></h1>"
        f"{render_counts(summary)}</header><main>{render_body(summary, table)}"
        "<noscript><p>The pictures need scripts.</p></noscript></main>"
        '<div class="tip" role="tooltip" hidden></div>'
        f'<script type="application/json" id="data">{data(drawn(summary))}</script>'
        f"{scripts}</body></html>\n"
    )


def render_body(summary: Summary, table: str) -> str:
    """Return the sections of the page."""
    return "".join(
        (
            render_verdict(summary),
            _two_axes(summary),
            _lines(summary),
            render_failures(summary, table),
            render_cells(summary),
            _distributions(summary),
            _coverage(summary),
            _notes(summary),
        )
    )


def style_sheet() -> str:
    """Return the style sheet of the page."""
    return _shared("style.css") + _own("sweep.css")


def page_script() -> str:
    """Return the module that draws the pictures and handles the page."""
    return _own("pictures.js") + _own("page.js")


def _shared(name: str) -> str:
    return files("rigless.runs.reports.html").joinpath(name).read_text("utf-8")


def _own(name: str) -> str:
    return files("rigless.sweeps.report").joinpath(name).read_text("utf-8")


def drawn(summary: Summary) -> Summary:
    """Return the data for the pictures, without the parts that are text on the page."""
    failures = [replace(one, settings={}, note="", key="", scenario="") for one in summary.failures]
    return replace(summary, failures=failures, cells=[])


def render_counts(summary: Summary) -> str:
    decision = summary.decision
    counts = (
        ("passed", "passed", decision.passed),
        ("failed", "failed", decision.total - decision.passed),
        ("invalid", "without a verdict", decision.unjudged),
    )
    shown = "".join(
        f'<span class="{name}"><b>{count:,}</b> {word}</span>'
        for name, word, count in counts
        if count
    )
    return f'<p class="counts">{shown}</p>'


def _two_axes(summary: Summary) -> str:
    side = render_expectations(summary) + render_influence(summary)
    if summary.chosen is None:
        return side
    chosen = dict(zip("xy", summary.chosen, strict=True))
    selects = "".join(
        f'<label>{name}<select name="{name}" aria-label="Axis {name}">'
        + "".join(
            f'<option value="{n}"{" selected" if n == chosen[name] else ""}>'
            f"{text(summary.axes[n].key)}</option>"
            for n in summary.mapped
        )
        + "</select></label>"
        for name in "xy"
    )
    colour = (
        '<label>colour<select name="colour" aria-label="Colour">'
        '<option value="failed">failures</option><option value="worst">worst margin</option>'
        "</select></label>"
    )
    return (
        '<div class="two"><section><h3>Failures over two parameters</h3>'
        f'<div class="tools">{selects}{colour}</div><div class="heat"></div>'
        '<div class="legend"></div><p class="picked-note" hidden><span></span>'
        '<button type="button">Show all runs</button></p></section>'
        f'<div class="side">{side}</div></div>'
    )


def _lines(summary: Summary) -> str:
    if not summary.mapped or not summary.lines:
        return ""
    return (
        '<section><h3>Runs over all parameters <span class="count">a line is a run, red lines '
        'failed; the scaled margin of a failure is negative</span></h3><div class="lines" '
        'tabindex="0" role="group" aria-label="Runs over all parameters"></div></section>'
    )


def _distributions(summary: Summary) -> str:
    figures = "".join(_histogram(n, one) for n, one in enumerate(summary.histograms))
    if not figures:
        return ""
    return (
        '<section><h3>Margins and metrics <span class="count">grey runs passed, red ones failed; '
        f'a margin below 0 is a failure</span></h3><div class="many">{figures}</div></section>'
    )


def _histogram(n: int, one: Histogram) -> str:
    medians = []
    if one.passed_median is not None:
        medians.append(f"median {figure(one.passed_median)} passed")
    if one.failed_median is not None:
        medians.append(f"<b>{figure(one.failed_median)} failed</b>")
    limits = f"{figure(one.smallest)} to {figure(one.largest)}"
    if one.smallest == one.largest:
        limits, medians = f"always {figure(one.smallest)}", []
    outside = one.below + one.above
    more = f"; {outside:,} in the outer bins lie outside" if outside else ""
    return (
        f"<figure><h4>{text(one.name)} <small class=dim>{one.kind}</small></h4>"
        f"<p>{'; '.join([limits + more, *([', '.join(medians)] if medians else [])])}</p>"
        f'<div data-histogram="{n}"></div></figure>'
    )


def _coverage(summary: Summary) -> str:
    if not summary.axes:
        return ""
    bars = "".join(
        f"<figure><h4>{text(axis.key)}</h4><p>{axis.distinct:,} values, {_bins(axis)}"
        f'</p><div data-axis="{n}"></div></figure>'
        for n, axis in enumerate(summary.axes)
    )
    pairs = ""
    if summary.pair_coverage is not None:
        pairs = (
            f'<h3 style="margin-top:22px">Pairs of parameters <span class="count">'
            f"{percent(summary.pair_coverage)} of the pairs of bins have a run</span></h3>"
            '<div class="pairs"></div>'
        )
    return (
        '<section><h3>Coverage <span class="count">runs over the values of each parameter'
        f'</span></h3><div class="many">{bars}</div>{pairs}</section>'
    )


def _bins(axis: AxisSummary) -> str:
    counts = [sum(one) for one in zip(axis.passed, axis.failed, axis.unjudged, strict=True)]
    used = sum(count > 0 for count in counts)
    return f"{used} of {len(counts)} bins have a run, the least has {min(counts):,}"


def _notes(summary: Summary) -> str:
    if not summary.notes:
        return ""
    return (
        f'<ul class="page-notes">{"".join(f"<li>{text(one)}</li>" for one in summary.notes)}</ul>'
    )
