"""Requests to the JetStream API: find or create streams and read messages.

An existing stream is used as it is. A new one discards the oldest messages first and has three
replicas in a cluster. Messages to robots are kept for a day (ROBOT_IN), messages of robots for an
hour or a gigabyte (ROBOT_OUT). Latest-wins messages have a stream of their own in the memory of the
server (ROBOT_STATE), since they would evict the others. An id repeated within two minutes is a
duplicate.
"""

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from rigless.kernel.timing.timestamps import to_ns
from rigless.transports.jetstream.connection import Connection
from rigless.transports.jetstream.errors import (
    ApiError,
    LinkError,
    NoRespondersError,
    ReplyTimeoutError,
)

API = "$JS.API."
# Timeouts of the attempts. After the leader of a stream dies, only a new request is answered.
ATTEMPTS_S = (1.0, 1.5, 2.5)
ELECTION_S = 10.0  # a cluster that elects a leader rejects requests for some seconds
REPEAT_S = 0.25
S = 1_000_000_000
HOUR = 3600 * S
NO_STREAM, NO_CONSUMER, NO_MESSAGE = 10059, 10014, 10037
NAME_IN_USE, OVERLAP = 10058, 10065
TOO_FEW_SERVERS = (10005, 10074)
NO_ROOM = (10002, 10023, 10027, 10028, 10047)  # limits of the account or the server
NOT_AVAILABLE = 10008
REPLICAS = 3  # in a cluster with at least as many servers
NOT_ENABLED = (10039, 10076)
Limits = dict[str, int | str]
IN: Limits = {"max_age": 24 * HOUR, "max_bytes": 256 << 20}
OUT: Limits = {"max_age": HOUR, "max_bytes": 1 << 30}
# The limit per subject keeps the last messages of every robot, however many robots there are.
STATE: Limits = {
    "max_age": HOUR,
    "max_bytes": 256 << 20,
    "max_msgs_per_subject": 64,
    "storage": "memory",
}


class Error(msgspec.Struct):
    code: int = 0
    err_code: int = 0
    description: str = ""


class Reply(msgspec.Struct):
    error: Error | None = None


class PubAck(Reply):
    """The acknowledgement of a published message."""

    seq: int = 0
    duplicate: bool = False


class Stream(msgspec.Struct):
    """A stream and its settings."""

    name: str
    subjects: list[str]
    created: str
    last_seq: int = 0
    config: dict[str, Any] = {}

    @property
    def replicas(self) -> int:
        return int(self.config.get("num_replicas") or 1)

    def takes(self, subject: str) -> bool:
        return any(covers(pattern, subject) for pattern in self.subjects)


async def api(connection: Connection, verb: str, request: Any = None) -> dict[str, Any]:
    """Send an idempotent request to JetStream. Raises LinkError; ApiError if it is rejected.

    While the cluster elects a leader, repeat the request for up to ELECTION_S.
    """
    end_s = asyncio.get_running_loop().time() + ELECTION_S
    while True:
        try:
            return await _ask(connection, verb, request)
        except ApiError as error:
            waited = asyncio.get_running_loop().time() >= end_s
            if error.code != NOT_AVAILABLE or waited:
                raise
        await asyncio.sleep(REPEAT_S)


async def _ask(connection: Connection, verb: str, request: Any) -> dict[str, Any]:
    data = b"" if request is None else msgspec.json.encode(request)
    for patience_s in ATTEMPTS_S:
        with contextlib.suppress(ReplyTimeoutError):
            _, payload = await connection.request(API + verb, data, patience_s)
            return _decode(payload, verb)
    fix = "too few of its servers may run: see nats server report jetstream"
    raise ReplyTimeoutError(f"JetStream has not answered {verb} for {sum(ATTEMPTS_S):g} s", fix)


def _decode(payload: bytes, verb: str) -> dict[str, Any]:
    try:
        reply = msgspec.json.decode(payload)
        error = msgspec.convert(reply, Reply).error
    except (msgspec.DecodeError, msgspec.ValidationError) as found:
        raise LinkError(f"JetStream's answer to {verb} cannot be read: {found}") from None
    if error is None:
        return dict(reply)
    if error.err_code in NOT_ENABLED:
        raise _not_enabled()
    raise ApiError(error.err_code, error.description, verb)


def _not_enabled() -> LinkError:
    fix = "start the server with -js, or ask for it in its account"
    return LinkError("JetStream is not enabled on the NATS server", fix, final=True)


