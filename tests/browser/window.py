"""A browser context that collects errors."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, ViewportSize

SIZE: ViewportSize = {"width": 1280, "height": 800}
COARSE = 0.5  # device pixels per CSS pixel: a quarter of the pixels, because no GPU draws them
CALMLY = """if (location.protocol === "http:" && localStorage.getItem("rigless.hz") === null)
  localStorage.setItem("rigless.hz", "10");"""  # two cores render all of this without a GPU
FLAT = """if (location.protocol === "http:" && localStorage.getItem("rigless.space") === null)
  localStorage.setItem("rigless.space", '{"arm": false, "welder": false}');"""
NOTICED = """globalThis.noticed = new Set();
new MutationObserver(() => {
  for (const one of document.querySelectorAll(".notice")) noticed.add(one.textContent);
}).observe(document, { childList: true, subtree: true, characterData: true });"""
REPORT_VIOLATIONS = """addEventListener("securitypolicyviolation", (event) =>
  console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI}`));"""


class Window:
    """A browser context. `expected` are errors that the test provokes, as regular expressions."""

    def __init__(
        self, browser: Browser, patience_ms: int, size: ViewportSize = SIZE, scale: float = COARSE
    ):
        self.context = browser.new_context(
            viewport=size, device_scale_factor=scale, color_scheme="dark", reduced_motion="reduce"
        )
        self.context.set_default_timeout(patience_ms)
        self.context.add_init_script(REPORT_VIOLATIONS)
        self.context.add_init_script(CALMLY)
        self.context.add_init_script(NOTICED)
        self.context.on("console", self._heard)
        self.context.on("weberror", lambda error: self._complain(f"uncaught: {error.error}"))
        self.context.on("request", self._asked)
        self.expected: list[str] = []
        self._heard_so_far: list[str] = []
        self._own: set[str] = set()

    def stay_flat(self) -> "Window":
        """Show arms on the 2-D map by default, which is cheaper."""
        self.context.add_init_script(FLAT)
        return self

    def tab(self, origin: str) -> Page:
        self._own.add(urlsplit(origin).netloc)
        return self.context.new_page()

    def close(self) -> None:
        self.context.close()

    def complaints(self) -> list[str]:
        """Return the errors since the last call."""
        heard, self._heard_so_far = self._heard_so_far, []
        return [
            text for text in heard if not any(re.search(wanted, text) for wanted in self.expected)
        ]

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" or "cannot be parsed" in message.text:
            where = urlsplit(str(message.location.get("url", "")))
            self._complain(f"{message.text} {where.path}?{where.query}".rstrip("? "))

    def _asked(self, request: Request) -> None:
        where = urlsplit(request.url)
        if where.scheme not in ("data", "blob") and where.netloc not in self._own:
            self._complain(f"a request to {request.url}")

    def _complain(self, text: str) -> None:
        self._heard_so_far.append(text)
