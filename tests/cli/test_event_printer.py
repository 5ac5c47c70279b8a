"""The terminal shows events, and counts those of a flood."""

from rigless.console import EVENTS_PER_S, EventPrinter
from rigless.kernel.events import Event


def event(text):
    return Event(0, "robot", "awake", "info", text)


def test_a_flood_of_events_is_counted_and_the_next_second_is_printed(capsys):
    now = [10.0]
    printer = EventPrinter(lambda: now[0])
    for number in range(EVENTS_PER_S + 50):
        printer.show(event(f"event {number}."))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == EVENTS_PER_S
    assert "robot: event 0." in lines[0]
    now[0] += 1.5
    printer.show(event("later"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("50 more events were not printed")
    assert "robot: later" in lines[1]
    printer.finish()
    assert capsys.readouterr().err == ""
