"""The MQTT transport against two real brokers, nats-server and mosquitto."""

import asyncio
import os
import signal
from contextlib import asynccontextmanager

import pytest

import reserved
from mqtt_brokers import Client, Mosquitto, Nats
from nats_servers import Permissions, Tls, Users
from rigless.clients.port_client import exchange
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError
from rigless.transports import mqtt
from rigless.transports.mqtt import Transport
from rigless.transports.mqtt311.embedded import EmbeddedBrokers

from .inboxes import Diary, until

CONNECTION, ORDER, STATE = "r/connection", "r/order", "r/state"


class RobotInbox(Diary):
    """An inbox that answers reports of the session as a robot does."""

    transport = None

    def received(self, link, data, subject=""):
        super().received(link, data, subject)
        for word, answer, topic in (
            (b"CONNECTING", b"BROKEN", "_will"),
            (b"UP", b"ONLINE", CONNECTION),
            (b"CLOSING", b"OFFLINE", CONNECTION),
        ):
            if subject == "_mqtt" and word in data:
                self.transport.send(link, answer, topic)

    def sessions(self):
        data = [report[2].decode() for report in self.reports if report[-1] == "_mqtt"]
        return [text.split('"')[3] for text in data]


def make(url, **given):
    options = {
        "mqtt": {"url": url, "client_id": "r-1", **given},
        "report": "_mqtt",
        "will": "_will",
        "will_topic": CONNECTION,
        "control": "_session",
        "subscribe": ((ORDER, 1),),
        "publish": {CONNECTION: (1, True)},
    }
    inbox = RobotInbox()
    inbox.transport = Transport(Port("m", object, "mqtt", "", "message", options=options), inbox)
    return inbox.transport, inbox


@asynccontextmanager
async def connected(broker, **given):
    transport, inbox = make(broker.url, **given)
    try:
        assert await transport.open(broker.address) == broker.url
        yield transport, inbox
    finally:
        await transport.close()


@pytest.fixture(params=[Nats, Mosquitto])
def broker(request, tmp_path):
    with request.param(tmp_path) as found:
        yield found


async def receive(client, count):
    """Return (topic, payload, retained) of the next messages."""
    await until(lambda: client.received.qsize() >= count, f"{count} messages")
    messages = [client.get() for _ in range(count)]
    return [(message.topic, message.payload, message.retain) for message in messages]


def test_messages_in_both_directions_will_and_retained(broker):
    async def scene():
        with Client(broker) as client:
            client.subscribe("r/#")
            async with connected(broker) as (transport, inbox):
                assert inbox.sessions() == ["CONNECTING", "UP"]
                assert await receive(client, 1) == [(CONNECTION, b"ONLINE", False)]
                transport.send(1, b"standing", STATE)
                client.publish(ORDER, b"go", qos=1)
                assert sorted(await receive(client, 2))[1] == (STATE, b"standing", False)
                await until(lambda: ("received", 1, b"go", ORDER) in inbox.reports)
                transport.send(1, b"cut", "_session")
                assert await receive(client, 2) == [
                    (CONNECTION, b"BROKEN", False),
                    (CONNECTION, b"ONLINE", False),
                ]
                with Client(broker) as late:
                    late.subscribe("r/#")
                    assert await receive(late, 1) == [(CONNECTION, b"ONLINE", True)]
            assert await receive(client, 1) == [(CONNECTION, b"OFFLINE", False)]
            assert client.received.empty(), "an orderly end sends no will"

    asyncio.run(scene())


def test_a_broker_that_is_killed_is_found_again_and_nothing_is_sent_late(broker):
    async def scene():
        async with connected(broker) as (transport, inbox):
            broker.kill()
            await until(lambda: inbox.sessions()[-1] == "DOWN")
            assert broker.address in transport.problem
            transport.send(1, b"stale", STATE)
            broker.start()
            with Client(broker) as client:
                client.subscribe(STATE)
                await until(lambda: inbox.sessions()[-1] == "UP")
                transport.send(1, b"fresh", STATE)
                assert await receive(client, 1) == [(STATE, b"fresh", False)]
            assert transport.problem == ""

    asyncio.run(scene())


