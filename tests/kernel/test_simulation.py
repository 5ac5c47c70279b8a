from dataclasses import dataclass
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel import inputs as inp
from rigless.kernel.events import Event
from rigless.kernel.fleet import FleetMember
from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.kernel.robot import Robot, every
from rigless.kernel.simulation import RobotError, Simulation
from rigless.kernel.timing.rate import Rate
from rigless.kernel.world import Obstacle, World

from .robots import Counter, CounterConfig, CounterState, Diary, tap

S = 10**9


@given(st.lists(st.integers(0, 2 * S), max_size=12).map(sorted))
def test_many_small_steps_are_one_big_step(stops):
    def play(stops):
        sim = Simulation([Counter("c"), Diary("d")], seed=4)
        seen = tap(sim)
        sim.apply(inp.Connect("c", "line", 1))
        sim.inject("c", "beat", "delay", ms=70, jitter_ms=60)
        for at in (300_000_000, 1_100_000_000):
            sim.schedule(at, inp.Arrive("c", "line", 1, b"add 1\nlater 0.37 2\n"))
            sim.schedule(at, inp.Arrive("c", "line", 1, b"subscribe x:1\n"))
        for stop in stops:
            sim.run_until(stop)
        sim.run_until(2 * S)
        return seen, sim.snapshot().to_bytes(), sim.take("c", "beat")

    assert play(stops) == play([])


def test_at_one_instant_timers_ticks_as_declared_samples_inputs():
    sim = Simulation([Diary("second to be named"), Diary("d")])
    diary = sim.robots["d"]
    sim.core.sample(10, lambda: diary.write("sample"))
    sim.core.call_at(200_000_000, lambda: diary.write("watch"))
    sim.schedule(200_000_000, inp.SetInput("d", "button", True))
    sim.schedule(200_000_000, inp.Send("d", "line", "Add", {}))
    sim.core.plan(200_000_000, inp.Send("d", "line", "Odd", {"text": ""}))
    diary.after(0.2, diary.write, "timer")
    sim.run(0.2)
    at = [what for time_ns, what in diary.state.entries if time_ns == 200_000_000]
    assert at == ["Odd", "timer", "zulu", "alpha", "watch", "sample", "SetInput", "Add"]


def test_robots_tick_in_the_order_they_are_given():
    order = []

    class Shy(Robot):
        @every(1)
        def tick(self):
            order.append(self.name)

    Simulation([Shy("b"), Shy("a"), Shy("c")]).run(1)
    assert order == ["b", "a", "c"]


def test_rates_come_from_the_config():
    sim = Simulation(
        [Counter("slow", CounterConfig(tick_hz=2)), Counter("never", CounterConfig(tick_hz=0))]
    )
    sim.run(3)
    assert (sim.truth("slow").ticks, sim.truth("never").ticks) == (6, 0)


def test_a_robot_with_a_phase_ticks_so_much_earlier_than_at_whole_periods():
    class Early(Diary, FleetMember):
        def phase_s(self):
            return 0.43

    sim = Simulation([Early("d"), Diary("whole")])
    sim.run(0.1)
    saved = sim.snapshot()
    sim.run(0.9)
    for _ in range(2):
        for name, early_ns in (("d", 430_000_000), ("whole", 0)):
            at = [time_ns for time_ns, what in sim.robots[name].state.entries if what == "zulu"]
            period_ns = at[1] - at[0]
            assert all((time_ns + early_ns) % period_ns == 0 for time_ns in at)
            assert 0 < at[0] <= period_ns
            assert len(at) == (S + early_ns) // period_ns - early_ns // period_ns
        sim.restore(saved)
        sim.run(0.9)


@pytest.mark.parametrize("early_ns", [0, 130_000_000])
def test_a_new_rate_keeps_the_phase_and_zero_stops(early_ns):
    """Ticks stay on the n/hz grid, shifted by the phase: robots do not begin to tick together."""

    class Early(Diary, FleetMember):
        def phase_s(self):
            return early_ns / 1e9

    sim = Simulation([Early("d")])
    diary = sim.robots["d"]
    sim.run(0.25)
    diary.set_rate(diary.zulu, 3)
    diary.set_rate(diary.alpha, 0)
    sim.run(1)
    later = [entry for entry in diary.state.entries if entry[0] > 250_000_000]
    due = [Rate(3).due_ns(n) - early_ns for n in range(1, 5)]
    assert later == [(time_ns, "zulu") for time_ns in due if 250_000_000 < time_ns <= 1_250_000_000]


def test_an_overriding_method_keeps_its_rate_and_a_decorated_one_takes_its_own():
    class Quiet(Diary):
        def zulu(self):
            self.write("quiet")

        @every(1)
        def alpha(self):
            self.write("rare")

    sim = Simulation([Quiet("q")])
    sim.run(1)
    assert [what for _, what in sim.truth("q").entries] == ["quiet"] * 10 + ["rare"]


