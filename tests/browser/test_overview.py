"""The overview of robots in several worlds: a tile per world, with a live thumbnail."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.panel import Panel
from browser.test_accessibility import assert_axe

TESTS = Path(__file__).resolve().parents[1]
ROBOTS = {
    "one": TESTS / "panel/trolley",
    "two": TESTS / "panel/trolley",
    "arm": TESTS / "browser/robots/arm",
    "room": TESTS.parent / "examples/thermostat",
}


@pytest.fixture(scope="module")
def mixed_server(serve, tmp_path_factory):
    path = tmp_path_factory.mktemp("mixed") / "mixed.toml"
    path.write_text(
        "".join(f'[[robots]]\nname = "{name}"\nkind = "{kind}"\n' for name, kind in ROBOTS.items())
    )
    return serve(
        path, "--set", "room.ports.line=0", "--set", "two.ports.box=memory/two", "--no-auth"
    )


@pytest.fixture(scope="module")
def tab(shared_window, mixed_server):
    """A panel, and the subscriptions that it sends."""
    panel = Panel(shared_window, mixed_server.reset_and_run())
    looks = []
    panel.page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda sent: looks.append(json.loads(sent))),
    )
    return panel.open(), looks


@pytest.fixture
def mixed(tab, shared_window):
    panel, _ = tab
    panel.server.reset_and_run()
    panel.page.bring_to_front()  # invisible tiles are not drawn
    panel.page.goto(f"{panel.server.url}/#/")
    panel.page.set_viewport_size({"width": 1280, "height": 800})
    expect(panel.page.locator(".tile")).to_have_count(3)
    yield panel
    assert shared_window.complaints() == []


def tile(panel, name):
    return panel.page.get_by_role("article", name=name, exact=True)


def picture(panel, name):
    """Return the pixels of a tile's thumbnail after it was drawn."""
    script = """(canvas) => { const pen = canvas.getContext("2d");
        const {data} = pen.getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size > 2 ? canvas.toDataURL() : ""; }"""
    return panel.until(
        lambda: tile(panel, name).locator("canvas").evaluate(script), f"nothing is drawn of {name}"
    )


def at_rest(panel, names):
    """Return the thumbnails after time was paused and they stopped changing."""
    found = [""]
    while found != (now := [picture(panel, name) for name in names]):
        found = now
        panel.page.wait_for_timeout(400)  # twice the time of a frame
    return found


def test_each_world_has_a_tile_with_a_live_thumbnail(mixed):
    worlds = ["one, two", "arm", "room"]
    assert [
        one.get_attribute("aria-label") for one in mixed.page.get_by_role("article").all()
    ] == worlds
    room = tile(mixed, "room")
    url = mixed.server.robot("room")["ports"][0]["url"]
    expect(room.locator(".about")).to_contain_text("A room thermostat")
    expect(room.locator(".status")).to_have_text("ok")
    expect(room.get_by_role("button", name=f"line {url}: copy")).to_be_visible()
    expect(room.get_by_role("button", name="try rigless send room line GET: copy")).to_be_visible()
    assert_axe(mixed.page)
    mixed.server.post("/api/pause")
    before = at_rest(mixed, worlds)
    mixed.server.post(
        "/api/robots/two/messages",
        port="box",
        message={"type": "Go", "forward": 1, "left": 0, "turn": 0.5},
    )
    mixed.server.post("/api/step", ms=2000)
    for name, old in zip(worlds, before, strict=True):
        mixed.until(
            lambda name=name, old=old: picture(mixed, name) != old, f"the picture of {name} stays"
        )
    mixed.server.post("/api/faults", robot="room", target="heater", kind="weak")
    expect(room.locator(".status")).to_have_attribute("data-health", "bad")


def test_a_tile_opens_its_page_by_click_and_by_key(mixed):
    arm = mixed.page.locator("nav a", has_text="arm")
    tile(mixed, "arm").locator("canvas").click(force=True)  # even if something covers it
    expect(arm).to_have_attribute("aria-current", "page")
    mixed.page.go_back()
    mixed.page.get_by_role("link", name="one, ok: open its page").focus()
    mixed.page.keyboard.press("ArrowRight")
    mixed.page.keyboard.press("Enter")
    expect(arm).to_have_attribute("aria-current", "page")


def test_only_visible_tiles_are_subscribed(mixed, tab):
    _, looks = tab
    everybody = {"one": 5, "two": 5, "arm": 5, "room": 5}
    mixed.until(lambda: looks[-1]["robots"] == everybody, "not all are looked at")
    mixed.page.set_viewport_size({"width": 800, "height": 300})
    mixed.until(
        lambda: looks[-1]["robots"] == {"one": 5, "two": 5}, "what is out of sight is looked at"
    )
    tile(mixed, "room").locator("canvas").scroll_into_view_if_needed()
    mixed.until(lambda: "room" in looks[-1]["robots"], "what came into sight is not looked at")


def test_a_recording_has_its_own_tiles(mixed, tab):
    mixed.server.post("/api/recording")
    mixed.server.post("/api/pause")
    mixed.server.post("/api/step", ms=300)
    mixed.server.post("/api/deck", file=mixed.server.delete("/api/recording")["file"])
    mixed.button("Show the recording").click()
    expect(mixed.page.locator(".badge")).to_have_text("Recording")
    expect(mixed.page.locator(".tile")).to_have_count(3)
    expect(tile(mixed, "room").locator(".status")).to_have_text("ok")
    expect(mixed.page.locator(".copy")).to_have_count(0)
    assert picture(mixed, "arm")
    assert tab[1][-1]["stage"] == "recording"
