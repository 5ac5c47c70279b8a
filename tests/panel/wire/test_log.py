"""The log of the wire in virtual time: faults, refusals, sampling, and no effect on the run."""

import io
from dataclasses import dataclass

import pytest

from kernel.robots import Counter, CounterConfig
from rigless.kernel import inputs as inp
from rigless.kernel.loop.wire_packets import WirePacket
from rigless.kernel.recording import Recorder
from rigless.kernel.simulation import Simulation
from rigless.panel.wire import display
from rigless.panel.wire.feed import BATCH, FIRST, Feed, Filter
from rigless.panel.wire.log import WireLog
from rigless.panel.wire.rows import row_of
from rigless.robots.agv.vda5050_model.messages import Connection
from rigless.robots.welder.wire import Line

MS = 1_000_000


def counter(**config):
    sim = Simulation([Counter("c", CounterConfig(**{"tick_hz": 0, "beat_hz": 0, **config}))])
    sim.apply(inp.Connect("c", "line", 7, "10.0.0.2:99", "10.0.0.1:1"))
    return sim


def say(sim, text, link=7):
    sim.apply(inp.Arrive("c", "line", link, text))


def watched(**config):
    sim, log = counter(**config), WireLog()
    log.attach(sim)
    return sim, log


def rows(log):
    log.update()
    return [row_of(entry) for entry in log.entries]


def shown(log):
    """Return direction, type, text and marks of each row."""
    return [(r["direction"], r["kind"], r["text"], *r.get("marks", ())) for r in rows(log)]


def test_messages_in_both_directions_with_peer_parts_and_sizes():
    sim, log = watched()
    say(sim, b"add 2\nadd 3\nad")
    say(sim, b"d 1\nwhat\n")
    first, *_, last = rows(log)
    assert shown(log) == [
        ("in", "Add", "amount 2"),
        ("in", "Add", "amount 3"),
        ("out", "Total", "total 2"),
        ("out", "Total", "total 5"),
        ("in", "Add", "amount 1"),
        ("in", "Odd", "what"),
        ("out", "Total", "total 6"),
    ]
    assert (first["port"], first["peer"], first["size"]) == ("line", "10.0.0.2:99", 14)
    assert (first["part"], first["parts"], "part" in last) == (1, 2, False)
    [add, total, odd] = log.statistics.rows(sim.now_ns)
    assert (add["kind"], add["count"], total["bytes"]) == ("Add", 3, 6)
    assert odd["count"] == 1


def test_links_partial_messages_and_messages_past_the_codec():
    sim, log = watched()
    sim.apply(inp.Connect("c", "line", 8, "10.0.0.3:5", ""))
    say(sim, b"ad", 8)
    sim.send("c", "line", {"type": "Add", "amount": 4})
    sim.apply(inp.Disconnect("c", "line", 8))
    whats = [(row["what"], row["kind"], row["text"]) for row in rows(log)]
    assert whats == [
        ("connected", "connected", ""),
        ("data", "", "ad"),
        ("local", "Add", "amount 4"),
        ("disconnected", "disconnected", ""),
    ]


def test_refused_messages_have_the_reason():
    sim, log = watched()
    say(sim, b"x" * 40)
    say(sim, b"late\n")  # the link is closed
    refused, closed, late = rows(log)
    assert (refused["kind"], refused["refused"]) == ("refused", "the line is too long")
    assert (closed["what"], closed["direction"]) == ("disconnected", "out")
    assert late["refused"] == "the link is closed"
    sim.inject("c", "line", "disconnect")
    sim.apply(inp.Connect("c", "line", 9, "10.0.0.4:5", ""))
    assert rows(log)[-1]["refused"] == "the fault 'disconnect' is active"


@pytest.mark.parametrize(
    ("kind", "params", "expected"),
    [
        ("drop", {}, [("in", "", "add 2", "dropped")]),
        ("drop", {"direction": "out"}, [
            ("in", "Add", "amount 2"),
            ("out", "Total", "total 2", "dropped"),
        ]),
        ("duplicate", {"direction": "in"}, [
            ("in", "Add", "amount 2"),
            ("out", "Total", "total 2"),
            ("in", "Add", "amount 2", "duplicated"),
            ("out", "Total", "total 4"),
        ]),
        ("delay", {"ms": 30.0, "direction": "in"}, [
            ("in", "Add", "amount 2", "delayed"),
            ("out", "Total", "total 2"),
        ]),
        ("delay", {"ms": 30.0, "direction": "out"}, [
            ("in", "Add", "amount 2"),
            ("out", "Total", "total 2", "delayed"),
        ]),
    ],
)  # fmt: skip
def test_wire_faults_are_marked_on_what_they_did(kind, params, expected):
    sim, log = watched()
    sim.inject("c", "line", kind, **params)
    say(sim, b"add 2\n")
    sim.run(0.1)
    assert shown(log) == expected
    delays = [row["delay_ms"] for row in rows(log) if "delay_ms" in row]
    assert delays == ([30.0] if kind == "delay" else [])


