"""The lease: one process for each robot; a second one is refused, a dead one replaced."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import pytest

from nats_servers import Server
from rigless.kernel.problems import InputError
from rigless.transports.jetstream import lease as leases

from .inboxes import until
from .nats_robots import Robot, backend, on_loop, port, running

ROOT = Path(__file__).parents[2]
CHILD = textwrap.dedent("""
    import asyncio, sys
    from pathlib import Path

    sys.path.insert(0, "tests")
    from tests.transports.nats_robots import running, port

    async def main():
        async with running(port(sys.argv[1], Path(sys.argv[2]))) as robot:
            print("open", flush=True)
            await asyncio.sleep(60)

    asyncio.run(main())
""")


async def child(server, state):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, server.url, str(state), cwd=ROOT, stdout=subprocess.PIPE
    )
    assert await process.stdout.readline() == b"open\n"
    return process


async def refusal(given):
    robot = Robot(given)
    with pytest.raises(InputError) as caught:
        await robot.transport.open(given.address)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@on_loop
async def test_a_robot_runs_once_a_machine_and_a_killed_one_frees_it_at_once(tmp_path):
    with Server(tmp_path) as server:
        first = await child(server, tmp_path / "state")
        text = await refusal(port(server.url, tmp_path / "state"))
        assert "'r1' already runs" in text
        assert f"process {first.pid}" in text
        os.kill(first.pid, signal.SIGKILL)
        await first.wait()
        async with running(
            port(server.url, tmp_path / "state")
        ):  # long before its lease would have ended
            pass


@on_loop
async def test_a_second_runtime_elsewhere_is_told_who_has_the_robot(tmp_path, monkeypatch):
    monkeypatch.setattr(leases, "RENEW_S", 0.3)
    monkeypatch.setattr("rigless.transports.jetstream.session.RENEW_S", 0.3)
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path / "one")):
            holder = leases.this_process()
            with monkeypatch.context() as elsewhere:
                elsewhere.setattr(leases, "_pid_namespace", lambda: "of another machine")
                elsewhere.setattr(leases, "_active", set())
                text = await refusal(port(server.url, tmp_path / "two"))
            assert holder.host in text
            assert str(os.getpid()) in text
            assert "since" in text
        async with running(port(server.url, tmp_path / "two")):  # given back
            pass


@on_loop
async def test_the_lease_of_a_silent_one_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(leases, "WATCH_S", 0.2)
    monkeypatch.setattr(leases, "POLL_S", 0.05)
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path / "one")):
            pass
        async with backend(server.url) as other:
            gone = leases.Holder(
                "t", "elsewhere", 1, "2026-01-01T00:00:00Z", "another", "pid:[1]", "1"
            )
            bucket = await other.js.key_value(leases.BUCKET)
            await bucket.put("r1", msgspec.json.encode(gone))
            given = port(server.url, tmp_path / "one")
            robot = Robot(given)
            opening = asyncio.create_task(robot.transport.open(given.address))
            try:
                await until(lambda: "silent" in robot.texts)
                assert "elsewhere" in robot.texts
                assert not opening.done()
                info = await other.js.stream_info(f"KV_{leases.BUCKET}")
                assert info.config.max_age == leases.LIFE_S
                await other.js.purge_stream(
                    f"KV_{leases.BUCKET}"
                )  # as the bucket does when it forgets
                await opening
                await robot.until_connected()
            finally:
                await robot.transport.close()


@on_loop
async def test_a_lost_lease_ends_all_talk_until_it_is_free_again(tmp_path, monkeypatch):
    monkeypatch.setattr("rigless.transports.jetstream.session.RENEW_S", 0.2)
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            bucket = await other.js.key_value(leases.BUCKET)
            held = json.loads((await bucket.get("r1")).value)
            assert held["pid"] == os.getpid()
            thief = leases.Holder("t", "elsewhere", 1, "2026-01-01T00:00:00Z")
            await bucket.put("r1", msgspec.json.encode(thief))
            await until(lambda: not robot.is_up, "it notices")
            robot.say("events", 1)
            robot.say("state", 2)
            await other.publish_request("r1", 1)
            await until(lambda: robot.depth == 1)
            assert robot.heard("command.request") == []
            assert await other.stored() == []
            await bucket.delete("r1")
            await robot.until_connected()
            await robot.until_sent()
            await until(lambda: robot.heard("command.request"))
            assert await other.stored() == ["boot-1"]


@on_loop
async def test_a_process_that_slept_does_not_go_on_as_if_nothing_were(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            before = len(robot.raw("_transport"))
            robot.transport._session.lease.until_s = 0.0
            robot.say("state", 1)
            await until(lambda: b'"connected":false' in b"".join(robot.raw("_transport")[before:]))
            await robot.until_connected()
            assert "lease" in robot.texts
            async with backend(server.url) as other:
                assert await other.stored() == []


@on_loop
async def test_a_process_that_could_not_give_its_lease_back_gets_it_again(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            text = await refusal(port(server.url, tmp_path / "elsewhere"))
            assert "already runs" in text
            server.kill()
            await until(lambda: not robot.is_up)
        server.start()
        async with running(port(server.url, tmp_path)):
            pass


def test_a_holder_is_gone_only_if_that_can_be_seen_from_here():
    mine = leases.this_process()
    assert mine.has_ended()  # nobody here uses it
    leases._active.add(mine.token)
    assert not mine.has_ended()
    leases._active.discard(mine.token)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    begun = leases._start_time(dead.pid)
    dead.wait()
    assert msgspec.structs.replace(mine, pid=dead.pid, begun=begun).has_ended()
    assert msgspec.structs.replace(mine, begun="1").has_ended()  # its number is another's now
    assert not msgspec.structs.replace(mine, pid=dead.pid, machine="another").has_ended()
    assert not msgspec.structs.replace(mine, pid=dead.pid, space="a container").has_ended()
