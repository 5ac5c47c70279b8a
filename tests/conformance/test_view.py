"""A robot's page is drawn of what the robot is, and looking leaves no trace: not in its state, and not in what it sends."""

import io

import numpy as np
import pytest

from rigless.kernel.drawing import (
    Action,
    Button,
    Curve,
    Drive,
    Gauge,
    Jog,
    Lamp,
    Listing,
    Path,
    Plot,
    Slider,
    Switch,
    Trail,
    Word,
    rows,
)
from rigless.kernel.plain import to_json
from rigless.kernel.recording import Recorder
from rigless.panel import messages
from rigless.panel.robot_stream import RobotStream
from rigless.recordings.replay import verify
from rigless.scenario.load import open_target

from .exercise import feed, load, name_of
from .test_declared import faults

LOOKS_S = 0.037  # between two looks: now here, now there between ticks


class Source:
    name, epoch, fixed = "live", 0, False

    def __init__(self, sim):
        self.sim = sim

    def fill_history(self, known_ns):
        pass


def look(view):
    """Draw all there is and give it; every part must fit."""
    drawing, numbers, ends = {**view.draw(), **view.still()}, view.measure(), view.trace()
    drawn = {
        part.name: rows(part, drawing.get(part.name, ())) for part in view.parts if part.columns
    }
    for name in messages.measures(view):
        float(numbers[name])
    for name in messages.traces(view):
        assert len(ends[name]) in (2, 3)
        assert np.isfinite(ends[name]).all()
    lists = {part.name for part in view.parts if isinstance(part, Listing)}
    assert set(view.lines()) == lists
    assert to_json(messages.listings("live", "robot", view.lines()))
    for part in view.parts:
        if isinstance(part, Word):
            assert 0 <= numbers[part.name] < len(part.words)
    return drawn


def busy(target):
    """The robot in the middle of its samples, some seconds on."""
    sim, robot = load(target)
    feed(sim, robot)
    sim.run(1.23)
    return sim, robot


def test_the_parts_of_a_page_have_names_of_their_own(target):
    _, robot = load(target)
    parts = robot.view().parts
    assert parts
    for kinds in (
        (Trail,),
        (Gauge, Word, Lamp),
        (Plot,),
        (Action,),
        (Switch, Button),
        (Slider,),
        (Listing,),
    ):
        found = [part.name for part in parts if isinstance(part, kinds)]
        assert len(set(found)) == len(found), kinds
    drawn = [part.name for part in parts if part.columns]
    assert len(set(drawn)) == len(drawn)
    assert sum(isinstance(part, Jog) for part in parts) <= 1
    assert all(part.label for part in parts)
    assert to_json(messages.page("live", robot.name, 1, robot.view()))


def test_what_is_drawn_fits_the_page_and_is_somewhere(target):
    sim, robot = load(target)
    view = robot.view()
    feed(sim, robot)
    for _ in range(6):
        drawn = look(view)
        for part in view.parts:
            assert isinstance(part, Path | Curve) or np.isfinite(drawn.get(part.name, 0)).all()
        assert {*view.draw(), *view.still()} <= {part.name for part in view.parts if part.columns}
        sim.run(0.41)


def test_switches_and_buttons_are_inputs_of_the_robot(target):
    sim, robot = load(target)
    for part in robot.view().parts:
        if isinstance(part, Switch | Button):
            assert part.name in robot.inputs
        if isinstance(part, Button):
            for value in (part.pressed, part.released):
                sim.set_input(robot.name, part.name, value)
                assert robot.input[part.name] == value


def test_looking_leaves_no_trace(target):
    sim, robot = busy(target)
    before, metrics, said = sim.snapshot().to_bytes(), dict(robot.metrics), len(sim.events)
    view = robot.view()
    for _ in range(3):
        look(view)
    assert view.stopped in (None, True, False)
    view.drive(1.0, 1.0, 1.0), view.stop(True), view.stop(False), view.halt()
    told(view)
    assert sim.snapshot().to_bytes() == before
    assert (robot.metrics, len(sim.events)) == (metrics, said)


def test_looking_leaves_no_trace_under_any_fault(target):
    sim, robot = busy(target)
    view, fresh = robot.view(), sim.snapshot()
    for name, kind in faults(robot):
        sim.restore(fresh)
        sim.inject(robot.name, name, kind)
        for seconds in (0.0, 0.3):
            sim.run(seconds)
            before = sim.snapshot().to_bytes()
            look(view)
            look(robot.view())
            assert sim.snapshot().to_bytes() == before, f"{name} {kind}"


