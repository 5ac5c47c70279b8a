"""Simulations in which much happens at once, for the tests of snapshots and recordings."""

from rigless.kernel import inputs as inp
from rigless.kernel.simulation import Simulation
from rigless.kernel.world import Obstacle, World

from .robots import Counter, Diary

MS = 1_000_000


def busy(seed=6):
    """Return a simulation with all that a snapshot must hold in its first two seconds."""
    sim = Simulation(
        [Counter("c"), Diary("d"), Counter("x")], World({"box": Obstacle(1.0)}), seed=seed
    )
    sim.core.plan(1300 * MS, inp.Send("x", "line", "Add", {"amount": 7}))
    sim.core.plan(700 * MS, inp.Inject("x", "level", "stuck", {}, 1500 * MS))
    sim.apply(inp.Connect("c", "line", 1, "peer"))
    sim.apply(inp.MoveObstacle("box", 5.0, 5.0, 1.0, 3.0))
    sim.set_input("c", "gear", 4)
    for target, kind, params in (
        ("beat", "delay", {"ms": 350, "jitter_ms": 200}),
        ("line", "delay", {"ms": 250, "jitter_ms": 100}),
        ("line", "corrupt", {"probability": 0.1}),
        ("level", "noise", {}),
        ("drive", "lag", {}),
    ):
        sim.inject("c", target, kind, **params)
    for n in range(1, 40):
        chunk = b"add 1\nlater 0.45 2\nsubscribe q:7\nad"[n % 7 :]
        sim.schedule(n * 49 * MS, inp.Arrive("c", "line", 1, chunk))
    sim.schedule(900 * MS, inp.Clear("c", "beat"))
    diary = sim.robots["d"]
    diary.set_rate(diary.zulu, 7)
    diary.after(1.1, diary.write, "timer")
    return sim


def scene(seed=2):
    """All kinds of inputs in one second."""
    sim = Simulation(
        [Counter("c"), Diary("d")],
        World({"box": Obstacle(1.0)}),
        seed,
        origin={"scenario": "a = 1"},
    )
    sim.core.plan(0, inp.Inject("c", "beat", "drop", {"probability": 0.3}))
    sim.core.plan(350 * MS, inp.Clear("c"))
    for at_ms, what in (
        (100, inp.Connect("c", "line", 1, "them", "us")),
        (150, inp.Arrive("c", "line", 1, b"add 3\nwhat\nsubscribe x:1\n")),
        (160, inp.Send("c", "bus", "Add", {"amount": 2})),
        (170, inp.SetInput("d", "button", True)),
        (180, inp.MoveObstacle("box", 1, 2)),
        (190, inp.Disconnect("c", "line", 1)),
    ):
        sim.schedule(at_ms * MS, what)
    return sim
