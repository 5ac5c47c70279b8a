"""The AGV on a real NATS server that is killed, stopped, filled and emptied.

Acknowledged messages are neither lost nor duplicated, stream messages are never late, and the robot
stops while it is disconnected.
"""

import asyncio
import random
import re
import time
from itertools import pairwise

import pytest

from nats_servers import Authority, Proxy, Server
from rigless.host.api.control import describe_robot
from rigless.kernel.inputs import SetInput
from rigless.kernel.problems import InputError
from rigless.transports.jetstream import connection, lease, streams

from .agv_backend import (
    IN,
    LATEST_WINS,
    OUT,
    STATE,
    Backend,
    Outage,
    check_fresh,
    check_kept,
    day,
    rfc3339,
)
from .agv_scenes import events, on_loop, robot, status, until

RESUMES = "safety.estopAcknowledge=AUTO"  # every press of the e-stop is an event


async def traffic(backend, rng, over):
    """Send commands and tasks at irregular times, more than ten."""
    while not over.is_set() or len(backend.sent) <= 10:
        match rng.randrange(5):
            case 0:
                await backend.command("MOVE", x=rng.uniform(-1, 1), y=rng.uniform(-1, 1))
            case 1:
                await backend.command("SET_OUTPUT", ioId="buzzer", value=rng.random() < 0.5)
            case 2:
                await backend.command("STOP")
            case 3:
                await backend.assign({"type": "WAIT", "params": {"seconds": rng.uniform(0, 0.3)}})
            case 4:
                await backend.command("NO_SUCH_THING")
        await asyncio.sleep(rng.uniform(0, 0.15))


@on_loop
async def test_a_server_killed_and_restarted_at_seeded_instants(tmp_path):
    async def scene(seed):
        rng = random.Random(seed)
        with Server(tmp_path) as server:
            async with (
                robot(server, tmp_path / f"state{seed}") as host,
                await Backend.connect(server.url) as backend,
            ):
                over, outages = asyncio.Event(), []
                flowing = asyncio.create_task(traffic(backend, rng, over))
                for _ in range(3):
                    await asyncio.sleep(rng.uniform(0.2, 1.2))
                    server.kill()
                    killed = time.time(), host.sim.now_s
                    await until(lambda: status(host) == "OFFLINE", "OFFLINE")
                    known_s = host.sim.now_s
                    await asyncio.sleep(rng.uniform(0.0, 1.2))
                    outages.append(Outage(*killed, known_s, host.sim.now_s))
                    server.start()
                over.set()
                await flowing
                await until(lambda: status(host) == "RUNNING", "RUNNING")
                await backend.command("STOP")
                await backend.until_ended()
                check_kept(backend)
                check_fresh(backend, outages)
                await backend.until(
                    lambda: any(one.type in LATEST_WINS for one in backend.out), "a state"
                )

    await asyncio.gather(*(scene(seed) for seed in range(2)))


@on_loop
async def test_on_a_lost_server_it_brakes_within_its_limits_and_comes_back(tmp_path):
    with Server(tmp_path) as server:
        async with (
            robot(server, tmp_path / "state") as host,
            await Backend.connect(server.url) as backend,
        ):
            speeds = []
            host.sim.core.sample(
                100, lambda: speeds.append(host.sim.robots["agv"].machine.drive.velocity[0])
            )
            move = await backend.command("MOVE", x=50.0, y=0.0)
            await until(lambda: speeds and speeds[-1] > 0.8, "speed")
            server.kill()
            await until(lambda: status(host) == "OFFLINE", "OFFLINE")
            await until(lambda: speeds[-1] == 0.0, "rest")
            lost = [before - after for before, after in pairwise(speeds)]
            assert max(lost) <= 1.0 * 0.01 * 1.001  # maxDeceleration is 1 m/s²
            assert max(speeds) > 0.8
            server.start()
            await until(lambda: status(host) == "RUNNING", "RUNNING")
            await backend.command("STOP")
            await backend.until_ended()
            assert len(backend.ended(move)) == 1
            check_kept(backend)


@on_loop
async def test_a_hanging_server_counts_as_lost_and_nothing_is_sent_twice(tmp_path):
    with Server(tmp_path) as server:
        async with (
            robot(server, tmp_path / "state", [RESUMES]) as host,
            await Backend.connect(server.url) as backend,
        ):
            await backend.command("SET_OUTPUT", ioId="buzzer", value=True)
            await backend.until_ended()
            server.freeze()
            await press(host, 20)  # sent into a dead connection, and resent on the next
            waiting = asyncio.create_task(backend.command("SET_OUTPUT", ioId="buzzer", value=False))
            await until(lambda: status(host) == "OFFLINE", "OFFLINE")
            down_s = host.sim.now_s
            await asyncio.sleep(0.3)
            up_s = host.sim.now_s
            server.thaw()
            await until(lambda: status(host) == "RUNNING", "RUNNING")
            await waiting
            await backend.until_ended()
            assert len(presses(backend)) >= 20
            check_kept(backend)
            assert [said for said in backend.said_at(LATEST_WINS) if down_s < said < up_s] == []


