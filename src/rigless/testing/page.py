"""Checks of a robot's page in the panel: it shows the robot, and looking at it changes nothing."""

import io
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from rigless.kernel.drawing import (
    Action,
    Button,
    Curve,
    Drive,
    Gauge,
    Jog,
    Lamp,
    Listing,
    Plot,
    Slider,
    Switch,
    Trail,
    View,
    Word,
    rows,
)
from rigless.kernel.drawing import Path as PathPart
from rigless.kernel.inputs import AnyInput
from rigless.kernel.plain import to_json
from rigless.kernel.problems import InputError
from rigless.kernel.recording import Recorder
from rigless.kernel.robot import Robot
from rigless.kernel.simulation import Simulation
from rigless.panel.stream import messages
from rigless.panel.stream.robot_stream import RobotStream
from rigless.recordings.replay import verify
from rigless.testing.declared import faults
from rigless.testing.exercise import feed
from rigless.testing.subject import Subject

LOOKS_S = 0.037  # time between two looks; it falls at changing places between ticks
UNIQUE = (
    *((Trail,), (Gauge, Word, Lamp), (Plot,), (Action,), (Switch, Button), (Slider,), (Listing,)),
)  # parts of these kinds have names of their own


class Source:
    """A live simulation as the panel sees it."""

    name, epoch, fixed, path = "live", 0, False, None

    def __init__(self, sim: Simulation):
        self.sim = sim

    def fill_history(self, known_ns: int) -> None:
        return


def draw(view: View) -> dict[str, Any]:
    """Draw the whole page and return the rows; every part must fit its declaration."""
    drawing, numbers, ends = {**view.draw(), **view.draw_static()}, view.measure(), view.trace()
    drawn = {
        part.name: rows(part, drawing.get(part.name, ())) for part in view.parts if part.columns
    }
    for name in messages.measures(view):
        float(numbers[name])
    for name in messages.traces(view):
        assert len(ends[name]) in (2, 3), name
        assert np.isfinite(ends[name]).all(), name
    assert set(view.lines()) == {part.name for part in view.parts if isinstance(part, Listing)}
    assert to_json(messages.listings("live", "robot", view.lines()))
    for part in view.parts:
        if isinstance(part, Word):
            assert 0 <= numbers[part.name] < len(part.words), part.name
    return drawn


def busy(subject: Subject) -> tuple[Simulation, Robot]:
    """Return the robot in the middle of its samples."""
    sim, robot = subject.load()
    feed(sim, robot, subject)
    sim.run(1.23)
    return sim, robot


def parts_have_unique_names(subject: Subject) -> None:
    _, robot = subject.load()
    parts = robot.view().parts
    assert parts
    for kinds in UNIQUE:
        found = [part.name for part in parts if isinstance(part, kinds)]
        assert len(set(found)) == len(found), found
    drawn = [part.name for part in parts if part.columns]
    assert len(set(drawn)) == len(drawn), drawn
    assert sum(isinstance(part, Jog) for part in parts) <= 1
    assert all(part.label for part in parts)
    assert to_json(messages.page("live", robot.name, 1, robot.view()))


def drawing_fits_the_page(subject: Subject) -> None:
    sim, robot = subject.load()
    view = robot.view()
    feed(sim, robot, subject)
    for _ in range(6):
        drawn = draw(view)
        for part in view.parts:
            finite = np.isfinite(drawn.get(part.name, 0)).all()
            assert isinstance(part, PathPart | Curve) or finite, part.name
        assert {*view.draw(), *view.draw_static()} <= {
            part.name for part in view.parts if part.columns
        }
        sim.run(0.41)


def switches_and_buttons_are_inputs(subject: Subject) -> None:
    sim, robot = subject.load()
    for part in robot.view().parts:
        if isinstance(part, Switch | Button):
            assert part.name in robot.inputs, part.name
        if isinstance(part, Button):
            for value in (part.pressed, part.released):
                sim.set_input(robot.name, part.name, value)
                assert robot.input[part.name] == value


def looking_changes_nothing(subject: Subject) -> None:
    sim, robot = busy(subject)
    before, metrics, events = sim.snapshot().to_bytes(), dict(robot.metrics), len(sim.events)
    view = robot.view()
    for _ in range(3):
        draw(view)
    assert view.stopped in (None, True, False)
    view.drive(1.0, 1.0, 1.0), view.stop(True), view.stop(False), view.halt()
    slider_and_jog_inputs(view)
    assert sim.snapshot().to_bytes() == before, "drawing the page changed the state"
    assert (robot.metrics, len(sim.events)) == (metrics, events)


def looking_changes_nothing_under_any_fault(subject: Subject) -> None:
    sim, robot = busy(subject)
    view, start = robot.view(), sim.snapshot()
    for name, kind in faults(robot):
        sim.restore(start)
        sim.inject(robot.name, name, kind)
        for seconds in (0.0, 0.3):
            sim.run(seconds)
            before = sim.snapshot().to_bytes()
            draw(view)
            draw(robot.view())
            assert sim.snapshot().to_bytes() == before, f"{name} {kind}"


