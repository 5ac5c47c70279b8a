"""Access: errors name bad credentials, certificates, permissions and servers that are too old."""

import asyncio
import json
import re
import secrets
from pathlib import Path

import nkeys
import pytest

from nats_clusters import Cluster
from nats_servers import Authority, Permissions, Server, Tls, Users
from rigless.kernel.problems import InputError

from .inboxes import until
from .nats_robots import IN, OUT, Robot, backend, on_loop, port, running

API = "$JS.API.>"


async def refusal(given):
    robot = Robot(given)
    with pytest.raises(InputError) as caught:
        await robot.transport.open(given.address)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("r1/nats: ") or "nats.servers" in text
    return text


@on_loop
async def test_a_server_that_is_too_old_is_refused(tmp_path):
    async def greet(reader, writer):
        writer.write(
            b"INFO " + json.dumps({"version": "2.9.10", "headers": True}).encode() + b"\r\n"
        )
        await reader.read()
        writer.close()

    old = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with old:
        url = f"nats://127.0.0.1:{old.sockets[0].getsockname()[1]}"
        text = await refusal(port(url, tmp_path))
    assert "2.9.10" in text
    assert "2.11" in text


@on_loop
async def test_what_is_no_nats_server_is_said_to_be_none(tmp_path):
    async def greet(reader, writer):
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
        await reader.read()
        writer.close()

    other = await asyncio.start_server(greet, "127.0.0.1", 0)
    async with other:
        url = f"nats://127.0.0.1:{other.sockets[0].getsockname()[1]}"
        async with running(port(url, tmp_path), wait=False) as robot:
            assert "NATS server" in robot.report["why"]


@on_loop
async def test_a_server_without_jetstream_is_refused(tmp_path):
    with Server(tmp_path, extra="jetstream: disabled\n") as server:
        assert "JetStream is not enabled" in await refusal(port(server.url, tmp_path))


@pytest.mark.parametrize("url", ["http://127.0.0.1:4222", "nats://127.0.0.1:x", "nats://:4222"])
@on_loop
async def test_a_url_that_is_none_is_named(tmp_path, url):
    given = port("nats://127.0.0.1:4222", tmp_path, nats={"servers": [url]})
    assert "no NATS server's URL" in await refusal(given)


@on_loop
async def test_credentials_let_a_robot_in_and_bad_ones_are_named(tmp_path):
    authority = Authority(tmp_path / "keys")
    with Server(tmp_path, authority) as server:
        creds = str(authority.creds("robot"))
        async with running(port(server.url, tmp_path, nats={"credsFilePath": creds})) as robot:
            robot.say("events", 1)
            await robot.until_sent()
        old = str(authority.creds("late", lasts_s=-5))
        text = await refusal(port(server.url, tmp_path, nats={"credsFilePath": old}))
        assert "have expired" in text
        assert old in text
        stranger = str(Authority(tmp_path / "others").creds("robot"))
        text = await refusal(port(server.url, tmp_path, nats={"credsFilePath": stranger}))
        assert "does not accept the credentials" in text
        missing = str(tmp_path / "none.creds")
        assert "cannot be read" in await refusal(
            port(server.url, tmp_path, nats={"credsFilePath": missing})
        )
        (tmp_path / "empty.creds").write_text("nothing")
        text = await refusal(
            port(server.url, tmp_path, nats={"credsFilePath": str(tmp_path / "empty.creds")})
        )
        assert "not a .creds file" in text
        assert "wants credentials" in await refusal(port(server.url, tmp_path))


@on_loop
async def test_a_key_alone_or_a_token_lets_a_robot_in(tmp_path):
    pair = nkeys.from_seed(nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER))
    users = f'authorization {{ users: [{{ nkey: "{bytes(pair.public_key).decode()}" }}] }}\n'
    with Server(tmp_path, extra=users) as server:
        bare = tmp_path / "robot.nk"
        bare.write_bytes(pair.seed + b"\n")
        wrapped = tmp_path / "robot.creds"
        wrapped.write_text(
            f"-----BEGIN USER NKEY SEED-----\n{pair.seed.decode()}\n------END USER NKEY "
            "SEED------\n"
        )
        for file in (bare, wrapped):
            async with running(
                port(server.url, tmp_path, nats={"credsFilePath": str(file)})
            ) as robot:
                robot.say("events")
                await robot.until_sent()
        other = nkeys.from_seed(nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER))
        bare.write_bytes(other.seed)
        text = await refusal(port(server.url, tmp_path, nats={"credsFilePath": str(bare)}))
        assert "does not accept the credentials" in text
        assert other.seed.decode() not in text
    with Server(tmp_path, extra='authorization { token: "s3cr3t" }\n') as server:
        async with running(port(server.url.replace("//", "//s3cr3t@"), tmp_path)) as robot:
            robot.say("events")
            await robot.until_sent()
        text = await refusal(port(server.url.replace("//", "//another@"), tmp_path))
        assert "does not accept" in text
        assert "another" not in text


@on_loop
async def test_servers_that_a_server_names_by_number_are_known_by_its_certificates_name(
    tmp_path, monkeypatch, in_a_cluster
):
    tls = Tls(tmp_path / "tls", names=("localhost",))
    nodes = Cluster(tmp_path, tls, count=2).nodes
    monkeypatch.setenv("RIGLESS_NATS_CA", str(tls.ca))
    with nodes[0], nodes[1]:
        given = port(f"nats://localhost:{nodes[0].port}", tmp_path)
        async with running(given) as robot:
            connection = robot.transport._connection
            await until(lambda: nodes[1].address in {url.netloc for url in connection._order()})
            nodes[0].kill()
            await until(lambda: "again" in robot.texts)
            assert f"connected to the NATS server at {nodes[1].address} again" in robot.texts


