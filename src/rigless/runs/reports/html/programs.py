"""The programs of a run: their ends, restarts, use of the machine, notes and log files."""

from rigless.runs.reports.explanation import ended
from rigless.runs.reports.html.markup import figure, text
from rigless.runs.result import ProgramResult, Result


def render_programs(result: Result) -> str:
    """Return a card for each program."""
    if not result.programs:
        return ""
    cards = "".join(_card(program) for program in result.programs)
    return f'<section class="programs"><h3>Programs</h3><div class="cards">{cards}</div></section>'


def _card(program: ProgramResult) -> str:
    facts = [
        ("Restarts", str(program.restarts), program.restarts > 0),
        ("Memory", f"{figure(program.memory_mb)} MB", False),
        ("CPU time", f"{figure(program.cpu_s)} s", False),
    ]
    items = "".join(
        f"<div><dt>{name}</dt><dd{' class=warn' if odd else ''}>{text(value)}</dd></div>"
        for name, value, odd in facts
    )
    notes = "".join(f"<li>{text(note)}</li>" for note in program.notes[:20])
    log = f'<p class="dim"><code>{text(program.log)}</code></p>' if program.log else ""
    state = "" if program.accepted else " broken"
    return (
        f'<article class="program{state}"><header><b>{text(program.name)}</b>'
        f'<span class="end">{text(ended(program))}</span></header>'
        f'<p class="command"><code>{text(" ".join(program.command))}</code></p>'
        f'<dl class="facts">{items}</dl>{f"<ul class=notes>{notes}</ul>" if notes else ""}{log}'
        "</article>"
    )
