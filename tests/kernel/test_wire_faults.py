import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel import inputs as inp
from rigless.kernel.recording import record_to_bytes
from rigless.kernel.simulation import Simulation

from .robots import Counter, CounterConfig, tap

MS = 1_000_000


def beats(kind, seconds=2.0, hz=1000, seed=3, **params):
    """The datagrams of a counter with a wire fault on them, as (time, bytes)."""
    sim = Simulation([Counter("c", CounterConfig(tick_hz=0, beat_hz=hz))], seed=seed)
    sim.send("c", "line", b"subscribe x:1\n")
    seen = tap(sim)
    sim.inject("c", "beat", kind, **params)
    sim.run(seconds)
    return [(at, data) for at, _, _, _, data in seen]


CLEAN = beats("drop", probability=0)


def test_drop_loses_its_share():
    kept = beats("drop", probability=0.3)
    assert len(CLEAN) == 2000
    assert abs(len(kept) - 1400) < 5 * math.sqrt(2000 * 0.3 * 0.7)
    assert set(kept) < set(CLEAN)
    assert beats("drop") == []


def test_duplicate_doubles_its_share():
    sent = beats("duplicate", probability=0.25)
    assert abs(len(sent) - 2500) < 5 * math.sqrt(2000 * 0.25 * 0.75)
    assert sorted(set(sent)) == sorted(CLEAN)
    assert beats("duplicate", 0.01) == [beat for beat in CLEAN[:10] for _ in range(2)]


@pytest.mark.parametrize("bits", [1, 3, 8])
def test_corrupt_flips_that_many_bits(bits):
    for (_, data), (_, clean) in zip(beats("corrupt", 0.2, bits=bits), CLEAN, strict=False):
        assert len(data) == len(clean)
        flipped = (int.from_bytes(data) ^ int.from_bytes(clean)).bit_count()
        assert flipped <= bits
        assert flipped % 2 == bits % 2  # a bit that is hit twice is as it was


def test_corrupt_spoils_its_share():
    spoiled = sum(a != b for a, b in zip(beats("corrupt", probability=0.4), CLEAN, strict=True))
    assert abs(spoiled - 800) < 5 * math.sqrt(2000 * 0.4 * 0.6)


def test_corrupt_leaves_empty_packets_alone():
    sim = Simulation([Counter("c")])
    sim.inject("c", "line", "corrupt", bits=1024)
    sim.send("c", "line", b"")
    assert sim.truth("c").total == 0


def test_delay_moves_every_packet_by_the_same_time():
    late = beats("delay", 2.0, ms=12.5)
    assert late == [(at + 12_500_000, data) for at, data in CLEAN if at + 12_500_000 <= 2_000 * MS]


def test_jitter_stays_within_its_width_and_keeps_the_order():
    late = beats("delay", 2.0, hz=10, ms=20, jitter_ms=50)
    extra = [at - 100 * MS * n for n, (at, _) in enumerate(late, start=1)]
    assert all(20 * MS <= ns <= 70 * MS for ns in extra)
    assert len(set(extra)) == len(extra)
    dense = beats("delay", 2.0, ms=20, jitter_ms=50)
    assert [data for _, data in dense] == [data for _, data in CLEAN][: len(dense)]


def test_jitter_is_even():
    late = beats("delay", 190.0, hz=10, ms=0, jitter_ms=50)
    extra = [at - 100 * MS * n for n, (at, _) in enumerate(late, start=1)]
    assert abs(sum(extra) / len(extra) - 25 * MS) < 5 * 50 * MS / math.sqrt(12 * len(extra))


@given(st.integers(1, 300), st.integers(1, 300))
def test_packets_in_flight_are_not_overtaken_after_the_fault_is_cleared(clear_ms, delay_ms):
    sim = Simulation([Counter("c", CounterConfig(tick_hz=0, beat_hz=100))])
    sim.send("c", "line", b"subscribe x:1\n")
    seen = tap(sim)
    sim.inject("c", "beat", "delay", ms=delay_ms)
    sim.run(clear_ms / 1000)
    sim.clear("c", "beat")
    sim.run(1)
    numbers = [int(data.split()[0]) for *_, data in seen]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) == (1000 + clear_ms) // 10
    assert seen[-1][0] == sim.now_ns // (10 * MS) * (10 * MS)  # at the end nothing is late any more


