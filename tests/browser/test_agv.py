"""The AGV's page: where it goes, how it is and why, its task and commands with their answers, axes that can be set, inputs, faults."""

import pytest
from playwright.sync_api import expect

from browser.test_reach import SIZES, judge, overflow

STEPS = [
    {"stepId": "there", "type": "MOVE", "params": {"x": 6.0, "y": 2.0}},
    {"stepId": "take", "type": "GRIP", "params": {}},
]
HOLD = {"type": "TrafficControl", "controlId": "desk", "kind": "HOLD", "seq": 1}
ZONE = {"minX": 2.0, "minY": -3.0, "maxX": 4.0, "maxY": -2.0}


@pytest.fixture(scope="module")
def agv_server(serve, tmp_path_factory):
    return serve("agv", "--set", "ports.nats=0", "--no-auth", "--state", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def agv(shared, agv_server):
    panel = shared("agv", agv_server)
    expect(status(panel, "RUNNING")).to_be_visible()
    return panel


def status(panel, word):
    return panel.page.get_by_role("status", name=f"Status: {word}", exact=True)


def tell(panel, **message):
    panel.server.post("/api/robots/agv/messages", port="nats", message=message)


def test_a_task_is_driven_shown_and_held(agv):
    tell(agv, type="TrafficControl", controlId="zone", kind="ZONE_BLOCK", seq=1, zone=ZONE)
    tell(agv, type="TaskAssign", taskId="t", revision=1, steps=STEPS)
    agv.until(lambda: agv.server.truth("agv")["velocity"][0] > 0.5, "it does not drive")
    expect(agv.card("Task").locator("[aria-current=step]")).to_have_text("1MOVE x 6 y 2")
    assert agv.rows("route")[-2:] == [6.0, 2.0]
    assert len(agv.rows("zones")) >= 10
    tell(agv, **HOLD)
    expect(status(agv, "PAUSED")).to_be_visible()
    expect(agv.card("Status").locator(".listing li")).to_have_text("1traffic hold")
    agv.until(lambda: agv.server.truth("agv")["velocity"][0] == 0, "it is not held")
    x, y, _ = agv.server.truth("agv")["pose"]
    agv.until(lambda: abs(agv.rows("body")[0] - x) + abs(agv.rows("body")[1] - y) < 1e-3, "it is drawn elsewhere")
    tell(agv, **{**HOLD, "kind": "RELEASE", "seq": 2})
    expect(status(agv, "RUNNING")).to_be_visible()


def test_commands_and_their_answers_stand_there_and_an_axis_can_be_set(agv):
    agv.page.get_by_role("slider", name="Hoist").fill("120")
    agv.until(lambda: abs(agv.server.truth("agv")["axes"]["hoist"] - 0.12) < 1e-6, "the hoist does not go there")
    lines = agv.card("Commands").locator(".listing li")
    expect(lines.last).to_contain_text("SUCCEEDED")
    tell(agv, type="CommandRequest", commandId="strange", commandType="DANCE")
    expect(lines.last).to_contain_text("REJECTED")
    expect(lines.last).to_have_attribute("data-how", "wrong")
    agv.until(lambda: agv.measure("rate state") > 0, "nobody counts messages")
    assert agv.measure("connected") == 1


def test_an_input_and_a_fault_change_its_status(agv):
    agv.page.get_by_role("switch", name="estop · estop chain").press("Space")
    expect(status(agv, "PAUSED")).to_be_visible()
    expect(agv.card("Status").locator(".listing li")).to_have_text("1estop")
    agv.page.get_by_role("switch", name="estop · estop chain").press("Space")
    agv.server.post("/api/faults", robot="agv", target="drive_left", kind="error")
    expect(status(agv, "ERROR")).to_be_visible()
    expect(agv.page.get_by_role("status", name="drive_left: ERROR")).to_be_visible()
    assert agv.rows("body")[3] == 2.0
    agv.server.delete("/api/faults?robot=agv")
    expect(status(agv, "RUNNING")).to_be_visible()


def test_everything_can_be_reached(agv):
    agv.server.post("/api/pause")
    before = agv.page.viewport_size
    for size in SIZES[:2]:
        agv.page.set_viewport_size(size)
        judge(agv)
        assert overflow(agv) == [], size
    agv.page.set_viewport_size(before)


def test_the_map_grows_with_the_way_until_somebody_moves_it(agv):
    before = agv.frame()["scale"]
    tell(agv, type="CommandRequest", commandId="far", commandType="MOVE", params={"x": 40.0, "y": 0.0})
    agv.until(lambda: agv.frame()["scale"] < 0.5 * before, "it does not show the way")
    agv.map.hover()
    agv.page.mouse.wheel(0, -300)
    chosen = agv.frame()
    tell(agv, type="CommandRequest", commandId="stop", commandType="STOP")
    tell(agv, type="CommandRequest", commandId="back", commandType="MOVE", params={"x": -90.0, "y": 0.0})
    agv.until(lambda: agv.rows("route")[-2:] == [-90.0, 0.0], "it does not turn back")
    assert agv.frame() == chosen