@on_loop
async def test_messages_stored_without_an_acknowledgement_are_not_stored_again(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(connection, "PING_S", 60.0)  # it does not notice a silent server by itself
    with Server(tmp_path) as server:
        async with (
            Proxy(server) as way,
            robot(way, tmp_path / "state", [RESUMES]) as host,
            await Backend.connect(server.url) as backend,
        ):
            await until(lambda: status(host) == "RUNNING", "RUNNING")
            for outage in range(3):
                way.deaf = True
                await press(host, 10)
                await backend.until(
                    lambda outage=outage: len(presses(backend)) >= 10 * (outage + 1), "stored"
                )
                way.cut()
                way.deaf = False
                await until(lambda: status(host) == "OFFLINE", "OFFLINE")
                await until(lambda: status(host) == "RUNNING", "RUNNING")
            await backend.command("SET_OUTPUT", ioId="buzzer", value=True)
            await backend.until_ended()
            check_kept(backend)


async def press(host, times):
    """Press and release the emergency stop; the robot sees each before the next."""
    for number in range(times):
        host.apply(SetInput("agv", "estop", number % 2 == 0))
        now_s = host.sim.now_s
        await until(lambda now_s=now_s: host.sim.now_s > now_s + 0.03, "time goes on")


def port_problem(host):
    """Return the problem of the robot's port, as `rigless ctl status` shows it."""
    return describe_robot(host, host.sim.robots["agv"])["ports"][0]["problem"]


def presses(backend):
    return [stored for stored in backend.of("events") if "ESTOP" in stored.payload["code"]]


@on_loop
async def test_a_full_stream_loses_no_durable_message(tmp_path):
    with Server(tmp_path) as server:
        async with (
            await Backend.connect(server.url) as backend,
            robot(server, tmp_path / "state") as host,
        ):
            await backend.until(lambda: backend.of("state"), "state")
            info = await backend.operator.stream_info(OUT)
            config = info.config
            config.max_msgs, config.discard = info.state.messages, "new"
            await backend.operator.update_stream(config)
            for number in range(20):
                await backend.command("SET_OUTPUT", ioId="buzzer", value=number % 2 == 0)
            await until(lambda: "maximum messages exceeded" in port_problem(host), "a problem")
            assert "exceeded" in events(host).lower()
            assert re.search(r"messages in the outbox: \d+$", port_problem(host))
            config.max_msgs = -1
            await backend.operator.update_stream(config)
            await backend.until_ended()
            check_kept(backend)
            await until(lambda: port_problem(host) == "", "no problem")


@on_loop
async def test_deleted_streams_are_made_again(tmp_path):
    with Server(tmp_path) as server:
        async with (
            robot(server, tmp_path / "state") as host,
            await Backend.connect(server.url) as backend,
        ):
            await backend.command("SET_OUTPUT", ioId="buzzer", value=True)
            await backend.until_ended()
            for stream in (OUT, IN, STATE):
                await backend.operator.delete_stream(stream)
                backend.clear()
                await backend.command("SET_OUTPUT", ioId="buzzer", value=False)
                await backend.until_ended()
            await until(lambda: status(host) == "RUNNING", "RUNNING")


@on_loop
async def test_credentials_that_expire_are_named_and_new_ones_are_used(tmp_path):
    authority = Authority(tmp_path / "keys")
    with Server(tmp_path, authority) as server:
        creds = authority.creds("robot")
        ours = str(authority.creds("backend"))
        async with (
            robot(server, tmp_path / "state", [f"nats.credsFilePath={creds}"]) as host,
            await Backend.connect(server.url, user_credentials=ours) as backend,
        ):
            await backend.command("SET_OUTPUT", ioId="buzzer", value=True)
            await backend.until_ended()
            authority.creds("robot", lasts_s=2)
            server.restart()  # they are redelivered, and must expire soon
            await until(lambda: "expired" in events(host), "the reason")
            await until(lambda: status(host) == "OFFLINE", "OFFLINE")
            authority.creds("robot")
            await until(lambda: status(host) == "RUNNING", "RUNNING")
            await backend.command("SET_OUTPUT", ioId="buzzer", value=False)
            await backend.until_ended()
            check_kept(backend)


@on_loop
async def test_duplicate_and_expired_commands_are_not_executed(tmp_path):
    with Server(tmp_path) as server:
        async with robot(server, tmp_path / "state"), await Backend.connect(server.url) as backend:
            command = backend.command_of("SET_OUTPUT", {"ioId": "buzzer", "value": True})
            data = backend.envelope("command.request", command, "one")
            backend.sent[command["commandId"]] = "command"
            for message_id in ("one", "one", "another", "third"):
                await backend.publish("command.request", data, message_id)
            await backend.until(lambda: len(backend.answers(command["commandId"])) >= 3, "answers")
            soon = backend.now_s + 60
            control = {"controlId": "c", "validUntil": rfc3339(soon)}
            await backend.send("traffic.control", {**control, "kind": "HOLD", "seq": 1})
            await backend.until(lambda: backend.latest("state").get("holds"), "held")
            await backend.send("traffic.control", {**control, "kind": "RELEASE", "seq": 3})
            await backend.send("traffic.control", {**control, "kind": "HOLD", "seq": 2})
            await backend.command("SET_OUTPUT", ioId="buzzer", value=False)
            await backend.until_ended()
            stored_s = backend.out[-1].stored_s
            await backend.until(lambda: backend.of("state")[-1].stored_s > stored_s, "a later one")
            assert backend.latest("state")["holds"] == []
            await backend.send(
                "settings.desired", {"version": 5, "settings": {"streams.stateHz": 20}}
            )
            await backend.until(
                lambda: backend.latest("settings.reported").get("desiredVersion") == 5, "version 5"
            )
            await backend.send(
                "settings.desired", {"version": 4, "settings": {"streams.stateHz": 1}}
            )
            last = await backend.command("SET_OUTPUT", ioId="buzzer", value=False)
            await backend.until_ended(last)
            assert backend.latest("settings.reported")["effective"]["streams.stateHz"] == 20
            check_kept(backend)


@pytest.mark.parametrize("days", [-1, 1])
@on_loop
async def test_clock_offsets_are_tolerated(tmp_path, days):
    with Server(tmp_path) as server:
        async with (
            robot(server, tmp_path / "state") as host,
            await Backend.connect(server.url) as backend,
        ):
            host.apply(
                SetInput("agv", "epoch_s", time.time() + day(days) - host.sim.now_s)
            )  # the robot's clock
            good = await backend.command("SET_OUTPUT", ioId="buzzer", value=True)
            old = await backend.command("SET_OUTPUT", ioId="buzzer", value=True, lasts_s=-1)
            await backend.until_ended()
            assert backend.ended(good)[0]["status"] == "SUCCEEDED"
            assert backend.ended(old)[0]["status"] == "EXPIRED"
            backend.clock_off_s = day(days)  # the backend's: expiry is by the server's clock
            late = await backend.command("SET_OUTPUT", ioId="buzzer", value=True)
            await backend.until_ended(late)
            assert backend.ended(late)[0]["status"] == ("EXPIRED" if days < 0 else "SUCCEEDED")
            check_kept(backend)


def spoilt(data, rng):
    """Return bytes of a corrupted message."""
    match rng.randrange(7):
        case 0:
            return data[: rng.randrange(len(data))]
        case 1:
            where = rng.randrange(len(data))
            return data[:where] + bytes([rng.randrange(256)]) + data[where + 1 :]
        case 2:
            return rng.randbytes(rng.randrange(200))
        case 3:
            return data.replace(b'"v": 1', b'"v": 2')
        case 4:
            return data.replace(b'"agv"', b'"somebody"')
        case 5:
            return data.replace(b'"params": {}', b'"params": ' + b"[" * 5000 + b"]" * 5000)
        case _:
            return data.replace(b'"expiresAt"', b'"expires"')


@on_loop
async def test_five_hundred_corrupted_messages(tmp_path):
    rng = random.Random(9)
    kinds = (
        "command.request",
        "task.assign",
        "settings.desired",
        "traffic.control",
        "route.response",
    )
    with Server(tmp_path) as server:
        async with (
            robot(server, tmp_path / "state") as host,
            await Backend.connect(server.url) as backend,
        ):
            for _ in range(500):
                kind = rng.choice(kinds)
                data = backend.envelope(
                    kind, backend.command_of("STOP", {}, f"bad-{rng.randrange(10**9)}")
                )
                await backend.client.publish(f"robot.agv.{kind}", spoilt(data, rng))
            await backend.client.flush(60)
            await backend.command("SET_OUTPUT", ioId="buzzer", value=True)
            await backend.until_ended()
            assert [backend.ended(one)[0]["status"] for one in backend.sent] == ["SUCCEEDED"]
            await until(lambda: status(host) == "RUNNING", "RUNNING")
            refused = [
                s.payload
                for s in backend.of("command.ack")
                if s.payload.get("code") == "MALFORMED_ENVELOPE"
            ]
            assert refused
            check_kept(backend)


@on_loop
async def test_one_of_two_runtimes_with_one_id_gets_the_lease(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "PING_S", 60.0)  # without the lease service it starts unchecked
    monkeypatch.setattr(streams, "ATTEMPTS_S", (1.0,) * 60)
    monkeypatch.setattr(lease, "ANSWER_S", 60.0)
    with Server(tmp_path) as server:
        async with (
            robot(server, tmp_path / "one") as first,
            await Backend.connect(server.url) as backend,
        ):
            await until(lambda: status(first) == "RUNNING", "RUNNING")
            with pytest.raises(InputError) as caught:
                async with robot(server, tmp_path / "two"):
                    raise AssertionError("it must not open")
            assert "already runs" in str(caught.value)
            for number in range(10):
                await backend.command("SET_OUTPUT", ioId="buzzer", value=number % 2 == 0)
            await backend.until_ended()
            check_kept(backend)
            assert status(first) == "RUNNING"
        async with robot(server, tmp_path / "two") as second:
            await until(lambda: status(second) == "RUNNING", "the next one has it")
