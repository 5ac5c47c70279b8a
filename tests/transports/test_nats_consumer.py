"""Messages of the backend are delivered, and acknowledged when the robot's reply is on disk."""

import asyncio
import json
import sqlite3
import time

from nats_servers import Server
from rigless.kernel.timing.timestamps import to_ns
from rigless.transports.jetstream.clock import ServerClock

from .inboxes import until
from .nats_robots import IN, OUT, backend, eventually, on_loop, port, running


def answer(robot, data):
    command = json.loads(data.rpartition(b"\r\n\r\n")[2])["commandId"]
    robot.say("command.ack", boot=f"ack-{command}", number=1, commandId=command)


def headers(data):
    lines = data.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    assert lines[0] == "NATS/1.0"
    return dict(line.split(": ", 1) if ": " in line else (line, "") for line in lines[1:])


@on_loop
async def test_commands_come_in_order_with_the_servers_time_and_are_acknowledged(tmp_path):
    with Server(tmp_path) as server:
        async with (
            running(port(server.url, tmp_path), answer) as robot,
            backend(server.url) as other,
        ):
            for number in range(150):
                await other.publish_request("r1", number)
            await until(lambda: len(robot.heard("command.request")) == 150)
            await robot.until_sent()
            assert [json.loads(data)["commandId"] for data in robot.heard("command.request")] == [
                f"c{number}" for number in range(150)
            ]
            first = headers(robot.raw("command.request")[0])
            stored = await other.js.get_msg(IN, int(first["Nats-Sequence"]))
            assert stored.headers["Nats-Msg-Id"] == first["Nats-Msg-Id"] == "ask-r1-0"
            assert to_ns(first["Nats-Time-Stamp"]) // 10**6 <= time.time_ns() // 10**6
            assert 0 <= float(first["Rigless-Age-Ms"]) < 60_000

            async def acknowledged():
                return await other.pending("r1") == 0

            await eventually(acknowledged)


@on_loop
async def test_each_robot_gets_its_own_commands_and_no_other(tmp_path):
    with Server(tmp_path) as server:
        ports = [port(server.url, tmp_path, name) for name in ("a", "b")]
        async with running(ports[0]) as a, running(ports[1]) as b, backend(server.url) as other:
            for number in range(20):
                await other.publish_request("ab"[number % 2], number)
            await until(
                lambda: len(a.heard("command.request")) + len(b.heard("command.request")) == 20
            )
            assert all(
                json.loads(data)["commandId"][1:] in "02468101214161820"
                for data in a.heard("command.request")
            )
            for robot in (a, b):
                assert len(robot.heard("command.request")) == 10
                subjects = {report[3] for report in robot.reports if report[0] == "received"}
                assert subjects == {f"robot.{robot.name}.command.request", "_transport"}


@on_loop
async def test_a_command_is_acknowledged_only_when_its_answer_is_on_file(tmp_path):
    with Server(tmp_path) as server:
        async with (
            running(port(server.url, tmp_path), answer) as robot,
            backend(server.url) as other,
        ):
            outbox = robot.transport._outbox
            order = []
            publish, write = robot.transport._connection.publish, outbox._write

            def watched_publish(subject, data, *rest):
                if data == b"+ACK":
                    order.append(
                        (
                            "ack",
                            [
                                row[0]
                                for row in sqlite3.connect(outbox.path).execute(
                                    "SELECT key FROM kept"
                                )
                            ],
                        )
                    )
                publish(subject, data, *rest)

            robot.transport._connection.publish = watched_publish
            outbox._write = lambda batch: (_ for _ in ()).throw(
                sqlite3.OperationalError("disk full")
            )
            await other.publish_request("r1", 1)
            await until(lambda: robot.heard("command.request"))
            await until(
                lambda: not robot.is_up, "a robot whose outbox cannot be written is not connected"
            )
            assert "disk full" in robot.report["why"]
            assert "disk full" in robot.texts
            assert order == []
            assert await other.pending("r1") == 1
            outbox._write = write
            await until(lambda: order)
            assert order == [("ack", ["c1"])]
            await robot.until_connected()
            await robot.until_sent()
            assert await other.stored(kind="command.ack") == ["ack-c1-1"]


