"""Durable messages are stored once and in order, whatever happens to server, stream or robot.

Latest-wins messages are never sent late.
"""

import asyncio
import random
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from nats_servers import Server
from rigless.transports.jetstream import outbox, session, streams
from rigless.transports.jetstream import publisher as publishing

from .inboxes import until
from .nats_robots import IN, OUT, STATE, backend, eventually, message, on_loop, port, running


@on_loop
async def test_everything_said_is_in_the_stream_in_order_once(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            received = []

            async def note(message):
                received.append(message.headers["Nats-Msg-Id"])

            await other.client.subscribe("robot.r1.*", cb=note)
            await other.client.flush()
            for number in range(1, 1201):
                robot.say("events" if number % 3 else "state", number)
                if number % 50 == 0:
                    await asyncio.sleep(0)
            await robot.until_sent()
            assert len(robot.transport._session.publisher._in_flight) == 0
            assert await other.stored() == [f"boot-{n}" for n in range(1, 1201) if n % 3]
            # A state never comes before an event that was emitted earlier.
            seen = [name for name in received if int(name.rpartition("-")[2]) % 3 == 0]
            places = {name: place for place, name in enumerate(received)}
            for name in seen:
                before = f"boot-{int(name.rpartition('-')[2]) - 1}"
                assert places[before] < places[name]
            await until(lambda: robot.report == {"connected": True, "outboxDepth": 0, "why": ""})

            async def last_there():  # nobody waits for a state
                return f"boot-{1200}" in await other.stored(STATE)

            await eventually(last_there)


@on_loop
async def test_no_more_than_a_window_of_messages_is_in_flight(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            server.freeze()
            for _ in range(1000):
                robot.say("events")
            publisher = robot.transport._session.publisher
            await until(lambda: publisher.depth == 1000)
            assert len(publisher._in_flight) == publishing.WINDOW
            assert len(publisher._queue) <= publishing.PAGE
            server.thaw()
            await robot.until_sent()


@on_loop
async def test_a_server_killed_at_seeded_instants_loses_and_doubles_nothing(tmp_path):
    rng = random.Random(9)
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            for _ in range(4):
                for _ in range(rng.randrange(20, 300)):
                    robot.say("events")
                for _ in range(rng.randrange(8)):
                    await asyncio.sleep(0)
                await asyncio.sleep(rng.choice([0.0, 0.001, 0.01]))
                server.kill()
                await until(lambda: not robot.is_up)
                robot.say("events")
                server.start()
                await robot.until_connected()
            await robot.until_sent()
            async with backend(server.url) as other:
                assert await other.stored() == [
                    f"boot-{number}" for number in range(1, robot.said + 1)
                ]
            assert "again" in robot.texts


@pytest.mark.parametrize("crash", [False, True])
@on_loop
async def test_what_is_in_doubt_is_not_doubled_when_the_stream_knows_its_id_no_more(
    tmp_path, crash
):
    """The duplicate window, here 100 ms, is shorter than the outage or the restart."""
    streams = {"jetStream": {"streamIn": OUT, "streamOut": OUT}}
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            await other.js.add_stream(name=OUT, subjects=["robot.>"], duplicate_window=0.1)
        async with running(port(server.url, tmp_path / "state", nats=streams)) as robot:
            robot.say("events")
            await robot.until_sent()
            connection = robot.transport._connection
            connection._subscriptions[1] = ("none", lambda *given: None)  # replies are dropped
            for _ in range(300):
                robot.say("events")

            async def all_there():
                async with backend(server.url) as other:
                    return (await other.js.stream_info(OUT)).state.messages == 1 + publishing.WINDOW

            await eventually(all_there)
            shutil.copytree(
                tmp_path / "state", tmp_path / "copy"
            )  # what a killed process would leave
            server.kill()
            await until(lambda: not robot.is_up)
            connection._subscriptions[1] = (f"{connection.inbox}.*", connection._reply)
            await asyncio.sleep(0.2)
            if not crash:
                server.start()
                await robot.until_sent()
        if crash:
            server.start()
            async with running(port(server.url, tmp_path / "copy", nats=streams)) as robot:
                await robot.until_sent()
        async with backend(server.url) as other:
            assert await other.stored() == [f"boot-{number}" for number in range(1, 302)]


async def said_and_stored(robot, server, number):
    """Send a state until it is stored: it may be lost before the outage is noticed."""
    async with backend(server.url) as other:

        async def there():
            if robot.is_up:
                robot.say("state", number)
            return set(await other.stored(STATE)) == {f"boot-{number}"}

        await eventually(there)


@on_loop
async def test_latest_wins_messages_of_an_outage_are_dropped(tmp_path, impatient):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            await said_and_stored(robot, server, 1)
            server.freeze()
            await until(lambda: not robot.is_up, "notices that nothing answers")
            assert "not answered" in robot.report["why"]
            for number in range(2, 50):
                robot.say("state", number)
                await asyncio.sleep(0)
            robot.say("events", 50)
            server.thaw()
            impatient()
            await robot.until_connected()
            robot.say("state", 51)
            robot.say("events", 52)
            await robot.until_sent()
            async with backend(server.url) as other:
                assert await other.stored() == ["boot-50", "boot-52"]

                async def state_there():
                    return await other.stored(STATE) == ["boot-1", "boot-51"]

                await eventually(state_there)


CHILD = textwrap.dedent("""
    import asyncio, sys
    from pathlib import Path

    sys.path.insert(0, "tests")
    from tests.transports.nats_robots import running, port

    async def main():
        async with running(port(sys.argv[1], Path(sys.argv[2])), wait=False) as robot:
            print("open", flush=True)
            while True:
                for _ in range(7):
                    robot.say("events", boot=sys.argv[3])
                    robot.say("command.ack", boot=sys.argv[3], commandId=f"c{robot.said % 5}")
                await asyncio.sleep(0.0005)
                print(robot.said, flush=True)  # what was said before the wait is on file

    asyncio.run(main())
""")


@on_loop
async def test_a_robot_that_is_killed_has_forgotten_nothing(tmp_path):
    rng = random.Random(4)
    promised = {}
    root = Path(__file__).parents[2]
    with Server(tmp_path) as server:
        for boot in ("a", "b"):
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                CHILD,
                server.url,
                str(tmp_path),
                boot,
                cwd=root,
                stdout=subprocess.PIPE,
            )
            assert await child.stdout.readline() == b"open\n"
            for _ in range(rng.randrange(20, 60)):
                promised[boot] = int(await child.stdout.readline())
            if boot == "b":
                server.kill()  # so that much of it stays on file
                for _ in range(30):
                    promised[boot] = int(await child.stdout.readline())
            child.send_signal(signal.SIGKILL)
            await child.wait()
        server.start()
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            await robot.until_sent()
            found = await other.stored()
            assert len(found) == len(set(found))
            for boot, last in promised.items():
                assert {f"{boot}-{number}" for number in range(1, last + 1)} <= set(found)
                numbers = [int(name[2:]) for name in found if name.startswith(f"{boot}-")]
                assert numbers == sorted(numbers)
            kinds = [report[3] for report in robot.reports if report[0] == "received"]
            assert (
                kinds[:5] == ["robot.r1.command.ack"] * 5
            )  # what it must remember comes before anything else
            assert kinds[5] == "_transport"


@on_loop
async def test_of_what_is_remembered_the_last_of_each_key_comes_back(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            for number in range(1, 10):
                robot.say("command.ack", number, commandId=f"c{number % 3}")
                robot.say("settings.reported", 100 + number, x=number)
            await robot.until_sent()
        async with running(port(server.url, tmp_path)) as robot:
            assert robot.heard("command.ack") == [
                message(number, commandId=f"c{number % 3}") for number in (7, 8, 9)
            ]
            assert robot.heard("settings.reported") == [message(109, x=9)]
            before = len(robot.heard("command.ack"))
            robot.transport.restarted()
            assert len(robot.heard("command.ack")) == 2 * before


@on_loop
async def test_a_deleted_stream_is_made_again_and_nothing_durable_is_lost(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            robot.say("events", 1)
            await robot.until_sent()
            await other.js.delete_stream(OUT)
            for number in range(2, 40):
                robot.say("events", number)
            await robot.until_sent()
            await robot.until_connected()
            assert await other.stored() == [f"boot-{number}" for number in range(2, 40)]
            before = robot.outages
            await other.js.delete_stream(IN)
            await until(lambda: robot.outages > before, "noticed")
            await robot.until_connected()
            await other.publish_request("r1", 1)
            await until(lambda: robot.heard("command.request"))


@on_loop
async def test_a_full_stream_is_told_once_and_what_is_durable_waits(tmp_path):
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            info = await other.js.add_stream(
                name=OUT, subjects=["robot.r1.*", "robot.r1.*.*"], max_msgs=5, discard="new"
            )
        given = port(server.url, tmp_path, nats={"jetStream": {"streamIn": OUT, "streamOut": OUT}})
        async with running(given) as robot, backend(server.url) as other:
            for _ in range(40):
                robot.say("events")
            await until(lambda: "does not accept messages" in robot.texts)
            await until(lambda: robot.depth == 35)
            publisher = robot.transport._session.publisher
            tried_s = publisher._wait_s
            await until(
                lambda: publisher._wait_s > tried_s and publisher._retry is not None,
                "it has tried again",
            )
            assert robot.texts.count("does not accept messages") == 1
            assert robot.is_up
            await until(lambda: "maximum messages exceeded" in robot.report["why"])
            assert robot.transport.problem.endswith("messages in the outbox: 35")
            robot.say("state", 1000)
            info.config.max_msgs = -1
            await other.js.update_stream(info.config)
            await robot.until_sent()
            assert await other.stored() == [f"boot-{number}" for number in range(1, 41)]
            assert "accepts messages again" in robot.texts
            await until(lambda: not robot.report["why"])
            assert robot.transport.problem == ""
            info.config.max_msgs = 41
            await other.js.update_stream(info.config)
            robot.say("events")
            robot.say("events")
            await until(
                lambda: robot.texts.count("does not accept messages") == 2,
                "another time is news again",
            )


@on_loop
async def test_without_a_server_it_begins_says_so_and_goes_on_when_there_is_one(tmp_path):
    server = Server(tmp_path)
    async with running(port(server.url, tmp_path), wait=False) as robot:
        assert robot.report["connected"] is False
        assert "no NATS server at 127.0.0.1" in robot.report["why"]
        assert "retrying (rigless run --embedded-nats starts a server)" in robot.texts
        robot.say("events", 1)
        robot.say("state", 2)
        await until(lambda: robot.depth == 1)
        with server:
            await robot.until_connected()
            await robot.until_sent()
            async with backend(server.url) as other:
                assert await other.stored() == ["boot-1"]
            assert robot.texts.count("no NATS server") == 1


@on_loop
async def test_a_full_outbox_is_told_and_keeps_what_it_has(tmp_path, monkeypatch):
    monkeypatch.setattr(outbox, "ROWS", 10)
    server = Server(tmp_path)
    async with running(port(server.url, tmp_path), wait=False) as robot:
        for _ in range(25):
            robot.say("events")
        await until(lambda: "full" in robot.report["why"])
        assert len(robot.drops) == 15
        assert robot.texts.count("is full") == 1
        with server:
            await robot.until_sent()
            await robot.until_connected()
            robot.say("events", 99)
            await robot.until_sent()
            async with backend(server.url) as other:
                assert await other.stored() == [f"boot-{number}" for number in (*range(1, 11), 99)]


@on_loop
async def test_robots_share_a_connection_unless_one_wants_its_own(tmp_path):
    with Server(tmp_path) as server:
        names = [port(server.url, tmp_path, name) for name in ("a", "b")]
        own = port(server.url, tmp_path, "c", own_connection=True)
        async with running(names[0]) as a, running(names[1]) as b, running(own) as c:
            assert a.transport._connection is b.transport._connection
            assert a.transport._connection is not c.transport._connection
            for robot in (a, b, c):
                robot.say("events", boot=robot.name)
            for robot in (a, b, c):
                await robot.until_sent()


@pytest.mark.parametrize("size", [1 << 21])
@on_loop
async def test_a_message_that_no_server_takes_does_not_stop_the_others(tmp_path, size):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            robot.say("events", 1, text="x" * size)
            robot.say("events", 2)
            await robot.until_sent()
            assert await other.stored() == ["boot-2"]
            assert "can never store it" in robot.texts


@on_loop
async def test_an_answer_that_no_server_gives_ends_an_attempt_not_the_attempts(
    tmp_path, monkeypatch
):
    right, answers = streams.ensure, []

    async def ensure(*given):
        answers.append(given)
        if len(answers) == 1:
            raise AttributeError("'int' object has no attribute 'get'")
        return await right(*given)

    monkeypatch.setattr(streams, "ensure", ensure)
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            assert "AttributeError" in robot.texts


@on_loop
async def test_what_breaks_again_and_again_is_begun_ever_more_slowly(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "SETTLED_S", 1e9)
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            life = robot.transport._session
            changed, begun = life._changed, []

            def breaks(connected, why):
                changed(connected, why)
                if connected:
                    begun.append(asyncio.get_running_loop().time())
                    asyncio.get_running_loop().call_soon(life._break, "the stream has no leader")

            life._changed = breaks
            life._break("the stream has no leader")
            await until(lambda: len(begun) == 4, "it tries on")
            assert begun[-1] - begun[0] > 0.6  # 0.1, 0.2 and 0.4 s at the least
