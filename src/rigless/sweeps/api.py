"""`rigless.sweep`: a sweep from Python."""

from collections.abc import Iterable, Iterator, Mapping
from os import fspath
from pathlib import Path
from typing import Any

from rigless.kernel.problems import InputError, Problem
from rigless.sweeps.engines.choose import make_engine
from rigless.sweeps.preparation import Question, prepare
from rigless.sweeps.row import Row
from rigless.sweeps.sweep import Sweep
from rigless.sweeps.table import Store
from rigless.sweeps.task import rigless_version
from rigless.sweeps.vary.parse import parse_seeds
from rigless.sweeps.vary.plan import Plan, Sample, choose_settings


def sweep(
    scenario: str | Path,
    vary: Mapping[str, Any] | None = None,
    seeds: Iterable[int] | int | str | None = None,
    engine: str = "local",
    *,
    settings: Iterable[str] = (),
    samples: int | None = None,
    pairwise: bool = False,
    repeat: int = 1,
    address: str | None = None,
    workers: int | None = None,
    out: str | Path | None = None,
) -> Iterator[Row]:
    """Run a scenario many times and yield a row for each run as it ends.

    A value of `vary` is a list, a text such as "1..2:5" or "uniform(0, 1)", or a table such as
    {"normal": [0, 0.1]}, as in [vary] of a scenario. With `out`, runs that the table has are not
    run again. Mistakes raise InputError before anything runs.

        rows = rigless.sweep("vacuum_obstacle", vary={"vacuum.start.y": "0..0.1:3"}, seeds=5)
        [row.seed for row in rows if row.verdict == "fail"]
    """
    if isinstance(seeds, int | str):
        seeds = parse_seeds(str(seeds), "seeds")
    table = {key: _plain(value) for key, value in (vary or {}).items()}
    given = list(seeds) if seeds is not None else None
    prepared = prepare(
        Question(
            fspath(scenario), table=table, seeds=given, settings=tuple(settings), repeat=repeat
        )
    )
    plan = Plan(
        choose_settings(prepared.axes, Sample(samples, pairwise=pairwise)), prepared.seeds, repeat
    )
    if not len(plan):
        raise InputError(Problem("seeds", "there is no seed, so nothing runs", "seeds=range(10)"))
    store = None
    if out is not None:
        store = Store(Path(out), prepared.digests.of, rigless_version())
    return _run(Sweep(prepared, make_engine(engine, prepared, address, workers), store), plan)


def _run(work: Sweep, plan: Plan) -> Iterator[Row]:
    try:
        yield from work.run(plan)
    finally:
        work.engine.close()
        if work.store is not None:
            work.store.finish(work.order)


def _plain(value: Any) -> Any:
    """Return a value of `vary` as the table [vary] has it: arrays and ranges are lists."""
    if isinstance(value, str | Mapping):
        return value
    values = list(value) if isinstance(value, Iterable) else [value]
    return [each.item() if hasattr(each, "item") else each for each in values]
