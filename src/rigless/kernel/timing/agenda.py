"""The event queue: one heap ordered by (time, priority, sequence).

At one instant timers come first, then ticks in the order in which robots and their methods are
declared, then samples, then inputs from outside. Inputs come last: a live input stamped `now`
arrives after everything that was due `now` has run, and a replay must keep that order. Priority and
sequence are one number, the rank, because comparing one number costs half as much.
"""

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any, ClassVar

import msgspec

from rigless.kernel.timing.rate import NS_PER_S, Rate

MOST_REFUSALS = 31  # of a fast-forward; then it is tried again after as many ticks
PLAIN = (bool, int, float, str, bytes)  # types of a timer's arguments
TIMER, TICK, SAMPLE, INPUT = (priority << 48 for priority in range(4))


class Ticker:
    """A periodic call: the n-th is due at base + n·10⁹·den//num.

    `step_ns` is the period if that is a whole number of nanoseconds, else 0.
    """

    __slots__ = (
        "base_ns",
        "call",
        "due_ns",
        "fast_forward",
        "group",
        "look_ahead",
        "n",
        "name",
        "num",
        "period_num",
        "rank",
        "refusals",
        "robot",
        "step_ns",
        "wait",
    )

    def __init__(
        self,
        name: str,
        call: Callable[[], Any],
        rank: int,
        fast_forward: Callable[[int], int] | None = None,
        look_ahead: Callable[[list[Any], int], int] | None = None,
        robot: Any = None,
    ):
        self.name, self.call, self.rank = name, call, rank
        self.fast_forward = fast_forward  # does up to n ticks at once, returns how many
        self.look_ahead = look_ahead  # returns how many ticks these robots can do at once
        self.robot = robot
        # After refusals in succession, `fast_forward` is called again only after some ticks.
        self.refusals = self.wait = 0
        self.group: TickerGroup | None = None
        self.set_rate(Rate(0), 0)

    def set_rate(self, rate: Rate, base_ns: int) -> None:
        """Set the rate, with ticks counted from `base_ns`."""
        self.load(rate.num, NS_PER_S * rate.den, base_ns, 1)

    def load(self, num: int, period_num: int, base_ns: int, n: int) -> None:
        """Continue from the numbers of `save`."""
        self.num, self.period_num, self.base_ns, self.n = num, period_num, base_ns, n
        self.step_ns = period_num // num if num and period_num % num == 0 else 0
        self.due_ns = base_ns + n * period_num // num if num else -1

    def save(self) -> tuple[int, int, int, int]:
        """Return the rate, the base and the number of the next tick, for snapshots."""
        n = self.n if not self.step_ns else (self.due_ns - self.base_ns) // self.step_ns
        return self.num, self.period_num, self.base_ns, n

    def count_until(self, limit_ns: int) -> int:
        """Return how many ticks are due up to and including this time."""
        # the largest n with base + n·period//num ≤ limit
        last = (limit_ns - self.base_ns + 1) * self.num - 1
        return max(0, last // self.period_num - self.save()[3] + 1)

    def complete(self, ticks: int) -> int:
        """Count ticks as done and return when the last of them was due."""
        num, period_num, base_ns, n = self.save()
        self.load(num, period_num, base_ns, n + ticks)
        return base_ns + (n + ticks - 1) * period_num // num

    def skip_to(self, now_ns: int) -> None:
        """Make the next tick the first one after `now`."""
        if self.num:
            n = max(1, (now_ns - self.base_ns) * self.num // self.period_num)
            self.load(self.num, self.period_num, self.base_ns, n)
            while self.due_ns <= now_ns:
                self.load(self.num, self.period_num, self.base_ns, self.n + 1)


class TickerGroup:
    """Tickers that are always due together; `advance` returns those that must be called."""

    __slots__ = ("advance", "rank", "tickers")

    def __init__(self, tickers: Sequence[Ticker], advance: Callable[[], Iterable[int]]):
        self.tickers, self.advance, self.rank = tickers, advance, tickers[0].rank


class Turn:
    """The call of a member of a group, in its own order."""

    __slots__ = ("ticker",)

    def __init__(self, ticker: Ticker):
        self.ticker = ticker


class OneShot:
    """An event that is due once: the name of an action and its argument, both plain data."""

    __slots__ = ("action", "argument", "live")

    def __init__(self, action: str, argument: Any):
        self.action, self.argument, self.live = action, argument, True


class Timer(msgspec.Struct, eq=False):
    """A call of a robot's method that is due once; as plain data it is a one-shot `timer`."""

    robot: str
    method: Callable[..., Any]
    args: tuple[Any, ...]
    live: bool = True
    action: ClassVar[str] = "timer"

    @property
    def argument(self) -> tuple[str, str, tuple[Any, ...]]:
        return self.robot, self.method.__name__, self.args


ONE_SHOTS = (OneShot, Timer)


class Agenda:
    """The queue of everything that is due.

    While events run, `now_ns` is the time of the current one; afterwards the time advanced to.
    """

    def __init__(self, act: Callable[[str, Any], None]):
        self.now_ns = 0
        self.processed = 0
        self.next_order = 0
        self._act = act
        self._heap: list[tuple[int, int, Any]] = []
        self.failed: Any = None  # the ticker or one-shot that raised
        self._look_ns = 0  # robots look ahead together from this instant on
        self._refusals = 0  # in succession, by robots that looked ahead together

    def add(self, time_ns: int, priority: int, action: str, argument: Any) -> int:
        """Enter a one-shot and return the number that cancels it."""
        self.next_order += 1
        heappush(self._heap, (time_ns, priority | self.next_order, OneShot(action, argument)))
        return self.next_order

    def add_timer(
        self, time_ns: int, robot: str, method: Callable[..., Any], args: tuple[Any, ...]
    ) -> int:
        """Enter a call of a robot's method, by name, so that a snapshot can hold it.

        Raises TypeError if an argument is not plain data.
        """
        if args and not all(arg is None or arg.__class__ in PLAIN for arg in args):
            raise TypeError(
                f"{robot}: a timer's arguments are numbers and text, "
                "so that snapshots can hold them"
            )
        self.next_order = order = self.next_order + 1
        heappush(self._heap, (time_ns, order, Timer(robot, method, args)))  # TIMER is 0
        return order

    def cancel(self, order: int) -> None:
        """Cancel a one-shot. It does nothing if the one-shot has run."""
        for _, rank, item in self._heap:
            if item.__class__ in ONE_SHOTS and rank & (TICK - 1) == order:
                item.live = False

    def enter(self, ticker: Ticker) -> None:
        """Enter a ticker, or move its entry after a change of its rate."""
        self._part([ticker])
        self._heap = [entry for entry in self._heap if entry[2] is not ticker]
        heapify(self._heap)
        if ticker.num:
            heappush(self._heap, (ticker.due_ns, ticker.rank, ticker))

    def enter_all(self, tickers: Iterable[Ticker]) -> None:
        """Enter tickers, or move their entries, as `enter` does for one."""
        tickers = list(tickers)
        self._part(tickers)
        known = {id(ticker) for ticker in tickers}
        self._heap = [entry for entry in self._heap if id(entry[2]) not in known]
        self._heap += [(ticker.due_ns, ticker.rank, ticker) for ticker in tickers if ticker.num]
        heapify(self._heap)

    def join(self, tickers: Sequence[Ticker], advance: Callable[[], Iterable[int]]) -> None:
        """Let tickers of the same period, which are due at the same time, run as a group."""
        tickers = sorted(tickers, key=lambda ticker: ticker.rank)
        group, members = TickerGroup(tickers, advance), {id(ticker) for ticker in tickers}
        for ticker in tickers:
            ticker.group = group
        self._heap = [entry for entry in self._heap if id(entry[2]) not in members]
        self._heap.append((tickers[0].due_ns, group.rank, group))
        heapify(self._heap)

    def _part(self, tickers: Iterable[Ticker]) -> None:
        """Enter the members of groups by themselves again, if one of these tickers is one."""
        for group in {id(one.group): one.group for one in tickers if one.group}.values():
            for ticker in group.tickers:
                ticker.group = None
            self._heap = [entry for entry in self._heap if entry[2] is not group]
            self._heap += [(one.due_ns, one.rank, one) for one in group.tickers if one.num]
        heapify(self._heap)

    def _advance(self, time_ns: int, group: TickerGroup) -> int:
        """Run a group. Members that must be called follow in their order. Return the others."""
        heap, tickers = self._heap, group.tickers
        due_ns = time_ns + tickers[0].step_ns
        for ticker in tickers:
            ticker.due_ns = due_ns
        heapreplace(heap, (due_ns, group.rank, group))
        turns = 0
        for place in group.advance():
            ticker = tickers[place]
            heappush(heap, (time_ns, ticker.rank, Turn(ticker)))
            turns += 1
        return len(tickers) - turns

    def next_due_ns(self) -> int | None:
        """Return when the next event is due, or None."""
        return self._heap[0][0] if self._heap else None

    def run_until(self, until_ns: int) -> None:
        """Run everything that is due up to and including this time, in order."""
        count, replace = 0, heapreplace
        try:
            # not `while heap := …`: CPython 3.11 specialises such a loop only after some calls
            while True:
                heap = self._heap
                if not heap:
                    break
                time_ns, rank, item = heap[0]
                if time_ns > until_ns:
                    break
                self.now_ns = time_ns
                count += 1
                kind = item.__class__
                if kind is Timer:
                    heappop(heap)
                    if item.live:
                        item.method(*item.args)
                elif kind is Ticker:
                    if item.wait:
                        item.wait -= 1
                    elif item.fast_forward is not None and (
                        done := self._fast_forward(item, until_ns)
                    ):
                        count += done - 1
                        continue
                    if item.step_ns:
                        item.due_ns = due_ns = time_ns + item.step_ns
                    else:
                        item.n = n = item.n + 1
                        item.due_ns = due_ns = item.base_ns + n * item.period_num // item.num
                    replace(heap, (due_ns, rank, item))
                    item.call()
                elif kind is TickerGroup:
                    count += self._advance(time_ns, item) - 1
                else:
                    heappop(heap)
                    if kind is Turn:
                        item.ticker.call()
                    elif item.live:
                        self._act(item.action, item.argument)
        except Exception:
            self.failed = item.ticker if item.__class__ is Turn else item
            raise
        finally:
            self.processed += count
        if until_ns > self.now_ns:
            self.now_ns = until_ns

    def _fast_forward(self, ticker: Ticker, until_ns: int) -> int:
        """Let a ticker do all its ticks before the next other event, if those are two or more."""
        heap, due_ns = self._heap, ticker.due_ns
        # The next event is a child of the root. Ticks of the same instant stay behind it, hence -1:
        # a timer comes first, and so may another ticker.
        others = [entry[0] - 1 for entry in heap[1:3]]
        ahead = ticker.count_until(min(until_ns, *others) if others else until_ns)
        if ahead >= 2:
            if ticker.look_ahead is not None:
                ahead = ticker.look_ahead([ticker.robot], ahead)
            done = ticker.fast_forward(ahead) if ticker.fast_forward is not None and ahead else 0
            if done:
                ticker.refusals = 0
                self.now_ns = ticker.complete(done)
                heapreplace(heap, (ticker.due_ns, ticker.rank, ticker))
            else:
                ticker.refusals = min(2 * ticker.refusals + 1, MOST_REFUSALS)
                ticker.wait = ticker.refusals - 1
            return done
        if ticker.look_ahead is None or due_ns - 1 not in others or due_ns < self._look_ns:
            return 0
        self._look_ns = due_ns + 1
        return self._fast_forward_together(ticker, until_ns)

    def _fast_forward_together(self, first: Ticker, until_ns: int) -> int:
        """Let tickers of one rate do all their ticks before the next other event.

        Their robots look ahead first, so that none of them does a tick too many.
        """
        if first.count_until(until_ns) < 2:
            return 0
        due_ns, grid, tickers = first.due_ns, first.save(), []
        robots: dict[Callable[[list[Any], int], int], list[Any]] = {}
        for time_ns, _, item in self._heap:
            ticks = time_ns == due_ns and item.__class__ is Ticker
            if ticks and item.look_ahead is not None and item.save() == grid:
                tickers.append(item)
                robots.setdefault(item.look_ahead, []).append(item.robot)
            else:
                until_ns = min(until_ns, time_ns - 1)
        ahead = first.count_until(until_ns)
        if ahead < 2:
            return 0
        for look_ahead, alike in robots.items():
            ahead = look_ahead(alike, ahead) if ahead > 1 else 0
        if ahead < 2:
            self._refusals = min(2 * self._refusals + 1, MOST_REFUSALS)
            self._look_ns += (self._refusals - 1) * first.period_num // first.num
            return 0
        self._refusals = 0
        for ticker in tickers:
            done = ticker.fast_forward(ahead)
            if done != ahead:
                raise RuntimeError(f"{ticker.name} did {done} ticks, not the {ahead} seen ahead")
            self.now_ns = ticker.complete(ahead)
        self.enter_all(tickers)
        return ahead * len(tickers)

    def pending(self) -> list[tuple[int, int, str, Any]]:
        """Return the one-shots that are due, in order, without those that only observe."""
        return [
            (time_ns, rank, item.action, item.argument)
            for time_ns, rank, item in sorted(self._heap, key=lambda entry: entry[:2])
            if item.__class__ in ONE_SHOTS and item.live and not SAMPLE <= rank < INPUT
        ]

    def load(
        self,
        now_ns: int,
        next_order: int,
        shots: list[tuple[int, int, str, Any]],
        tickers: list[Ticker],
    ) -> None:
        """Replace the content by saved one-shots and these tickers."""
        self.now_ns, self.next_order, self._look_ns = now_ns, next_order, 0
        for ticker in tickers:
            ticker.group = None
        self._heap = [
            (time_ns, rank, OneShot(action, argument)) for time_ns, rank, action, argument in shots
        ]
        self._heap += [(ticker.due_ns, ticker.rank, ticker) for ticker in tickers if ticker.num]
        heapify(self._heap)
