"""The AGV's page: map, status, task, commands with answers, axes, inputs and faults."""

import pytest
from playwright.sync_api import expect

from browser.test_accessibility import SIZES, assert_axe, judge

STEPS = [
    {"stepId": "there", "type": "MOVE", "params": {"x": 6.0, "y": 2.0}},
    {"stepId": "take", "type": "GRIP", "params": {}},
]
HOLD = {"type": "TrafficControl", "controlId": "desk", "kind": "HOLD", "seq": 1}
PHONE = {"width": 390, "height": 844}
FLEET = """
[[robots]]
kind = "agv"
ports = { nats = 0 }
[[robots]]
kind = "agv"
name = "crew"
count = 8
start = { x = -2, y = -2 }
ports = { nats = 0 }
"""
ZONE = {"minX": 2.0, "minY": -3.0, "maxX": 4.0, "maxY": -2.0}


@pytest.fixture(scope="module")
def agv_server(serve, tmp_path_factory):
    folder = tmp_path_factory.mktemp("state")
    (folder / "fleet.toml").write_text(FLEET)
    return serve(folder / "fleet.toml", "--no-auth", "--state", folder)


@pytest.fixture
def agv(shared, agv_server):
    panel = shared("agv", agv_server)
    panel.page.evaluate("location.hash = '#/robot/agv'")
    expect(panel.page.locator("nav a", has_text="agv")).to_have_attribute("aria-current", "page")
    panel.until(lambda: panel.count(), "no picture came")
    panel.wait_epoch()
    expect(status(panel, "RUNNING")).to_be_visible()
    return panel


def status(panel, word):
    panel.card("Status")  # it opens the tab
    return panel.page.get_by_role("status", name=f"Status: {word}", exact=True)


def tell(panel, **message):
    panel.server.post("/api/robots/agv/messages", port="nats", message=message)


def test_a_task_is_driven_shown_and_held(agv):
    tell(agv, type="TrafficControl", controlId="zone", kind="ZONE_BLOCK", seq=1, zone=ZONE)
    tell(agv, type="TaskAssign", taskId="t", revision=1, steps=STEPS)
    agv.step(2.0)
    assert agv.server.truth("agv")["velocity"][0] > 0.5
    expect(agv.card("Task").locator("[aria-current=step]").first).to_have_text("1MOVE x 6 y 2")
    assert agv.rows("route")[-2:] == [6.0, 2.0]
    assert len(agv.rows("zones")) >= 10
    tell(agv, **HOLD)
    agv.step(3.0)
    expect(status(agv, "PAUSED")).to_be_visible()
    expect(agv.card("Status").locator(".listing li")).to_have_text("1traffic hold")
    assert agv.server.truth("agv")["velocity"][0] == 0
    x, y, _ = agv.server.truth("agv")["pose"]
    assert abs(agv.rows("body")[0] - x) + abs(agv.rows("body")[1] - y) < 1e-3
    tell(agv, **{**HOLD, "kind": "RELEASE", "seq": 2})
    agv.step(0.2)
    expect(status(agv, "RUNNING")).to_be_visible()
    expect(agv.card("Status").locator(".listing li")).to_have_text("no reasons")


def test_commands_and_their_answers_stand_there_and_an_axis_can_be_set(agv):
    agv.page.get_by_role("slider", name="Hoist").fill("120")
    agv.until(
        lambda: abs(agv.server.truth("agv")["axes"]["hoist"] - 0.12) < 1e-6,
        "the hoist does not go there",
    )
    lines = agv.card("Commands").locator(".listing li")
    expect(lines.last).to_contain_text("SUCCEEDED")
    tell(agv, type="CommandRequest", commandId="strange", commandType="DANCE")
    expect(lines.last).to_contain_text(
        "REJECTED DANCE NOT_SUPPORTED: "
    )  # command and reason come before the long id
    expect(lines.last).to_contain_text("· strange")
    assert lines.last.locator("code").evaluate(
        "(one) => one.scrollWidth <= one.clientWidth"
    )  # none of it is cut off
    expect(agv.page.get_by_label("Boot id")).to_have_count(0)  # it is set by the host
    expect(lines.last).to_have_attribute("data-how", "wrong")
    agv.until(lambda: agv.measure("rate state") > 0, "nobody counts messages")
    agv.until(lambda: agv.measure("connected") == 1, "it is not connected")


