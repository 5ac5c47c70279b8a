"""Links to recordings for programs that have no token, such as Foxglove.

A link contains a random key, so it can be neither guessed nor changed into a link to another file.
It is made on request of an authorised client and is valid until the run ends. Foxglove reads parts
of the file (range requests) from another origin, so these responses have CORS headers.
"""

import secrets
from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, Response

from rigless.host.api.auth import SHARED
from rigless.host.host import Host
from rigless.host.storage.recordings_folder import RECORDING
from rigless.kernel.problems import InputError, Problem
from rigless.panel.api_models import LinkRecording, RecordingLink

MAX_LINKS = 1000
CORS = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "accept-ranges, content-length, content-range, etag",
}
PREFLIGHT = {
    **CORS,
    "access-control-allow-methods": "GET, HEAD",
    "access-control-allow-headers": "range",
    "access-control-allow-private-network": "true",
}


class FileLinks:
    """The files that have a link, by its key."""

    def __init__(self) -> None:
        self._paths: dict[str, Path] = {}

    def key(self, path: Path) -> str:
        """Return the key of a file; it gets one when it has none."""
        known = next((key for key, one in self._paths.items() if one == path), None)
        if known is None:
            known = secrets.token_urlsafe(24)
            self._paths[known] = path
            if len(self._paths) > MAX_LINKS:
                del self._paths[next(iter(self._paths))]
        return known

    def find(self, key: str) -> Path:
        """Return the file of a key. Raises InputError if there is none."""
        path = self._paths.get(key)
        if path is None or not path.is_file():
            fix = "make a new one: POST /api/recordings/link"
            raise InputError(Problem("link", "this link is not valid, or its file is gone", fix))
        return path


def add_file_link_routes(app: FastAPI, host: Host) -> None:
    """Add the routes of this module."""
    links = FileLinks()

    @app.post("/api/recordings/link")
    async def link(body: LinkRecording, request: Request) -> RecordingLink:
        """Make a link to a recording, and one that opens it in Foxglove's desktop program."""
        path = host.recordings.find(body.file, RECORDING, also=host.recording_file.made)
        url = f"{request.base_url}{SHARED[1:]}{links.key(path)}/{quote(path.name)}"
        return {"url": url, "foxglove": f"foxglove://open?ds=remote-file&ds.url={quote(url, '')}"}

    @app.api_route(f"{SHARED}{{key}}/{{name}}", methods=["GET", "HEAD"], include_in_schema=False)
    async def read(key: str, name: str) -> FileResponse:
        return FileResponse(links.find(key), media_type="application/octet-stream", headers=CORS)

    @app.options(f"{SHARED}{{key}}/{{name}}", include_in_schema=False)
    async def preflight(key: str, name: str) -> Response:
        return Response(headers=PREFLIGHT)
