"""The inside of a simulation: refused robots, limits of what is kept, observers and timers."""

import pytest

from rigless.kernel import inputs as inp
from rigless.kernel.body import Body
from rigless.kernel.fleet import FleetMember
from rigless.kernel.loop.core import PROBLEMS_SHOWN, RobotError
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot, every
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import World

from .robots import Counter, CounterConfig, Diary
from .wires import Beat

S = 10**9


@pytest.mark.parametrize(
    ("names", "what", "fix"),
    [
        (["a", "rigless"], "no robot can be called 'rigless'", "give it another name"),
        (["a", "b", "a"], "two robots have the same name", "give each its own name"),
    ],
)
def test_names_of_robots_that_are_refused(names, what, fix):
    with pytest.raises(InputError) as caught:
        Simulation([Diary(name) for name in names])
    assert caught.value.problems == (Problem("robots", what, fix),)


@pytest.mark.parametrize(("robots", "each", "shown"), [(3, 2, 6), (12, 1, 10), (12, 4, 12)])
def test_a_start_that_fails_names_the_problems_of_several_robots(robots, each, shown):
    class Unfit(Robot):
        def start(self):
            raise InputError([Problem(self.name, f"problem {n}") for n in range(each)])

    with pytest.raises(InputError) as caught:
        Simulation([Unfit(str(n)) for n in range(robots)])
    every_problem = [(str(n), f"problem {m}") for n in range(robots) for m in range(each)]
    found = [(problem.where, problem.what) for problem in caught.value.problems]
    assert found == every_problem[:shown]
    assert PROBLEMS_SHOWN == 10


def test_the_newest_events_and_messages_are_kept():
    sim = Simulation([Counter("c", CounterConfig(tick_hz=0, beat_hz=0))])
    for n in range(2):
        sim.robots["c"].emit("beat", Beat(n, None))
    assert sim.events.maxlen == 10_000
    assert sim.core.collected["c", "beat"].maxlen == 100_000
    assert [beat.n for beat in sim.take("c", "beat")] == [0, 1]


def test_a_message_is_wanted_if_it_is_collected_recorded_or_sent():
    sim = Simulation([Counter("c")], collect=False)
    counter = sim.robots["c"]
    assert not counter.wanted("line")
    assert sim.core.recording is False
    sim.core.recording = True
    assert counter.wanted("line")
    sim.core.recording = False
    sim.apply(inp.Connect("c", "line", 1))
    assert counter.wanted("line")
    assert not counter.wanted("beat")
    assert not counter.wanted("gone")
    assert Simulation([Counter("c")]).robots["c"].wanted("line")


def test_all_outputs_are_encoded_while_a_listener_needs_them():
    class Watcher:
        def see(self, *_):
            raise AssertionError("nothing is sent in this test")

    class Recorder(Watcher):
        needs_all_outputs = True

    sim = Simulation([Counter("c")], collect=False)
    core, recorder = sim.core, Recorder()
    for listener, wanted in (
        (lambda *_: None, False),
        (Watcher().see, False),
        (recorder.see, True),
    ):
        core.listeners.output.append(listener)
        core.update_recording()
        assert core.recording is wanted
        assert sim.robots["c"].wanted("line") == wanted
    core.listeners.output.remove(recorder.see)
    core.update_recording()
    assert not sim.robots["c"].wanted("line")


def test_the_seed_selects_the_places_where_robots_begin():
    class Yard(World):
        def starts(self, seed):
            yield (float(seed), 0.0, 0.0)

    class Cart(Robot, FleetMember):
        def has_own_start(self):
            return False

        def start_body(self):
            return Body(0.0, 0.0, 0.0, radius_m=0.5)

    for seed in (3, 4):
        sim = Simulation([Cart("cart")], Yard(), seed=seed)
        assert sim.robots["cart"].start_place == (seed, 0.0, 0.0)


def test_a_simulation_begins_without_observers():
    assert [list(each) for each in Simulation([]).core.listeners] == [[]] * 6


