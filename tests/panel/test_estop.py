"""The emergency stop of every robot latches, is shown in its status, and holds against commands."""

import pytest

import rigless

ROBOTS = ("agv", "pacbot", "rover", "vacuum", "welder")


@pytest.mark.parametrize("kind", ROBOTS)
def test_it_latches_and_the_status_tells(kind):
    sim = rigless.load(kind)
    robot = sim.robot(kind)
    view = robot.view()
    before = robot.status()
    assert view.stopped is False
    for given in view.stop(True):
        sim.apply(given)
    for given in view.drive(1.0, 0.0, 0.0):  # a client that goes on
        sim.apply(given)
    sim.run(0.5)
    assert (view.stopped, robot.status()) == (True, "e-stop")
    if kind in ("pacbot", "rover", "vacuum"):
        place = robot.footprint()
        sim.run(1.0)
        assert robot.footprint() == pytest.approx(place, abs=1e-4)
    for given in view.stop(False):
        sim.apply(given)
    sim.run(0.5)
    assert view.stopped is False
    assert robot.status() == ("alarm" if kind == "welder" else before)
