"""The static files of the panel in `web/`, and the content security policy for them."""

import base64
import hashlib
import re
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles

WEB = Path(__file__).with_name("web")
VENDOR = WEB / "vendor"
NOT_BUILT = (
    "the panel's libraries are not built; "
    "run: scripts/build-web (it needs npm), or install rigless from a wheel"
)


def import_map_hash() -> str:
    """Return the hash of the import map, the page's only inline script, for the policy."""
    found = re.search(
        r'<script type="importmap">(.*?)</script>',
        (WEB / "index.html").read_text("utf-8"),
        re.DOTALL,
    )
    assert found is not None, "index.html has an import map"
    digest = hashlib.sha256(found.group(1).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def add_assets(app: FastAPI) -> None:
    """Serve the page at `/` and the files of `web/` below `/web`."""

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        if not VENDOR.is_dir():
            return HTMLResponse(f"<!doctype html><title>rigless</title><p>{NOT_BUILT}", 503)
        return FileResponse(WEB / "index.html")

    app.mount("/web", StaticFiles(directory=WEB), name="web")
