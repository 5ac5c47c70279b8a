"""Plots and trails show the true past, however time has passed."""

from itertools import pairwise
from math import isnan

from browser.panel import Panel

TURN = {
    "type": "Control",
    "id": "drive",
    "action": "configure",
    "config": {"linear": 0.25, "angular": 1.0},
}


def test_samples_between_two_frames_are_shown(vacuum):
    vacuum.server.post("/api/robots/vacuum/messages", port="commands", message=TURN)
    begin_s = vacuum.pause()["time_s"]
    end_s = vacuum.step(4.0)
    vacuum.until(lambda: widest(vacuum, begin_s, end_s) < 0.3, "the plots leave it out")
    points = [
        point
        for point in zip(vacuum.trail()[::2], vacuum.trail()[1::2], strict=True)
        if not isnan(point[0])
    ]
    assert max(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in pairwise(points)) < 0.1


def widest(panel, begin_s, end_s):
    """Return the longest gap between numbers in the plots."""
    times = panel.page.evaluate("() => rigless.frames().times")
    inside = [time_s for time_s in times if begin_s <= time_s <= end_s]
    return max((b - a for a, b in pairwise([begin_s, *inside, end_s])), default=end_s - begin_s)


def test_samples_before_an_unobserved_reset_are_gone(arm, window):
    arm.server.post("/api/pause")
    arm.server.post("/api/reset")
    arm.server.post("/api/robots/arm/inputs", inputs={"speed_rad_s": 3.0})
    arm.step(2.0)
    arm.page.goto("about:blank")  # without a subscription
    arm.server.reset_and_run()
    arm.server.post("/api/pause")
    arm.server.post("/api/reset")
    arm.server.post("/api/step", ms=1500)
    later = Panel(window.stay_flat(), arm.server).open()
    script = """() => { const { times, values, page } = rigless.frames();
      return [times, values[page.measures.indexOf('angle')]]; }"""
    times, angles = later.page.evaluate(script)
    wrong = [
        (t, a)
        for t, a in zip(times, angles, strict=True)
        if a is not None and not isnan(a) and abs(a - 0.5 * t) > 0.05
    ]
    assert wrong == []
    arm.open()
