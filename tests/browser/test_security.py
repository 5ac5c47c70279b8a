"""Without a token nothing is shown, foreign pages cannot act, and shown text cannot run."""

from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from browser.robots.shouter import SHOUT
from browser.test_accessibility import assert_axe


@pytest.mark.parametrize(
    "path", ["/", "/web/main.js", "/api/status", "/api/world", "/api/deck", "/?token=wrong"]
)
def test_without_the_token_nothing_is_served(vacuum_server, path):
    assert httpx.get(f"{vacuum_server.url}{path}").status_code == 401


def test_a_browser_without_the_token_gets_a_field_for_it(window, vacuum_server):
    window.expected.append("status of 401")
    page = window.tab(vacuum_server.url)
    assert page.goto(f"{vacuum_server.url}/#/robot/vacuum").status == 401
    expect(page.locator("body")).to_contain_text("Open the URL that rigless printed")
    assert_axe(page)
    for text, wanted in (("<b>wrong", ".wrong"), (vacuum_server.entrance, ".connection.live")):
        page.get_by_label("Token").fill(text)
        page.get_by_role("button", name="Open the panel").click()
        expect(page.locator(wanted)).to_be_visible()
    assert "token" not in page.url


def test_the_token_is_not_left_in_the_address(vacuum):
    assert "token" not in vacuum.page.url
    assert vacuum.server.token not in str(vacuum.page.context.cookies())


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1"])
def test_a_foreign_origin_is_refused(vacuum_server, origin):
    headers = {"Authorization": f"Bearer {vacuum_server.token}", "Origin": origin}
    for path in ("/api/pause", "/api/reset", "/api/estop", "/api/deck/play"):
        assert httpx.post(f"{vacuum_server.url}{path}", headers=headers, json={}).status_code == 403
    with (
        pytest.raises(InvalidStatus, match="403"),
        connect(
            f"{vacuum_server.url.replace('http', 'ws')}/ws",
            origin=origin,
            additional_headers={"Authorization": headers["Authorization"]},
        ),
    ):
        pass


def test_a_foreign_page_in_the_same_browser_can_do_nothing(own_vacuum, pair_server):
    vacuum = own_vacuum
    """Another port is another origin; the cookie does not go along."""
    vacuum.window.expected += ["status of 40[13]", "blocked by CORS", "(?i)content security policy"]
    foreign = vacuum.window.tab(pair_server.url)
    foreign.goto(pair_server.entrance)
    script = """(url) => fetch(`${url}/api/pause`,
      {method: 'POST', mode: 'no-cors', credentials: 'include'}).then(() => 0, () => 0)"""
    foreign.evaluate(script, vacuum.server.url)
    assert vacuum.server.status()["state"] == "running"


def test_names_and_texts_in_html_are_shown_as_they_are(shouter):
    shouter.until(lambda: shouter.server.robot("shouter")["metrics"], "it does not shout")
    shouter.page.locator(".legend summary").click()
    wanted = {
        "Readouts": "gauge",
        "Virtual I/O": "lamp",
        "Commands": "action",
        "Events": "event",
        "Metrics": "metric",
        "Faults": "sensor",
    }
    for title, word in wanted.items():
        expect(shouter.card(title)).to_contain_text(f"{word} {SHOUT}")
    expect(shouter.card("Virtual I/O")).to_contain_text(f"switch {SHOUT}")
    expect(shouter.card("Virtual I/O")).to_contain_text(f"button {SHOUT}")
    expect(shouter.page.locator(".legend")).to_contain_text(f"disc {SHOUT}")
    expect(shouter.page.locator(".plots")).to_contain_text(f"plot {SHOUT}")
    expect(shouter.card("Virtual I/O").locator("input[type=text]")).to_have_value(f"value {SHOUT}")
    assert shouter.page.locator("img, #app script").count() == 0
    assert shouter.page.evaluate("() => globalThis.hacked") is None


def test_a_robot_that_does_not_exist_is_not_looked_for_in_html(shouter):
    shouter.page.goto(f"{shouter.server.url}/#/robot/{quote(SHOUT, safe='')}")
    shouter.wait_live()
    expect(shouter.page.locator("main h2")).to_have_text(f"There is no robot named “{SHOUT}”")
    assert shouter.page.evaluate("() => globalThis.hacked") is None


def test_scripts_from_elsewhere_do_not_run(own_vacuum):
    vacuum = own_vacuum
    vacuum.window.expected += [
        "Content Security Policy",
        "content security policy",
        "a request to http://evil",
    ]
    vacuum.page.evaluate(
        """() => { for (const text of ["globalThis.hacked = 1"]) {
          const script = document.createElement("script");
          script.textContent = text;
          document.body.append(script);
          const frame = document.createElement("iframe");
          frame.src = "http://evil.example/";
          document.body.append(frame);
        } }"""
    )
    assert vacuum.page.evaluate("() => globalThis.hacked") is None
    headers = vacuum.server.http.get("/").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