def test_timers_fire_once_at_their_time_unless_cancelled():
    sim = Simulation([Counter("c", CounterConfig(tick_hz=0, beat_hz=0))])
    counter = sim.robots["c"]
    counter.after(0.5, counter.grow, 1)
    gone = counter.after(0.5, counter.grow, 10)
    counter.after(-3, counter.grow, 100)  # late already: now
    counter.cancel(gone)
    sim.run(0)
    assert counter.state.total == 100
    sim.run_until(499_999_999)
    assert counter.state.total == 100
    sim.run_until(500_000_000)
    assert counter.state.total == 101
    sim.run(5)
    assert counter.state.total == 101


def test_it_does_not_run_back():
    sim = Simulation([])
    sim.run(1)
    with pytest.raises(ValueError, match="cannot run back to 5 ns"):
        sim.run_until(5)


class Broken(Counter):
    @every(1)
    def crack(self):
        raise KeyError("gone")


@pytest.mark.parametrize(
    ("robot", "act", "what"),
    [
        (Broken, lambda sim: None, "crack"),
        (
            Counter,
            lambda sim: sim.robots["bob"].after(1, sim.robots["bob"].fail, None, None),
            "fail",
        ),
        (Counter, lambda sim: sim.schedule(S, inp.Send("bob", "line", "Fail")), "Fail"),
    ],
    ids=["tick", "timer", "input"],
)
def test_a_failing_robot_is_named_with_the_time_and_what_it_did(robot, act, what):
    sim = Simulation([Counter("alice"), robot("bob")])
    act(sim)
    with pytest.raises(RobotError) as caught:
        sim.run(5)
    text = str(caught.value)
    assert "bob" in text
    assert "alice" not in text
    assert "1.000000 s" in text
    assert what in text
    assert isinstance(caught.value.__cause__, KeyError | ZeroDivisionError)


@pytest.mark.parametrize(
    ("names", "shown"),
    [("", "without robots"), ("a", "a"), ("abc", "a, b, c"), ("abcd", "a, b, c and 1 more")],
)
def test_a_simulation_reads_as_its_robots_time_and_seed(names, shown):
    sim = Simulation([Diary(name) for name in names], seed=7)
    sim.run(1.25)
    assert repr(sim) == f"<Simulation {shown} at 1.25 s, seed 7>"
    assert Simulation([]).seed == 0


def test_robots_and_truths_can_be_asked_for_by_type():
    sim = Simulation([Diary("d"), Counter("c")])
    assert sim.ports("c") == ["line", "beat", "bus"]
    assert sim.robot("d", Diary) is sim.robot("d") is sim.robots["d"]
    assert sim.truth("c", CounterState) is sim.truth("c")
    for wrong in (lambda: sim.robot("d", Counter), lambda: sim.truth("d", CounterState)):
        with pytest.raises(TypeError, match=r"is not a kernel\.robots\.Counter"):
            wrong()
    with pytest.raises(InputError) as caught:
        sim.robot("x")
    assert str(caught.value) == "unknown robot 'x' (choose from: c, d)"


def test_inputs_reach_listeners_with_their_defaults_and_their_source():
    sim, got = Simulation([Counter("c")]), []
    sim.core.listeners.input.append(lambda at, given, source: got.append((given, source)))
    sim.send("c", "line", b"add 1\n")
    sim.send("c", "line", b"add 1\n")
    sim.inject("c", "level", until_s=0.25)
    first = sim.robots["c"].faults[0]
    sim.clear("c")
    sim.schedule(0, inp.Clear("c", "level"))
    sim.schedule(0, inp.Clear("c", "drive"), "scenario")
    sim.apply(inp.Clear("c", "beat"), "scenario")
    assert (first.kind, first.until_ns) == (next(iter(kinds_of("level"))), 250_000_000)
    assert got == [
        (inp.Connect("c", "line", inp.LOCAL, "local", "local"), "live"),
        *[(inp.Arrive("c", "line", inp.LOCAL, b"add 1\n"), "live")] * 2,
        (inp.Inject("c", "level", "", {}, 250_000_000), "live"),
        (inp.Clear("c", ""), "live"),
        (inp.Clear("c", "level"), "live"),
        (inp.Clear("c", "drive"), "scenario"),
        (inp.Clear("c", "beat"), "scenario"),
    ]


def kinds_of(target):
    return Counter("c").fault_targets.seams[target]


@pytest.mark.parametrize("collect", [True, False])
def test_after_a_restore_no_earlier_message_can_be_taken(collect):
    sim = Simulation([Counter("c")], collect=collect)
    saved = sim.snapshot()
    sim.run(1)
    sim.restore(saved)
    assert sim.core.pristine is False  # a recording from here needs a snapshot
    if collect:
        assert sim.take("c", "beat") == []
    else:
        assert sim.core.collected is None


