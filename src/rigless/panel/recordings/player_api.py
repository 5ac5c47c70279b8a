"""API routes of the player and of the recording next to it, and the list of recordings."""

import asyncio
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from fastapi import FastAPI

from rigless.host.api.models import EventEntry
from rigless.host.host import Host
from rigless.host.storage.recordings_folder import RECORDING
from rigless.kernel.plain import to_builtins
from rigless.panel.api_models import (
    OpenRecording,
    PlayerStatus,
    PlayRecording,
    RecordingFile,
    SecondStatus,
    SeekRecording,
    StepRecording,
)
from rigless.panel.history.marks import event_mark, fault_band
from rigless.panel.history.models import RecordingOverview
from rigless.panel.player import Player
from rigless.panel.recordings.second_player import SecondPlayer
from rigless.recordings.seekable import SeekableRecording

MAX_LISTED = 200


def list_recordings(
    folder: Path, made: Iterable[Path], writing: Path | None
) -> list[RecordingFile]:
    """Return the recordings in a folder and others by path, newest first, without reading them.

    Links out of the folder are left out.
    """
    found: dict[Path, os.stat_result] = {}
    inside, own = folder.resolve(), set(made)
    for path in {*folder.glob("*.mcap"), *own}:
        try:
            if path.is_file() and (path in own or path.resolve().parent == inside):
                found[path] = path.stat()
        except (OSError, RuntimeError):  # deleted meanwhile, not readable, or a loop of links
            continue
    newest = sorted(found, key=lambda path: (-found[path].st_mtime_ns, path))[:MAX_LISTED]
    now = None if writing is None else writing.absolute()
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


def add_player_routes(app: FastAPI, host: Host, player: Player, second: SecondPlayer) -> None:
    """Add the routes of this module."""

    @app.get("/api/recordings")
    async def recordings() -> list[RecordingFile]:
        """Return the recordings in the folder, newest first."""
        recorder = host.recording_file
        return await asyncio.to_thread(
            list_recordings, host.recordings.path, list(recorder.made), recorder.path
        )

    @app.get("/api/deck")
    async def show() -> PlayerStatus:
        """Return the state of the player."""
        return player.describe()

    @app.post("/api/deck")
    async def open_recording(body: OpenRecording) -> PlayerStatus:
        """Open a recording in the player."""
        made = host.recording_file.made
        await player.open(host.recordings.find(body.file, RECORDING, also=made))
        await second.close()
        return player.describe()

    @app.delete("/api/deck")
    async def close_recording() -> PlayerStatus:
        """Close the recording."""
        await second.close()
        await player.close()
        return player.describe()

    @app.post("/api/deck/play")
    async def play(body: PlayRecording) -> PlayerStatus:
        """Play, at a speed if one is given."""
        player.play(body.speed)
        return player.describe()

    @app.post("/api/deck/pause")
    async def pause_playing() -> PlayerStatus:
        """Pause the player."""
        player.pause()
        return player.describe()

    @app.post("/api/deck/seek")
    async def seek(body: SeekRecording) -> PlayerStatus:
        """Go to an instant."""
        player.seek(body.time_s)
        return player.describe()

    @app.post("/api/deck/step")
    async def step_by(body: StepRecording) -> PlayerStatus:
        """Go some time forward or back."""
        player.step(body.ms)
        await player.settled()
        return player.describe()

    @app.get("/api/deck/events")
    async def timeline() -> list[EventEntry]:
        """Return the events of the whole recording."""
        return [to_builtins(event) for event in player.events]

    @app.get("/api/deck/overview")
    async def overview() -> RecordingOverview:
        """Return faults, collisions and the density of messages of the whole recording."""
        return _overview(player.recording)

    @app.get("/api/deck/second")
    async def show_second() -> SecondStatus:
        """Return the state of the second recording."""
        return second.describe()

    @app.post("/api/deck/second")
    async def open_second(body: OpenRecording) -> SecondStatus:
        """Open a second recording that follows the first, to compare them."""
        made = host.recording_file.made
        await second.open(host.recordings.find(body.file, RECORDING, also=made))
        return second.describe()

    @app.delete("/api/deck/second")
    async def close_second() -> SecondStatus:
        """Close the second recording."""
        await second.close()
        return second.describe()


def _overview(recording: SeekableRecording | None) -> RecordingOverview:
    """Return the overview of a recording; an empty one if none is open."""
    found = None if recording is None else recording.overview
    if recording is None or found is None:
        nothing: RecordingOverview = {
            "file": None,
            "begin_s": 0.0,
            "end_s": 0.0,
            "step_s": 1.0,
            "counts": {},
            "faults": [],
            "collisions": [],
        }
        return nothing
    return {
        "file": str(recording.path),
        "begin_s": recording.begin_ns / 1e9,
        "end_s": recording.end_ns / 1e9,
        "step_s": found.density.step_ns / 1e9,
        "counts": found.density.counts,
        "faults": [fault_band(fault) for fault in found.faults],
        "collisions": [event_mark(event, True) for event in found.collisions],
    }
