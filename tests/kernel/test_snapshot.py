from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel import inputs as inp
from rigless.kernel.events import Event
from rigless.kernel.recording import record_to_bytes
from rigless.kernel.simulation import Simulation
from rigless.kernel.snapshot import Snapshot

from .robots import Counter, CounterConfig, tap
from .scenes import busy
from .wires import Add

MS = 1_000_000


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2000 * MS))
def test_the_future_is_the_same_from_a_snapshot_at_any_time(at_ns):
    sim, other = busy(), busy(seed=99)
    sim.run_until(at_ns)
    saved = Snapshot.from_bytes(sim.snapshot().to_bytes())
    wanted, first = record_to_bytes(sim, 1.5), sim.snapshot().to_bytes()
    sim.restore(saved)
    assert record_to_bytes(sim, 1.5) == wanted
    assert sim.snapshot().to_bytes() == first
    other.run(0.123)
    other.restore(saved)
    assert record_to_bytes(other, 1.5) == wanted


def test_to_take_a_snapshot_changes_nothing():
    quiet, watched = busy(), busy()
    outputs = tap(quiet), tap(watched)
    for _ in range(40):
        quiet.run(0.05)
        watched.run(0.05)
        watched.snapshot().to_bytes()
    assert outputs[0] == outputs[1]
    assert quiet.snapshot() == watched.snapshot()


def test_the_scene_has_everything_under_way_that_a_snapshot_must_hold():
    sim = busy()
    sim.run(0.8)
    saved = sim.snapshot()
    assert {action for _, _, action, _ in saved.due} == {
        "timer",
        "input",
        "deliver",
        "transmit",
        "fault-end",
    }
    assert sim.core.links.by_port["c", "line"][1].codec.pending
    assert sim.robots["x"].fault("level").memory["value"] != 0
    assert sim.robots["c"].fault("drive").memory["value"] != 0
    assert sim.robots["c"].links("beat")
    assert set(saved.lanes) == {"c/beat/out", "c/line/in", "c/line/out"}
    assert sim.robots["c"].metrics["grown"] > 0


def test_restoring_brings_back_state_inputs_metrics_faults_links_and_clock():
    sim = busy()
    sim.run(1)
    sim.robots["c"].event("now", "at the instant of the snapshot")
    saved, state = sim.snapshot(), msgspec.to_builtins(sim.robots["d"].state)
    metrics, links = dict(sim.robots["c"].metrics), sim.robots["c"].links("beat")
    sim.run(1)
    sim.clear("c")
    sim.set_input("c", "gear", 1)
    sim.apply(inp.Disconnect("c", "line", 1))
    sim.apply(inp.Connect("c", "line", 8))
    sim.restore(saved)
    assert sim.now_ns == 1000 * MS
    assert msgspec.to_builtins(sim.robots["d"].state) == state
    assert (sim.robots["c"].metrics, sim.robots["c"].links("beat")) == (metrics, links)
    assert [link.id for link in sim.robots["c"].links("line")] == [1]
    assert sim.robots["c"].input["gear"] == 4
    assert [fault.kind for fault in sim.robots["c"].faults] == ["delay", "corrupt", "noise", "lag"]
    assert sim.take("c", "beat") == []
    assert (sim.events[-1].code, sim.events.maxlen) == ("now", 10_000)


def test_a_snapshot_is_not_touched_by_what_follows_and_serves_twice():
    sim = busy()
    sim.run(0.5)
    saved = sim.snapshot()
    data = saved.to_bytes()
    runs = []
    for _ in range(2):
        sim.restore(saved)
        sim.robots["c"].state.window[:] = np.nan
        sim.run(1)
        runs.append(sim.snapshot())
    assert runs[0] == runs[1]
    assert saved.to_bytes() == data


def test_a_timer_set_before_a_snapshot_can_be_cancelled_after_it():
    sim = Simulation([Counter("c", CounterConfig(tick_hz=0, beat_hz=0))])
    timer = sim.robots["c"].after(1, sim.robots["c"].grow, 5)
    sim.restore(sim.snapshot())
    later = sim.robots["c"].after(1, sim.robots["c"].grow, 1)
    assert timer != later
    sim.robots["c"].cancel(timer)
    sim.run(1)
    assert sim.truth("c").total == 1


@pytest.mark.parametrize("argument", [3, 0.5, "text", None, (1, 2), Add(3)], ids=repr)
def test_a_timer_gets_the_same_argument_after_a_restore_or_is_refused_from_the_start(argument):
    got = []

    class Keeper(Counter):
        def keep(self, value):
            got.append(value)

    sim = Simulation([Keeper("c")])
    try:
        sim.robots["c"].after(0.5, sim.robots["c"].keep, argument)
    except TypeError:
        return
    sim.restore(sim.snapshot())
    sim.run(1)
    assert got == [argument]
    assert type(got[0]) is type(argument)


def test_samples_go_on_after_a_restore_in_step_with_the_clock():
    sim, seen = busy(), []
    sim.core.sample(10, lambda: seen.append(sim.now_ns // MS))
    sim.run(0.25)
    saved = sim.snapshot()
    sim.run(0.3)
    sim.restore(saved)
    sim.run(0.2)
    assert seen == [100, 200, 300, 400, 500, 300, 400]


def test_a_config_may_hold_values_that_only_its_json_form_has_as_plain_data():
    class FileConfig(CounterConfig):
        file: Path = Path("a.txt")
        turn: complex = 1j

    class Reader(Counter):
        Config = FileConfig

    sim = Simulation([Reader("r")])
    sim.restore(sim.snapshot())


def test_a_snapshot_at_time_zero_holds_the_events_of_the_start_and_a_later_one_none():
    class Starter(Counter):
        text = "first"

        def start(self):
            self.event("started", self.text)

    sim = Simulation([Starter("s")])
    sim.core.log(Event(0, "", "note", "info", "of the host"))
    saved = Snapshot.from_bytes(sim.snapshot().to_bytes())
    sim.run_until(1)
    assert sim.snapshot().events == b""
    Starter.text = "second"
    other = Simulation([Starter("s")])
    other.core.log(Event(0, "", "note", "info", "of the other host"))
    other.restore(saved)
    assert [event.text for event in other.events] == ["first", "of the other host"]