def test_a_second_client_with_the_id_takes_over_and_is_named(broker):
    async def scene():
        async with connected(broker) as (transport, inbox):
            for times in range(1, 4):
                transport.send(1, b"takeover", "_session")
                await until(lambda times=times: inbox.sessions().count("UP") > times, "up again")
            texts = [text for _, text in inbox.logged if "lost" in text]
            assert len(texts) == 3
            assert "another client may use the client id 'r-1'" in texts[-1]

    asyncio.run(scene())


def test_a_session_that_is_left_has_no_will_and_keeps_what_was_retained(broker):
    async def scene():
        with Client(broker) as client:
            client.subscribe("r/#")
            async with connected(broker) as (transport, inbox):
                assert await receive(client, 1) == [(CONNECTION, b"ONLINE", False)]
                transport.send(1, b"leave 0.3", "_session")
                await until(lambda: inbox.sessions()[-1] == "DOWN")
                with Client(broker) as late:
                    late.subscribe(CONNECTION)
                    assert await receive(late, 1) == [(CONNECTION, b"ONLINE", True)]
                await until(lambda: inbox.sessions()[-1] == "UP")
                assert await receive(client, 1) == [(CONNECTION, b"ONLINE", False)]
                assert client.received.empty(), "no will"

    asyncio.run(scene())


def test_another_broker_is_not_restarted_by_a_fault(broker):
    async def scene():
        async with connected(broker) as (transport, inbox):
            transport.send(1, b"restart", "_session")
            await until(lambda: inbox.sessions().count("UP") == 2)
            assert any("only the session is cut" in str(one) for one in inbox.logged)

    asyncio.run(scene())


def test_a_fault_closes_the_link_and_it_comes_back(broker, monkeypatch):
    monkeypatch.setattr(mqtt, "RETURN_S", 0.2)

    async def scene():
        async with connected(broker) as (transport, inbox):
            transport.close_link(1)
            transport.send(1, b"lost", STATE)
            await until(lambda: ("connected", 2, broker.url, "r-1") in inbox.reports)
            await until(lambda: inbox.sessions()[-1] == "UP")
            assert inbox.reports[-1][1] == 2

    asyncio.run(scene())


def test_a_broker_that_does_not_answer_is_left(tmp_path):
    async def scene():
        with Mosquitto(tmp_path) as broker:
            async with connected(broker, keep_alive_s=1) as (_, inbox):
                broker.send(signal.SIGSTOP)
                await until(lambda: inbox.sessions()[-1] == "DOWN")
                assert any("has not answered for 1 s" in text for _, text in inbox.logged)
                broker.send(signal.SIGCONT)
                await until(lambda: inbox.sessions()[-1] == "UP")

    asyncio.run(scene())


def test_messages_beyond_what_the_broker_reads_are_dropped_and_counted(tmp_path):
    async def scene():
        with Mosquitto(tmp_path) as broker:
            async with connected(broker) as (transport, inbox):
                broker.send(signal.SIGSTOP)
                for _ in range(200):
                    transport.send(1, b"x" * 100_000, STATE)
                    await asyncio.sleep(0)
                assert len(inbox.drops) > 100
                broker.send(signal.SIGCONT)

    asyncio.run(scene())


async def refusal(broker, **given):
    transport, _ = make(given.pop("url", broker.url), **given)
    with pytest.raises(InputError) as caught:
        await transport.open(broker.address)
    return str(caught.value)


def test_credentials_come_from_a_file_and_wrong_ones_are_named(tmp_path):
    async def scene():
        users = Users(robot=Permissions(publish=["r.>", "$MQTT.>"], subscribe=["r.>", "$MQTT.>"]))
        (tmp_path / "good").write_text("robot\n")
        (tmp_path / "bad").write_text("wrong")
        with Nats(tmp_path, users.config()) as broker:
            given = {"user": "robot", "password_file": str(tmp_path / "good")}
            async with connected(broker, **given) as (_, inbox):
                assert inbox.sessions()[-1] == "UP"
            wrong = await refusal(broker, user="robot", password_file=str(tmp_path / "bad"))
            assert "refused the connection" in wrong
            assert "check username and passwordFile" in wrong
            missing = await refusal(broker, user="robot", password_file=str(tmp_path / "none"))
            assert "cannot be read: No such file" in missing
            secret = await refusal(broker, url=f"mqtt://robot:robot@{broker.address}")
            assert "the URL has a password" in secret

    asyncio.run(scene())


