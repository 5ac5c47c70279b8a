"""Session files: private, one for each process, stale ones ignored; and the cookie key."""

import json
import os
import stat
import subprocess
import sys

import pytest

from rigless.host import sessions
from rigless.kernel.problems import InputError
from rigless.scenario import extras


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
    assert sessions.only_instance() == {
        "pid": os.getpid(),
        "url": "http://127.0.0.1:1",
        "token": "secret",
        "name": "winter",
    }


def test_a_note_is_written_anew_when_the_pid_comes_again():
    sessions.write("http://127.0.0.1:1", "old", "winter")
    sessions.write("http://127.0.0.1:2", "new", "winter")
    assert sessions.only_instance()["token"] == "new"


def test_a_link_in_the_way_is_not_followed(folder, tmp_path):
    folder.mkdir()
    (tmp_path / "precious").write_text("mine")
    (folder / f"{os.getpid()}.json").symlink_to(tmp_path / "precious")
    sessions.write("http://127.0.0.1:1", "secret", "winter")
    assert (tmp_path / "precious").read_text() == "mine"


def test_the_note_of_a_dead_process_is_removed(folder):
    folder.mkdir()
    stale = folder / "1.json"
    stale.write_text(
        json.dumps({"pid": dead_pid(), "url": "http://127.0.0.1:1", "token": None, "name": "old"})
    )
    with pytest.raises(InputError, match="no running rigless"):
        sessions.only_instance()
    assert not stale.exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"pid": "x"}',
        '{"url": "http://127.0.0.1:1"}',
        '{"pid": 1e400}',
        '{"pid": -1, "url": "http://127.0.0.1:1", "token": null, "name": "group"}',
        '{"pid": 1, "url": 5, "token": null, "name": "number"}',
        '{"pid": true, "url": "http://127.0.0.1:1", "token": null, "name": "true"}',
        "\x00",
    ],
)
def test_a_note_that_cannot_be_read_is_passed_over(folder, text):
    folder.mkdir()
    (folder / "1.json").write_text(text)
    sessions.write("http://127.0.0.1:1", "secret", "winter")
    assert sessions.only_instance()["name"] == "winter"


def test_a_note_without_all_its_fields_is_passed_over(folder):
    folder.mkdir()
    (folder / "1.json").write_text(json.dumps({"pid": os.getpid()}))
    with pytest.raises(InputError, match="no running rigless"):
        sessions.only_instance()


def test_without_the_extra_panel_the_error_names_it(folder, monkeypatch):
    monkeypatch.setattr(extras, "missing", lambda extra: ["uvicorn"])
    with pytest.raises(InputError, match=r"pip install 'rigless\[panel\]', then start"):
        sessions.only_instance()


def test_several_instances_are_named(folder):
    sessions.write("http://127.0.0.1:1", "secret", "winter")
    other = {"pid": os.getppid(), "url": "http://127.0.0.1:2", "token": None, "name": "summer"}
    (folder / "2.json").write_text(json.dumps(other))
    with pytest.raises(InputError, match="several") as caught:
        sessions.only_instance()
    assert "http://127.0.0.1:1 (winter)" in str(caught.value)
    assert "http://127.0.0.1:2 (summer)" in str(caught.value)


# The key that signs cookies


def test_the_key_is_for_this_user_only_and_kept(folder):
    first = sessions.cookie_key()
    path = folder / "cookie.key"
    assert (len(first), stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (
        32,
        0o600,
        0o700,
    )
    assert sessions.cookie_key() == first == path.read_bytes()


@pytest.mark.parametrize(
    ("data", "mode"), [(b"x" * 32, 0o644), (b"x" * 32, 0o620), (b"short", 0o600), (b"", 0o600)]
)
def test_a_key_that_others_could_know_is_not_used(folder, data, mode):
    folder.mkdir()
    (folder / "cookie.key").write_bytes(data)
    (folder / "cookie.key").chmod(mode)
    first, second = sessions.cookie_key(), sessions.cookie_key()
    assert (len(first), len(second)) == (32, 32)
    assert data not in (first, second)
    assert first != second


def test_without_a_place_to_keep_it_a_key_is_made_up(folder):
    folder.write_text("not a folder")
    assert len(sessions.cookie_key()) == 32
    assert sessions.cookie_key() != sessions.cookie_key()


def test_a_key_is_no_note(folder):
    sessions.cookie_key()
    assert sessions.running() == []
    assert (folder / "cookie.key").exists()
