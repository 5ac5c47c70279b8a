"""The Wire tab with real clients on two robots, one with a binary and one with a text protocol."""

import socket
import threading
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from browser.panel import Panel
from browser.test_accessibility import FAINT, assert_axe
from robots.vacuum.client import control, framed

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def wire_server(serve):
    """A thermostat (lines of text) and a vacuum (protobuf)."""
    return serve(HERE / "robots" / "wire.toml", "--no-auth")


@contextmanager
def connected(server, robot, port):
    """Yield a client on a TCP port; its answers are read and dropped."""
    ports = next(one for one in server.get("/api/status")["robots"] if one["name"] == robot)[
        "ports"
    ]
    url = urlsplit(next(one["url"] for one in ports if one["name"] == port))
    with socket.create_connection((url.hostname, url.port)) as client:
        reader = threading.Thread(target=lambda: any(iter(lambda: client.recv(4096), b"")))
        reader.start()
        yield client
        client.shutdown(socket.SHUT_RDWR)
        reader.join()


def rows(panel, kind):
    """The rows of a type that are in the document."""
    return panel.page.locator(".wire-space .wire-row").filter(
        has=panel.page.locator(".kind", has_text=kind)
    )


def click(panel, row):
    """Select a row of a list that does not move."""
    row.evaluate("(one) => one.click()")


def test_text_and_binary_messages_faults_filters_statistics_and_sending(window, wire_server):
    server, panel = wire_server, Panel(window, wire_server)
    panel.page.goto(f"{server.url}/#/wire")
    listed = panel.page.locator(".wire-list")
    expect(panel.page.get_by_text("no client is connected")).to_be_visible()
    expect(panel.page.get_by_role("link", name="Wire")).to_have_attribute("aria-current", "page")
    with connected(server, "vacuum", "commands") as vacuum:
        panel.page.get_by_label("Direction", exact=True).select_option("in")
        vacuum.sendall(framed(control("drive", 3, linear=("f32", 0.25))))
        expect(rows(panel, "Control").first).to_contain_text("linear 0.25")
        panel.page.get_by_label("Direction", exact=True).select_option("")
        expect(rows(panel, "Status").first).to_contain_text("wheel_left")
        with connected(server, "thermostat", "line") as line:
            line.sendall(b"GET\nwhat\n")
            # Filters: only the thermostat's port. All rows of it are visible.
            panel.page.get_by_label("Port", exact=True).select_option("line")
            expect(rows(panel, "Get")).to_contain_text("1/2")
            expect(rows(panel, "Answer")).to_have_count(2)
            expect(rows(panel, "Status")).to_have_count(0)
            click(panel, rows(panel, "Answer").first)
            tree = panel.page.locator(".wire-tree")
            expect(tree).to_contain_text("text")
            expect(panel.page.locator(".wire-hex b").first).to_contain_text(".")
            assert_axe(panel.page)
            panel.page.get_by_label("Text in messages").fill("what")
            expect(rows(panel, "Answer")).to_have_count(0)
            expect(rows(panel, "Unknown")).to_contain_text("what")
            panel.page.get_by_label("Text in messages").fill("")
            # A fault is marked on what it did.
            server.post("/api/faults", robot="thermostat", target="line", kind="drop",
                        params={"direction": "out"})  # fmt: skip
            line.sendall(b"GET\n")
            expect(panel.page.locator(".wire-row.bad-row")).to_contain_text("dropped")
            server.delete("/api/faults?robot=thermostat")
            panel.button("Only refused messages and effects of faults").click()
            expect(rows(panel, "Answer")).to_have_count(1)
            panel.button("Only refused messages and effects of faults").click()
        # Send again and compose go over the real port: a new client is in the list.
        click(panel, rows(panel, "Get").first)
        panel.button("Send again: Send this packet again").click()
        panel.notice("sent to tcp://")
        expect(rows(panel, "Get")).to_have_count(3)
        panel.button("Send").click()
        compose = panel.page.locator(".wire-compose")
        compose.get_by_label("Robot", exact=True).select_option("thermostat")
        compose.get_by_label("Message", exact=True).select_option("text")
        compose.get_by_label("Text", exact=True).fill("SET 23.5")
        compose.get_by_role("button", name="Send").click()
        expect(panel.page.locator(".wire-answer")).to_contain_text("Sent")
        expect(rows(panel, "Set")).to_contain_text("celsius 23.5")
        assert server.get("/api/robots/thermostat/truth")["truth"]["setpoint_c"] == 23.5
        # A form from the schema. The vacuum accepts one client only: it goes through the API.
        compose.get_by_label("Robot", exact=True).select_option("vacuum")
        expect(compose.locator("#known-id option[value=lidar]")).to_have_count(1)
        compose.get_by_label("id", exact=True).fill("vacuum")
        compose.get_by_label("action", exact=True).select_option("enable")
        compose.get_by_role("button", name="Send").click()
        expect(panel.page.locator(".wire-answer")).to_contain_text("Sent through the API")
        panel.page.locator(".wire-bar").get_by_label("Port").select_option("")
        panel.page.get_by_label("Type", exact=True).select_option("Control")
        expect(rows(panel, "Control").last).to_contain_text("action enable")
        panel.button("Statistics").click()
        status = panel.page.locator(".wire-table tr").filter(has_text="Status")
        expect(status).to_contain_text("110 Hz")
        status.get_by_role("button").click()
        expect(panel.page.get_by_label("Type", exact=True)).to_have_value("Status")
        expect(rows(panel, "Status").first).to_be_visible()
        assert listed.get_attribute("aria-activedescendant") is None  # it is out of sight
        # Pause: the list stands still. The list has few rows in the document.
        panel.button("Pause the list").click()
        server.post("/api/pause")
        shown = listed.get_attribute("aria-rowcount")
        assert panel.page.locator(".wire-space .wire-row").count() < 80
        server.post("/api/step", ms=1000)
        assert listed.get_attribute("aria-rowcount") == shown
        panel.button("Continue the list").click()
        panel.until(lambda: int(listed.get_attribute("aria-rowcount")) > int(shown) + 90)
        server.post("/api/resume")
    # Leaving the page ends the observation.
    panel.page.goto(f"{server.url}/#/")
    expect(panel.page.locator("wire-panel")).to_have_count(0)


def test_a_click_in_a_recording_goes_to_that_instant(window, wire_server):
    server, panel = wire_server, Panel(window, wire_server)
    server.reset_and_run()
    server.post("/api/recording", file="wire.mcap")
    with connected(server, "thermostat", "line") as line:
        line.sendall(b"GET\n")
        panel.page.goto(f"{server.url}/#/robot/thermostat/wire")
        panel.until(lambda: server.get("/api/metrics")["recorded_messages"] > 5)
    server.delete("/api/recording")
    server.post("/api/deck", file="wire.mcap")
    panel.button("Show the recording").click()
    row = rows(panel, "Answer").first
    expect(row).to_be_visible()
    time_s = float(row.locator(".time").inner_text())
    click(panel, row)
    panel.until(lambda: abs(server.get("/api/deck")["time_s"] - time_s) < 1e-5)
    expect(panel.page.locator(".wire-tree")).to_contain_text("text")
    expect(panel.page.locator(".wire-row.later").first).to_be_visible()
    assert panel.page.evaluate(FAINT) == []  # later messages can be read too
    panel.button("Send").click()
    expect(panel.page.get_by_text("A recording cannot be changed")).to_be_visible()
    server.delete("/api/deck")
