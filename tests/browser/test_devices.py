"""The card of doors, lifts and conveyors on the fleet page."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.panel import Panel
from browser.test_accessibility import assert_axe

TROLLEY = Path(__file__).resolve().parents[1] / "panel/trolley"
CARD = "[data-card='Doors, lifts, conveyors']"


@pytest.fixture(scope="module")
def warehouse(serve, shared_window, tmp_path_factory):
    path = tmp_path_factory.mktemp("warehouse") / "warehouse.toml"
    text = '[world]\nmap = "warehouse_100"\ndoors = true\n'
    for n in range(1, 41):
        text += f'[[robots]]\nname = "cart-{n}"\nkind = "{TROLLEY}"\n'
        text += f'ports = {{ box = "memory/{n}" }}\n'
    path.write_text(text)
    server = serve(path, "--no-auth").reset_and_run()
    panel = Panel(shared_window, server).open()
    panel.page.goto(f"{server.url}/#/")
    return panel


def test_devices_are_shown_and_set_on_the_fleet_page(warehouse):
    card = warehouse.page.locator(CARD)
    warehouse.server.post("/api/pause")
    door = card.get_by_role("button", name="door-1")
    expect(door).to_have_text("Open")
    door.click()
    expect(door).to_have_text("Close")
    send = card.get_by_role("button", name="Send lift-1 to Floor 1")
    send.click()
    expect(card.get_by_text("goes from floor 0 to 1")).to_be_visible()
    warehouse.server.post("/api/resume")
    expect(card.get_by_text("at floor 1")).to_be_visible(timeout=60_000)
    expect(send).to_be_disabled()
    card.get_by_role("button", name="Stop conveyor-1").click()
    expect(card.get_by_text("stopped, 0 loads on it")).to_be_visible()
    expect(card.get_by_role("button", name="Run conveyor-1")).to_be_visible()
    assert_axe(warehouse.page)
