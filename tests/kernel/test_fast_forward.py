"""Fast-forwarded ticks equal single ticks: the same state, and the same events in order."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

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
