"""The welder's page: the streamed program, overrides, jogging and faults."""

import socket
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from browser.panel import Panel
from browser.test_accessibility import CONTROLS, LOOK, SIZES, assert_axe, judge, judge_all, overflow
from conftest import DEADLINE_S

PROGRAM = [b"G21 G91", b"G1 X2 F600", b"(<b>no</b> markup) G1 Y-90 F30", b"G1 X-2"]


@pytest.fixture(scope="module")
def welder_server(serve):
    return serve("welder", "--set", "ports.grbl=0", "--no-auth")


@pytest.fixture
def welder(shared, welder_server):
    panel = shared("welder", welder_server)
    lock(panel, True)
    return panel


@pytest.fixture
def line(welder):
    """Send a line to the controller."""
    url = urlsplit(
        next(
            port["url"] for port in welder.server.robot("welder")["ports"] if port["name"] == "grbl"
        )
    )
    with socket.create_connection((url.hostname, url.port), timeout=DEADLINE_S) as peer:
        yield peer


def joint(panel, axis=0):
    return panel.server.truth("welder")["joints_deg"][axis]


def speed(panel, axis=0):
    return abs(panel.server.truth("welder")["velocities_degps"][axis])


def lock(panel, locked):
    switch = panel.switch("Unlock jogging")
    if switch.is_checked() == locked:
        switch.press("Space")
    expect(panel.card("Jog").locator(".tag")).to_have_text("locked" if locked else "unlocked")


def test_the_program_is_listed_and_the_current_line_is_the_controllers(welder, line):
    line.sendall(b"\n".join(PROGRAM) + b"\n")
    current = welder.page.locator(".listing [aria-current=step]")
    expect(current).to_have_text(f"3{PROGRAM[2].decode()}")
    assert abs(joint(welder) - 2) < 0.01  # the second line is done, the third is running
    expect(welder.page.locator(".listing li")).to_have_count(4)
    expect(welder.page.locator('.listing [data-how="done"]')).to_have_count(2)
    expect(welder.page.get_by_role("status", name="State: Run")).to_be_visible()
    welder.button("Hold").click()
    expect(welder.page.get_by_role("status", name="State: Hold")).to_be_visible()


def test_a_slider_sets_the_override(welder, line):
    feed = welder.page.get_by_role("slider", name="Feed")
    feed.focus()
    for _ in range(3):
        welder.page.keyboard.press("ArrowRight")
    feed.fill("137")
    expect(welder.button("Feed 137 %, back to 100")).to_be_visible()
    welder.button("Rapid 25 %").click()
    welder.until(
        lambda: (welder.measure("feed"), welder.measure("rapid")) == (137, 25), "they are not set"
    )
    line.sendall(b"\x87")
    heard = b""
    while b"Ov:" not in heard:
        heard += line.recv(4096)
    assert b"Ov:137,25,100" in heard
    welder.button("Feed 137 %, back to 100").click()
    welder.until(lambda: welder.measure("feed") == 100, "it does not go back")


def test_jogging_is_locked_at_first_and_a_step_is_a_step(welder):
    plus = welder.button("J1 plus")
    expect(plus).to_be_disabled()
    plus.dispatch_event("pointerdown", {"pointerId": 1, "button": 0})
    plus.dispatch_event("click")
    welder.running_for(0.2)
    assert (joint(welder), speed(welder)) == (0, 0)
    lock(welder, False)
    welder.button("Steps of 5 °").click()
    plus.click()
    welder.until(lambda: abs(joint(welder) - 5) < 1e-6, "it does not step")


def hold(panel, name="J1 plus"):
    """Hold a jog button at a speed so low that the axis does not reach its limit."""
    panel.server.post("/api/speed", speed=0.1)
    lock(panel, False)
    panel.button("hold: Move while held").click()
    panel.button(name).hover()
    panel.page.mouse.down()
    panel.until(lambda: speed(panel) > 5, "it does not move")


def stands(panel):
    panel.until(lambda: speed(panel) == 0, "it does not stop")


