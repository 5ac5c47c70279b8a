"""API routes for files of recordings: download, upload, trim and compare."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import IO, Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import FileResponse

from rigless.host.api.auth import LARGEST_UPLOAD
from rigless.host.host import Host
from rigless.host.storage.recordings_folder import RECORDING, RecordingsFolder
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.timing.rate import to_ns
from rigless.panel.api_models import ComparedRecordings, NewRecording, TrimRecording
from rigless.recordings.reader import Recording
from rigless.recordings.side_by_side import side_by_side
from rigless.recordings.trim import trim

File = Annotated[str, Query(max_length=4096)]


def add_recording_file_routes(app: FastAPI, host: Host) -> None:
    """Add the routes of this module."""

    def find(name: str) -> Path:
        return host.recordings.find(name, RECORDING, also=host.recording_file.made)

    @app.get("/api/recordings/file")
    async def download(file: File) -> FileResponse:
        """Return a recording as a file."""
        path = find(file)
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)

    @app.post("/api/recordings/file")
    async def upload(request: Request, file: File) -> NewRecording:
        """Add a recording from the body of the request. A damaged one is not kept."""
        name = file.rpartition("/")[2].removesuffix(RECORDING)
        path, stream = _create(host.recordings, name)
        with _kept(path, stream):
            await _receive(request.stream(), stream, path.name)
            stream.flush()
            recording = await asyncio.to_thread(_open, path)
        return _described(recording)

    @app.post("/api/recordings/trim")
    async def cut(body: TrimRecording) -> NewRecording:
        """Cut a part out of a recording, as a new recording that can be replayed."""
        source = find(body.file)
        stem = f"{source.stem}-{body.begin_s:g}s-{body.end_s:g}s"
        path, stream = _create(host.recordings, stem)
        begin_ns, end_ns = to_ns(body.begin_s), to_ns(body.end_s)
        with _kept(path, stream):
            part = await asyncio.to_thread(trim, source, begin_ns, end_ns, path, stream)
        return _described(part)

    @app.get("/api/recordings/compare")
    async def compare(left: File, right: File) -> ComparedRecordings:
        """Return the first difference between two recordings, with the records around it."""

        def work() -> Any:
            return asdict(side_by_side(Recording.open(find(left)), Recording.open(find(right))))

        found: ComparedRecordings = await asyncio.to_thread(work)
        return found


def _create(folder: RecordingsFolder, stem: str) -> tuple[Path, IO[bytes]]:
    """Create STEM.mcap or, if that exists, STEM-2.mcap and so on."""
    plain = re.sub(r"[^\w. -]+", "-", stem).strip(" -.")[:100] or "recording"
    names = (plain if n == 1 else f"{plain}-{n}" for n in count(1))
    return folder.create_first_free(folder.path / f"{name}{RECORDING}" for name in names)


@contextlib.contextmanager
def _kept(path: Path, stream: IO[bytes]) -> Iterator[None]:
    """Close a new file; remove it if something goes wrong."""
    try:
        with stream:
            yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


async def _receive(chunks: AsyncIterator[bytes], stream: IO[bytes], name: str) -> None:
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > LARGEST_UPLOAD:
            what = f"is larger than {LARGEST_UPLOAD >> 20} MiB"
            raise InputError(Problem(name, what, "copy it to the recordings folder"))
        try:
            stream.write(chunk)
        except OSError as error:
            what = f"cannot be written: {error.strerror}"
            raise InputError(Problem(name, what, "free some disk space")) from None


def _open(path: Path) -> Recording:
    """Read a new file. An error names it without the folder."""
    try:
        return Recording.open(path)
    except InputError as error:
        problems = [Problem(path.name, problem.what, problem.fix) for problem in error.problems]
        raise InputError(problems) from None


def _described(recording: Recording) -> NewRecording:
    end_ns = recording.last_ns if recording.end_ns is None else recording.end_ns
    return {
        "name": recording.path.name,
        "path": str(recording.path),
        "records": recording.records,
        "begin_s": int(recording.metadata.get("start_ns", "0")) / 1e9,
        "end_s": end_ns / 1e9,
        "missing": recording.missing,
    }
