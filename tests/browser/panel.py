"""The panel in a tab: its cards, its buttons, and what the viewport draws."""

import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, ViewportSize, expect

from browser.server import Server
from browser.window import Window

PATIENCE_S = 60.0
TABS = {"Virtual I/O": "io", "Faults": "faults", "Events": "events", "Connections": "ports"}
CLOSE_MENUS = """() => document.querySelectorAll(":popover-open").forEach((one) =>
  one.hidePopover())"""
HEADER = ("Time control", "Simulation time", "Recording", "Snapshots")  # other cards are on Control


class Panel:
    """One tab. `server` gives the true state of the simulation."""

    def __init__(self, window: Window, server: Server):
        self.window, self.server = window, server
        self.page: Page = window.tab(server.url)

    def open(self) -> "Panel":
        self.page.goto(self.server.entrance)
        return self.wait_live()

    def wait_live(self) -> "Panel":
        expect(self.page.locator(".connection")).to_contain_text("live")
        if self.page.locator('nav a[aria-current=page]:not([href="#/"])').count():
            self.until(lambda: self.count(), "no picture came")
        return self

    def wait_map(self) -> "Panel":
        """Wait until the whole map is shown in the middle."""
        grid = self.server.get("/api/world")["grid"]
        middle = grid["origin"][0] + grid["width"] * grid["resolution_m"] / 2
        self.until(
            lambda: self.page.evaluate("() => Boolean(rigless.surface()?.grid)"),
            "the map is not there",
        )
        self.until(lambda: abs(self.view()["x"] - middle) < 1e-6, "the map is not in the middle")
        return self

    def wait_reset(self) -> "Panel":
        """Wait until the tab shows the simulation after a reset."""
        self.page.bring_to_front()
        self.wait_epoch()
        expect(self.fact("state")).to_have_text("running")
        return self

    def wait_epoch(self) -> "Panel":
        """Wait for the first frame since time last jumped. Other messages come before it."""
        epoch = self.server.status()["epoch"]
        script = "() => globalThis.rigless?.frames()?.epoch ?? null"
        self.until(
            lambda: self.page.evaluate(script) in (None, epoch),
            "it shows the time before the reset",
        )
        return self

    def freeze(self) -> None:
        """Hide the tab and stop its timers and drawing until wake()."""
        self._set_lifecycle("frozen")

    def wake(self) -> "Panel":
        self._set_lifecycle("active")
        self.page.bring_to_front()
        return self

    def _set_lifecycle(self, state: str) -> None:
        session = self.page.context.new_cdp_session(self.page)
        session.send("Page.setWebLifecycleState", {"state": state})
        session.detach()

    def wait_layout(self) -> None:
        """Wait until the layout is complete: observers of sizes act with a frame."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame("
            "() => requestAnimationFrame(() => done())))"
        )

    def resize(self, size: ViewportSize) -> None:
        self.page.set_viewport_size(size)
        self.until(
            lambda: (
                self.page.evaluate("() => [innerWidth, innerHeight]")
                == [size["width"], size["height"]]
            )
        )
        self.wait_layout()

    def reload(self) -> None:
        self.page.reload()
        self.wait_live()

    def until(self, true: Callable[[], Any], what: str = "") -> Any:
        """Poll until a condition holds and return its value."""
        end = time.monotonic() + PATIENCE_S
        while not (found := true()):
            assert time.monotonic() < end, f"waited in vain: {what}"
            self.page.wait_for_timeout(20)
        return found

    # Parts of the page

    def tab(self, tab_id: str) -> "Panel":
        """Show a tab of the column on the right."""
        found = self.page.locator(f"#tab-{tab_id}")
        if found.count() and found.get_attribute("aria-selected") == "false":
            found.click()
        return self

    def card(self, title: str) -> Locator:
        """Return a card after its tab or its menu is opened."""
        if title not in HEADER:
            self.tab(TABS.get(title, "control"))
        return self._reached(self.page.locator(f'[data-card="{title}"]'))

    def button(self, name: str) -> Locator:
        return self._reached(
            self.page.get_by_role("button", name=name, exact=True, include_hidden=True)
        )

    def switch(self, name: str) -> Locator:
        return self._reached(self.page.get_by_role("switch", name=name, exact=True))

    def field(self, label: str) -> Locator:
        return self._reached(self.page.get_by_label(label, exact=True))

    def _reached(self, control: Locator) -> Locator:
        """Return a control after the tab that has it, or its menu, is opened."""
        tabs = self.page.locator(".side-tabs [role=tab]")
        if not control.count() and tabs.count():
            before = self.page.locator('.side-tabs [aria-selected="true"]').get_attribute("id")
            others = tabs.evaluate_all("(all) => all.map(({ id }) => id)")
            for one in [*others, before]:
                self.page.locator(f"#{one}").dispatch_event("click")
                if control.count():
                    break
        self.page.evaluate(CLOSE_MENUS)
        for one in control.all()[:1]:
            one.evaluate("(one) => one.closest('[popover]')?.showPopover()")
        return control

    def fact(self, name: str) -> Locator:
        return self.page.locator(f'[data-fact="{name}"]')

    def lamp(self, label: str, on: bool) -> Locator:
        states = re.compile(f"^{re.escape(label)}: (on|off)$")
        self._reached(self.page.get_by_role("status", name=states))
        return self.page.get_by_role("status", name=f"{label}: {'on' if on else 'off'}", exact=True)

    def notice(self, text: str) -> str:
        """Return a notice with this text; it may have disappeared already."""
        return self.until(
            lambda: next(
                (one for one in self.page.evaluate("() => [...noticed]") if text in one), ""
            ),
            text,
        )

    @property
    def map(self) -> Locator:
        return self.page.locator(".canvas-host canvas")

    def press_on_page(self, *keys: str) -> None:
        """Press keys while no control has the focus."""
        self.page.locator("body").click(position={"x": 300, "y": 3})
        for key in keys:
            self.page.keyboard.press(key)

    # State of the page, read by script

    def count(self) -> int:
        return self.page.evaluate("() => globalThis.rigless?.frames()?.count ?? 0")

    def rows(self, name: str) -> list[float]:
        return self.page.evaluate(
            "(name) => Array.from(rigless.frames()?.rows.get(name) ?? [])", name
        )

    def measure(self, name: str) -> float:
        return self.page.evaluate("(name) => rigless.frames().measure(name)", name)

    def trail(self, name: str = "trail") -> list[float]:
        script = """(name) => { const {points, count} = rigless.frames().trails.get(name);
          return Array.from({length: 2 * count}, (_, at) => points[3 * (at >> 1) + (at & 1)]); }"""
        return self.page.evaluate(script, name)

    def time_s(self) -> float:
        return self.page.evaluate("() => rigless.frames()?.time_s ?? -1")

    def view(self) -> dict[str, float]:
        """Return the middle and the scale of the 2-D map."""
        return self.page.evaluate(
            """async () => { await rigless.settled();
              const {x, y, scale} = rigless.surface()?.view ?? {x: NaN}; return {x, y, scale}; }"""
        )

    def poses(self, name: str) -> list[list[float]]:
        """Return the poses of what is drawn under this name in 3-D."""
        return self.surface("poseOf", name)

    def paints(self, name: str) -> list[str]:
        """Return the colours of what is drawn under this name in 3-D."""
        return self.surface("paintsOf", name)

    def surface(self, method: str, name: str) -> list[Any]:
        """Call a method of the 3-D scene after everything received is drawn."""
        script = """async ([method, name]) => {
          await rigless.settled();
          return rigless.surface()?.[method]?.(name) ?? []; }"""
        return self.page.evaluate(script, [method, name])

    # Actions

    def stand_still(self) -> "Panel":
        """Reset and pause, so that the speed of the machine does not matter."""
        self.server.post("/api/pause")
        self.server.post("/api/reset")
        return self.wait_epoch()

    def pause(self) -> dict[str, Any]:
        """Pause by the API, wait until the page shows it, and return the status."""
        self.server.post("/api/pause")
        found = self.server.status()
        self.until(
            lambda: abs(self.time_s() - found["time_s"]) < 1e-6, "the page shows another time"
        )
        return found

    def step(self, seconds: float) -> float:
        """Step by the API, wait until the page shows it, and return the time."""
        time_s = self.server.post("/api/step", ms=seconds * 1000)["time_s"]
        self.until(lambda: abs(self.time_s() - time_s) < 1e-6, "the page shows another time")
        return time_s

    def running_for(self, seconds: float) -> None:
        """Wait until this much simulated time has passed."""
        begin_s = self.server.status()["time_s"]
        self.until(lambda: self.server.status()["time_s"] >= begin_s + seconds, "time stands still")