def test_a_held_jog_moves_until_it_is_released(welder):
    hold(welder)
    welder.page.wait_for_timeout(1200)  # longer than the timeout of a command
    welder.until(lambda: speed(welder) > 5, "it does not go on")
    welder.page.mouse.move(500, 400)
    welder.page.mouse.up()
    stands(welder)
    assert 0 < joint(welder) < 120
    hold(welder, "J1 minus")
    welder.page.evaluate("() => window.dispatchEvent(new Event('blur'))")
    stands(welder)
    welder.page.mouse.up()
    welder.button("J1 minus").focus()
    welder.page.keyboard.down("Space")
    welder.until(lambda: speed(welder) > 5, "no key moves it")
    lock(welder, True)
    stands(welder)
    welder.page.keyboard.up("Space")
    assert -120 < joint(welder) < 120


def test_a_held_jog_ends_with_the_page(welder):
    own = Panel(welder.window, welder.server).open()
    hold(own)
    own.page.close()
    welder.page.bring_to_front()
    stands(welder)
    assert 0 < joint(welder) < 120


def test_an_answer_about_an_earlier_pose_is_ignored(welder):
    held = []
    welder.page.route("**/reach", lambda route: held.append(route))
    for number, x in enumerate(("700", "5000"), 1):
        field = welder.field("X in mm")
        field.fill(x)
        field.press("Tab")
        welder.button("Reach?: Check whether the torch reaches it").click()
        welder.until(lambda number=number: len(held) == number)
    answer = welder.page.locator(".target ~ .program-summary")
    for route, text in zip(reversed(held), ("too far", "reachable"), strict=True):
        with welder.page.expect_response("**/reach"):
            route.fulfill(json={"reachable": False, "text": text, "joints_deg": None})
        welder.wait_layout()
        expect(answer).to_have_text("too far")
    welder.page.unroute("**/reach")


def test_an_injected_fault_acts(welder):
    welder.button("Trigger part sensor").click()
    expect(welder.switch("DI10 Part sensor")).to_be_checked()
    welder.switch("DI3").click()
    expect(welder.switch("DI3")).to_have_attribute("aria-checked", "true")
    assert welder.server.truth("welder")["digital_inputs"] == 1 << 10 | 1 << 3
    welder.button("Simulate arc fault").click()
    expect(welder.card("Events")).to_contain_text("fault begins: arc arc_lost")
    welder.button("Trigger E-stop").click()
    expect(welder.page.get_by_role("status", name="State: Alarm")).to_be_visible()
    assert welder.server.robot("welder")["inputs"]["estop"] is True


def test_its_many_controls_are_seen_named_and_large_enough(welder):
    for size in SIZES:
        welder.resize(size)
        judge(welder)


def test_a_program_file_is_opened_checked_and_run_block_by_block(welder, tmp_path):
    file = tmp_path / "seam <b>.nc"
    file.write_text("G21 G90 F1200\nG1 X3\nG1 X400\n")
    welder.page.locator("input[type=file]").first.set_input_files(file)
    listed = welder.page.locator(".listing.file li:not(.space)")
    expect(listed).to_have_count(3)
    expect(welder.page.locator(".program-file .clip")).to_have_text(file.name)
    # the check marks the line that the controller would refuse
    expect(listed.nth(2)).to_have_attribute("data-finding", "error", timeout=1000 * DEADLINE_S)
    expect(welder.page.locator(".program-summary").first).to_contain_text("1 error")
    expect(welder.page.locator(".program-finding")).to_contain_text("line 3")
    welder.button("Single block: Run one block, then wait").click()
    welder.button("Resume: Go on to the end").wait_for()
    welder.button("Single block: Run one block, then wait").click()
    welder.until(lambda: abs(joint(welder) - 3) < 0.01, "the second line did not run")
    welder.button("Resume: Go on to the end").click()
    alarm = welder.page.locator(".program [role=alert]")
    expect(alarm).to_contain_text("line 3: ALARM:2")
    expect(listed.nth(2)).to_have_attribute("data-how", "wrong")
    welder.resize({"width": 1440, "height": 760})  # little room below the strip of the alarm
    judge_all(welder.page.locator(f".dock :is({CONTROLS})").evaluate_all(LOOK))
    assert_axe(welder.page)
    assert overflow(welder) == []