@on_loop
async def test_what_came_while_the_robot_was_away_comes_when_it_is_back(tmp_path):
    with Server(tmp_path) as server:
        given = port(server.url, tmp_path)
        async with running(given), backend(server.url) as other:
            await other.publish_request("r1", 1)
        async with backend(server.url) as other:
            await other.publish_request("r1", 2)
            server.restart()
        begun_ms = time.time() * 1000
        async with running(port(server.url, tmp_path)) as robot:
            await until(
                lambda: json.dumps({"commandId": "c2"}).encode() in robot.heard("command.request")
            )
            ended_ms = time.time() * 1000
            fields = headers(robot.raw("command.request")[-1])
            stored_ms = to_ns(fields["Nats-Time-Stamp"]) / 1e6
            asked_ns, answered_ns, _ = robot.transport._connection.clock._best()
            doubt_ms = (answered_ns - asked_ns) / 1e6 + 1.0
            assert (
                begun_ms - doubt_ms
                < float(fields["Rigless-Age-Ms"]) + stored_ms
                < ended_ms + doubt_ms
            )


@on_loop
async def test_a_deleted_consumer_is_made_again_and_repeats_nothing(tmp_path):
    with Server(tmp_path) as server:
        async with (
            running(port(server.url, tmp_path), answer) as robot,
            backend(server.url) as other,
        ):
            for number in range(3):
                await other.publish_request("r1", number)
            await until(lambda: len(robot.heard("command.request")) == 3)
            await other.js.delete_consumer(IN, "r1")
            await other.publish_request("r1", 3)
            await until(lambda: len(robot.heard("command.request")) == 4)
            await robot.until_connected()
            assert [json.loads(data)["commandId"] for data in robot.heard("command.request")] == [
                "c0",
                "c1",
                "c2",
                "c3",
            ]


@on_loop
async def test_what_was_not_handled_is_not_lost_with_the_consumer(tmp_path):
    with Server(tmp_path) as server:
        async with (
            running(port(server.url, tmp_path), answer) as robot,
            backend(server.url) as other,
        ):
            session = robot.transport._session
            receive, lost = session._receive, []
            session._receive = lambda given: (
                receive(given) if lost else lost.append(given)
            )  # as if it died on the way
            for number in range(5):
                await other.publish_request("r1", number)
            await until(lambda: len(robot.heard("command.request")) == 4)
            await robot.until_sent()
            await other.js.delete_consumer(IN, "r1")
            await until(lambda: len(robot.heard("command.request")) == 5)
            await other.publish_request("r1", 5)
            await until(lambda: len(robot.heard("command.request")) == 6)
            found = [json.loads(data)["commandId"] for data in robot.heard("command.request")]
            assert found == ["c1", "c2", "c3", "c4", "c0", "c5"]


@on_loop
async def test_a_robot_that_listens_to_more_than_before_hears_it(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path, listens=("robot.r1.command.request",))):
            pass
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            await other.publish_request("r1", 1, "settings.desired")
            await until(lambda: robot.heard("settings.desired"))


