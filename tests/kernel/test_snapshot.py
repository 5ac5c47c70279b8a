import pickle
import zlib

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.kernel.simulation import Simulation
from rigless.kernel.snapshot import FORMAT, MAGIC, Snapshot
from rigless.kernel.world import Obstacle, World

from .robots import Add, Counter, CounterConfig, Diary, tap

MS = 1_000_000


def busy(seed=6):
    """A simulation in which everything that a snapshot must hold is under way for its first two seconds."""
    sim = Simulation([Counter("c"), Diary("d"), Counter("x")], World({"box": Obstacle(1.0)}), seed=seed)
    sim.plan(1300 * MS, inp.Send("x", "line", "Add", {"amount": 7}))
    sim.plan(700 * MS, inp.Inject("x", "level", "stuck", {}, 1500 * MS))
    sim.apply(inp.Connect("c", "line", 1, "peer"))
    sim.apply(inp.MoveObstacle("box", 5, 5, 1, 3))
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


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2000 * MS))
def test_the_future_is_the_same_from_a_snapshot_at_any_time(at_ns):
    sim, other = busy(), busy(seed=99)
    sim.run_until(at_ns)
    saved = Snapshot.from_bytes(sim.snapshot().to_bytes())
    wanted, first = record_to_bytes(sim, 1.5), sim.snapshot()
    sim.restore(saved)
    assert record_to_bytes(sim, 1.5) == wanted
    assert sim.snapshot() == first
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
    assert {action for _, _, action, _ in saved.due} == {"timer", "input", "deliver", "transmit", "fault-end"}
    assert sim.wiring.links["c", "line"][1].codec.pending
    assert sim.robots["x"].fault("level").memory["value"] != 0
    assert sim.robots["c"].fault("drive").memory["value"] != 0
    assert sim.robots["c"].links("beat")
    assert set(saved.lanes) == {"c/beat/out", "c/line/in"}
    assert sim.robots["c"].metrics["grown"] > 0


def test_restoring_brings_back_state_inputs_metrics_faults_links_and_clock():
    sim = busy()
    sim.run(1)
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
    sim.sample(10, lambda: seen.append(sim.now_ns // MS))
    sim.run(0.25)
    saved = sim.snapshot()
    sim.run(0.3)
    sim.restore(saved)
    sim.run(0.2)
    assert seen == [100, 200, 300, 400, 500, 300, 400]


# Files


def file_of(body: bytes, version: object = FORMAT) -> bytes:
    return MAGIC + f"{version} {zlib.crc32(body):08x}\n".encode() + body


DATA = busy().snapshot().to_bytes()


def test_every_truncation_and_every_flipped_byte_is_found():
    for length in range(len(DATA)):
        with pytest.raises(InputError):
            Snapshot.from_bytes(DATA[:length])
        spoiled = bytearray(DATA)
        spoiled[length] ^= 0x10
        with pytest.raises(InputError):
            Snapshot.from_bytes(bytes(spoiled))


@given(st.binary(max_size=200))
def test_a_foreign_file_is_an_input_error_even_with_a_good_checksum(data):
    for file in (data, MAGIC + data, file_of(data)):
        with pytest.raises(InputError):
            Snapshot.from_bytes(file)


def test_another_version_is_named():
    with pytest.raises(InputError, match="format 999 is not 1"):
        Snapshot.from_bytes(file_of(DATA.partition(b"\n")[2], 999))


class Bomb:
    def __reduce__(self):
        return EXPLODED.append, (1,)


EXPLODED: list[int] = []


def test_a_pickle_is_never_run():
    bomb = pickle.dumps(Bomb())
    for file in (bomb, file_of(bomb), file_of(msgspec.msgpack.encode(msgspec.msgpack.Ext(1, bomb)))):
        with pytest.raises(InputError):
            Snapshot.from_bytes(file)
    saved = busy().snapshot()
    with pytest.raises(InputError):
        busy().restore(msgspec.structs.replace(saved, world=bomb))
    assert EXPLODED == []
    assert b"\x80\x04\x95" not in DATA  # how a pickle begins


@pytest.mark.parametrize(
    ("robots", "says"),
    [
        ([Counter("c")], "robot 'x' is not in this simulation"),
        ([Counter("c"), Counter("x"), Counter("y")], "has no robot 'y'"),
        ([Counter("c"), Diary("x")], "robot 'x' was another kind or had another config"),
        ([Counter("c"), Counter("x", CounterConfig(tick_hz=3))], "robot 'x' was another kind or had another config"),
    ],
)
def test_a_snapshot_of_another_simulation_is_refused_and_changes_nothing(robots, says):
    saved = Simulation([Counter("c"), Counter("x")]).snapshot()
    sim = Simulation(robots)
    sim.run(0.7)
    before = sim.snapshot()
    with pytest.raises(InputError) as caught:
        sim.restore(saved)
    assert says in str(caught.value)
    assert sim.snapshot() == before


@pytest.mark.parametrize("spoil", ["state", "faults", "rates", "input", "streams", "world", "links", "encoders", "due"])
def test_a_snapshot_whose_parts_do_not_fit_is_refused_and_changes_nothing(spoil):
    sim = busy()
    saved = sim.snapshot()
    if spoil in ("state", "faults", "input"):
        spoiled = msgspec.structs.replace(saved.robots["x"], **{spoil: b"\xa1?"})
    elif spoil == "rates":
        spoiled = msgspec.structs.replace(saved.robots["x"], rates={"gone": (1, 1, 0, 1)})
    if spoil in ("state", "faults", "input", "rates"):
        saved = msgspec.structs.replace(saved, robots={**saved.robots, "x": spoiled})
    elif spoil == "links":
        saved = msgspec.structs.replace(saved, links=[msgspec.structs.replace(saved.links[0], port="gone")])
    elif spoil == "encoders":
        saved = msgspec.structs.replace(saved, encoders={"x\0line": b"\xa1?"})
    elif spoil == "due":
        saved = msgspec.structs.replace(saved, due=[(1, 1, "gone", b"\xc0")])
    else:
        saved = msgspec.structs.replace(saved, **{spoil: b"\xa1?"})
    sim.run(0.7)
    before = sim.snapshot()
    with pytest.raises(InputError):
        sim.restore(saved)
    assert sim.snapshot() == before
