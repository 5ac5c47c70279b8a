"""The frame: 159 bytes, big-endian, as the competition's bot client reads it; 152 before."""

import struct
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rigless.robots.pacbot.game import board as b
from rigless.robots.pacbot.game.frame import (
    GameCodec,
    GameCommand,
    GameQuit,
    TcpGameCodec,
    frame_of,
    read_frame,
    write_frame,
    write_frame_2024,
)

from .playing import Table

CLIENTS = (
    ">" + "HBB" + "BB" + "H" + "HBB" + "B" + "HBB" * 4 + "H" + "H" + "BB" + 31 * "I"
)  # as in that client


def test_a_frame_is_what_the_competitions_client_reads():
    table = Table().playing()
    table.steps(8)
    table.tick(b"a")
    frame = table.tick()
    assert len(frame) == struct.calcsize(CLIENTS) == 159
    ticks, period, mode, steps, lasts, level_steps, score, level, lives, combo, *rest = (
        struct.unpack(CLIENTS, frame)
    )
    assert (ticks, period, mode, lasts, level, lives, combo) == (
        table.state.ticks - 1,
        12,
        b.SCATTER,
        60,
        1,
        3,
        0,
    )
    assert (steps, level_steps, score) == (table.state.mode_steps, table.state.level_steps, 10)
    red, red_fright, red_trapped = rest[:3]
    assert red >> 14 == (b.STEP[table.state.ghosts[0].place.direction][0] & 3)
    assert (red >> 8 & 63, red & 63) == table.state.ghosts[0].place.cell
    assert (red_fright, red_trapped) == (0, 0)
    orange_fright, orange_trapped = rest[10:12]
    assert (orange_fright, orange_trapped) == (0x80, table.state.ghosts[3].trapped_steps)
    pacman, fruit, fruit_steps, fruit_lasts, *pellets = rest[12:]
    assert (pacman >> 8 & 63, pacman & 63, pacman >> 6 & 3) == (23, 12, 3)
    assert (fruit, fruit_steps, fruit_lasts) == (0x2020, 0, 30)
    assert len(pellets) == 31
    assert pellets[23] >> 12 & 1 == 0
    assert pellets[23] >> 11 & 1 == 1


def test_a_frame_is_read_as_it_was_written():
    table = Table().playing()
    for _ in range(200):
        table.tick(b"d", b"w")
        seen = frame_of(table.state)
        assert read_frame(write_frame(seen)) == seen
    with pytest.raises(ValueError, match="159"):
        read_frame(b"\0" * 158)


def test_a_frame_of_2024_is_what_clients_before_august_2024_read():
    """Its layout is that of the bot client of that time (Pacbot-2, commit 999e2e0)."""
    table = Table().playing()
    table.steps(8)
    table.tick(b"a")
    table.tick()
    seen = frame_of(table.state)
    old = write_frame_2024(seen)
    clients = ">" + "HBB" + "BB" + "HBB" + "HB" * 4 + "H" + "H" + "BB" + 31 * "I"
    assert len(old) == struct.calcsize(clients) == 152
    ticks, period, mode, _, _, score, level, lives, *rest = struct.unpack(clients, old)
    assert (ticks, period, mode, score, level, lives) == (
        seen.ticks, 12, b.SCATTER, 10, 1, 3,
    )  # fmt: skip
    assert rest[7] == 0x80  # orange leaves its house
    assert rest[8] >> 8 & 63 == 23  # Pacman's row
    assert tuple(rest[12:]) == seen.pellets
    without = [replace(ghost, trapped_steps=0, eaten=False) for ghost in seen.ghosts]
    assert read_frame(old) == replace(seen, level_steps=0, combo=0, ghosts=tuple(without))


def test_the_tcp_port_ignores_what_it_receives_but_a_lone_q():
    codec = TcpGameCodec()
    assert list(codec.decode(b"q")) == [GameQuit()]
    for data in (b"", b"P", b"qq", b"q\n", b"x\x17\x0d", b"\xff" * 3000):
        assert list(codec.decode(data)) == []


def test_a_frame_does_not_change_after_it_was_made():
    table = Table().playing()
    seen = frame_of(table.state)
    kept = replace(seen)
    table.steps(20)
    assert seen == kept
    assert seen != frame_of(table.state)


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"p", [GameCommand("p")]),
        (b"P", [GameCommand("P")]),
        (b"rest is ignored", [GameCommand("r")]),
        (b"x\x17\x0d", [GameCommand("x", 23, 13)]),
        (b"x\x17", [GameCommand("x")]),
        (b"x\x17\x0d\x00", [GameCommand("x")]),
        (b".", []),
        (b"", []),
        (b"\xff\xfe", []),
    ],
)
def test_commands(data, wanted):
    assert list(GameCodec().decode(data, "binary")) == wanted


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.binary(max_size=5), max_size=5))
def test_no_command_hurts(messages):
    table = Table().playing()
    table.tick(*messages)
    assert len(table.tick()) == 159
