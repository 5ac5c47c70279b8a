"""The welder's cell in 3-D: the controller's pose, collisions in red, a ghost at the target."""

import math
import shutil
from itertools import cycle

import pytest
from playwright.sync_api import expect

from browser.conftest import BROWSERS, FLAGS, PATIENCE_MS
from browser.panel import Panel
from browser.window import Window
from rigless.robots.welder.arm.mechanism import Arm

HIT = "G21 G90 G1 X20 Y30 Z10 B40 F6000"  # into a fixture on the table
RED, ORANGE = "#ff0000", "#ff5e00"
TORCH, UPPER_ARM = 7, 2
EYE = "() => rigless.surface().cameraPose()"


@pytest.fixture(scope="module")
def cell_server(serve):
    return serve("welder", "--set", "ports.grbl=0", "--set", "cell=weld_table", "--no-auth")


@pytest.fixture(scope="module")
def page(browser, cell_server):
    """A page in a small window, because everything is rendered in software."""
    window = Window(browser, PATIENCE_MS, {"width": 900, "height": 640})
    yield Panel(window, cell_server).open()
    window.close()


@pytest.fixture
def cell(page):
    """The cell, paused; time advances in steps."""
    page.server.reset_and_run()
    page.stand_still()
    yield page
    assert page.window.complaints() == []


def first_axis(x, y, z, w):
    return 1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)


def test_the_pose_is_the_controllers_and_a_collision_is_red(cell):
    cell.until(lambda: len(cell.poses("arm")) == 8, "no arm is drawn")
    assert cell.poses("ghost") == []
    assert len(cell.paints("cell")) == 13
    cell.server.post(
        "/api/robots/welder/messages", port="grbl", message={"type": "Line", "text": HIT}
    )
    cell.step(0.3)

    truth = cell.server.truth("welder")
    assert max(truth["joints_deg"]) > 2
    torch_m = [value / 1000 for value in truth["torch_mm"]]
    cell.until(
        lambda: math.dist(cell.poses("frames")[-1][:3], torch_m) < 1e-5, "the torch is elsewhere"
    )
    frames = Arm().chain([math.radians(joint) for joint in truth["joints_deg"]])
    for (x, y, z, *turn), true in zip(cell.poses("arm")[1:7], frames, strict=True):
        assert math.dist((x, y, z), true[:3, 3]) < 1e-5
        assert math.dist(first_axis(*turn), true[:3, 0]) < 1e-5

    target = Arm().chain([math.radians(joint) for joint in (20, 30, 10, 0, 40, 0)])
    assert (
        math.dist(cell.poses("ghost")[6][:3], target[5][:3, 3]) < 1e-3
    )  # where the queued move ends
    end = Arm().torch([math.radians(joint) for joint in (20, 30, 10, 0, 40, 0)])[:3, 3]
    assert math.dist(cell.poses("way")[-1], end) < 1e-3
    assert (cell.paints("arm")[UPPER_ARM], RED in cell.paints("cell")) == (ORANGE, False)

    cell.step(3)
    cell.until(lambda: cell.paints("arm")[TORCH] == RED, "the torch is not red")
    assert cell.paints("arm")[UPPER_ARM] == ORANGE
    assert cell.paints("cell").count(RED) == 1
    assert cell.poses("ghost") == []  # the queue is empty

    cell.server.post("/api/reset")
    cell.until(
        lambda: len(cell.poses("arm")) == 8 and cell.paints("arm")[TORCH] != RED, "it stays red"
    )


def seen_from(panel):
    """Return x and y of the camera's direction."""
    eye = panel.page.evaluate(EYE)
    far = math.dist(eye["at"], eye["to"])
    return [(at - to) / far for at, to in zip(eye["at"][:2], eye["to"][:2], strict=True)]


def test_layers_and_cameras(cell):
    cell.until(lambda: cell.poses("arm"), "no arm is drawn")
    ways = {"Front": (1, 0), "Side": (0, -1), "Iso": (0.56, -0.69)}
    for name, (x, y) in ways.items():
        button = cell.page.get_by_role("button", name=f"{name} view")
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 44
        button.click()
        cell.until(
            lambda x=x, y=y: math.dist(seen_from(cell), (x, y)) < 0.2, f"not seen from {name}"
        )
    cell.page.get_by_role("button", name="Tool view").click()
    tip = cell.poses("arm")[-1]
    cell.until(
        lambda: math.dist(cell.page.evaluate(EYE)["to"], tip[:3]) < 1e-5,
        "the tool is not in the middle",
    )
    cell.page.keyboard.press("4")
    cell.until(lambda: math.hypot(*seen_from(cell)) < 0.1, "the key looks elsewhere")

    box = cell.page.locator(".canvas-host canvas").bounding_box()
    shares = cycle((0.3, 0.4, 0.5, 0.6, 0.7))  # from above, across the table

    def named():
        cell.page.mouse.move(box["x"] + next(shares) * box["width"], box["y"] + 0.5 * box["height"])
        return cell.page.locator(".canvas-host canvas").get_attribute("title") in ("table", "part")

    cell.until(named, "nothing that is pointed at is named")

    assert cell.poses("boundary") == []
    cell.page.locator(".legend summary").click()
    for name in ("Workspace", "Collision volumes"):
        cell.page.get_by_role("button", name=f"Show {name}").click()
    cell.until(
        lambda: len(cell.poses("boundary")) > 100 and len(cell.poses("volumes")) == 9,
        "they do not appear",
    )
    kept = cell.page.evaluate("() => JSON.parse(localStorage.getItem('rigless.drawn'))")
    assert kept == {"welder boundary": True, "welder volumes": True}


def test_without_webgl_the_map_and_a_message_are_shown(browser, cell_server):
    """WebGL is disabled by a switch of the browser."""
    found = next(path for name in BROWSERS if (path := shutil.which(name)))
    blind = browser.browser_type.launch(executable_path=found, args=[*FLAGS, "--disable-3d-apis"])
    try:
        cell_server.reset_and_run()
        panel = Panel(Window(blind, PATIENCE_MS), cell_server).open()
        expect(panel.page.get_by_role("alert")).to_contain_text("needs WebGL 2")
        panel.until(lambda: panel.view()["scale"] > 10, "no map is drawn")
        assert panel.window.complaints() == []
    finally:
        blind.close()
