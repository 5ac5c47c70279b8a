from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rigless.kernel import inputs as inp
from rigless.kernel.loop.links import ALL
from rigless.kernel.loop.listeners import Output
from rigless.kernel.plain import pack, to_builtins, unpack
from rigless.kernel.ports import Connected, Disconnected
from rigless.kernel.problems import InputError
from rigless.kernel.recording import record_to_bytes
from rigless.kernel.robot import on
from rigless.kernel.simulation import RobotError, Simulation

from .robots import Counter, Diary, tap
from .wires import Beat, BeatCodec, LineCodec, Total


def counter(*links, port="line"):
    sim = Simulation([Counter("c")])
    for link in links:
        sim.apply(inp.Connect("c", port, link, f"peer {link}"))
    return sim


@given(st.lists(st.integers(0, 60), max_size=8).map(sorted))
def test_it_does_not_matter_how_a_stream_is_cut(cuts):
    stream = b"add 1\nwhat is this\nadd 22\nlater 1 1\nadd 333\nad"
    sim = counter(1)
    seen = tap(sim)
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        sim.apply(inp.Arrive("c", "line", 1, stream[begin:end]))
    assert [data for *_, data in seen] == [b"1\n", b"23\n", b"356\n"]
    assert sim.robots["c"].links("line")[0].codec == LineCodec(b"ad")


def test_each_link_has_a_codec_of_its_own_and_gets_its_own_answers():
    sim = counter(1, 2)
    seen = tap(sim)
    sim.apply(inp.Arrive("c", "line", 1, b"add "))
    sim.apply(inp.Arrive("c", "line", 2, b"add 5\n"))
    sim.apply(inp.Arrive("c", "line", 1, b"3\n"))
    assert [(link, data) for *_, link, data in seen] == [(2, b"5\n"), (1, b"8\n")]


def test_a_robot_hears_of_peers_that_come_and_go():
    sim = Simulation([Diary("d")])
    sim.apply(inp.Connect("d", "line", 1, "them", "us"))
    link = sim.robots["d"].links("line")[0]
    assert (link.id, link.peer, link.local) == (1, "them", "us")
    sim.apply(inp.Disconnect("d", "line", 1))
    assert sim.robots["d"].links("line") == []
    sim.apply(inp.Disconnect("d", "line", 1))
    sim.apply(inp.Arrive("d", "line", 1, b"add 1\n"))
    assert [what for _, what in sim.truth("d").entries] == ["Connected", "Disconnected"]


def test_a_robot_gets_the_addresses_and_the_link_of_a_peer():
    got = []

    class Polite(Counter):
        @on(Connected, Disconnected)
        def note(self, message, link):
            got.append((message, link))

    sim = Simulation([Polite("p"), Counter("c")])
    for robot in ("p", "c"):
        sim.apply(inp.Connect(robot, "line", 1, "them", "us"))
        sim.apply(inp.Connect(robot, "line", 2, "others", "us"))
        first, second = sim.robots[robot].links("line")
        sim.apply(inp.Disconnect(robot, "line", 1))
        sim.robots[robot].close(second)
        if robot == "p":
            assert got == [
                (Connected("them", "us"), first),
                (Connected("others", "us"), second),
                (Disconnected("them"), first),
                (Disconnected("others"), second),
            ]
    assert list(sim.events) == []  # a robot need not handle them


def test_an_unknown_port_is_an_error_with_a_suggestion():
    with pytest.raises(InputError) as caught:
        counter().apply(inp.Connect("c", "lien", 1))
    assert str(caught.value) == "c: unknown port 'lien' (did you mean 'line'?)"


def test_a_link_that_is_there_is_not_connected_again():
    sim = counter(1)
    sim.apply(inp.Arrive("c", "line", 1, b"add "))
    sim.apply(inp.Connect("c", "line", 1, "again"))
    sim.apply(inp.Arrive("c", "line", 1, b"4\n"))
    assert sim.truth("c").total == 4
    assert sim.robots["c"].links("line")[0].peer == "peer 1"


def test_a_peer_that_is_refused_is_not_announced_at_all():
    sim, told = Simulation([Diary("d")]), []
    sim.core.listeners.link.append(
        lambda at, robot, port, link, is_open: told.append((link.id, is_open))
    )
    sim.inject("d", "line", "disconnect")
    sim.apply(inp.Connect("d", "line", 1, "them"))
    assert told == [(1, False)]
    assert [what for _, what in sim.truth("d").entries] == ["Injected"]


def test_breaking_the_protocol_closes_the_link_after_what_came_before():
    sim, told = counter(1, 2), []
    sim.core.listeners.link.append(
        lambda at, robot, port, link, is_open: told.append((at, robot, port, link.id, is_open))
    )
    sim.run(0.05)
    sim.apply(inp.Arrive("c", "line", 1, b"add 3\n" + b"x" * 40))
    assert sim.truth("c").total == 3
    assert told == [(50_000_000, "c", "line", 1, False)]
    assert [link.id for link in sim.robots["c"].links("line")] == [2]
    event = sim.events[-1]
    assert (event.code, event.severity, event.data) == (
        "wire-error",
        "warning",
        {"port": "line", "peer": "peer 1"},
    )
    assert "the line is too long" in event.text
    sim.apply(inp.Arrive("c", "line", 1, b"add 3\n"))
    assert sim.truth("c").total == 3


