"""A file as a port: read once, replaced atomically."""

import asyncio

import pytest

from rigless.kernel.ports import Port
from rigless.robots.welder.wire import StoreCodec
from rigless.transports.file import Transport

from .inboxes import Diary


def run(path, *writes):
    inbox = Diary()
    transport = Transport(Port("settings", StoreCodec, "file", str(path), kind="datagram"), inbox)
    url = asyncio.run(transport.open(str(path)))
    for data in writes:
        transport.send(1, data, "")
    transport.close_link(1)
    asyncio.run(transport.close())
    return inbox, url


def test_what_is_in_it_comes_in_and_what_is_sent_replaces_it(tmp_path):
    path = tmp_path / "memory"
    inbox, url = run(path, b"first", b"second")
    assert url == path.as_uri()
    assert path.read_bytes() == b"second"
    assert [entry.name for entry in tmp_path.iterdir()] == ["memory"]
    inbox, _ = run(path)
    assert inbox.data(1) == b"second"


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(OSError, match="no such folder"):
        run(tmp_path / "no" / "memory")


def test_what_cannot_be_written_is_counted(tmp_path):
    path = tmp_path / "memory"
    path.mkdir()
    inbox = Diary()
    transport = Transport(Port("settings", StoreCodec, "file", str(path)), inbox)
    transport._path = path
    transport.send(1, b"x", "")
    assert inbox.drops
