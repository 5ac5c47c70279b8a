"""API routes of signals: the list, points as a binary block or CSV, and marks for plots."""

from itertools import islice
from math import isfinite
from typing import Annotated

from fastapi import FastAPI, Query
from fastapi.responses import Response, StreamingResponse

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.panel.api_models import SourceName
from rigless.panel.history.feed import Feed
from rigless.panel.history.marks import fault_band, limits_of, recorded_events
from rigless.panel.history.models import SignalList, SignalMarks
from rigless.panel.history.points import Points, csv_lines, pack_block
from rigless.panel.history.signals import Signals
from rigless.panel.player import Player

MAX_LISTED = 2000
MAX_SIGNALS = 64  # in one request
MAX_LENGTH = 200  # characters of a name
MAX_POINTS = 4000
CSV_POINTS = 1 << 20  # all samples of the finest level
FOREVER_S = 1e12

Names = Annotated[
    list[Annotated[str, Query(max_length=MAX_LENGTH)]], Query(min_length=1, max_length=MAX_SIGNALS)
]
Time = Annotated[float, Query(ge=-FOREVER_S, le=FOREVER_S, allow_inf_nan=False)]
Count = Annotated[int, Query(ge=2, le=MAX_POINTS)]


def add_signal_routes(app: FastAPI, host: Host, feed: Feed, player: Player | None) -> None:
    """Add the routes of this module."""

    def closed(stage: str) -> bool:
        """Return True if a recording is asked for that was closed meanwhile: it has no samples."""
        return stage == "recording" and (player is None or player.recording is None)

    @app.get("/api/signals")
    async def signals(
        stage: SourceName = "live",
        robot: str = "",
        text: Annotated[str, Query(max_length=MAX_LENGTH)] = "",
        limit: Annotated[int, Query(ge=1, le=MAX_LISTED)] = MAX_LISTED,
    ) -> SignalList:
        """Return the names and units of the plotted signals."""
        found = await feed.open(stage)
        matching = found.entries(robot, text)
        listed = list(islice(matching, limit))
        return {
            "stage": stage,
            "signals": listed,
            "left_out": sum(1 for _ in islice(matching, 100 * MAX_LISTED)),
            "notes": found.notes(),
            "begin_s": found.begin_s,
            "end_s": found.end_s if isfinite(found.end_s) else found.begin_s,
            "complete": found.complete,
            "generation": feed.generation(stage),
        }

    @app.get("/api/signals/data", response_class=Response)
    async def data(
        signal: Names,
        stage: SourceName = "live",
        from_s: Time = 0.0,
        to_s: Time = FOREVER_S,
        points: Count = 1000,
    ) -> Response:
        """Return samples of signals as binary columns."""
        if closed(stage):
            return Response(pack_block(0, 0, 0.0, []), media_type="application/octet-stream")
        read, found = await _read(feed, stage, signal, from_s, to_s, points)
        block = pack_block(0, feed.generation(stage), found.end_s, list(enumerate(read)))
        return Response(block, media_type="application/octet-stream")

    @app.get("/api/signals/csv", response_class=StreamingResponse)
    async def csv(
        signal: Names,
        stage: SourceName = "live",
        from_s: Time = 0.0,
        to_s: Time = FOREVER_S,
    ) -> StreamingResponse:
        """Return samples of signals as CSV."""
        read, _ = await _read(feed, stage, signal, from_s, to_s, CSV_POINTS)
        lines = csv_lines(signal, [points.between(from_s, to_s) for points in read])
        headers = {"Content-Disposition": 'attachment; filename="signals.csv"'}
        return StreamingResponse(lines, media_type="text/csv", headers=headers)

    @app.get("/api/signals/marks")
    async def marks(stage: SourceName = "live") -> SignalMarks:
        """Return the events and faults that plots mark."""
        if closed(stage):
            return {"stage": stage, "faults": [], "events": [], "limits": []}
        found = await feed.open(stage)
        recording = None if player is None or stage == "live" else player.recording
        scenario = host.built.scenario if recording is None else recording.scenario
        overview = None if recording is None else recording.overview
        if recording is None or overview is None:
            faults, events = found.marks.faults(), found.marks.events()
        else:  # also those of times that are not read yet
            faults = [fault_band(fault) for fault in overview.faults]
            events = recorded_events(recording)
        return {
            "stage": stage,
            "faults": faults,
            "events": events,
            "limits": [] if scenario is None else limits_of(scenario.expect, found.sim.robots),
        }


async def _read(
    feed: Feed, stage: str, texts: list[str], from_s: float, to_s: float, points: int
) -> tuple[list[Points], Signals]:
    if to_s < from_s:
        raise InputError(Problem("to_s", "is before from_s", "from_s ≤ to_s"))
    found = await feed.open(stage)
    names = [found.check(text) for text in texts]
    feed.pick(stage, found, names)
    return found.read(names, from_s, to_s, points), found
