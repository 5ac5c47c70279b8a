"""Streams, consumers and buckets that an operator created with other settings.

They are used as they are, refused if messages would be lost, and never changed silently.
"""

import asyncio
import json

import msgspec
import pytest

from nats_servers import Permissions, Server, Users
from rigless.kernel.problems import InputError
from rigless.transports.jetstream import lease

from .inboxes import until
from .nats_robots import IN, OUT, STATE, Robot, backend, eventually, on_loop, port, running

HEARS = ("robot.*.command.request", "robot.*.settings.desired")
SAYS = ("robot.*.state", "robot.*.events", "robot.*.command.ack", "robot.*.settings.reported")
S = 10**9


async def ask(other, verb, **question):
    answer = json.loads(
        (await other.client.request(f"$JS.API.{verb}", json.dumps(question).encode(), 60)).data
    )
    assert "error" not in answer, answer
    return answer


async def consumer(other, robot, **config):
    """Create a consumer as an operator might."""
    usual = {"name": robot, "durable_name": robot, "ack_policy": "explicit"}
    usual["filter_subjects"] = [subject.replace("*", robot) for subject in HEARS]
    await ask(other, f"CONSUMER.CREATE.{IN}.{robot}", stream_name=IN, config={**usual, **config})


async def refusal(given):
    with pytest.raises(InputError) as caught:
        await Robot(given).transport.open(given.address)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@on_loop
async def test_consumers_that_would_lose_commands_are_refused_with_the_reason(tmp_path):
    unfit = {
        "push": ({"deliver_subject": "here"}, "pushes to here"),
        "none": ({"ack_policy": "none"}, "policy none"),
        "all": ({"ack_policy": "all"}, "policy all"),
        "bare": ({"headers_only": True}, "headers only"),
        "pin": (
            {
                "priority_policy": "pinned_client",
                "priority_groups": ["a"],
                "priority_timeout": 60 * S,
            },
            "priority groups",
        ),
    }
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            await other.js.add_stream(name=IN, subjects=list(HEARS))
            for robot, (config, reason) in unfit.items():
                await consumer(other, robot, **config)
                text = await refusal(port(server.url, tmp_path, robot))
                assert reason in text
                assert f"nats consumer rm {IN} {robot}" in text
                kept = (await ask(other, f"CONSUMER.INFO.{IN}.{robot}"))["config"]
                assert {key: kept.get(key) for key in config} == config