@on_loop
async def test_tls_is_used_where_the_server_wants_it_and_strangers_are_not_trusted(
    tmp_path, monkeypatch
):
    tls = Tls(tmp_path / "tls")
    with Server(tmp_path, tls) as server:
        text = await refusal(port(server.url, tmp_path))
        assert "not trusted" in text
        assert "RIGLESS_NATS_CA" in text
        monkeypatch.setenv("RIGLESS_NATS_CA", str(tls.ca))
        for url in (server.url, server.url.replace("nats:", "tls:")):
            async with running(port(url, tmp_path)) as robot:
                robot.say("events")
                await robot.until_sent()
        monkeypatch.setenv("RIGLESS_NATS_CA", str(tmp_path / "none.pem"))
        assert "certificates cannot be read" in await refusal(port(server.url, tmp_path))


@on_loop
async def test_a_server_without_tls_is_told_as_such(tmp_path):
    with Server(tmp_path) as server:
        text = await refusal(port(server.url.replace("nats:", "tls:"), tmp_path))
        assert "has no TLS (name it nats:// in nats.servers" in text


@on_loop
async def test_a_server_that_wants_a_certificate_gets_the_robots_own(tmp_path, monkeypatch):
    tls = Tls(tmp_path / "tls", verify=True)
    with Server(tmp_path, tls) as server:
        monkeypatch.setenv("RIGLESS_NATS_CA", str(tls.ca))
        text = await refusal(port(server.url, tmp_path))
        assert "wants a certificate" in text
        assert "RIGLESS_NATS_CERT" in text
        monkeypatch.setenv("RIGLESS_NATS_CERT", str(tls.client_certificate))
        monkeypatch.setenv("RIGLESS_NATS_KEY", str(tls.client_key))
        async with running(port(server.url, tmp_path)) as robot:
            robot.say("events")
            await robot.until_sent()


@on_loop
async def test_what_is_not_permitted_is_named_and_stops_nothing_else(tmp_path):
    users = Users(robot=Permissions(deny_publish=["robot.r1.events"]), boss=Permissions())
    with Server(tmp_path, users) as server:
        url, boss = (server.url.replace("//", f"//{user}:{user}@") for user in ("robot", "boss"))
        async with running(port(url, tmp_path)) as robot, backend(boss) as other:
            for number in range(1, 600):
                robot.say("events" if number < 300 else "command.ack", number, commandId="c")
            await until(lambda: robot.depth == 299)
            assert "does not permit this robot to publish to robot.r1.events" in robot.texts
            assert robot.texts.count("robot.r1.events") == 1 + robot.texts.count(
                "permission to publish to robot.r1.events"
            )
            assert await other.stored() == [f"boot-{number}" for number in range(300, 600)]
            users.permissions["robot"] = Permissions()
            server.stop()
            await until(lambda: not robot.is_up)
            server.start()
            await robot.until_sent()  # it waited in the outbox
            assert set(await other.stored(kind="events")) == {
                f"boot-{number}" for number in range(1, 300)
            }


@on_loop
async def test_permissions_that_a_robot_cannot_do_without_are_asked_for(tmp_path):
    users = Users(robot=Permissions(publish=["robot.>"]))
    with Server(tmp_path, users) as server:
        text = await refusal(port(server.url.replace("//", "//robot:robot@"), tmp_path))
        assert f"$JS.API.STREAM.INFO.{IN}" in text
        assert "permission" in text


@on_loop
async def test_a_robot_that_may_not_listen_for_answers_says_so(tmp_path):
    with Server(tmp_path, Users(robot=Permissions(deny_subscribe=["_INBOX.>"]))) as server:
        text = await refusal(port(server.url.replace("//", "//robot:robot@"), tmp_path))
        assert "subscribe to _INBOX.>" in text


@on_loop
async def test_a_wrong_password_is_named_without_being_told(tmp_path):
    with Server(tmp_path, Users(robot=Permissions())) as server:
        text = await refusal(port(server.url.replace("//", "//robot:secret@"), tmp_path))
        assert "does not accept this user" in text
        assert "secret" not in text


@on_loop
async def test_streams_that_lack_subjects_are_refused_with_what_they_lack(tmp_path):
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            await other.js.add_stream(name=OUT, subjects=["robot.*.events", "robot.*.state"])
        text = await refusal(port(server.url, tmp_path))
        assert "robot.r1.command.ack" in text
        assert "robot.r1.events" not in text


@on_loop
async def test_the_permissions_that_the_reference_names_are_enough(tmp_path):
    page = (Path(__file__).parents[2] / "docs/reference/nats.md").read_text()
    sentence = page.partition("The least permissions of robot `R`: publish to ")[2].partition(
        ";\n"
    )[0]
    subjects = re.findall(r"`([^`]+)`", sentence)
    assert len(subjects) == 8
    may = [
        ".".join("r1" if token == "R" else token for token in subject.split("."))
        for subject in subjects
    ]
    users = Users(robot=Permissions(publish=may, subscribe=["_INBOX.>"]), boss=Permissions())
    with Server(tmp_path, users) as server:
        url, boss = (server.url.replace("//", f"//{user}:{user}@") for user in ("robot", "boss"))
        async with running(port(url, tmp_path)) as robot, backend(boss) as other:
            robot.say("events", 1)
            await other.publish_request("r1", 1)
            await robot.until_sent()
            await until(lambda: robot.heard("command.request"))
            server.restart()
            await until(lambda: "again" in robot.texts)
            await robot.until_connected()
            robot.say("events", 2)
            await robot.until_sent()
            assert await other.stored() == ["boot-1", "boot-2"]
        assert "permit" not in robot.texts
