"""The event queue: the order of events at one instant, tickers and saved queues."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rigless.kernel.timing.agenda import INPUT, SAMPLE, TICK, TIMER, Agenda, Ticker
from rigless.kernel.timing.rate import Rate


class Script:
    """An agenda that writes down (time, what) for each event."""

    def __init__(self):
        self.seen = []
        self.agenda = Agenda(
            lambda action, argument: self.seen.append((self.agenda.now_ns, argument))
        )

    def ticker(self, name: str, hz: float, index: int = 0) -> Ticker:
        ticker = Ticker(name, lambda: self.seen.append((self.agenda.now_ns, name)), TICK | index)
        ticker.set_rate(Rate(hz), 0)
        self.agenda.enter(ticker)
        return ticker


@given(
    st.lists(st.tuples(st.integers(0, 50), st.sampled_from([TIMER, INPUT, SAMPLE])), max_size=40)
)
def test_one_shots_run_by_time_then_priority_then_order_of_entry(shots):
    script = Script()
    for index, (time_ns, priority) in enumerate(shots):
        script.agenda.add(time_ns, priority, "act", index)
    script.agenda.run_until(100)
    wanted = sorted(range(len(shots)), key=lambda index: (*shots[index], index))
    assert script.seen == [(shots[index][0], index) for index in wanted]


def test_at_one_instant_timers_ticks_samples_inputs():
    script = Script()
    script.agenda.add(10**9, SAMPLE, "act", "sample")
    script.agenda.add(10**9, INPUT, "act", "input")
    script.ticker("second tick", 1, index=1)
    script.ticker("first tick", 1, index=0)
    script.agenda.add(10**9, TIMER, "act", "timer")
    script.agenda.run_until(10**9)
    assert [what for _, what in script.seen] == [
        "timer",
        "first tick",
        "second tick",
        "sample",
        "input",
    ]


@given(
    hz=st.sampled_from([0.3, 1, 7, 110, 1000 / 3]),
    stops=st.lists(st.integers(0, 3 * 10**9), max_size=20).map(sorted),
)
def test_ticks_fall_on_exact_times_however_it_is_advanced(hz, stops):
    script = Script()
    script.ticker("tick", hz)
    for stop in [*stops, 3 * 10**9]:
        script.agenda.run_until(stop)
        assert script.agenda.now_ns == stop
    rate = Rate(hz)
    due = [rate.due_ns(n) for n in range(1, 2000) if rate.due_ns(n) <= 3 * 10**9]
    assert script.seen == [(at, "tick") for at in due]


def test_what_is_due_at_the_end_runs_and_what_is_later_does_not():
    script = Script()
    script.agenda.add(5, TIMER, "act", "at")
    script.agenda.add(6, TIMER, "act", "after")
    script.agenda.run_until(5)
    assert script.seen == [(5, "at")]
    assert script.agenda.next_due_ns() == 6


def test_the_agenda_with_nothing_in_it_still_advances():
    script = Script()
    assert script.agenda.next_due_ns() is None
    script.agenda.run_until(77)
    assert (script.agenda.now_ns, script.agenda.processed) == (77, 0)
    assert script.agenda.failed is None


def test_a_cancelled_shot_is_not_run_and_its_neighbours_are():
    script = Script()
    keep, drop, also = (
        script.agenda.add(5, TIMER, "act", name) for name in ("keep", "drop", "also")
    )
    script.agenda.cancel(drop)
    assert [argument for *_, argument in script.agenda.pending()] == ["keep", "also"]
    script.agenda.run_until(5)
    assert script.seen == [(5, "keep"), (5, "also")]
    assert keep != also
    script.agenda.cancel(keep)  # it has run already: nothing to cancel


@pytest.mark.parametrize(("hz", "new_hz"), [(10, 4), (10, 0), (7, 3)])
def test_a_new_rate_replaces_the_old_one(hz, new_hz):
    script = Script()
    ticker = script.ticker("tick", hz)
    script.agenda.run_until(10**9)
    del script.seen[:]
    ticker.set_rate(Rate(new_hz), 10**9)
    script.agenda.enter(ticker)
    script.agenda.run_until(2 * 10**9)
    due = [10**9 + Rate(new_hz).due_ns(n) for n in range(1, new_hz + 1)]
    assert script.seen == [(at, "tick") for at in due]


RATES = st.sampled_from([0.3, 1, 7, 110, 250, 1000 / 3])
BASES = st.integers(-(10**9), 10**9)  # a robot with a phase counts from before time zero


@given(RATES, BASES, st.integers(0, 2 * 10**9))
@example(1, 0, 2 * 10**9)
@example(250, 0, 48_000_000)
@example(110, -430_000_000, Rate(110).due_ns(50) - 430_000_000)
@example(7, 300_000_000, Rate(7).due_ns(5) + 300_000_001)
def test_skip_to_gives_the_first_tick_after_a_time(hz, base_ns, now_ns):
    rate, ticker = Rate(hz), Ticker("tick", print, TICK)
    ticker.set_rate(rate, base_ns)
    ticker.skip_to(now_ns)
    first = next(n for n in itertools.count(1) if base_ns + rate.due_ns(n) > now_ns)
    assert ticker.save()[2:] == (base_ns, first)
    assert ticker.due_ns == base_ns + rate.due_ns(first)
    assert type(ticker.due_ns) is int  # a float is not exact after 104 days


@given(RATES, BASES, st.integers(1, 500), st.integers(1, 300))
@example(250, -430_000_000, 5, 2)
@example(7, 300_000_000, 5, 2)
def test_ticks_are_counted_and_completed_to_the_nanosecond(hz, base_ns, n, ticks):
    rate, ticker = Rate(hz), Ticker("tick", print, TICK)
    ticker.set_rate(rate, base_ns)
    ticker.load(*ticker.save()[:3], n)
    last_ns = base_ns + rate.due_ns(n + ticks - 1)
    assert ticker.count_until(last_ns) == ticks
    assert ticker.count_until(last_ns - 1) == ticks - 1
    assert ticker.count_until(base_ns) == 0
    done_ns = ticker.complete(ticks)
    assert (done_ns, type(done_ns)) == (last_ns, int)
    assert ticker.save()[2:] == (base_ns, n + ticks)
    assert ticker.due_ns == base_ns + rate.due_ns(n + ticks)


def test_a_ticker_has_no_rate_at_first_and_a_step_if_its_period_is_whole():
    script = Script()
    ticker = Ticker("tick", print, TICK)
    assert (ticker.save(), ticker.step_ns, ticker.due_ns) == ((0, 10**9, 0, 1), 0, -1)
    script.agenda.enter(ticker)
    assert script.agenda.next_due_ns() is None
    ticker.set_rate(Rate(250), 0)
    assert ticker.step_ns == 4_000_000
    ticker.set_rate(Rate(3), 0)
    assert ticker.step_ns == 0


@given(st.sampled_from([0, 3, 10, 110]), st.integers(0, 2 * 10**9))
def test_a_saved_ticker_goes_on_where_it_was(hz, at_ns):
    script, copy = Script(), Script()
    ticker, other = script.ticker("tick", hz), copy.ticker("tick", 1)
    script.agenda.run_until(at_ns)
    other.load(*ticker.save())
    copy.agenda.load(at_ns, script.agenda.next_order, [], [other])
    before = len(script.seen)
    script.agenda.run_until(3 * 10**9)
    copy.agenda.run_until(3 * 10**9)
    assert copy.seen == script.seen[before:]


def test_pending_holds_what_is_due_but_no_samples_and_loads_again():
    script = Script()
    script.agenda.add(9, INPUT, "act", "b")
    script.agenda.add(9, TIMER, "act", "a")
    script.agenda.add(1, SAMPLE, "act", "watch")
    saved = script.agenda.pending()
    assert [argument for *_, argument in saved] == ["a", "b"]
    copy = Script()
    copy.agenda.load(5, script.agenda.next_order, saved, [])
    assert copy.agenda.add(9, TIMER, "act", "c") > max(script.agenda.next_order - 1, 0)
    copy.agenda.run_until(9)
    assert copy.seen == [(9, "a"), (9, "c"), (9, "b")]


def test_a_failure_says_what_was_being_done_and_when_and_the_rest_can_still_run():
    def broken():
        raise OSError("no")

    script = Script()
    ticker = Ticker("robot.broken", broken, TICK)
    ticker.set_rate(Rate(2), 0)
    script.agenda.enter(ticker)
    script.agenda.add(700_000_000, TIMER, "act", "later")
    with pytest.raises(OSError, match="no"):
        script.agenda.run_until(10**9)
    assert script.agenda.failed is ticker
    assert script.agenda.now_ns == 500_000_000
    script.agenda.run_until(800_000_000)
    assert script.seen == [(700_000_000, "later")]
    assert script.agenda.processed == 2


def test_a_fast_forward_stops_before_a_timer_of_the_same_instant():
    """The timer at 1 s runs before the tick at 1 s, also if ticks are done at once."""
    script = Script()

    def many(ticks):
        script.seen.append((script.agenda.now_ns, f"{ticks} ticks"))
        return ticks

    ticker = Ticker("tick", lambda: script.seen.append((script.agenda.now_ns, "tick")), TICK, many)
    ticker.set_rate(Rate(10), 0)
    script.agenda.enter(ticker)
    script.agenda.add(10**9, TIMER, "act", "timer")
    script.agenda.add(1_300_000_001, TIMER, "act", "just after a tick")
    script.agenda.run_until(1_500_000_000)
    assert script.seen == [
        (100_000_000, "9 ticks"),
        (10**9, "timer"),
        (10**9, "4 ticks"),
        (1_300_000_001, "just after a tick"),
        (1_400_000_000, "2 ticks"),
    ]
    assert script.agenda.now_ns == 1_500_000_000


def test_a_fast_forward_is_not_used_for_a_single_tick():
    script = Script()
    script.ticker("tick", 10).fast_forward = lambda ticks: pytest.fail("called")
    script.ticker("other", 10, index=1)
    script.agenda.run_until(10**9)
    assert [name for _, name in script.seen] == ["tick", "other"] * 10


class Door:
    """A robot's method for timers."""

    def __init__(self):
        self.calls = []

    def open(self, *args):
        self.calls.append(args)


def test_a_timer_calls_its_method_at_its_time_in_the_order_of_entry():
    door, seen = Door(), []
    agenda = Agenda(lambda action, argument: seen.append((action, len(door.calls))))
    first = agenda.add_timer(5, "d", door.open, (1, "a"))
    agenda.add(5, TIMER, "between", None)
    last = agenda.add_timer(5, "d", door.open, ())
    gone = agenda.add_timer(5, "d", door.open, ("cancelled",))
    assert (first, last, gone) == (1, 3, 4)
    agenda.cancel(gone)
    agenda.run_until(4)
    assert door.calls == []
    agenda.run_until(5)
    assert door.calls == [(1, "a"), ()]
    assert seen == [("between", 1)]


def test_a_saved_timer_is_an_action_with_the_names_of_robot_and_method():
    door, seen = Door(), []
    agenda = Agenda(lambda *what: None)
    agenda.add_timer(5, "d", door.open, (1,))
    agenda.add(5, TIMER, "other", 2)
    copy = Agenda(lambda action, argument: seen.append((action, argument)))
    copy.load(0, agenda.next_order, agenda.pending(), [])
    copy.run_until(5)
    assert seen == [("timer", ("d", "open", (1,))), ("other", 2)]
    assert door.calls == []