@on_loop
async def test_consumers_with_other_settings_are_used_as_they_are_and_told(tmp_path):
    other_settings = {
        "few": ({"max_batch": 2, "max_expires": S}, ""),
        "short": ({"ack_wait": S // 2, "max_ack_pending": 1, "max_waiting": 1}, ""),
        "tries": ({"max_deliver": 3}, "3 times at most"),
        "narrow": (
            {"filter_subjects": ["robot.narrow.settings.desired"]},
            "had the subjects robot.narrow.settings.desired",
        ),
        "rest": ({"pause_until": "2001-01-01T00:00:00Z"}, ""),
    }
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            await other.js.add_stream(name=IN, subjects=list(HEARS))
            for name, (config, remark) in other_settings.items():
                await consumer(other, name, **config)
                async with running(port(server.url, tmp_path, name)) as robot:
                    for number in range(5):
                        await other.publish_request(name, number)
                    await until(lambda robot=robot: len(robot.heard("command.request")) == 5)
                    assert remark in robot.texts
                    assert remark or not robot.logged
                    kept = (await ask(other, f"CONSUMER.INFO.{IN}.{name}"))["config"]
                    expected = {
                        key: value
                        for key, value in config.items()
                        if key not in ("filter_subjects", "pause_until")
                    }
                    assert {key: kept[key] for key in expected} == expected
            await consumer(other, "asleep", pause_until="2099-01-01T00:00:00Z")
            async with running(port(server.url, tmp_path, "asleep")) as robot:
                assert "paused until 2099" in robot.texts


@on_loop
async def test_streams_that_would_lose_what_is_said_are_refused(tmp_path):
    with Server(tmp_path) as server:

        async def refusal_of(stream):
            return await refusal(
                port(server.url, tmp_path, nats={"jetStream": {"streamOut": stream}})
            )

        async with backend(server.url) as other:
            await other.js.add_stream(name="ORIGIN", subjects=list(SAYS))
            await ask(other, "STREAM.CREATE.COPY", name="COPY", mirror={"name": "ORIGIN"})
            assert "COPY is a mirror of ORIGIN" in await refusal_of("COPY")
            await other.js.delete_stream("COPY")
            await other.js.delete_stream("ORIGIN")
            await ask(other, "STREAM.CREATE.MUTE", name="MUTE", subjects=list(SAYS), no_ack=True)
            assert "does not acknowledge" in await refusal_of("MUTE")
            await ask(
                other,
                "STREAM.UPDATE.MUTE",
                name="MUTE",
                subjects=list(SAYS),
                sealed=True,
                no_ack=False,
            )
            assert "sealed" in await refusal_of("MUTE")


@on_loop
async def test_a_stream_that_has_the_subjects_already_is_named(tmp_path):
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            await ask(other, "STREAM.CREATE.OTHER", name="OTHER", subjects=["robot.*.state"])
        text = await refusal(port(server.url, tmp_path))
        assert (
            f"the stream {STATE} cannot be made: the stream OTHER has robot.*.state (name it "
            "in nats.jetStream" in text
        )


@on_loop
async def test_one_stream_may_be_both(tmp_path):
    """With an existing stream, or a new one."""
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            await ask(other, "STREAM.CREATE.ROBOTS", name="ROBOTS", subjects=["robot.>"])
            for number, ready in enumerate((True, False)):
                if not ready:
                    await other.js.delete_stream("ROBOTS")
                both = {"jetStream": {"streamIn": "ROBOTS", "streamOut": "ROBOTS"}}
                async with running(port(server.url, tmp_path, nats=both)) as robot:
                    await other.publish_request("r1", number)
                    await until(lambda robot=robot: robot.heard("command.request"))
                    robot.say("events")
                    await robot.until_sent()
                assert [stream.config.name for stream in await other.js.streams_info()] == [
                    f"KV_{lease.BUCKET}",
                    "ROBOTS",
                ]


@on_loop
async def test_streams_of_another_kind_are_used_as_they_are(tmp_path):
    """A mirror, a work queue, and a stream with the last message of each subject."""
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            await other.js.add_stream(name="HUB", subjects=list(HEARS))
            await ask(other, "STREAM.CREATE.EDGE", name="EDGE", mirror={"name": "HUB"})
            await ask(
                other, f"STREAM.CREATE.{OUT}", name=OUT, subjects=list(SAYS), max_msgs_per_subject=1
            )
            async with running(
                port(server.url, tmp_path, nats={"jetStream": {"streamIn": "EDGE"}})
            ) as robot:
                await other.publish_request("r1", 1)
                await until(lambda: robot.heard("command.request"))
                assert "only the last message" in robot.texts
                assert "120 s" in robot.texts
            await other.js.delete_stream("HUB")
            await other.js.delete_stream("EDGE")
            await ask(
                other, f"STREAM.CREATE.{IN}", name=IN, subjects=list(HEARS), retention="workqueue"
            )
            async with running(port(server.url, tmp_path)) as robot:
                await other.publish_request("r1", 2)
                await until(lambda: robot.heard("command.request"))
                floor = robot.transport._session._consumer

                async def acknowledged():
                    await floor.refresh()
                    return floor._floor > 0

                await eventually(acknowledged)
                await other.js.delete_consumer(
                    IN, "r1"
                )  # a work queue's begins at the beginning only
                await other.publish_request("r1", 3)
                await until(lambda: len(robot.heard("command.request")) == 2)


@on_loop
async def test_a_consumer_that_somebody_made_anew_repeats_nothing(tmp_path):
    """As after a crash of the server before it stored acknowledgements."""
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            for number in range(3):
                await other.publish_request("r1", number)
            await until(lambda: len(robot.heard("command.request")) == 3)

            async def acknowledged():
                await robot.transport._session._consumer.refresh()
                return robot.transport._session._consumer._floor == 3

            await eventually(acknowledged)
            robot.transport.close_link(1)  # it does not look for a moment
            await other.js.delete_consumer(IN, "r1")
            await consumer(other, "r1")
            await other.publish_request("r1", 3)
            await until(lambda: len(robot.heard("command.request")) == 4)
            assert json.loads(robot.heard("command.request")[-1]) == {"commandId": "c3"}


@on_loop
async def test_a_bucket_that_does_not_forget_frees_a_lease_that_nobody_renews(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(lease, "LIFE_S", 0.5)
    monkeypatch.setattr(lease, "POLL_S", 0.1)
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            bucket = await other.js.create_key_value(bucket=lease.BUCKET)
            gone = lease.Holder(
                "t", "elsewhere", 1, "2026-01-01T00:00:00Z", "another", "pid:[1]", "1"
            )
            await bucket.put("r1", msgspec.json.encode(gone))
            async with running(port(server.url, tmp_path)):
                assert b"elsewhere" not in (await bucket.get("r1")).value


@on_loop
async def test_a_bucket_that_forgets_too_soon_is_refused(tmp_path):
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            await other.js.create_key_value(bucket=lease.BUCKET, ttl=3)
        text = await refusal(port(server.url, tmp_path))
        assert "expires entries after 3 s" in text
        assert "--max-age=10s" in text


@on_loop
async def test_a_renewal_whose_answer_was_lost_is_not_taken_for_a_theft(tmp_path):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot:
            held = robot.transport._session.lease
            held._revision -= 1  # as it would be
            await robot.transport._session._renew()
            assert robot.transport._session.connected
            assert "not ours" not in robot.texts


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ("max_file: 100M", f"the stream {IN} of 256 MiB cannot be made: insufficient storage"),
        (
            "max_file: 10G, max_streams: 3",
            f"the stream KV_{lease.BUCKET} of 16 MiB cannot be made: maximum number",
        ),
        ("max_file: 10G, max_ack_pending: 100", ""),
    ],
)
@on_loop
async def test_an_account_with_little_room_is_told_what_it_lacks(tmp_path, limits, text):
    account = f"A {{ jetstream {{ {limits} }}\n users: [{{ user: robot, password: robot }}] }}"
    with Server(
        tmp_path, extra=f"accounts {{ {account}, SYS {{ }} }}\nsystem_account: SYS\n"
    ) as server:
        given = port(server.url.replace("//", "//robot:robot@"), tmp_path)
        if text:
            assert text in await refusal(given)
        else:
            async with (
                running(given) as robot,
                backend(server.url.replace("//", "//robot:robot@")) as other,
            ):
                await other.publish_request("r1", 1)
                await until(lambda: robot.heard("command.request"))


# What is not taken is said


@on_loop
async def test_a_state_that_is_too_large_is_told_and_does_not_cost_the_connection(tmp_path):
    with Server(tmp_path, extra="max_payload: 3000\n") as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            for number in (1, 2):
                robot.say("state", number, text="x" * 4000)
                robot.say("events", 10 + number)
                await robot.until_sent()
            robot.say("state", 20)
            robot.say("events", 21)
            await robot.until_sent()
            assert await other.stored() == ["boot-11", "boot-12", "boot-21"]
            assert await other.stored(STATE) == ["boot-20"]
            assert robot.texts.count("exceed the limit of the server") == 1
            assert "lost: " in robot.texts
            assert "closed the connection" not in robot.texts
            assert len(robot.drops) == 2


@on_loop
async def test_a_stream_that_takes_no_states_is_told_and_when_it_does_again(tmp_path, monkeypatch):
    with Server(tmp_path) as server:
        async with backend(server.url) as other:
            info = await other.js.add_stream(name=OUT, subjects=list(SAYS), max_msg_size=40)
            async with running(port(server.url, tmp_path)) as robot:
                robot.say("state", 1, text="x" * 100)
                await until(
                    lambda: "robot.r1.state are lost: message size exceeds maximum" in robot.texts
                )
                robot.say("state", 2, text="x" * 100)
                info.config.max_msg_size = -1
                await other.js.update_stream(info.config)

                async def again():
                    robot.say("state")
                    return "accepts robot.r1.state again" in robot.texts

                await eventually(again)
                assert robot.texts.count("are lost") == 1


@on_loop
async def test_a_deleted_stream_is_noticed_by_one_who_has_only_states_to_tell(
    tmp_path, monkeypatch
):
    with Server(tmp_path) as server:
        async with running(port(server.url, tmp_path)) as robot, backend(server.url) as other:
            await other.js.delete_stream(STATE)

            async def there():
                robot.say("state")
                return any(stream.config.name == STATE for stream in await other.js.streams_info())

            await eventually(there)


# Permissions that are missing one at a time


@pytest.mark.parametrize(
    ("denied", "named"),
    [
        ("$JS.API.STREAM.INFO.>", f"$JS.API.STREAM.INFO.{IN}"),
        ("$JS.API.STREAM.CREATE.>", f"$JS.API.STREAM.CREATE.{IN}"),
        ("$JS.API.CONSUMER.INFO.>", f"$JS.API.CONSUMER.INFO.{IN}.r1"),
        ("$JS.API.CONSUMER.CREATE.>", f"$JS.API.CONSUMER.CREATE.{IN}.r1"),
        ("$KV.>", "$KV.robot_lease.r1"),
    ],
)
@on_loop
async def test_a_missing_permission_is_named_at_the_start(tmp_path, denied, named):
    with Server(tmp_path, Users(robot=Permissions(deny_publish=[denied]))) as server:
        text = await refusal(port(server.url.replace("//", "//robot:robot@"), tmp_path))
        assert f"publish to {named} (" in text


@on_loop
async def test_a_missing_permission_to_hear_or_to_acknowledge_is_named_once(tmp_path):
    users = Users(
        deaf=Permissions(deny_publish=["$JS.API.CONSUMER.MSG.NEXT.>"]),
        mute=Permissions(deny_publish=["$JS.ACK.>"]),
        boss=Permissions(),
    )
    with Server(tmp_path, users) as server:
        deaf, mute, boss = (
            server.url.replace("//", f"//{user}:{user}@") for user in ("deaf", "mute", "boss")
        )
        async with running(port(deaf, tmp_path, "r1"), wait=False) as robot:
            await until(lambda: "$JS.API.CONSUMER.MSG.NEXT.ROBOT_IN.r1" in robot.report["why"])
            assert not robot.is_up
        async with running(port(mute, tmp_path, "r2")) as robot, backend(boss) as other:
            for number in range(5):
                await other.publish_request("r2", number)
            await until(lambda: len(robot.heard("command.request")) == 5)
            await until(lambda: "publish to $JS.ACK.ROBOT_IN.r2.> (" in robot.texts)
            await asyncio.sleep(0.05)
            assert len(robot.logged) == 1


@on_loop
async def test_a_robot_that_may_not_ask_what_the_stream_has_says_what_that_means(tmp_path):
    users = Users(robot=Permissions(deny_publish=["$JS.API.STREAM.MSG.GET.>"]))
    server = Server(tmp_path, users)
    given = port(server.url.replace("//", "//robot:robot@"), tmp_path)
    async with running(given, wait=False) as robot:
        robot.say("events")
        await until(lambda: robot.depth == 1)
    with server:
        async with running(given) as robot:
            await robot.until_sent()
            assert "publish to $JS.API.STREAM.MSG.GET.ROBOT_OUT" in robot.texts
            assert "may be stored twice" in robot.texts
