import pickle
import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel.plain import pack
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.simulation import Simulation
from rigless.kernel.snapshot import FORMAT, MAGIC, Snapshot

from .robots import Counter, CounterConfig, Diary
from .scenes import busy


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


BODY = DATA.partition(b"\n")[2]
WRONG = b"\x93\x01\x02\x03"  # an array of three numbers


@pytest.mark.parametrize(
    ("file", "what", "fix"),
    [
        (b"", "this is not a rigless snapshot", "make one with: rigless ctl snapshot FILE"),
        (
            file_of(BODY, 999),
            f"format 999 is not {FORMAT}",
            "take a new one with this version of rigless",
        ),
        (DATA[:-1], "the file is damaged (its checksum differs)", "take a new one"),
        (
            file_of(BODY, f"{FORMAT} again"),
            "the file is damaged (its checksum differs)",
            "take a new one",
        ),
        (
            file_of(WRONG),
            "the file cannot be read: Expected `object`, got `array`",
            "take a new one",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_explained(file, what, fix):
    with pytest.raises(InputError) as caught:
        Snapshot.from_bytes(file)
    assert caught.value.problems == (Problem("snapshot", what, fix),)


class Bomb:
    def __reduce__(self):
        return EXPLODED.append, (1,)


EXPLODED: list[int] = []


def test_a_pickle_is_never_run():
    bomb = pickle.dumps(Bomb())
    for file in (
        bomb,
        file_of(bomb),
        file_of(msgspec.msgpack.encode(msgspec.msgpack.Ext(1, bomb))),
    ):
        with pytest.raises(InputError):
            Snapshot.from_bytes(file)
    saved = busy().snapshot()
    with pytest.raises(InputError):
        busy().restore(msgspec.structs.replace(saved, world=bomb))
    assert EXPLODED == []
    assert b"\x80\x04\x95" not in DATA  # how a pickle begins


ELSEWHERE = "restore it into the simulation it was taken from"
OTHER = "robot 'x' was another kind or had another config (start with the config it was taken with)"


class Cousin(Counter):
    """Another kind with the same config."""


@pytest.mark.parametrize(
    ("robots", "says"),
    [
        ([Counter("c")], f"robot 'x' is not in this simulation ({ELSEWHERE})"),
        ([Counter("c"), Counter("x"), Counter("y")], f"has no robot 'y' ({ELSEWHERE})"),
        ([Counter("c"), Diary("x")], OTHER),
        ([Counter("c"), Cousin("x")], OTHER),
        ([Counter("c"), Counter("x", CounterConfig(tick_hz=3))], OTHER),
    ],
)
def test_a_snapshot_of_another_simulation_is_refused_and_changes_nothing(robots, says):
    saved = Simulation([Counter("c"), Counter("x")]).snapshot()
    sim = Simulation(robots)
    sim.run(0.7)
    before = sim.snapshot()
    with pytest.raises(InputError) as caught:
        sim.restore(saved)
    assert str(caught.value) == f"snapshot: {says}"
    assert sim.snapshot() == before


@pytest.mark.parametrize(
    "spoil",
    ["state", "faults", "rates", "input", "streams", "world", "links", "encoders", "due", "events"],
)
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
        saved = msgspec.structs.replace(
            saved, links=[msgspec.structs.replace(saved.links[0], port="gone")]
        )
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


@pytest.mark.parametrize(
    ("robot", "whole", "says"),
    [
        ({"input": pack({"gone": 1})}, {}, "the inputs of x differ"),
        ({"rates": {"gone": (1, 1, 0, 1)}}, {}, "the rates of x differ"),
        ({}, {"encoders": {}}, "the ports differ"),
    ],
)
def test_a_part_that_does_not_fit_is_named(robot, whole, says):
    sim = Simulation([Counter("c"), Counter("x")], seed=3)
    saved = sim.snapshot()
    spoiled = msgspec.structs.replace(saved.robots["x"], **robot)
    robots = {**saved.robots, "x": spoiled}
    with pytest.raises(InputError) as caught:
        sim.restore(msgspec.structs.replace(saved, robots=robots, **whole))
    what = f"snapshot: does not fit this simulation: {says} (take a new one)"
    assert str(caught.value) == what
    sim.run(2.5)
    assert repr(sim.snapshot()) == "<Snapshot c, x at 2.5 s, seed 3>"
