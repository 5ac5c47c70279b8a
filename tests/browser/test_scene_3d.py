"""The 3-D scene shows the same as the map."""

import math

from playwright.sync_api import expect


def test_the_vacuum_in_space_is_where_it_truly_is(own_vacuum):
    vacuum = own_vacuum
    command = {
        "type": "Control",
        "id": "drive",
        "action": "configure",
        "config": {"linear": 0.2, "angular": 0.5},
    }
    vacuum.server.post("/api/robots/vacuum/messages", port="commands", message=command)
    vacuum.step(0.5)
    vacuum.button("3D: 3-D scene").click()
    vacuum.until(lambda: vacuum.poses("body"), "nothing is drawn in space")
    expect(vacuum.map).to_have_count(1)
    x, y, theta = vacuum.server.truth()["pose"]
    assert math.hypot(x, y) > 0.03
    (found,) = vacuum.poses("body")
    assert math.dist((found[0], found[1]), (x, y)) < 1e-5
    assert abs(found[3] - theta) < 1e-5
    vacuum.reload()
    vacuum.until(lambda: vacuum.poses("body") == [found], "after a reload it is elsewhere")
    vacuum.button("2D: 2-D map").click()
    vacuum.until(
        lambda: vacuum.page.evaluate("() => Boolean(rigless.surface()?.view)"),
        "the map does not come back",
    )


def test_a_page_with_links_opens_in_space(own_arm):
    arm = own_arm
    arm.step(0.3)
    arm.until(lambda: len(arm.poses("links")) == 3, "no arm is drawn")
    for drawn, true in zip(arm.poses("links"), arm.server.truth("arm")["links"], strict=True):
        assert all(abs(a - b) < 1e-5 for a, b in zip(drawn, true, strict=True))
    expect(arm.button("2D: 2-D map")).to_have_count(0)  # it has orthographic views instead