@on_loop
async def test_the_last_settings_are_told_first_and_once(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            for number in range(3):
                await other.publish_request("r1", number, "settings.desired")
            await until(lambda: len(robot.heard("settings.desired")) == 3)

            async def acknowledged():
                return await other.pending("r1") == 0

            await eventually(acknowledged)
        async with backend(server.url) as other:
            await other.publish_request("r1", 10)
            await other.publish_request("r1", 11, "settings.desired")
            await other.publish_request("r1", 12)
        given = port(server.url, tmp_path, listens_last=("robot.r1.settings.desired",))
        async with running(given) as robot, backend(server.url) as other:
            await until(lambda: len(robot.heard("command.request")) == 2)
            kinds = [
                report[3]
                for report in robot.reports
                if report[0] == "received" and report[3] != "_transport"
            ]
            assert kinds == [
                "robot.r1.settings.desired",
                "robot.r1.command.request",
                "robot.r1.command.request",
            ]
            assert robot.heard("settings.desired") == [b'{"commandId": "c11"}']


@on_loop
async def test_what_was_handled_as_the_way_broke_does_not_come_again(tmp_path):
    def handle(robot, data):
        answer(robot, data)
        robot.transport._session._break("the lease has run out")

    with Server(tmp_path) as server:
        async with (
            running(port(server.url, tmp_path), handle) as robot,
            backend(server.url) as other,
        ):
            await other.publish_request("r1", 1)
            await until(lambda: robot.heard("command.request"))

            async def acknowledged():
                return await other.pending("r1") == 0

            await eventually(acknowledged)
            assert len(robot.heard("command.request")) == 1


@on_loop
async def test_rubbish_is_handed_on_and_acknowledged(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            rubbish = [
                b"\xff\x00\r\n\r\n",
                b"NATS/1.0\r\nNats-Sequence: 1\r\n\r\n{}",
                b"x" * 200_000,
                b"{",
            ]
            for number, data in enumerate(rubbish):
                await other.publish_request("r1", number, data=data)
            await until(lambda: len(robot.raw("command.request")) == len(rubbish))
            for given, data in zip(robot.raw("command.request"), rubbish, strict=True):
                assert given.partition(b"\r\n\r\n")[2] == data

            async def acknowledged():
                return await other.pending("r1") == 0

            await eventually(acknowledged)


@on_loop
async def test_while_the_simulation_has_hung_up_nothing_is_lost(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            robot.transport.close_link(1)
            robot.say("events")
            await other.publish_request("r1", 1)
            await until(
                lambda: robot.heard("command.request"), "after a second there is a link again"
            )
            assert robot.kinds().count("connected") == 2
            assert await other.stored(OUT) == []


# The server's clock


def test_the_age_of_a_message_is_told_by_the_servers_clock_alone():
    clock = ServerClock()
    assert clock.age_ms(0, 10**9) == 0.0  # not known: as if it were new
    server_ns = to_ns("2031-05-05T00:00:00.5Z")
    clock.sample(1_000_000_000, 1_200_000_000, server_ns)  # slow: it may be off by 100 ms
    clock.sample(5_000_000_000, 5_000_200_000, server_ns + 3_950_000_000)
    assert abs(clock.now_ns(6_000_100_000) - (server_ns + 4_950_000_000)) < 1000
    assert abs(clock.age_ms(server_ns, 6_000_100_000) - 4950) < 0.01
    assert clock.age_ms(server_ns + 10**12, 6_000_100_000) == 0.0  # from the future: new


def test_a_server_whose_clock_was_set_is_believed_at_once():
    clock = ServerClock()
    clock.sample(0, 1000, 10**18)
    clock.sample(10**9, 10**9 + 50_000_000, 10**18 - 3600 * 10**9)
    assert abs(clock.now_ns(10**9) - (10**18 - 3600 * 10**9)) < 10**8


@on_loop
async def test_a_wrong_date_on_this_machine_changes_nothing(tmp_path, monkeypatch):
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 86_400)
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            await other.publish_request("r1", 1)
            await until(lambda: robot.raw("command.request"))
            assert float(headers(robot.raw("command.request")[0])["Rigless-Age-Ms"]) < 60_000


@on_loop
async def test_the_loop_is_not_held_up_by_idle_robots(tmp_path):
    """Pull requests are renewed at long intervals only."""
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            asked = []
            publish = robot.transport._connection.publish
            robot.transport._connection.publish = lambda *given: (
                asked.append(given[0]),
                publish(*given),
            )
            await asyncio.sleep(0.5)
            assert [subject for subject in asked if "MSG.NEXT" in subject] == []


@on_loop
async def test_what_the_robots_code_broke_on_is_not_acknowledged_and_comes_again(tmp_path):
    def brittle(robot, data):
        if b'"c1"' in data:
            robot.robot_failed = True  # as the host says of a robot whose code has failed
        if not robot.robot_failed:
            answer(robot, data)

    def asked(robot):
        return [json.loads(data)["commandId"] for data in robot.heard("command.request")]

    with Server(tmp_path) as server:
        async with (
            running(port(server.url, tmp_path), brittle) as robot,
            backend(server.url) as other,
        ):
            for number in range(3):
                await other.publish_request("r1", number)
            await until(lambda: "c1" in asked(robot))
            await robot.until_sent()

            async def only_the_first():
                return (
                    await other.js.consumer_info(IN, "r1")
                ).ack_floor.stream_seq == 1 and await other.pending("r1") == 2

            await eventually(only_the_first)
            assert asked(robot) == ["c0", "c1"], "nothing is handed to a robot that cannot hear"
            robot.answer, robot.robot_failed = answer, False
            robot.transport.restarted()
            await until(lambda: len(asked(robot)) == 4)
            assert sorted(asked(robot)[2:]) == ["c1", "c2"]
            await robot.until_sent()

            async def acknowledged():
                return await other.pending("r1") == 0

            await eventually(acknowledged)
