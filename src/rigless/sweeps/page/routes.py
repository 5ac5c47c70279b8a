"""The page of a sweep and its part of the control API."""

import asyncio
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Response
from fastapi.responses import HTMLResponse
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.host import Host
from rigless.kernel.plain import to_builtins
from rigless.kernel.problems import InputError, Problem
from rigless.panel.player import Player
from rigless.sweeps.again import begin_s, run_again
from rigless.sweeps.page.live import LiveSweep
from rigless.sweeps.pick import scenario_of
from rigless.sweeps.report.page import (
    drawn,
    page_script,
    render_body,
    render_counts,
    render_page,
    style_sheet,
)

LIVE = "live.js"
STYLES = '<link rel="stylesheet" href="/sweep/page.css">'
SCRIPTS = '<script type="module" src="/sweep/page.js"></script>'


class SweepProgress(TypedDict):
    """The progress of a sweep. `revision` increases with the rows in the summary and at the end.

    `known` runs were in the table before.
    """

    name: str
    done: int
    total: int
    known: int
    seconds: float
    finished: bool
    revision: int


class SweepUpdate(TypedDict):
    """The progress, and the sections and data of the page if they are newer than asked for."""

    progress: SweepProgress
    counts: str
    body: str | None
    data: dict[str, Any] | None


class Opened(TypedDict):
    """The recording of a run that was made again, open in the player at `at_s`."""

    file: str
    at_s: float


def add_sweep_routes(app: FastAPI, live: LiveSweep, host: Host, player: Player) -> None:
    """Add the page `/sweep`, its updates, and the button that opens a failing run."""

    def progress(revision: int) -> SweepProgress:
        return {
            "name": live.name,
            "done": live.done,
            "total": live.total,
            "known": live.known(),
            "seconds": round(live.seconds, 1),
            "finished": live.finished,
            "revision": revision,
        }

    @app.get("/sweep", include_in_schema=False)
    async def page() -> HTMLResponse:
        _, summary = await asyncio.to_thread(live.summary)
        return HTMLResponse(render_page(summary, live.table, STYLES, SCRIPTS))

    @app.get("/sweep/page.css", include_in_schema=False)
    async def styles() -> Response:
        return Response(style_sheet(), media_type="text/css")

    @app.get("/sweep/page.js", include_in_schema=False)
    async def script() -> Response:
        return Response(page_script() + _live_script(), media_type="text/javascript")

    @app.get("/api/sweep")
    async def update(revision: Annotated[int, Query(ge=-1, le=1 << 40)] = -1) -> SweepUpdate:
        """Return the progress of the sweep, and its summary if it changed."""
        newest, summary = await asyncio.to_thread(live.summary)
        found: SweepUpdate = {
            "progress": progress(newest),
            "counts": render_counts(summary),
            "body": None,
            "data": None,
        }
        live.asked(revision)
        if newest != revision:
            found["body"] = await asyncio.to_thread(render_body, summary, live.table)
            found["data"] = to_builtins(drawn(summary))
        return found

    @app.post("/api/sweep/runs/{key}/open")
    async def open_run(key: Annotated[str, Path(pattern="^[0-9a-f]{4,64}$")]) -> Opened:
        """Run a row again with a recording, and open it shortly before its failure."""
        row = live.row(key)
        if row is None:
            raise InputError(Problem("key", f"the sweep has no run {key!r}", "reload the page"))
        row = replace(row, scenario=scenario_of(row, FilePath(live.table)))
        file = host.recordings.path / f"sweep-{key}.mcap"
        if not file.exists():
            part = file.with_suffix(".part")
            await asyncio.to_thread(run_again, row, part, child=True)
            part.replace(file)
        await player.open(file)
        at_s = min(begin_s(row), player.describe()["end_s"])
        player.seek(at_s)
        return {"file": file.name, "at_s": at_s}


def _live_script() -> str:
    from importlib.resources import files

    return files("rigless.sweeps.page").joinpath(LIVE).read_text("utf-8")