def test_a_robot_that_hangs_up_hears_nothing_of_the_rest_of_the_chunk():
    sim = counter(1, 2)
    sim.apply(inp.Arrive("c", "line", 1, b"add 1\nhang\nadd 10\nfail\n"))
    assert sim.truth("c").total == 1
    assert [link.id for link in sim.robots["c"].links("line")] == [2]


def test_any_other_failure_of_a_codec_is_the_robots_own():
    sim = counter(1)
    with pytest.raises(RobotError, match="ValueError: Exceeds the limit"):
        sim.apply(inp.Arrive("c", "line", 1, b"add " + b"1" * 5000 + b"\n"))


def test_links_that_a_robot_opens_are_told_of_and_never_meet_those_of_the_host():
    sim, told = counter(1), []
    sim.core.listeners.link.append(
        lambda at, robot, port, link, is_open: told.append((port, link.id, link.peer, is_open))
    )
    sim.send("c", "line", b"subscribe a:1\nsubscribe b:2\n")
    first, second = sim.robots["c"].links("beat")
    assert [first.id, second.id] == [2**32 + 1, 2**32 + 2]  # the host counts up from 1
    assert (first.peer, first.local) == ("a:1", "")
    sim.robots["c"].emit("beat", Beat(1, None), to=first)
    assert (first.codec, second.codec) == (BeatCodec(sent=1), BeatCodec(sent=0))
    assert sim.core.links.encoders["c", "beat"] == BeatCodec(sent=0)
    sim.robots["c"].close(first)
    sim.robots["c"].close(first)
    assert told == [
        ("beat", first.id, "a:1", True),
        ("beat", second.id, "b:2", True),
        ("beat", first.id, "a:1", False),
    ]
    assert sim.robots["c"].links("beat") == [second]


def test_a_robot_cannot_open_a_link_on_a_stream():
    with pytest.raises(ValueError, match="c: the stream port 'line' accepts connections; it can"):
        counter().robots["c"].open("line", "a:1")


def test_what_goes_to_all_is_encoded_once():
    sim = counter()
    sim.send("c", "line", b"subscribe a:1\nsubscribe b:2\n")
    seen = tap(sim)
    sim.run(0.4)
    assert [(link, data.split()[0]) for *_, link, data in seen] == [(ALL, b"1"), (ALL, b"2")]


def test_nothing_is_encoded_for_nobody():
    sim = counter()
    seen = tap(sim)
    sim.inject("c", "line", "drop")  # only a wire fault on this port draws random numbers for it
    sim.inject("c", "level", "noise")
    sim.run(1)
    assert seen == []
    assert sim.core.links.encoders["c", "beat"] == BeatCodec(sent=0)
    assert len(sim.take("c", "beat")) == 5


def test_a_recording_is_somebody():
    sim = counter()
    record_to_bytes(sim, 1)
    assert sim.core.links.encoders["c", "beat"] == BeatCodec(sent=5)
    sim.run(1)
    assert sim.core.links.encoders["c", "beat"] == BeatCodec(sent=5)


@pytest.mark.parametrize("who", ["collector", "link", "recorder", "nobody"])
def test_a_robot_can_ask_whether_anybody_listens(who):
    sim = Simulation([Counter("c")], collect=who == "collector")
    if who == "link":
        sim.apply(inp.Connect("c", "beat", 1))
    sim.core.recording = who == "recorder"
    assert sim.robots["c"].wanted("beat") is (who != "nobody")
    assert sim.robots["c"].wanted("line") is (who in ("collector", "recorder"))


def test_message_ports_carry_subjects_both_ways():
    sim = counter(1, port="bus")
    outputs = []
    sim.core.listeners.output.append(
        lambda at, out: outputs.append((out.subject, out.data, out.message))
    )
    sim.apply(inp.Arrive("c", "bus", 1, b"4", "count.add"))
    sim.apply(inp.Arrive("c", "bus", 1, b"4", "other"))
    assert outputs == [("count.total", b"4", Total(4))]


def test_an_answer_to_a_local_message_goes_out_as_local():
    sim = counter(1)
    seen = tap(sim)
    sim.send("c", "line", {"type": "Add", "amount": 2})
    assert [(link, data) for *_, link, data in seen] == [(inp.LOCAL, b"2\n")]


def test_an_output_as_plain_data_keeps_the_type_and_the_content_of_its_message():
    @dataclass(frozen=True)
    class Letter:
        CARRIES: ClassVar[str] = "body"
        body: Total
        number: int

    place = ("c", "bus", 1, b"3", "count.total")
    for message, carries in ((Letter(Total(3), 8), "body"), (Total(3), "")):
        output = Output(*place, message)
        assert (output.type_name, output.content) == ("Total", Total(3))
        plain = to_builtins(message)
        late = unpack(pack(output.as_plain_data()), Output)
        assert late == Output(*place, plain, "Total", carries)
        assert (late.type_name, late.content) == ("Total", {"total": 3})


def test_an_output_is_told_with_its_time_bytes_and_message():
    sim, told = counter(1, port="beat"), []
    sim.core.listeners.output.append(lambda at, out: told.append((at, out)))
    sim.run(0.2)
    [(at, out)] = told
    assert (at, out.robot, out.port, out.link, out.subject) == (200_000_000, "c", "beat", ALL, "")
    assert isinstance(out.message, Beat)
    assert out.data == f"1 2 {out.message.level}".encode()
