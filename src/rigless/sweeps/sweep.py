"""Carry out a sweep: give tasks to an engine, keep rows, and judge them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rigless.sweeps.engines.engine import Engine
from rigless.sweeps.preparation import Prepared
from rigless.sweeps.row import Row
from rigless.sweeps.search import Search
from rigless.sweeps.statistics.decision import Decision
from rigless.sweeps.statistics.goal import Goal
from rigless.sweeps.table import Store
from rigless.sweeps.vary.plan import Plan, Point

SEARCHED_AT_ONCE = 16  # points of a search between two looks at the results


@dataclass
class Sweep:
    """The runs of a plan on an engine.

    Rows that the store has already are not run again, unless `retry` is set and they have no
    verdict.
    """

    prepared: Prepared
    engine: Engine
    store: Store | None = None
    goal: Goal = field(default_factory=Goal)
    folder: Path | None = None
    retry: bool = False
    skipped: int = 0
    order: list[str] = field(default_factory=list)  # keys of the rows that count, as planned
    rows: dict[str, Row] = field(default_factory=dict)
    _fresh: set[str] = field(default_factory=set)

    def run(self, plan: Plan) -> Iterator[Row]:
        """Run a plan and return the rows that count as they end; known ones first."""
        points = list(plan)
        sequential = self.goal.sequential()
        if sequential is None:
            yield from self._rows_of(points)
            return
        waiting: dict[str, Row] = {}
        keys = [self.prepared.key(point) for point in points]
        judged = 0
        for row in self._rows_of(points):
            waiting[row.key] = row
            yield row
            while judged < len(keys) and keys[judged] in waiting:
                judged += 1  # in the order of the plan, so that the end does not depend on speed
                if sequential.add(waiting[keys[judged - 1]]) is not None:
                    self._forget_after(keys[:judged])
                    return

    def search(self, search: Search) -> Iterator[Row]:
        """Search for failures and return the rows as they end."""
        seeds = self.prepared.seeds
        while asked := search.ask(SEARCHED_AT_ONCE):
            points = [Point(settings, seed) for settings in asked for seed in seeds]
            found = {}
            for row in self._rows_of(points):
                found[row.key] = row
                yield row
            for settings in asked:
                rows = [found[self.prepared.key(Point(settings, seed))] for seed in seeds]
                search.tell(settings, min(rows, key=_badness))

    def decision(self) -> Decision:
        """Return the verdict on the rows so far."""
        return self.goal.decide(self.results())

    def results(self) -> list[Row]:
        """Return the rows that count, in the order of the plan."""
        return [self.rows[key] for key in self.order if key in self.rows]

    def _rows_of(self, points: Iterable[Point]) -> Iterator[Row]:
        """Return the rows of points: those in the store, then the others as their runs end."""
        open_points: list[Point] = []
        for point in points:
            key = self.prepared.key(point)
            known = self.rows.get(key) or self._stored(key)
            if key not in self.rows:
                self.order.append(key)
            if known is None:
                open_points.append(point)
                continue
            self.skipped += key not in self.rows
            self.rows[key] = known
            yield known
        first = len(self.order) - len(open_points)
        tasks = (
            self.prepared.task(first + number, point, self.folder)
            for number, point in enumerate(open_points)
        )
        for row in self.engine.run(tasks):
            self.rows[row.key] = row
            self._fresh.add(row.key)
            if self.store is not None:
                self.store.append(row)
            yield row

    def _stored(self, key: str) -> Row | None:
        """Return the row of an earlier call that is not to be run again."""
        row = self.store.rows.get(key) if self.store is not None else None
        again = row is not None and self.retry and row.verdict in ("error", "invalid")
        return None if again else row

    def _forget_after(self, keys: list[str]) -> None:
        """Drop rows of runs that were in flight at the decision: they depend on speed."""
        for key in self._fresh.difference(keys):
            del self.rows[key]
            if self.store is not None:
                self.store.rows.pop(key, None)
        self.order = keys


def _badness(row: Row) -> tuple[int, float]:
    failing = 0 if row.verdict == "fail" else 1
    return failing, row.margin if row.margin is not None else 0.0