def test_corrupted_bytes_are_marked_and_the_original_is_kept():
    sim, log = watched()
    sim.inject("c", "line", "corrupt", direction="out", bits=1)
    sim.inject("c", "line", "delay", direction="out", ms=5.0)
    sim.inject("c", "line", "duplicate", direction="out")
    say(sim, b"add 2\n")
    sim.run(0.1)
    _, first, copy = log.update() or log.entries
    assert first.packet.passage.effects == ("corrupted", "delayed")
    assert copy.packet.passage.effects == ("corrupted", "delayed", "duplicated")
    assert first.packet.passage.original == b"2\n" != first.packet.data


def test_a_packet_delayed_before_the_observer_came_is_marked_without_a_time():
    sim, log = counter(), WireLog()
    sim.inject("c", "line", "delay", direction="in", ms=50.0)
    say(sim, b"add 2\n")
    log.attach(sim)
    sim.run(0.1)
    assert (rows(log)[0]["marks"], rows(log)[0]["delay_ms"]) == (["delayed"], None)


def test_outputs_are_shown_only_if_a_peer_is_there():
    sim, log = watched(beat_hz=10)
    stream = io.BytesIO()
    recorder = Recorder(sim, stream)  # it makes the robot encode everything
    sim.run(0.5)
    assert rows(log) == []
    say(sim, b"subscribe 10.0.0.9:1\n")
    sim.run(0.5)
    recorder.close()
    kinds = [row["kind"] for row in rows(log)]
    assert kinds == ["Subscribe", "connected", *["Beat"] * 5]
    assert {row["peer"] for row in rows(log)[1:]} == {"10.0.0.9:1"}
    beat = next(row for row in log.statistics.rows(sim.now_ns) if row["kind"] == "Beat")
    assert (beat["rate_hz"], beat["jitter_ms"]) == (pytest.approx(10), pytest.approx(0))
    sim.run(10.0)
    assert beat["bytes_per_s"] == pytest.approx(beat["bytes"] * 10 / 5)


def run_with(log):
    """Record a run with all kinds of faults, with or without an observer."""
    sim = counter(beat_hz=200, tick_hz=50)
    stream = io.BytesIO()
    recorder = Recorder(sim, stream)
    if log:
        log.attach(sim)
    say(sim, b"subscribe 10.0.0.9:1\n")
    for kind in ("drop", "duplicate", "corrupt", "delay"):
        for port in ("line", "beat"):
            probability = {} if kind == "delay" else {"probability": 0.4}
            sim.inject("c", port, kind, **probability)
    for _ in range(40):
        say(sim, b"add 1\nadd 2\n")
        sim.run(0.05)
    saved = sim.snapshot().to_bytes()
    recorder.close()
    return stream.getvalue(), saved


def test_recordings_and_snapshots_are_the_same_with_and_without_an_observer():
    log = WireLog()
    assert run_with(log) == run_with(None)
    log.update()
    marks = {mark for entry in log.entries for mark in entry.packet.passage.effects}
    assert marks == {"dropped", "delayed", "duplicated", "corrupted"}


def test_nothing_is_observed_without_a_subscriber_and_a_restore_forgets_delayed_packets():
    sim, log = watched()
    assert sim.core.listeners.wire == [log.observe]
    sim.inject("c", "line", "delay", direction="in", ms=50.0)
    say(sim, b"add 2\n")
    saved = sim.snapshot()
    sim.restore(saved)
    assert sim.core.links.passages == {}
    sim.run(0.1)
    assert rows(log)[0]["delay_ms"] is None
    sim.reset()
    sim.apply(inp.Connect("c", "line", 7, "", ""))
    assert [row["what"] for row in rows(log)][-2:] == ["jump", "connected"]
    log.detach()
    assert sim.core.listeners.wire == []
    assert not log.entries


