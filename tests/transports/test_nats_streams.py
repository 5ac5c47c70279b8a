"""The streams of a robot: states never evict acknowledgements, and existing streams are kept."""

import asyncio
import re

from nats_servers import Server
from rigless.transports.jetstream import server, streams

from .inboxes import until
from .nats_robots import IN, OUT, STATE, backend, eventually, on_loop, port, running
from .test_nats_operator import HEARS, SAYS, ask

DURABLE = ("robot.*.events", "robot.*.command.ack", "robot.*.settings.reported")


async def subjects_of(other):
    found = {info.config.name: info.config for info in await other.js.streams_info()}
    return {name: tuple(config.subjects) for name, config in found.items() if name[:2] != "KV"}


@on_loop
async def test_states_fill_their_own_stream_and_evict_no_acknowledgement(tmp_path, monkeypatch):
    """Both streams are small here, and 100 times as much is published as they hold."""
    monkeypatch.setitem(streams.STATE, "max_bytes", 20_000)
    monkeypatch.setitem(streams.STATE, "max_msgs_per_subject", 1000)
    monkeypatch.setitem(streams.OUT, "max_bytes", 20_000)
    with Server(tmp_path) as nats_server:
        async with running(port(nats_server.url, tmp_path)) as robot:
            robot.say("command.ack", 1, commandId="c1")
            robot.say("settings.reported", 2)
            robot.say("events", 3)
            await robot.until_sent()
            for number in range(4000):
                robot.say("state", 10 + number, filler="x" * 400)
                if number % 50 == 49:
                    await asyncio.sleep(0)
            async with backend(nats_server.url) as other:

                async def last_state():
                    return (await other.stored(STATE))[-1:] == ["boot-4009"]

                await eventually(last_state)
                state = (await other.js.stream_info(STATE)).state
                assert state.first_seq > 3900
                assert state.bytes <= 20_000
                assert await other.stored() == ["boot-1", "boot-2", "boot-3"]
            assert not robot.drops


@on_loop
async def test_new_streams_have_limits_that_keep_what_matters(tmp_path):
    with Server(tmp_path) as nats_server:
        async with running(port(nats_server.url, tmp_path)), backend(nats_server.url) as other:
            assert await subjects_of(other) == {
                IN: HEARS,
                OUT: DURABLE,
                STATE: ("robot.*.state",),
            }
            out, state = [(await other.js.stream_info(name)).config for name in (OUT, STATE)]
            assert (out.max_age, out.max_bytes, out.storage) == (3600, 1 << 30, "file")
            assert (state.max_msgs_per_subject, state.storage) == (64, "memory")


@on_loop
async def test_a_stream_of_an_operator_takes_everything_as_before(tmp_path):
    with Server(tmp_path) as nats_server:
        async with backend(nats_server.url) as other:
            await ask(other, f"STREAM.CREATE.{OUT}", name=OUT, subjects=["robot.>"], max_msgs=1000)
            given = {"jetStream": {"streamIn": OUT}}
            for robot_id in ("r1", "r2"):
                async with running(port(nats_server.url, tmp_path, robot_id, nats=given)) as robot:
                    robot.say("state", 1)
                    robot.say("events", 2)
                    await robot.until_sent()
            assert await subjects_of(other) == {OUT: ("robot.>",)}
            assert await other.stored(kind="r1.state") == ["boot-1"]
            assert "may" not in robot.texts
            assert f"take robot.*.state out of its subjects: nats stream edit {OUT}" in robot.texts


@on_loop
async def test_subjects_that_the_outbound_stream_lacks_are_in_the_stream_of_states(tmp_path):
    """As when an operator has made ROBOT_OUT for durable messages, and a stream for states."""
    with Server(tmp_path) as nats_server:
        async with backend(nats_server.url) as other:
            await ask(other, f"STREAM.CREATE.{OUT}", name=OUT, subjects=list(DURABLE))
            await ask(other, "STREAM.CREATE.POSES", name="POSES", subjects=["robot.*.state"])
            given = {"jetStream": {"streamState": "POSES"}}
            async with running(port(nats_server.url, tmp_path, nats=given)) as robot:
                robot.say("state", 1)
                robot.say("events", 2)
                await robot.until_sent()
                await eventually(lambda: _holds(other, "POSES", ["boot-1"]))
            assert await subjects_of(other) == {
                IN: HEARS,
                OUT: DURABLE,
                "POSES": ("robot.*.state",),
            }
            assert await other.stored() == ["boot-2"]


async def _holds(other, stream, ids):
    return await other.stored(stream) == ids


@on_loop
async def test_an_embedded_servers_stream_of_an_earlier_version_is_split(tmp_path, monkeypatch):
    before = {
        "subjects": list(SAYS),
        "storage": "file",
        "discard": "old",
        "num_replicas": 1,
        **streams.OUT,
    }
    with Server(tmp_path) as nats_server:
        async with backend(nats_server.url) as other:
            await ask(other, f"STREAM.CREATE.{OUT}", name=OUT, **before)
            await other.js.publish("robot.r1.events", b"{}", headers={"Nats-Msg-Id": "boot-0"})
            async with running(port(nats_server.url, tmp_path)):
                assert (await subjects_of(other))[OUT] == SAYS  # not ours
            monkeypatch.setattr(server, "ORPHAN", re.compile(nats_server.folder.name))
            async with running(port(nats_server.url, tmp_path)) as robot:
                robot.say("state", 1)
                await eventually(lambda: _holds(other, STATE, ["boot-1"]))
            assert await subjects_of(other) == {IN: HEARS, OUT: DURABLE, STATE: ("robot.*.state",)}
            assert await other.stored() == ["boot-0"]


@on_loop
async def test_without_memory_the_states_are_on_disk(tmp_path):
    account = "A { jetstream { max_mem: 1M, max_file: 10G }\n users: [{ user: r, password: r }] }"
    extra = f"accounts {{ {account}, SYS {{ }} }}\nsystem_account: SYS\n"
    with Server(tmp_path, extra=extra) as nats_server:
        url = nats_server.url.replace("//", "//r:r@")
        async with running(port(url, tmp_path)), backend(url) as other:
            assert (await other.js.stream_info(STATE)).config.storage == "file"


@on_loop
async def test_a_refused_state_is_reported_to_the_robot_and_when_it_is_stored_again(
    tmp_path, monkeypatch
):
    with Server(tmp_path) as nats_server:
        async with backend(nats_server.url) as other:
            info = await other.js.add_stream(
                name=STATE, subjects=["robot.*.state"], max_msgs=1, discard="new"
            )
            async with running(port(nats_server.url, tmp_path)) as robot:

                async def reported():
                    robot.say("state")
                    return robot.report["why"].startswith("messages to robot.r1.state are lost")

                await eventually(reported)
                assert robot.is_up
                info.config.max_msgs = -1
                await other.js.update_stream(info.config)

                async def recovered():
                    robot.say("state")
                    return not robot.report["why"]

                await eventually(recovered)
                await until(lambda: f"the stream {STATE} accepts" in robot.texts)