def test_a_command_and_a_task_are_sent_over_nats_from_forms(agv):
    form = agv.card("Send").locator("form")
    form.get_by_label("commandType").select_option("MOVE")
    expect(form.get_by_label("theta", exact=True)).to_be_visible()  # the fields of a MOVE
    form.get_by_role("button", name="Send", exact=True).click()
    agv.notice("params.x is missing")
    form.get_by_label("x", exact=True).fill("0.4")
    form.get_by_label("y", exact=True).fill("0")
    form.get_by_role("button", name="Send", exact=True).click()
    expect(form.get_by_role("status")).to_contain_text("Sent to nats://")
    lines = agv.card("Commands").locator(".listing li")
    expect(lines.last).to_contain_text("SUCCEEDED MOVE")
    form = agv.card("Send").locator("form")
    form.get_by_label("Message to send").select_option("TaskAssign")
    form.get_by_role("button", name="Add to steps").click()
    form.get_by_label("type", exact=True).nth(0).select_option("WAIT")
    form.get_by_label("seconds", exact=True).fill("600")
    form.get_by_label("type", exact=True).nth(1).select_option("GRIP")
    form.get_by_role("button", name="Send", exact=True).click()
    active = agv.card("Task").locator(".listing").last.locator("li")
    expect(active.last).to_contain_text("step 1 of 2: WAIT")


def test_an_input_and_a_fault_change_its_status(agv):
    chain = agv.switch("estop · estop chain")
    expect(chain).not_to_be_checked()
    chain.press("Space")
    expect(status(agv, "PAUSED")).to_be_visible()
    expect(agv.card("Status").locator(".listing li")).to_have_text("1estop")
    chain = agv.switch("estop · estop chain")
    expect(chain).to_be_checked()
    chain.press("Space")
    expect(chain).not_to_be_checked()
    expect(status(agv, "PAUSED")).to_be_visible()  # until it is acknowledged
    agv.button("Release").click()
    expect(status(agv, "RUNNING")).to_be_visible()
    agv.server.post("/api/faults", robot="agv", target="drive_left", kind="error")
    expect(status(agv, "ERROR")).to_be_visible()
    expect(agv.page.get_by_role("status", name="drive_left: ERROR")).to_be_visible()
    assert agv.rows("body")[3] == 2.0
    agv.server.delete("/api/faults?robot=agv")
    expect(status(agv, "RUNNING")).to_be_visible()


def test_everything_can_be_reached(agv):
    agv.server.post("/api/pause")
    before = agv.page.viewport_size
    for size in (*SIZES[:2], PHONE):
        agv.resize(size)
        judge(agv)
    assert_axe(agv.page)
    agv.resize(before)


def test_the_map_grows_with_the_path_until_the_user_moves_it(agv):
    agv.step(0.1)
    before = agv.view()["scale"]
    tell(
        agv,
        type="CommandRequest",
        commandId="far",
        commandType="MOVE",
        params={"x": 40.0, "y": 0.0},
    )
    agv.step(0.5)
    agv.until(lambda: agv.view()["scale"] < 0.5 * before, "it does not show the way")
    agv.map.hover()
    wide = agv.view()["scale"]
    agv.page.mouse.wheel(0, -300)
    agv.until(lambda: agv.view()["scale"] > wide, "the wheel does nothing")
    chosen = agv.view()
    tell(agv, type="CommandRequest", commandId="stop", commandType="STOP")
    tell(
        agv,
        type="CommandRequest",
        commandId="back",
        commandType="MOVE",
        params={"x": -90.0, "y": 0.0},
    )
    agv.step(5.0)
    assert agv.rows("route")[-2:] == [-90.0, 0.0]
    assert agv.view() == chosen


def test_robots_are_found_by_name_and_by_status(agv):
    links = agv.page.get_by_role("navigation", name="Robots").get_by_role("link")
    agv.page.evaluate("location.hash = '#/view'")  # the first view of many robots is the fleet
    robots = agv.card("Robots").get_by_role("link")
    expect(robots).to_have_count(9)
    agv.server.post("/api/faults", robot="crew-7", target="drive_left", kind="error")
    agv.page.get_by_role("button", name="Only ERROR, 1 robot").click()
    expect(robots).to_have_text(["crew-7 ERROR"], use_inner_text=True)
    expect(agv.card("Robots")).to_contain_text("1 of 9")
    agv.server.delete("/api/faults?robot=crew-7")
    expect(robots).to_have_count(9)  # no robot has that status any more
    field = agv.page.get_by_role("searchbox", name="Find a robot by its name")
    field.fill("W-3")
    expect(robots).to_have_count(1)
    expect(links).to_have_text(["All robots", "crew-3"])
    field.fill("nobody")
    expect(agv.card("Robots")).to_contain_text("no robot matches")
    field.fill("crew-3")
    field.press("Enter")
    expect(links.filter(has_text="crew-3")).to_have_attribute("aria-current", "page")
    agv.page.get_by_role("searchbox", name="Find a robot").fill("")
    expect(links).to_have_count(10)


def test_after_stopping_one_robot_the_others_can_be_stopped(agv):
    agv.server.post("/api/robots/crew-1/inputs", inputs={"estop": True})
    agv.until(lambda: agv.server.robot("crew-1")["inputs"]["estop"], "it is not stopped")
    agv.button("E-STOP").click()
    agv.until(lambda: agv.server.robot("agv")["inputs"]["estop"], "the others go on")
    expect(agv.button("Release")).to_be_visible()