def flood(sim, count):
    for _ in range(count // 100):
        say(sim, b"add 1\n" * 100)


def test_a_flood_is_sampled_and_counted_and_memory_is_bounded():
    sim, log = counter(), WireLog(kept=2000)
    log.attach(sim)
    feed = Feed(log, Filter())
    log.update()
    assert feed.batch().rows == []
    say(sim, b"x" * 40)  # refused; it closes the link
    sim.apply(inp.Connect("c", "line", 7, "", ""))
    flood(sim, 12_000)  # and as many answers
    assert len(log._pending) < 10_000
    log.update()
    assert len(log.entries) == 2000
    batch = feed.batch()
    assert len(batch.rows) == BATCH
    assert [row["n"] for row in batch.rows] == sorted(row["n"] for row in batch.rows)
    assert batch.skipped == 2000 - BATCH
    counts = {row["kind"]: row["count"] for row in log.statistics.rows(sim.now_ns)}
    assert (counts["Add"], counts["Total"]) == (12_000, 12_000)
    assert feed.batch() is None
    big = WireLog(kept_bytes=10_000)
    big.attach(sim)
    flood(sim, 3000)
    big.update()
    kept = {id(entry.packet): len(entry.packet.data) for entry in big.entries}
    assert 5000 < sum(kept.values()) < 11_000


def test_abnormal_messages_of_a_flood_are_not_left_out():
    sim, log = watched()
    flood(sim, 2000)
    sim.inject("c", "line", "drop", direction="out")
    say(sim, b"add 1\n")
    sim.clear("c", "line")
    flood(sim, 2000)
    feed = Feed(log, Filter())
    log.update()
    feed.batch()
    flood(sim, 2000)
    sim.inject("c", "line", "drop", direction="out")
    say(sim, b"add 1\n")
    log.update()
    assert [row["marks"] for row in feed.batch().rows if "marks" in row] == [["dropped"]]
    log.update()
    only = Feed(log, Filter(abnormal=True)).batch()
    assert [row.get("marks") for row in only.rows] == [["dropped"], ["dropped"]]


def test_filters_the_past_pause_and_search():
    sim, log = watched()
    flood(sim, 3000)
    say(sim, b"hello\n")
    log.update()
    assert len(Feed(log, Filter()).batch().rows) == FIRST
    feed = Feed(log, Filter(direction="in", kind="Odd"))
    assert [row["text"] for row in feed.batch().rows] == ["hello"]
    feed.pause(True)
    say(sim, b"again\n" * 200)
    log.update()
    assert feed.batch() is None
    feed.pause(False)
    assert len(feed.batch().rows) == 200  # more than usual, after a pause
    ticks = iter(range(10_000))
    search = Feed(log, Filter(text="HELLO"), clock=lambda: next(ticks) * 1e-4)
    found, batches = [], 0
    while search.searching or not batches:
        batch = search.batch()
        batches += 1
        found += batch.rows if batch else []
    assert ([row["text"] for row in found], batches > 5) == (["hello"], True)
    assert Feed(log, Filter(robot="x")).batch().rows == []


@dataclass
class Hostile:
    """A message of a robot's author whose field fails."""

    good: int = 1

    @property
    def __dict__(self):
        raise RuntimeError("no")

    def __getattribute__(self, name):
        if name == "good":
            raise RuntimeError("broken")
        return object.__getattribute__(self, name)


class Plain:
    def __init__(self):
        self.speed = 1.5
        self.parts = [object()]


def test_messages_that_cannot_be_shown_say_so():
    assert display.summarise(Hostile()) == "cannot be shown: RuntimeError: broken"
    assert display.summarise(Plain()).startswith("speed 1.5, parts [")
    with pytest.raises(TypeError):
        display.plain_fields(Plain())


@dataclass
class Reading:
    header: dict[str, int]
    speed: float
    reasons: list[str]
    covariance: list[float]
    unit: str | None = None
    stale: bool = False


def test_a_line_of_text_begins_with_what_the_message_says():
    reading = Reading({"stamp": 1795093591}, 0.25, [], [0.0] * 36)
    assert display.summarise(reading) == "speed 0.25, header {stamp 1795093591}, covariance [36]"
    online = Connection(connectionState="ONLINE", headerId=7, manufacturer="m", version="2.1.0")
    shown = display.summarise(online)
    assert shown == "connectionState ONLINE, headerId 7, version 2.1.0, manufacturer m"
    assert display.summarise(Line("G1 X2", size=6)) == "G1 X2"
    assert display.summarise(Line("G1 X2", 6, True)) == "text G1 X2, overflow true"


def test_messages_of_two_topics_are_counted_and_chosen_by_topic():
    _, log = watched()
    for number in range(10):
        topic = "/odom" if number % 2 else "/truth"
        packet = WirePacket("c", "line", "out", "data", 7, "peer", b"12", topic, [Plain()])
        log.observe(number * MS, packet)
    log.update()
    found = {row["subject"]: row["count"] for row in log.statistics.rows(9 * MS)}
    assert found == {"/odom": 5, "/truth": 5}
    chosen = Feed(log, Filter(subject="/odom")).batch().rows
    assert [row["subject"] for row in chosen] == ["/odom"] * 5


def test_a_log_of_a_recording_has_outputs_without_a_receiver():
    sim = Simulation([Counter("c", CounterConfig(tick_hz=0, beat_hz=10))])
    sim.core.recording = True  # as in a replay
    log = WireLog(unsent=True)
    log.attach(sim)
    sim.run(0.35)
    sim.core.robots["c"].open("beat", "10.0.0.2:99")
    sim.run(0.2)
    sent = [row for row in rows(log) if row["kind"] == "Beat"]
    beats = [row["what"] for row in sent]
    assert beats == ["unsent"] * beats.count("unsent") + ["data"] * 2
    assert beats.count("unsent") >= 3
    assert len({(row["kind"], row["size"] > 0) for row in sent}) == 1
    assert Feed(log, Filter(abnormal=True)).batch().rows[0]["what"] == "connected"
    log.detach()
    assert sim.core.listeners.output == []
