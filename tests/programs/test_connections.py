"""Clients of a server of this machine, as a program that yields looks for them."""

import os
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from rigless.programs import connections
from rigless.programs.connections import clients_of


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        yield opened


def test_clients_of_known_processes_are_left_out(server: socket.socket) -> None:
    port = server.getsockname()[1]
    with closing(socket.create_connection(server.getsockname())) as client:
        host, number = client.getsockname()
        assert clients_of(port, []) == [f"{host}:{number}"]
        assert clients_of(port, [os.getpid()]) == []


def test_a_connection_that_opens_meanwhile_is_no_other_client(
    server: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed, opened = connections.open_files, []

    def list_and_connect(pids: list[int]) -> set[str]:
        found = listed(pids)
        opened.append(socket.create_connection(server.getsockname()))
        return found

    monkeypatch.setattr(connections, "open_files", list_and_connect)
    found = clients_of(server.getsockname()[1], [os.getpid()])
    for client in opened:
        client.close()
    assert opened
    assert found == []