def test_an_event_reads_as_a_line():
    event = Event(1_500_000_000, "c", "low", "warning", "the battery is low")
    assert repr(event) == "<Event 1.5 s warning c low: the battery is low>"
    event = Event(0, "", "date", "info", "corrected")
    assert repr(event) == "<Event 0 s info date: corrected>"


def test_two_robots_of_one_name_are_refused():
    with pytest.raises(InputError, match="the same name"):
        Simulation([Counter("c"), Counter("c")])


def test_reset_is_a_fresh_start():
    def build():
        robots = [Counter("c", CounterConfig(tick_hz=3), (1.0, 2.0, 3.0)), Diary("d")]
        sim = Simulation(robots, World({"box": Obstacle(1.0)}), seed=9)
        sim.core.plan(300_000_000, inp.Send("c", "line", "Add", {"amount": 7}))
        return sim

    used = build()
    used.send("c", "line", b"add 3\nsubscribe x:1\nlater 9 9\nad")
    used.inject("c", "level", "stuck")
    used.set_input("c", "gear", 3)
    used.apply(inp.MoveObstacle("box", 3, 4))
    used.robots["d"].set_rate(used.robots["d"].zulu, 1)
    used.run(1.234)
    used.reset()
    fresh = build()
    assert used.now_ns == 0
    assert used.snapshot() == fresh.snapshot()
    assert used.robots["c"].start_pose == (1.0, 2.0, 3.0)
    assert list(used.events) == []
    assert used.take("c", "beat") == []
    assert record_to_bytes(used, 2) == record_to_bytes(fresh, 2)
    assert used.truth("c").total == 7


def test_samples_survive_a_reset_and_end_when_told():
    sim, seen = Simulation([]), []

    def look():
        seen.append(sim.now_ns)

    sim.run(0.35)
    sim.core.sample(10, look)
    sim.run(0.1)
    sim.reset()
    sim.run(0.1)
    assert seen == [400_000_000, 100_000_000]
    sim.core.stop_sampling(look)
    sim.run(1)
    assert len(seen) == 2


def test_samples_of_one_instant_come_in_the_order_of_their_registration():
    sim, seen = Simulation([]), []
    for name in "abcd":
        sim.core.sample(10, partial(seen.append, name))
    sim.run(0.2)
    assert seen == [*"abcd", *"abcd"]


def test_failures_outside_of_robots_are_named_too():
    class Quake(World):
        def move(self, given, now_ns):
            raise ArithmeticError("it shakes")

    sim = Simulation([], Quake({"box": Obstacle(1.0)}))
    with pytest.raises(RobotError) as caught:
        sim.apply(inp.MoveObstacle("box", 1, 2))
    what = "failed at 0.000000 s: ArithmeticError: it shakes"
    assert str(caught.value) == f"the world (MoveObstacle) {what}"
    sim = Simulation([])
    sim.core.sample(10, partial(divmod, 1, 0))
    with pytest.raises(RobotError, match=r"^sample failed at 0\.100000 s: ZeroDivisionError: "):
        sim.run(1)


def test_another_seed_gives_other_noise_and_a_neighbour_does_not():
    def levels(robots, seed):
        sim = Simulation(robots, seed=seed)
        sim.run(1)
        return [beat.level for beat in sim.take("c", "beat")]

    alone = levels([Counter("c")], 1)
    assert levels([Counter("b"), Counter("c"), Diary("d")], 1) == alone
    assert levels([Counter("c")], 2) != alone


def test_a_robot_is_started_once_in_its_simulation_and_finds_its_neighbours():
    @dataclass
    class Seen:
        names: tuple[str, ...] = ()

    class Social(Robot):
        State = Seen

        def start(self):
            self.state.names = (*self.state.names, *self.all_robots)
            self.event("started", "here I am")

    sim = Simulation([Social("a"), Social("b")])
    assert [sim.truth(name).names for name in "ab"] == [("a", "b")] * 2
    assert [(event.time_ns, event.robot) for event in sim.events] == [(0, "a"), (0, "b")]


@pytest.mark.parametrize(
    ("fault", "given", "says"),
    [
        (None, inp.Send("c", "line", "Fail", {}), "c (Fail)"),
        (None, inp.Arrive("c", "line", 1, b"fail\n"), "c (Arrive)"),
        ("delay", inp.Arrive("c", "line", 1, b"fail\n"), "c (Arrive)"),
    ],
)
def test_a_failure_names_the_robot_and_the_input(fault, given, says):
    sim = Simulation([Counter("c")])
    sim.apply(inp.Connect("c", "line", 1))
    if fault:
        sim.inject("c", "line", fault, ms=100)
    sim.schedule(0, given)
    with pytest.raises(RobotError) as caught:
        sim.run(1)
    assert says in str(caught.value)
