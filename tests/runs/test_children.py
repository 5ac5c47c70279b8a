"""Runs in processes of their own: the fork server, its ends, and the surroundings of a run."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from rigless.runs.children import Children
from rigless.runs.fork_server import HEAD_BYTES
from rigless.runs.request import Answer, Request
from runs.scenes import scenario

TOUCH = '[[programs]]\nname = "nav"\ncommand = "touch started"\n'
BECOME = """
import os, sys
from rigless.runs.fork_server import Wish, _become
question, reply, errors, parent = sys.argv[1:]
path = [os.fsencode(each) for each in sys.path]
files = [os.fsencode(each) for each in (question, reply, errors)]
wish = Wish(*files, False, os.getcwdb(), path, dict(os.environb))
_become(wish, int(parent) or os.getppid())
"""


def question(folder: Path, text: str = TOUCH) -> list[Path]:
    """Write a request and return the files of a run: question, reply and errors."""
    files = [folder / name for name in ("request", "reply", "errors")]
    request = Request(scenario(folder, text), folder=str(folder / "files"))
    files[0].write_bytes(msgspec.msgpack.encode(request))
    return files


def test_a_run_does_not_start_if_rigless_has_been_killed(tmp_path: Path) -> None:
    files = question(tmp_path)
    with subprocess.Popen(["true"]) as gone:
        pass
    for parent, runs in ((gone.pid, False), (0, True)):
        subprocess.run([sys.executable, "-c", BECOME, *files, str(parent)], check=True)
        assert (tmp_path / "started").exists() == files[1].exists() == runs


def test_one_server_forks_all_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    children = Children()
    try:
        files = question(tmp_path)
        assert children.run(*files, isolate=False) == 0
        server = children._server
        monkeypatch.setitem(os.environb, b"NAME", b"\xff")  # not every variable is UTF-8
        monkeypatch.setenv("CODE", "4")  # the surroundings are those of now
        text = '[[programs]]\nname = "nav"\ncommand = ["sh", "-c", "exit $CODE"]\n'
        assert children.run(*question(tmp_path, text), isolate=True) == 0
        found = msgspec.msgpack.decode(files[1].read_bytes(), type=Answer).result
        assert found is not None
        assert found.programs[0].exit == 4
        assert children._server is server
        files[0].unlink()
        assert children.run(*files, isolate=False) == 1
        assert "FileNotFoundError" in files[2].read_text()
    finally:
        children.close()
    assert server is not None
    assert server.returncode == 0


def test_runs_end_with_a_killed_server_and_the_next_run_has_a_new_one(tmp_path: Path) -> None:
    nav = """[[programs]]\nname = "nav"\ncommand = ["sh", "-c", "echo $$ > pid; sleep 300"]\n"""
    pid, children = tmp_path / "pid", Children()

    def kill_when_started() -> None:
        while not pid.exists() or not pid.read_text().strip():
            time.sleep(0.01)
        assert children._server is not None
        children._server.kill()

    killer = threading.Thread(target=kill_when_started)
    killer.start()
    try:
        assert children.run(*question(tmp_path, nav), isolate=False) == -1
        killer.join()
        end = time.monotonic() + 60
        while Path("/proc", pid.read_text().strip()).exists():
            assert time.monotonic() < end
            time.sleep(0.01)
        assert children.run(*question(tmp_path), isolate=False) == 0
    finally:
        children.close()


def test_a_server_that_is_closed_in_the_middle_of_a_request_ends_quietly() -> None:
    mine, its = socket.socketpair()
    read_end, write_end = os.pipe()
    socket.send_fds(mine, [(100).to_bytes(HEAD_BYTES, "big")], [write_end])
    mine.sendall(b"half")
    mine.close()
    words = [sys.executable, "-m", "rigless.runs.fork_server", str(its.fileno())]
    ended = subprocess.run(
        words, pass_fds=[its.fileno()], capture_output=True, text=True, timeout=240, check=False
    )
    for one in (read_end, write_end):
        os.close(one)
    its.close()
    assert (ended.returncode, ended.stderr) == (0, "")
