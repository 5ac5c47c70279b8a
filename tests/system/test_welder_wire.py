"""A real `rigless run welder`: senders on TCP and a pseudo terminal; settings survive a restart."""

import os
import select
import termios
import tty

import pytest

from rigless.recordings.replay import verify
from robots.welder.senders import WAIT_S, Connection, character_counting, ping_pong, zigzag


def words(*settings):
    return [word for setting in ("ports.grbl=0", *settings) for word in ("--set", setting)]


@pytest.fixture
def process(rigless_process, tmp_path):
    """Run a welder at 20×. It ends with 0, and its recording replays equal."""
    file = tmp_path / "run.mcap"
    found = rigless_process(
        "run", "welder", *words(), "--no-panel", "--seed", "3", "--speed", "20", "--record", file
    )
    yield found
    assert found.end() == 0
    assert "Traceback" not in found.errors
    again = verify(file)
    assert (again.difference, again.cut) == (None, False)


@pytest.mark.parametrize("stream", [ping_pong, character_counting])
def test_a_long_job_is_streamed_to_the_end(process, stream):
    connection = Connection.tcp(process.address("welder/grbl"))
    job = zigzag(600)
    assert stream(connection, job) == ["ok"] * len(job)
    assert "|MPos:5.000,0.000," in connection.wait_idle()
    assert "[MSG:Pgm End]" in connection.messages
    assert any(message.startswith("GrblHAL 1.1f") for message in connection.messages)
    connection.close()


def test_a_serial_program_opens_the_pseudo_terminal(process):
    path = process.ports["welder/pty"].removeprefix("pty://")
    line = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        tty.setraw(line, termios.TCSANOW)
        connection = Connection(lambda: read(line), lambda data: os.write(line, data))
        job = zigzag(60)
        assert ping_pong(connection, job) == ["ok"] * len(job)
        assert "|MPos:5.000,0.000," in connection.wait_idle()
    finally:
        os.close(line)


def read(line):
    ready, _, _ = select.select([line], [], [], WAIT_S)
    assert ready, "the terminal is silent"
    return os.read(line, 4096)


def test_settings_and_offsets_survive_a_restart(rigless_process, tmp_path):
    memory = tmp_path / "welder.nvs"
    first = rigless_process(
        "run", "welder", *words(f"settings_file={memory}"), "--no-panel", "--fast"
    )
    connection = Connection.tcp(first.address("welder/grbl"))
    assert (
        ping_pong(connection, ["$110=1234.5", "G10 L2 P2 X7", "$N0=G21", "$I=mine"]) == ["ok"] * 4
    )
    connection.close()
    assert first.end() == 0
    assert "$110=1234.5" in memory.read_text()
    second = rigless_process(
        "run", "welder", *words(f"settings_file={memory}"), "--no-panel", "--fast"
    )
    connection = Connection.tcp(second.address("welder/grbl"))
    assert ping_pong(connection, ["$110", "$#", "$N", "$I"]) == ["ok"] * 4
    assert {
        "$110=1234.500",
        "[G55:7.000,0.000,0.000,0.000,0.000,0.000]",
        "$N0=G21",
        "[VER:1.1f.20260101:mine]",
    } <= set(connection.messages)
    connection.close()
    assert second.end() == 0


def test_a_settings_file_in_a_missing_folder_is_an_error(rigless_command, tmp_path):
    run = rigless_command(
        "run", "welder", *words(f"settings_file={tmp_path}/no/where.nvs"), "--no-panel"
    )
    assert run.returncode == 2
    assert "no such folder" in run.stderr
    assert "Traceback" not in run.stderr