def looking_changes_nothing_under_all_faults_at_once(subject: Subject) -> None:
    sim, robot = busy(subject)
    for name, kind in faults(robot):
        sim.inject(robot.name, name, kind)
    view = robot.view()
    for _ in range(5):
        sim.run(0.1)
        before = sim.snapshot().to_bytes()
        draw(view)
        assert sim.snapshot().to_bytes() == before


def recorded(subject: Subject, looking: bool, with_faults: bool) -> bytes:
    """Return a recording of the robot made while the panel looks, or does not."""
    sim, robot = subject.load(seed=4)
    stream = io.BytesIO()
    recorder = Recorder(sim, stream)
    page = RobotStream(Source(sim), sim, robot.name, 1)
    page.record(looking)
    feed(sim, robot, subject)
    for step in range(60):
        if with_faults and step == 20:
            for name, kind in faults(robot):
                sim.inject(robot.name, name, kind, until_s=2.0)
        if looking:
            page.update()
            page.frame(0)
            page.history()
        sim.run(LOOKS_S)
    recorder.close()
    assert page.failure == "", page.failure
    return stream.getvalue()


def recording_is_the_same_if_looked_at(subject: Subject) -> None:
    for with_faults in (False, True):
        watched = recorded(subject, True, with_faults)
        assert watched == recorded(subject, False, with_faults), "looking changed the recording"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.mcap"
            path.write_bytes(watched)
            found = verify(path)
        assert found.difference is None, found.difference


def fast_forward_is_the_same_if_looked_at(subject: Subject) -> None:
    """Without a recording or a peer a robot may do many ticks at once; a look cuts them short."""
    ends = []
    for looking in (False, True):
        sim, robot = subject.load()
        sim.core.recording = False
        page = RobotStream(Source(sim), sim, robot.name, 1)
        page.record(looking)
        for given in robot.view().drive(0.7, 0.0, 0.4):
            sim.apply(given)
        for _ in range(40):
            if looking:
                page.update()
            sim.run(LOOKS_S)
        ends.append(sim.snapshot())
    assert ends[0] == ends[1]


def slider_and_jog_inputs(view: View) -> list[AnyInput]:
    """Return the inputs of every slider and jog control of a page."""
    given: list[AnyInput] = []
    for part in view.parts:
        if isinstance(part, Slider):
            assert part.low < part.high, part.name
            for value in part.stops or (part.low, part.low + part.step, part.high):
                inputs = view.slide(part.name, value)
                assert inputs, f"{part.name} does nothing"
                given += inputs
        if isinstance(part, Jog):
            for axis in range(len(part.axes)):
                for by in (part.steps[0], -part.steps[-1], float("inf"), float("-inf")):
                    try:
                        inputs = view.jog(axis, by, part.speeds[0])
                    except InputError:
                        continue  # the arm cannot move there from its present pose
                    assert inputs, f"axis {axis} is not jogged"
                    given += [*inputs, *view.halt()]
    return given


def robot_accepts_every_control(subject: Subject) -> None:
    sim, robot = busy(subject)
    view = robot.view()
    given = [*view.stop(True), *view.stop(False)]
    for axes in ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (-1.0, 1.0, -1.0), (0.3, -1.0, 1.0)):
        given += view.drive(*axes)
    for part in view.parts:
        if isinstance(part, Action):
            inputs = view.act(part.name)
            assert inputs, f"{part.name} does nothing"
            given += inputs
    for one in [*given, *slider_and_jog_inputs(view)]:
        sim.core.check(one)
        sim.apply(one)
        sim.run(0.05)
    assert isinstance(robot.status(), str)


def driven_robot_moves_and_stops(subject: Subject) -> None:
    """Without the settings of the tests: noise makes the estimated pose of a robot wander."""
    sim, robot = subject.load(seed=0, settings=())
    view = robot.view()
    drives = [part for part in view.parts if isinstance(part, Drive)]
    assert bool(view.drive(1.0, 1.0, 1.0)) == bool(drives)
    if not drives:
        return
    axes = [float(axis in drives[0].axes) for axis in ("forward", "left", "turn")]
    for given in view.drive(*axes):
        sim.apply(given)
    before = view.trace()
    sim.run(1.0)
    assert view.trace() != before, "it does not move"
    for given in view.drive(0.0, 0.0, 0.0):
        sim.apply(given)
    sim.run(3.0)
    at_rest = view.trace()
    sim.run(1.0)
    for name, place in view.trace().items():
        assert np.allclose(place, at_rest[name], rtol=1e-6, atol=1e-6), f"{name} still moves"


def page_with_a_stop_reports_it(subject: Subject) -> None:
    sim, robot = subject.load()
    view = robot.view()
    if view.stopped is None:
        assert view.stop(True) == []
        return
    assert view.stop(True)
    for given in view.stop(True):
        sim.apply(given)
    sim.run(0.5)
    assert view.stopped in (True, False)


CHECKS = (
    parts_have_unique_names,
    drawing_fits_the_page,
    switches_and_buttons_are_inputs,
    looking_changes_nothing,
    looking_changes_nothing_under_any_fault,
    looking_changes_nothing_under_all_faults_at_once,
    recording_is_the_same_if_looked_at,
    fast_forward_is_the_same_if_looked_at,
    robot_accepts_every_control,
    driven_robot_moves_and_stops,
    page_with_a_stop_reports_it,
)
