"""Fast-forwarded ticks equal single ticks: the same state, and the same events in order."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel.loop.core import RobotError
from rigless.kernel.robot import Config, Robot, every
from rigless.kernel.simulation import Simulation


class FastConfig(Config):
    hz: float = 110.0
    other_hz: float = 7.0
    can: bool = True
    every_nth_is_noted: int = 13


@dataclass
class FastState:
    ticks: int = 0
    other: list[int] = field(default_factory=list)
    calls: int = 0


class FastRobot(Robot):
    """Counts ticks; every n-th must be noted at its own time and so cannot be fast-forwarded."""

    Config = FastConfig
    State = FastState

    @every(lambda config: config.hz, fast_forward="many")
    def tick(self):
        self.state.calls += 1
        self.state.ticks += 1
        if self.state.ticks % self.config.every_nth_is_noted == 0:
            self.event("nth", str(self.state.ticks))

    def many(self, times):
        nth = self.config.every_nth_is_noted
        done = min(times, nth - 1 - self.state.ticks % nth) if self.config.can else 0
        self.state.ticks += done
        return done

    @every(lambda config: config.other_hz)
    def look(self):
        self.state.other.append(self.state.ticks)


def played(can, hz, other_hz, stops):
    sim = Simulation([FastRobot("s", FastConfig(hz=hz, other_hz=other_hz, can=can))])
    for stop in [*stops, 3_000_000_000]:
        sim.run_until(max(stop, sim.now_ns))
    state = sim.robots["s"].state
    due = sim.core.tickers["s", "tick"].save()
    return (
        state.ticks,
        state.other,
        [(event.time_ns, event.text) for event in sim.events],
        due,
        sim.core.agenda.processed,
    )


@given(
    st.sampled_from([1.0, 3.0, 100.0, 110.0, 333.3]),
    st.sampled_from([0.7, 5.0, 7.0, 50.0, 110.0]),
    st.lists(st.integers(0, 3_000_000_000), max_size=6).map(sorted),
)
def test_fast_forwarded_and_single_ticks_are_the_same(hz, other_hz, stops):
    assert played(True, hz, other_hz, stops) == played(False, hz, other_hz, [])


def test_a_fast_forward_saves_calls():
    sim = Simulation([FastRobot("s", FastConfig(other_hz=1.0))])
    sim.run(10)
    assert sim.robots["s"].state.ticks == 1100
    assert sim.robots["s"].state.calls < 200
    assert sim.now_ns == 10_000_000_000


class Far(FastRobot):
    """Skips ticks past others of its kind."""

    looks: list[tuple[int, int]] = []  # robots and ticks of each call of look_ahead

    @every(lambda config: config.hz, fast_forward="many", look_ahead="free")
    def tick(self):
        super().tick()

    @classmethod
    def free(cls, robots, times):
        cls.looks.append((len(robots), times))
        for robot in robots:
            nth = robot.config.every_nth_is_noted
            times = min(times, nth - 1 - robot.state.ticks % nth) if robot.config.can else 0
        return times


def fleet(stops, **keys):
    """Return the end of three robots, with their calls, whose events must come at their time."""
    nth = (13, 31, 17)
    configs = [FastConfig(every_nth_is_noted=each, **keys) for each in nth]
    sim = Simulation([Far(name, config) for name, config in zip("abc", configs, strict=True)])
    for stop in [*stops, 3_000_000_000]:
        sim.run_until(max(stop, sim.now_ns))
    states = [sim.robots[name].state for name in "abc"]
    ends = [(state.ticks, state.other) for state in states]
    events = [(event.time_ns, event.robot, event.text) for event in sim.events]
    due = [ticker.save() for ticker in sim.core.tickers.values()]
    return (ends, events, due, sim.core.agenda.processed), [state.calls for state in states]


@given(
    st.sampled_from([1.0, 100.0, 110.0, 333.3]),
    st.sampled_from([0.0, 0.7, 7.0, 50.0]),
    st.lists(st.integers(0, 3_000_000_000), max_size=4).map(sorted),
)
def test_robots_that_skip_past_each_other_end_as_with_single_ticks(hz, other_hz, stops):
    skipped, _ = fleet(stops, hz=hz, other_hz=other_hz)
    assert skipped == fleet([], hz=hz, other_hz=other_hz, can=False)[0]


def test_robots_skip_past_each_other():
    _, calls = fleet([], other_hz=0.0)
    assert max(calls) < 120  # of 330


def test_robots_of_another_rate_limit_what_is_skipped():
    Far.looks.clear()
    sim = Simulation([Far("a"), Far("b"), Far("slow", FastConfig(hz=1.0, other_hz=0.0))])
    sim.run(0.5)
    assert {robots for robots, _ in Far.looks} == {2}
    assert max(times for _, times in Far.looks) < 110 / 7 + 1


def test_robots_that_look_ahead_must_do_as_many_ticks(monkeypatch):
    monkeypatch.setattr(Far, "many", lambda self, times: times - 1)
    with pytest.raises(RobotError, match=r"a\.tick did \d+ ticks, not the \d+ seen ahead"):
        Simulation([Far("a"), Far("b")]).run(1.0)


def test_robots_that_refuse_are_asked_less_often():
    Far.looks.clear()
    sim = Simulation([Far(name, FastConfig(can=False, other_hz=0.0)) for name in "ab"])
    sim.run(10.0)
    assert len(Far.looks) < 1100 / 20
