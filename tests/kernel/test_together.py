"""Robots that tick in groups: who is in a group, the order of calls, and what ends a group."""

from dataclasses import dataclass, field

import pytest

from rigless.kernel.fleet import FleetMember
from rigless.kernel.loop.core import RobotError
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Config, Robot, every, on
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import World

from .robots import Diary
from .wires import Add, LineCodec

MS = 1_000_000


class Pack:
    """Does the ticks of its members, except of those that a message has disturbed."""

    def __init__(self, robots):
        self.robots, self.disturbed = robots, []
        for robot in robots:
            robot.group = self

    def advance(self):
        own = {robot.name for robot, _ in self.disturbed}
        self.disturbed.clear()
        for robot in self.robots:
            if robot.name not in own:
                robot.write("together")
        return [place for place, robot in enumerate(self.robots) if robot.name in own]

    def disturb(self, robot, message):
        self.disturbed.append((robot, message))

    def end(self):
        for robot in self.robots:
            robot.group = None


class WalkerConfig(Config):
    hz: float = 4.0
    phase_s: float = 0.0
    broken: bool = False


@dataclass
class WalkerState:
    entries: list[tuple[int, str]] = field(default_factory=list)


class Walker(Robot, FleetMember):
    """Ticks four times a second, alone or with others."""

    Config = WalkerConfig
    State = WalkerState
    ports = (Port("line", LineCodec, "tcp", "127.0.0.1:1"),)
    calls: list[str] = []  # of all walkers, in their order
    packs: list[Pack] = []

    @classmethod
    def pack(cls, robots):
        cls.packs.append(Pack(robots))
        return cls.packs[-1:]

    def phase_s(self):
        return self.config.phase_s

    def write(self, what):
        self.state.entries.append((self.now_ns // MS, what))
        self.calls.append(f"{self.name} {what}")

    @every(lambda config: config.hz, together="pack")
    def walk(self):
        self.write("alone")
        if self.config.broken:
            raise ZeroDivisionError("it stumbled")

    @on(Add)
    def add(self, message, link):
        self.write("message")


class Runner(Walker):
    """Another kind, so that it is in another group."""


@pytest.fixture(autouse=True)
def nothing_yet():
    Walker.calls.clear()
    Walker.packs.clear()


def walkers(names, **keys):
    return [Walker(name, WalkerConfig(**keys)) for name in names]


def groups():
    return [[robot.name for robot in pack.robots] for pack in Walker.packs]


def test_members_tick_together_and_a_disturbed_one_in_its_own_turn():
    class Between(Diary):
        @every(4)
        def alpha(self):
            Walker.calls.append("another robot")

    first, last = walkers("ab")
    sim = Simulation([first, Between("m"), last])
    sim.run(0.25)
    assert Walker.calls == ["a together", "b together", "another robot"]
    sim.send("b", "line", b"add 1\n")
    (pack,) = Walker.packs
    assert pack.disturbed[-1] == (last, Add(1))
    Walker.calls.clear()
    sim.run(0.5)
    one_by_one = ["a together", "another robot", "b alone"]
    assert Walker.calls == [*one_by_one, "a together", "b together", "another robot"]
    assert sim.truth("a").entries == [(at, "together") for at in (250, 500, 750)]


def test_only_robots_that_are_always_due_together_are_in_a_group():
    kinds = [*walkers("ab"), *walkers("cd", hz=8.0), *walkers("ef", phase_s=0.1)]
    kinds += [*walkers("gh", hz=3.0)]  # its period is no whole number of nanoseconds
    kinds += [Runner("i"), Runner("j"), *walkers("kl"), *walkers("mn", hz=0.0)]
    elsewhere = World()
    Simulation(kinds, worlds={"k": elsewhere, "l": elsewhere})
    assert groups() == [["a", "b"], ["c", "d"], ["e", "f"], ["i", "j"], ["k", "l"]]


def test_members_count_as_ticks_of_their_own():
    alone, joined = (Simulation(walkers("abc")) for _ in range(2))
    alone.core.tick_alone()
    for sim in (alone, joined):
        sim.run(0.5)
        for name in "bc":
            sim.send(name, "line", b"add 1\n")
        sim.run(0.5)
    assert joined.core.agenda.processed == alone.core.agenda.processed == 16


def test_robots_can_tick_alone_from_now_on():
    sim = Simulation([*walkers("ab"), Runner("c")])  # two groups
    robot = sim.robots["a"]
    robot.after(0.4, robot.write, "timer")
    sim.run(0.3)
    sim.core.tick_alone()
    assert [robot.group for robot in sim.robots.values()] == [None] * 3
    sim.run(0.3)
    alone = ["a alone", "b alone", "c alone"]
    assert Walker.calls == ["a together", "b together", "c together", "a timer", *alone]
    sim.reset()
    sim.run(0.25)
    assert Walker.calls[7:] == alone
    assert sim.core.alone is True


def test_a_change_of_the_rate_ends_a_group():
    sim = Simulation([*walkers("abc"), Runner("d")])
    sim.run(0.3)
    robot = sim.robots["b"]
    robot.set_rate(robot.walk, 2)
    Walker.calls.clear()
    sim.run(0.7)
    assert sim.truth("a").entries[1:] == [(at, "alone") for at in (500, 750, 1000)]
    assert sim.truth("b").entries[1:] == [(at, "alone") for at in (500, 1000)]
    assert Walker.calls[:4] == ["a alone", "b alone", "c alone", "d together"]


def test_groups_form_again_after_a_restore_a_reset_and_a_later_beginning():
    sim = Simulation(walkers("ab"))
    sim.run(0.3)
    saved = sim.snapshot()
    sim.run(0.3)
    sim.restore(saved)
    sim.run(0.3)
    assert sim.truth("a").entries == [(250, "together"), (500, "together")]
    sim.reset()
    sim.core.begin_at(1000 * MS)
    sim.run(0.3)
    assert sim.truth("b").entries == [(1250, "together")]
    assert len(groups()) == 4


def test_a_failure_names_the_group_or_the_member():
    sim = Simulation(walkers("ab"))
    Walker.packs[0].robots = [None]
    what = r"failed at 0\.250000 s: AttributeError"
    with pytest.raises(RobotError, match=rf"^a\.walk and others of its group {what}"):
        sim.run(1)
    sim = Simulation(walkers("ab", broken=True))
    sim.send("b", "line", b"add 1\n")
    with pytest.raises(RobotError, match=r"^b\.walk failed at 0\.250000 s: ZeroDivisionError"):
        sim.run(1)


def test_an_impossible_rate_names_the_robot_and_the_method():
    with pytest.raises(InputError) as caught:
        Simulation(walkers("a", hz=-2.0))
    what = "walk cannot run at -2.0 Hz: a rate cannot be negative: -2.0 Hz"
    assert caught.value.problems == (Problem("a", what, "choose another rate"),)