def test_looking_leaves_no_trace_under_all_faults_at_once(target):
    sim, robot = busy(target)
    for name, kind in faults(robot):
        sim.inject(robot.name, name, kind)
    view = robot.view()
    for _ in range(5):
        sim.run(0.1)
        before = sim.snapshot().to_bytes()
        look(view)
        assert sim.snapshot().to_bytes() == before


def recorded(target, looking, with_faults):
    sim, robot = load(target, seed=4)
    stream = io.BytesIO()
    recorder = Recorder(sim, stream)
    watch = RobotStream(Source(sim), sim, robot.name, 1)
    watch.record(looking)
    feed(sim, robot)
    for step in range(60):
        if with_faults and step == 20:
            for name, kind in faults(robot):
                sim.inject(robot.name, name, kind, until_s=2.0)
        if looking:
            watch.look()
            watch.frame(0)
            watch.history()
        sim.run(LOOKS_S)
    recorder.close()
    assert watch.failure == ""
    return stream.getvalue()


@pytest.mark.parametrize("with_faults", [False, True])
def test_a_recording_is_the_same_whether_somebody_looked_or_not(target, with_faults, tmp_path):
    fill_history = recorded(target, True, with_faults)
    assert fill_history == recorded(target, False, with_faults)
    path = tmp_path / "r.mcap"
    path.write_bytes(fill_history)
    assert verify(path).difference is None


def test_what_nobody_hears_is_the_same_whether_somebody_looked_or_not(target):
    """Without a recording or a peer a robot may do many ticks at once; being looked at cuts them short."""
    ends = []
    for looking in (False, True):
        sim, robot = load(target)
        sim.recording = False
        watch = RobotStream(Source(sim), sim, robot.name, 1)
        watch.record(looking)
        for given in robot.view().drive(0.7, 0.0, 0.4):
            sim.apply(given)
        for _ in range(40):
            if looking:
                watch.look()
            sim.run(LOOKS_S)
        ends.append(sim.snapshot())
    assert ends[0] == ends[1]


def told(view):
    """The inputs of all that can be slid and jogged on a page."""
    given = []
    for part in view.parts:
        if isinstance(part, Slider):
            assert part.low < part.high
            for value in part.stops or (part.low, part.low + part.step, part.high):
                found = view.slide(part.name, value)
                assert found, f"{part.name} does nothing"
                given += found
        if isinstance(part, Jog):
            for axis in range(len(part.axes)):
                for by in (part.steps[0], -part.steps[-1], float("inf"), float("-inf")):
                    found = view.jog(axis, by, part.speeds[0])
                    assert found, f"axis {axis} is not jogged"
                    given += [*found, *view.halt()]
    return given


def test_what_the_page_can_do_the_robot_takes(target):
    sim, robot = busy(target)
    view = robot.view()
    given = [*view.stop(True), *view.stop(False)]
    for axes in ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 1.0, -1.0), (0.3, -1.0, 1.0)):
        given += view.drive(*axes)
    for part in view.parts:
        if isinstance(part, Action):
            found = view.act(part.name)
            assert found, f"{part.name} does nothing"
            given += found
    given += told(view)
    for one in given:
        sim.check(one)
        sim.apply(one)
        sim.run(0.05)
    assert isinstance(robot.status(), str)


def test_one_that_can_be_driven_is_and_stops(target):
    """As it comes: noise makes what a standing robot believes of its place wander."""
    sim = open_target(target).simulation
    robot = sim.robot(name_of(target))
    view = robot.view()
    drives = [part for part in view.parts if isinstance(part, Drive)]
    assert bool(view.drive(1.0, 1.0, 1.0)) == bool(drives)
    if not drives:
        return
    for given in view.drive(
        *(float(axis in drives[0].axes) for axis in ("forward", "left", "turn"))
    ):
        sim.apply(given)
    before = view.trace()
    sim.run(1.0)
    assert view.trace() != before
    for given in view.drive(0.0, 0.0, 0.0):
        sim.apply(given)
    sim.run(3.0)
    rests = view.trace()
    sim.run(1.0)
    for name, place in view.trace().items():
        assert place == pytest.approx(rests[name], abs=1e-6)


def test_a_page_that_stops_says_whether_it_has(target):
    sim, robot = load(target)
    view = robot.view()
    if view.stopped is None:
        assert view.stop(True) == []
        return
    assert view.stop(True)
    for given in view.stop(True):
        sim.apply(given)
    sim.run(0.5)
    assert view.stopped in (True, False)
