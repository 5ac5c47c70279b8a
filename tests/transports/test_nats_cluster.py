"""A robot on a cluster: nodes die, shut down or join, leaders change; no loss, no duplicates."""

import asyncio
import json
import os
import signal
from contextlib import suppress

import nats.errors
import nats.js.errors
import pytest

from nats_clusters import Cluster
from nats_servers import Server
from rigless.transports.jetstream import connection, streams

from .inboxes import until
from .nats_robots import IN, OUT, STATE, backend, message, on_loop, port, running

BUCKET = "KV_robot_lease"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster")) as nodes:
        asyncio.run(nodes.ready())
        yield nodes


@pytest.fixture(autouse=True)
def _in_a_cluster(in_a_cluster):
    return


def node_of(cluster, robot):
    return cluster.at(robot.transport._connection._wire._transport.get_extra_info("peername")[1])


async def busy(robot, log):
    """Send events and states repeatedly, and note which were sent during an outage."""
    while not log["stop"]:
        log["said"] += 1
        if not robot.is_up:
            log["alone"].append(log["said"])
        robot.transport.send(1, message(log["said"], log["boot"]), f"robot.{robot.name}.events")
        robot.transport.send(
            1, message(log["said"], f"s-{log['boot']}"), f"robot.{robot.name}.state"
        )
        await asyncio.sleep(0.01)


async def stored(cluster, robot):
    """Return the ids of a robot's events and of its states."""
    async with backend(cluster.urls) as other:
        stream = other.client.jetstream(timeout=2)
        while True:  # what is asked while a leader changes may never be answered
            with suppress(nats.errors.Error, nats.js.errors.Error, TimeoutError):
                return [await _ids(stream, name, robot) for name in (OUT, STATE)]


async def _ids(stream, name, robot):
    info = await stream.stream_info(name, subjects_filter=f"robot.{robot}.>")
    count, found = sum((info.state.subjects or {}).values()), []
    if not count:
        return found
    subscription = await stream.pull_subscribe(f"robot.{robot}.>", stream=name)
    while len(found) < count:
        messages = await subscription.fetch(500, timeout=2)
        found += [given.headers["Nats-Msg-Id"] for given in messages]
    return found


@on_loop
async def test_what_a_robot_makes_in_a_cluster_is_on_three_nodes(cluster, tmp_path):
    async with running(port(cluster.urls[0], tmp_path)):
        for name in (IN, OUT, BUCKET):
            assert (await cluster.made(f"STREAM.INFO.{name}"))["config"]["num_replicas"] == 3


@on_loop
async def test_when_the_node_dies_that_has_everything_nothing_is_lost_or_doubled(cluster, tmp_path):
    """The node has the robot's connection and leads its streams and its consumer."""
    log = {"stop": False, "said": 0, "alone": [], "boot": "dies"}
    async with running(
        port(cluster.urls[0], tmp_path, "r2", nats={"servers": cluster.urls})
    ) as robot:
        victim = node_of(cluster, robot)
        for place in (IN, OUT, BUCKET, f"{IN}.r2"):
            await cluster.lead(victim, place)
        await robot.until_connected()
        talk = asyncio.create_task(busy(robot, log))
        asked = []
        async with backend(cluster.urls) as other:
            for number in range(10):
                await other.publish_request("r2", number)
                asked.append(f"c{number}")
            await until(lambda: len(robot.heard("command.request")) == 10)
        victim.kill()
        await until(lambda: not robot.is_up)
        await robot.until_connected()
        async with backend([node.url for node in cluster.nodes if node.process]) as other:
            await other.publish_request("r2", 10)
        await until(lambda: len(robot.heard("command.request")) == 11)
        victim.start()
        log["stop"] = True
        await talk
        await robot.until_sent()
        assert [json.loads(data)["commandId"] for data in robot.heard("command.request")] == [
            *asked,
            "c10",
        ]
        events, states = await stored(cluster, "r2")
        assert events == [f"dies-{number}" for number in range(1, log["said"] + 1)]
        assert len(states) == len(set(states)) > 0
        assert log["alone"]
        assert not {f"s-dies-{number}" for number in log["alone"]} & set(
            states
        )  # none is sent late
    await cluster.ready()


