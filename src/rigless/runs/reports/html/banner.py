"""The head of a run: its status, the reason in one sentence, its facts, and commands."""

from rigless.runs.reports.explanation import (
    broke_at_s,
    commands,
    described,
    faults_before,
    headline,
    more_failures,
    seconds,
)
from rigless.runs.reports.html.markup import text
from rigless.runs.result import Result

WORDS = {"passed": "Passed", "failed": "Failed", "invalid": "Invalid"}


def render_banner(result: Result) -> str:
    """Return the banner."""
    moment = broke_at_s(result) if result.status != "passed" else None
    notes = [text(more_failures(result))] if more_failures(result) else []
    for fault in faults_before(result, moment)[:3]:
        name, period = described(fault, moment or 0.0)
        notes.append(f'<span class="fault">{text(name)}</span> {period}.')
    notice = f'<p class="notes">{" ".join(notes)}</p>' if notes else ""
    return (
        f'<div class="banner {result.status}"><span class="badge">{WORDS[result.status]}</span>'
        f'<div><p class="why">{text(headline(result))}</p>{notice}</div>'
        f"{_facts(result)}</div>{_commands(result)}"
    )


def _facts(result: Result) -> str:
    ratio = result.duration_s / result.wall_s if result.wall_s > 0 else 0.0
    speed = f" ({ratio:,.{0 if ratio >= 10 else 1}f}×)" if ratio else ""
    facts = [
        ("Simulated", seconds(result.duration_s)),
        ("Wall time", f"{result.wall_s:.2f} s{speed}"),
        ("Seed", str(result.seed)),
        ("Scenario", result.target),
    ]
    facts += [("Folder", result.folder)] if result.folder else []
    items = "".join(f"<div><dt>{name}</dt><dd>{text(value)}</dd></div>" for name, value in facts)
    return f'<dl class="facts">{items}</dl>'


def _words(command: str) -> str:
    """Return a command that breaks between its words, not at the hyphens of options."""
    return " ".join(f"<span>{text(word)}</span>" for word in command.split(" "))


def _commands(result: Result) -> str:
    rows = "".join(
        f"<li><span>{text(purpose)}</span><code>{_words(command)}</code>"
        f'<button type="button" class="copy" aria-label="Copy the command: {text(purpose)}">Copy'
        "</button></li>"
        for purpose, command in commands(result)
    )
    return f'<ul class="commands">{rows}</ul>' if rows else ""