async def info(connection: Connection, name: str) -> Stream | None:
    """Return a stream, or None if there is none. Also samples the server's clock."""
    asked_ns = time.monotonic_ns()
    try:
        found = await api(connection, f"STREAM.INFO.{name}")
    except ApiError as error:
        if error.code == NO_STREAM:
            return None
        raise
    except NoRespondersError:
        raise _not_enabled() from None
    if "ts" in found:
        with contextlib.suppress(ValueError):
            connection.clock.sample(asked_ns, time.monotonic_ns(), to_ns(found["ts"]))
    return _stream(found)


def _stream(found: dict[str, Any]) -> Stream:
    config, state = found.get("config", {}), found.get("state", {})
    return Stream(
        config.get("name", ""),
        list(config.get("subjects") or ()),
        found.get("created", ""),
        state.get("last_seq", 0),
        config,
    )


async def ensure(
    connection: Connection, name: str, patterns: Sequence[str], limits: Limits
) -> Stream:
    """Return the stream of this name; create it if it does not exist."""
    found = await info(connection, name)
    if found is not None:
        return found
    config = {
        "name": name,
        "subjects": list(patterns),
        "retention": "limits",
        "storage": "file",
        "discard": "old",
        "duplicate_window": 120 * S,
        "allow_direct": True,
        "max_consumers": -1,
        "max_msgs": -1,
        **limits,
    }
    try:
        return _stream(await create(connection, config, REPLICAS if connection.clustered else 1))
    except ApiError as error:
        if error.code == NAME_IN_USE:  # created concurrently
            found = await info(connection, name)
            if found is not None:
                return found
        if error.code == OVERLAP:
            raise await _overlap(connection, name, patterns) from None
        raise


async def _overlap(connection: Connection, name: str, patterns: Sequence[str]) -> LinkError:
    """Return the error that another stream has some of these subjects; name it if permitted."""
    other, subject = "another", "some of its subjects"
    with contextlib.suppress(LinkError):
        for pattern in patterns:
            if found := (await api(connection, "STREAM.NAMES", {"subject": pattern})).get(
                "streams"
            ):
                other, subject = f"the stream {found[0]}", pattern
                break
    fix = (
        "name it in nats.jetStream of the config if it has all of them, else take them from "
        "it: nats stream edit"
    )
    return LinkError(f"the stream {name} cannot be made: {other} has {subject}", fix, final=True)


async def create(connection: Connection, config: dict[str, Any], replicas: int) -> dict[str, Any]:
    """Create a stream; with one replica if there are too few servers. Raises ApiError."""
    verb = f"STREAM.CREATE.{config['name']}"
    try:
        return await api(connection, verb, {**config, "num_replicas": replicas})
    except ApiError as error:
        if error.code in TOO_FEW_SERVERS and replicas > 1:
            return await create(connection, config, 1)
        if error.code in NO_ROOM and config["storage"] == "memory":
            return await create(connection, {**config, "storage": "file"}, replicas)
        if error.code in NO_ROOM:
            fix = (
                f"make a smaller one yourself (nats stream add {config['name']}), or ask the "
                "operator of the server for more"
            )
            what = (
                f"the stream {config['name']} of {config['max_bytes'] >> 20} MiB cannot be "
                f"made: {error.text}"
            )
            raise LinkError(what, fix, final=True) from None
        raise


async def update(connection: Connection, stream: Stream, subjects: Sequence[str]) -> None:
    """Replace the subjects of a stream. Raises ApiError."""
    await api(
        connection, f"STREAM.UPDATE.{stream.name}", {**stream.config, "subjects": list(subjects)}
    )


def covers(pattern: str, subject: str) -> bool:
    """Return whether the pattern matches every subject that `subject` matches."""
    wanted, given = pattern.split("."), subject.split(".")
    for index, token in enumerate(wanted):
        if token == ">":
            return len(given) > index
        if index >= len(given) or given[index] == ">" or (token not in ("*", given[index])):
            return False
    return len(wanted) == len(given)


class Message(msgspec.Struct):
    """A stored message."""

    subject: str
    seq: int
    time: str
    data: bytes = b""
    hdrs: bytes = b""


async def get(connection: Connection, stream: str, **which: Any) -> Message | None:
    """Return a message of a stream, or None if there is none.

    Select it by `last_by_subj=SUBJECT`, or by `seq=N, next_by_subj=SUBJECT`.
    """
    try:
        found = await api(connection, f"STREAM.MSG.GET.{stream}", which)
    except ApiError as error:
        if error.code in (NO_MESSAGE, NO_STREAM):
            return None
        raise
    try:
        return msgspec.convert(found.get("message"), Message, strict=False)
    except msgspec.ValidationError as error:
        raise LinkError(f"a message of the stream {stream} cannot be read: {error}") from None