@pytest.mark.parametrize("place", ["stream", "state", "inbound", "consumer", "lease"])
@on_loop
async def test_a_new_leader_of_the_stream_is_no_outage(cluster, tmp_path, place):
    log = {"stop": False, "said": 0, "alone": [], "boot": f"step-{place}"}
    name = f"r3-{place}"
    given = {"stream": OUT, "state": STATE, "inbound": IN, "lease": BUCKET}
    led = given.get(place, f"{IN}.{name}")
    async with running(
        port(cluster.urls[0], tmp_path, name, nats={"servers": cluster.urls})
    ) as robot:
        talk = asyncio.create_task(busy(robot, log))
        first = await cluster.leader(led)
        heard = len(robot.raw("_transport"))
        await cluster.lead(next(node for node in cluster.nodes if node is not first), led)
        await cluster.lead(first, led)
        async with backend(cluster.urls) as other:
            await other.publish_request(name, 1)
            await until(lambda: robot.heard("command.request"))
        log["stop"] = True
        await talk
        await robot.until_sent()
        assert b'"connected":false' not in b"".join(robot.raw("_transport")[heard:])
        events, _ = await stored(cluster, name)
        assert events == [f"step-{place}-{number}" for number in range(1, log["said"] + 1)]


@on_loop
async def test_a_question_that_died_with_another_node_is_asked_again(
    cluster, tmp_path, monkeypatch
):
    """The stream is on another node than the robot, so its connection does not notice."""
    monkeypatch.setattr("rigless.transports.jetstream.consumer.BEAT_S", 0.5)
    monkeypatch.setattr("rigless.transports.jetstream.consumer.PULL_S", 120.0)
    await cluster.made(
        "STREAM.CREATE.ONE", {"name": "ONE", "subjects": ["one.r4"], "num_replicas": 1}
    )
    victim = await cluster.leader("ONE")
    mine = next(node for node in cluster.nodes if node is not victim)
    given = port(
        mine.url, tmp_path, "r4", listens=("one.r4",), nats={"jetStream": {"streamIn": "ONE"}}
    )
    async with running(given) as robot:
        for place in (OUT, BUCKET):
            await cluster.lead(mine, place)
        await robot.until_connected()
        victim.restart()
        await cluster.ready()
        await cluster.say("one.r4")
        await until(
            lambda: any(
                report[3] == "one.r4" for report in robot.reports if report[0] == "received"
            )
        )


@on_loop
async def test_a_node_that_goes_in_good_order_is_left_before_it_goes(cluster, tmp_path):
    async with running(
        port(cluster.urls[0], tmp_path, "r5")
    ) as robot:  # it learns the others from this one
        node = node_of(cluster, robot)
        os.kill(node.pid, signal.SIGUSR2)
        await until(lambda: "again" in robot.texts)
        assert "about to shut down" in robot.texts
        assert node.process.poll() is None
        await robot.until_connected()
        assert node_of(cluster, robot) is not node
        node.kill()
        node.start()
    await cluster.ready()


@on_loop
async def test_a_node_that_joins_later_is_known_then_and_forgotten_when_it_is_gone(tmp_path):
    nodes = Cluster(tmp_path, count=2).nodes
    with nodes[0]:
        async with running(port(nodes[0].url, tmp_path), wait=False) as robot:
            await until(lambda: robot.transport._connection.up)
            with nodes[1]:
                await until(
                    lambda: (
                        nodes[1].address
                        in {url.netloc for url in robot.transport._connection._order()}
                    )
                )
            await until(
                lambda: (
                    nodes[1].address
                    not in {url.netloc for url in robot.transport._connection._order()}
                )
            )


@on_loop
async def test_a_server_whose_cluster_has_no_majority_is_left_for_one_that_works(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(connection, "SWITCH_S", 0.1)
    monkeypatch.setattr(streams, "ATTEMPTS_S", (0.2,))
    alone = Cluster(tmp_path / "cluster").nodes[0]
    with alone, Server(tmp_path) as server:
        given = port(alone.url, tmp_path, nats={"servers": [alone.url, server.url]})
        async with running(given, wait=False) as robot:
            await until(lambda: "left for another server" in robot.texts)
            monkeypatch.setattr(streams, "ATTEMPTS_S", (1.0,) * 60)  # this one may take its time
            robot.say("events", 1)
            await robot.until_sent()
            async with backend(server.url) as other:
                assert await other.stored() == ["boot-1"]


@on_loop
async def test_what_ails_all_robots_of_a_connection_is_said_once(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "ATTEMPTS_S", (0.2,))
    alone = Cluster(tmp_path / "cluster").nodes[0]
    with alone:
        ports = [port(alone.url, tmp_path, name) for name in "abc"]
        async with (
            running(ports[0], wait=False) as a,
            running(ports[1], wait=False) as b,
            running(ports[2], wait=False) as c,
        ):
            await until(
                lambda: all("has not answered" in robot.report["why"] for robot in (a, b, c))
            )
            texts = [
                text
                for robot in (a, b, c)
                for _, text in robot.logged
                if "has not answered" in text
            ]
            assert len(texts) == 1