def test_bytes_in_flight_to_the_robot_are_not_overtaken_after_the_fault_is_cleared():
    sim = Simulation([Counter("c")])
    sim.inject("c", "line", "delay", ms=100, direction="in")
    sim.send("c", "line", b"ad")
    sim.clear("c", "line")
    sim.send("c", "line", b"d 7\n")
    assert sim.truth("c").total == 0
    sim.run_until(100 * MS - 1)
    assert sim.truth("c").total == 0
    sim.run_until(100 * MS)
    assert sim.truth("c").total == 7
    sim.send("c", "line", b"add 1\n")
    assert sim.truth("c").total == 8


@pytest.mark.parametrize(
    ("direction", "total", "answers"), [("in", 0, 0), ("out", 5, 0), ("both", 0, 0)]
)
def test_a_direction_is_spared(direction, total, answers):
    sim = Simulation([Counter("c")])
    seen = tap(sim)
    sim.inject("c", "line", "drop", direction=direction)
    sim.send("c", "line", b"add 5\n")
    assert (sim.truth("c").total, len(seen)) == (total, answers)


def test_a_fault_on_what_comes_in_spares_what_goes_out():
    assert beats("drop", direction="in") == CLEAN


def test_a_fault_on_one_port_leaves_the_other_ports_alone():
    sim = Simulation([Counter("c")])
    sim.send("c", "line", b"subscribe x:1\n")
    seen = tap(sim)
    sim.inject("c", "line", "drop", probability=0.5)
    sim.run(1)
    assert len(seen) == 5
    assert "c/fault/line" not in sim.core.streams.save()
    sim.inject("c", "beat", "delay", ms=500)
    sim.clear("c", "line")
    sim.run(0.25)  # a beat is on its way; a line does not wait for it
    sim.send("c", "line", b"add 4\n")
    assert sim.truth("c").total == 4
    sim.inject("c", "line", "drop", probability=0.5)
    sim.send("c", "line", b"add 4\n")
    assert "c/fault/line" in sim.core.streams.save()


def test_disconnect_hangs_up_refuses_and_ends():
    sim, closed = Simulation([Counter("c")]), []
    sim.core.listeners.link.append(
        lambda at, robot, port, link, is_open: closed.append((port, link.id, is_open))
    )
    sim.apply(inp.Connect("c", "line", 1))
    sim.apply(inp.Connect("c", "line", 2))
    sim.apply(inp.Connect("c", "bus", 3))
    sim.inject("c", "line", "disconnect")
    assert closed == [("line", 1, False), ("line", 2, False)]
    sim.apply(inp.Arrive("c", "line", 1, b"add 1\n"))
    sim.apply(inp.Connect("c", "line", 4))
    assert closed[2:] == [("line", 4, False)]
    assert [list(links) for links in sim.core.links.by_port.values()] == [[], [], [3]]
    sim.clear("c", "line")
    sim.apply(inp.Connect("c", "line", 5))
    sim.apply(inp.Arrive("c", "line", 5, b"add 1\n"))
    assert sim.truth("c").total == 1


def test_nothing_passes_while_a_port_is_disconnected_even_on_links_that_the_robot_opens():
    sim = Simulation([Counter("c")])
    seen = tap(sim)
    sim.inject("c", "beat", "disconnect", until_s=0.5)
    sim.send("c", "line", b"subscribe x:1\n")
    sim.run(1)
    assert [at for at, *_ in seen] == [600 * MS, 800 * MS, 1000 * MS]


@pytest.mark.parametrize("kind", ["drop", "duplicate", "corrupt", "delay"])
def test_random_faults_are_the_same_for_a_seed_and_others_for_another(kind):
    params = {"ms": 1, "jitter_ms": 5} if kind == "delay" else {"probability": 0.5}
    assert beats(kind, 0.1, **params) == beats(kind, 0.1, **params)
    assert beats(kind, 0.1, **params) != beats(kind, 0.1, seed=4, **params)


def test_a_recording_does_not_change_which_packets_are_lost():
    def kept(recorded):
        sim = Simulation([Counter("c", CounterConfig(beat_hz=100))], seed=3)
        sim.inject("c", "beat", "drop", probability=0.5)
        if recorded:
            record_to_bytes(sim, 0.5)
        else:
            sim.run(0.5)
        sim.send("c", "line", b"subscribe x:1\n")
        seen = tap(sim)
        sim.run(0.5)
        return [at for at, *_ in seen]

    assert kept(recorded=True) == kept(recorded=False)
