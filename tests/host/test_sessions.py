"""Session notes: private, one a process, and stale ones do not get in the way."""

import json
import os
import stat
import subprocess
import sys

import pytest

from rigless.host import sessions
from rigless.kernel.problems import InputError


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "rigless"


def dead_pid():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def test_a_note_is_for_this_user_only_and_holds_what_ctl_needs(folder):
    path = sessions.write("http://127.0.0.1:1", "secret", "winter")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sessions.the_one() == {"pid": os.getpid(), "url": "http://127.0.0.1:1", "token": "secret", "name": "winter"}


def test_a_note_is_written_anew_when_the_pid_comes_again():
    sessions.write("http://127.0.0.1:1", "old", "winter")
    sessions.write("http://127.0.0.1:2", "new", "winter")
    assert sessions.the_one()["token"] == "new"


def test_a_link_in_the_way_is_not_followed(folder, tmp_path):
    folder.mkdir()
    (tmp_path / "precious").write_text("mine")
    (folder / f"{os.getpid()}.json").symlink_to(tmp_path / "precious")
    sessions.write("http://127.0.0.1:1", "secret", "winter")
    assert (tmp_path / "precious").read_text() == "mine"


def test_the_note_of_a_dead_process_is_removed(folder):
    folder.mkdir()
    stale = folder / "1.json"
    stale.write_text(json.dumps({"pid": dead_pid(), "url": "http://127.0.0.1:1", "token": None, "name": "old"}))
    with pytest.raises(InputError, match="no running rigless"):
        sessions.the_one()
    assert not stale.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"pid": "x"}', '{"url": "http://127.0.0.1:1"}', '{"pid": 1e400}', "\x00"]
)
def test_a_note_that_cannot_be_read_is_passed_over(folder, text):
    folder.mkdir()
    (folder / "1.json").write_text(text)
    sessions.write("http://127.0.0.1:1", "secret", "winter")
    assert sessions.the_one()["name"] == "winter"


def test_a_note_without_all_its_fields_is_passed_over(folder):
    folder.mkdir()
    (folder / "1.json").write_text(json.dumps({"pid": os.getpid()}))
    with pytest.raises(InputError, match="no running rigless"):
        sessions.the_one()


def test_several_instances_are_named(folder):
    sessions.write("http://127.0.0.1:1", "secret", "winter")
    other = {"pid": os.getppid(), "url": "http://127.0.0.1:2", "token": None, "name": "summer"}
    (folder / "2.json").write_text(json.dumps(other))
    with pytest.raises(InputError, match="several") as caught:
        sessions.the_one()
    assert "http://127.0.0.1:1 (winter)" in str(caught.value)
    assert "http://127.0.0.1:2 (summer)" in str(caught.value)
