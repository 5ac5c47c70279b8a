"""The recordings that are here, and the deck that plays one, over HTTP."""

import asyncio
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI
from pydantic import Field

from rigless.host.api_models import Body
from rigless.host.host import Host
from rigless.kernel.plain import to_builtins
from rigless.panel.player import Player

LISTED = 200


class OpenFile(Body):
    file: str


class PlayAt(Body):
    speed: float | str = 1.0


class SeekTo(Body):
    time_s: float


class StepBy(Body):
    ms: Annotated[float, Field(ge=-3.6e6, le=3.6e6)] = 10.0


def recordings(folder: Path, made: Iterable[Path], writing: Path | None) -> list[dict[str, Any]]:
    """The recordings of a folder and others by their paths, newest first, without reading them."""
    found: dict[Path, os.stat_result] = {}
    for path in {*folder.glob("*.mcap"), *made}:
        try:
            if path.is_file():
                found[path.resolve()] = path.stat()
        except OSError:  # gone meanwhile, or not ours to look at
            continue
    newest = sorted(found, key=lambda path: (-found[path].st_mtime_ns, path))[:LISTED]
    now = None if writing is None else writing.resolve()
    return [
        {
            "name": path.name,
            "path": str(path),
            "bytes": found[path].st_size,
            "modified": datetime.fromtimestamp(found[path].st_mtime, UTC).isoformat(
                timespec="seconds"
            ),
            "writing": path == now,
        }
        for path in newest
    ]


def add_player_routes(app: FastAPI, host: Host, deck: Player) -> None:
    @app.get("/api/recordings")
    async def list_recordings() -> list[Any]:
        return await asyncio.to_thread(
            recordings, Path.cwd(), list(host.recording_file.made), host.recording_file.path
        )

    @app.get("/api/deck")
    async def show() -> dict[str, Any]:
        return deck.describe()

    @app.post("/api/deck")
    async def open_recording(body: OpenFile) -> dict[str, Any]:
        await deck.open(body.file)
        return deck.describe()

    @app.delete("/api/deck")
    async def close_recording() -> dict[str, Any]:
        await deck.close()
        return deck.describe()

    @app.post("/api/deck/play")
    async def play(body: PlayAt) -> dict[str, Any]:
        deck.play(body.speed)
        return deck.describe()

    @app.post("/api/deck/pause")
    async def pause_playing() -> dict[str, Any]:
        deck.pause()
        return deck.describe()

    @app.post("/api/deck/seek")
    async def seek(body: SeekTo) -> dict[str, Any]:
        deck.seek(body.time_s)
        return deck.describe()

    @app.post("/api/deck/step")
    async def step_by(body: StepBy) -> dict[str, Any]:
        deck.step(body.ms)
        await deck.settled()
        return deck.describe()

    @app.get("/api/deck/events")
    async def timeline() -> list[Any]:
        return [to_builtins(event) for event in deck.events]
