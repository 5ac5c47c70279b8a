"""A browser without a window, for pictures."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")


@contextmanager
def page_of(url: str, width: int, height: int, scheme: str = "light") -> Iterator[Any]:
    """Open a page in Chromium."""
    from playwright.sync_api import sync_playwright

    path = next((one for one in BROWSERS if Path(one).exists()), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        viewport = {"width": width, "height": height}
        page = browser.new_page(viewport=viewport, color_scheme=scheme)
        page.goto(url)
        page.wait_for_timeout(1500)
        yield page
        browser.close()
