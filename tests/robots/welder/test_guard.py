"""Collisions in motion: reported where they happen, none missed, none invented."""

import sys

import numpy as np
import pytest

import rigless
from rigless.kernel.problems import InputError
from rigless.kernel.simulation import Simulation
from rigless.robots.welder.arm.body import collider
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.robot import Welder
from rigless.worlds.cells.cell import Cell, Thing
from rigless.worlds.cells.cell_world import CellWorld
from rigless.worlds.cells.solids import Solid
from rigless.worlds.frames import frame_mm_deg


def plate(thickness_mm=0.1, y_mm=0.0):
    """A plate across the way of joint 1, right in front of the arm's start pose."""
    return Thing(
        Solid(
            "plate",
            "box",
            (1.0, thickness_mm / 1000, 1.0),
            frame_mm_deg((700, y_mm, 1000, 0, 0, 0)),
        )
    )


def scene(cell=None, **collision):
    config = WelderConfig.model_validate(
        {"collision": collision, "start_deg": (-40, 0, 0, 0, 30, 0)}
    )
    return Simulation([Welder("welder", config)], CellWorld(cell) if cell else None)


def say(sim, *lines, run_s=0.0):
    for line in lines:
        sim.send("welder", "grbl", line.encode() + b"\n" if isinstance(line, str) else line)
    sim.run(run_s)


def collisions(sim):
    return [event for event in sim.events if event.code == "collision"]


def test_the_drives_trip_where_the_arm_touches():
    cell = Cell(things=(plate(20),))
    sim = scene(cell)
    say(sim, "G1 X40 F7200", run_s=3)
    (event,) = collisions(sim)
    truth = sim.truth("welder")
    assert (truth.mode, truth.alarm) == ("Alarm", 17)
    assert event.data["objects"][1] == "plate"
    touching = collider(WelderConfig(), cell)
    assert touching.check(np.radians(truth.joints_deg)) is not None
    before = np.radians(truth.joints_deg) - [
        np.radians(0.13),
        0,
        0,
        0,
        0,
        0,
    ]  # a millisecond at 120 °/s, and a bit
    assert touching.check(before) is None
    assert any(message.text.startswith("ALARM:17") for message in sim.take("welder", "grbl"))
    view = sim.robot("welder").view()
    assert view.alarm.text == f"ALARM:17 {event.text}"
    assert "press Reset" in view.alarm.fix
    assert (view.lines()["program"].wrong, sim.robot("welder").status()) == ((1,), "alarm")


def test_nothing_thin_is_stepped_over_at_full_speed():
    sim = scene(Cell(things=(plate(0.1),)), on_collision="report")
    say(sim, "G0 X40", run_s=3)
    names = [event.data["objects"] for event in collisions(sim)]
    assert names
    assert all(other == "plate" for _, other in names)
    assert sim.truth("welder").joints_deg[0] == pytest.approx(40)
    assert len(names) == len({tuple(name) for name in names})


def test_the_arm_can_be_moved_out_again():
    sim = scene(Cell(things=(plate(20),)))
    say(sim, "G1 X40 F7200", run_s=3)
    say(sim, b"\x18", run_s=0.1)
    say(sim, "$X", "G90 G1 X-40 F7200", run_s=3)
    assert sim.truth("welder").joints_deg[0] == pytest.approx(-40)
    assert len(collisions(sim)) == 1
    say(sim, "G1 X40", run_s=3)
    assert len(collisions(sim)) == 2


def test_a_jog_that_is_let_go_in_time_hits_nothing():
    sim = scene(Cell(things=(plate(20),)))
    say(sim, "$J=G90 X40 F600", run_s=1)
    say(sim, b"\x85", run_s=1)
    assert sim.truth("welder").mode == "Idle"
    say(sim, "$J=G90 X-40 F3600", run_s=3)
    assert (collisions(sim), sim.truth("welder").joints_deg[0]) == ([], pytest.approx(-40))


def test_a_run_from_a_snapshot_finds_the_same():
    sim = scene(
        Cell(
            things=(
                plate(20),
                Thing(Solid("ball", "sphere", (0.1,), frame_mm_deg((750, 400, 1000, 0, 0, 0)))),
            )
        ),
        on_collision="report",
    )
    say(sim, "G1 X-10 F3600", "G1 X0", "G1 X40", "G1 X-40", run_s=0.3)
    saved, at_ns = sim.snapshot(), sim.now_ns
    sim.run(5)
    events, truth = [event for event in sim.events if event.time_ns > at_ns], sim.truth("welder")
    sim.restore(saved)
    sim.run(5)
    assert [event for event in sim.events if event.time_ns > at_ns] == events
    assert sim.truth("welder") == truth
    assert len(events) >= 2


def test_a_margin_counts_and_is_told_as_one():
    sim = scene(Cell(things=(Thing(plate(20).solid, margin_m=0.05),)))
    say(sim, "G1 X40 F3600", run_s=3)
    (event,) = collisions(sim)
    assert "hits plate" in event.text  # the block would have gone through
    sim = scene(Cell(things=(Thing(plate(20, 100).solid, margin_m=0.05),)))
    say(sim, "G1 X0 F3600", run_s=3)
    (event,) = collisions(sim)
    assert "comes within" in event.text


@pytest.mark.parametrize("off", [{"enable": False}, {"check_environment": False}])
def test_it_can_be_switched_off(off):
    sim = scene(Cell(things=(plate(20),)), **off)
    say(sim, "G1 X40 F7200", run_s=3)
    assert (collisions(sim), sim.truth("welder").mode) == ([], "Idle")


def test_homing_is_not_stopped_by_the_arms_own_make():
    sim = scene(self_collision_pairs=[[0, 4], [0, 5], [1, 4], [1, 5]])
    say(sim, "$H", run_s=30)
    assert (collisions(sim), sim.truth("welder").homed) == ([], True)
    (warning,) = [event for event in sim.events if event.code == "self-collision-pairs"]
    assert "[1, 5]" in warning.text


def test_the_arm_does_not_go_through_itself():
    sim = scene()
    say(sim, "G1 Y-40 Z110 F3600", run_s=6)
    assert collisions(sim)


def test_without_pinocchio_the_arm_runs_unwatched_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    sim = scene()
    say(sim, "G1 X10 F7200", run_s=2)
    assert sim.truth("welder").joints_deg[0] == pytest.approx(10)
    assert [event.severity for event in sim.events if event.code == "collisions-not-watched"] == [
        "warning"
    ]
    with pytest.raises(InputError, match=r"pip install 'rigless\[welder\]'"):
        scene(Cell(things=(plate(),)))


def test_a_cell_is_a_setting_of_the_robot(tmp_path):
    sim = rigless.load("welder", settings=["cell=weld_table"])
    assert [thing.name for thing in sim.robot("welder").cell.things][:2] == ["floor", "table"]
    with pytest.raises(InputError, match="no cell file 'nowhere'"):
        rigless.load("welder", settings=["cell=nowhere"])