def test_tls_with_a_client_certificate(tmp_path):
    tls = Tls(tmp_path / "tls", verify=True)
    lines = (
        "allow_anonymous true",
        f"cafile {tls.ca}",
        f"certfile {tmp_path}/tls/server.pem",
        f"keyfile {tmp_path}/tls/server.key",
        "require_certificate true",
    )

    async def scene():
        with Mosquitto(tmp_path, *lines) as broker:
            url = f"mqtts://{broker.address}"
            files = {"cert_file": str(tls.client_certificate), "key_file": str(tls.client_key)}
            transport, inbox = make(url, ca_file=str(tls.ca), **files)
            assert await transport.open(broker.address) == url
            await until(lambda: inbox.sessions()[-1] == "UP")
            await transport.close()
            assert "cannot be verified" in await refusal(broker, url=url, **files)

    asyncio.run(scene())


def test_the_embedded_broker_is_shared_restarted_and_ends_with_the_host(tmp_path):
    async def scene():
        told = []
        brokers = EmbeddedBrokers(tmp_path, lambda text, severity: told.append((severity, text)))
        number = reserved.port()
        assert await brokers.ensure("127.0.0.1", number) == ("127.0.0.1", number)
        assert told[0][1].startswith(f"no MQTT broker at 127.0.0.1:{number}: started one")
        assert await brokers.ensure("127.0.0.1", number) == ("127.0.0.1", number)
        assert await brokers.ensure("192.0.2.1", 1883) == ("192.0.2.1", 1883)
        first, second = await asyncio.gather(
            brokers.ensure("127.0.0.1", 0), brokers.ensure("127.0.0.1", 0)
        )
        assert first == second
        assert len(brokers.servers) == 2
        transport, inbox = make(f"mqtt://127.0.0.1:{number}")
        transport._options["embedded"] = brokers
        await transport.open(f"127.0.0.1:{number}")
        pid = brokers.servers[number].pid
        os.kill(pid, signal.SIGKILL)
        await until(lambda: inbox.sessions().count("UP") == 2)
        assert (again := brokers.servers[number].pid) != pid
        transport.send(1, b"restart", "_session")
        await until(lambda: inbox.sessions().count("UP") == 3)
        assert brokers.servers[number].pid != again
        assert any("MQTT broker at" in text and "started again" in text for _, text in told)
        await transport.close()
        await brokers.close()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", number)

    asyncio.run(scene())


def test_a_broker_that_runs_is_used_and_another_server_is_named(tmp_path):
    async def scene():
        brokers = EmbeddedBrokers(tmp_path, lambda *_: None)
        with Mosquitto(tmp_path) as broker:
            assert await brokers.ensure("127.0.0.1", broker.port) == ("127.0.0.1", broker.port)
            assert brokers.servers == {}
        async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as other:
            number = other.sockets[0].getsockname()[1]
            with pytest.raises(InputError, match=r"is in use: it is not an MQTT broker.*ports"):
                await brokers.ensure("127.0.0.1", number)

    asyncio.run(scene())


def hang_up(_, writer):
    writer.close()


def test_rigless_send_publishes_and_receives(broker):
    with Client(broker) as client:
        client.subscribe("r/#")
        assert list(exchange("mqtt", broker.url, ["{}"], ORDER)) == []
        message = client.get()
        assert (message.topic, message.payload) == (ORDER, b"{}")
        client.publish(CONNECTION, b"ONLINE", retain=True)
        pieces = exchange("mqtt", broker.url, [], "r/connection", 30.0)
        assert next(pieces) == b"r/connection ONLINE"
        with pytest.raises(InputError, match="needs a topic"):
            list(exchange("mqtt", broker.url, ["{}"]))