def test_an_observer_gets_the_events_so_far_and_then_each_new_one():
    sim, seen = Simulation([Counter("c")]), []
    sim.run(0.5)
    sim.send("c", "line", b"add 1\n")
    sim.run(0.5)
    sim.core.observe_events(lambda at, event: seen.append((at, event.text)))
    sim.send("c", "line", b"add 2\n")
    assert seen == [(S // 2, "by 1"), (S, "by 2")]


def test_a_timer_takes_only_arguments_that_a_snapshot_can_hold():
    sim = Simulation([Counter("c")])
    counter = sim.robots["c"]
    for bad in ([1], (1,), object()):
        with pytest.raises(TypeError) as caught:
            counter.after(1, counter.grow, 1, bad)
        what = "c: a timer's arguments are numbers and text, so that snapshots can hold them"
        assert str(caught.value) == what
    got = []
    counter.grow = lambda *args: got.append(args)
    counter.grow.__name__ = "grow"
    counter.after(1, counter.grow, None, True, 1, 0.5, "text", b"bytes")
    counter.after(1, counter.grow)
    sim.run(1)
    assert got == [(None, True, 1, 0.5, "text", b"bytes"), ()]


def test_a_timer_of_a_nanosecond_is_later_and_one_of_the_past_is_now():
    sim = Simulation([Diary("d")])
    sim.run(1.05)
    diary = sim.robots["d"]
    for seconds in (1e-9, 0.0, -5.0):
        diary.after(seconds, diary.write, f"{seconds:g}")
    calls = diary.state.entries
    calls.clear()
    sim.run(1e-9)
    now_ns = 1_050_000_000
    assert calls == [(now_ns, "0"), (now_ns, "-5"), (now_ns + 1, "1e-09")]


def test_an_input_makes_a_simulation_no_longer_pristine_and_a_reset_does():
    sim = Simulation([Counter("c")])
    sim.run(1)
    assert sim.core.pristine is True
    sim.clear("c")
    assert sim.core.pristine is False
    sim.reset()
    assert sim.core.pristine is True


def test_inputs_of_the_past_come_at_once_and_after_the_present():
    sim, seen = Simulation([Diary("d")]), []
    sim.core.listeners.input.append(lambda at, given, source: seen.append((at, given, source)))
    sim.run(1)
    given = inp.SetInput("d", "button", True)
    sim.core.schedule(5, given)
    sim.core.plan(2 * S, given)
    sim.run(1)
    assert seen == [(S, given, "live"), (2 * S, given, "scenario")]


def test_a_failure_in_a_callback_or_a_delayed_output_is_named():
    sim = Simulation([])
    sim.core.call_at(1000 * S, lambda: 1 / 0)
    with pytest.raises(RobotError) as caught:
        sim.run(2000)
    what = "failed at 1000.000000 s: ZeroDivisionError: division by zero"
    assert str(caught.value) == f"the world (function) {what}"
    sim = Simulation([Counter("c")])
    sim.core.listeners.output.append(lambda at, output: 1 / 0)
    sim.send("c", "line", b"subscribe x:1\n")
    sim.inject("c", "beat", "delay", ms=800)
    with pytest.raises(RobotError) as caught:
        sim.run(2)
    assert str(caught.value).startswith("c (Output) failed at 1.000000 s: ZeroDivisionError")
    sim = Simulation([])
    sim.core.agenda.run_until = lambda time_ns: 1 / 0
    with pytest.raises(RobotError, match=r"^the simulation failed at 0\.000000 s: ZeroDivision"):
        sim.run(1)


def test_a_robot_error_is_passed_on_as_it_is():
    class Nested(Robot):
        @every(1)
        def tick(self):
            raise RobotError("from inside")

    with pytest.raises(RobotError) as caught:
        Simulation([Nested("n")]).run(1)
    assert str(caught.value) == "from inside"


def test_a_phase_may_put_the_first_tick_right_after_time_zero():
    class Early(Diary, FleetMember):
        def phase_s(self):
            return 0.099_999_999

    sim = Simulation([Early("d")])
    sim.run(0.05)
    assert sim.truth("d").entries == [(1, "zulu")]


def test_sampling_of_one_function_ends_and_of_the_others_goes_on():
    sim, seen = Simulation([]), []

    def one():
        seen.append("one")

    def other():
        seen.append("other")

    sim.core.sample(10, one)
    sim.core.sample(5, one)
    sim.core.sample(10, other)
    sim.core.stop_sampling(one)
    sim.run(0.2)
    sim.reset()
    sim.run(0.1)
    assert seen == ["other"] * 3
    assert [ticker.call for ticker in sim.core.samples] == [other]
