"""One runtime a robot: two on one durable consumer would silently split its commands.

Who has the lease writes its name into a bucket (key = robot) again and again; each write names the one before, so of two only one
succeeds. The bucket forgets after LIFE_S, so a crashed robot's lease is free within that; in a bucket that does not forget, one that was
not written for as long is free as well. A holder on this machine whose process is gone is followed at once.
"""

import asyncio
import os
import secrets
import socket
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from rigless.transports.jetstream import audit
from rigless.transports.jetstream.connection import Connection
from rigless.transports.jetstream.errors import (
    ApiError,
    LinkError,
    NoRespondersError,
    PermissionDeniedError,
)
from rigless.transports.jetstream.streams import NAME_IN_USE, PubAck, get, look, make

BUCKET = "robot_lease"
LIFE_S = 15.0
RENEW_S = 4.0
LEAST_S = 2.5 * RENEW_S  # a bucket that forgets sooner is of no use
WATCH_S = 6.0  # a holder that has not renewed for as long is probably gone
POLL_S = 0.5
ANSWER_S = 3.0
WRONG_SEQUENCE = (10071, 10164)  # the second of a cluster where another write is under way


class Holder(msgspec.Struct, frozen=True):
    """Who has a robot. `machine` and `space` tell whether its process could be seen from here, `begun` whether it is still the same."""

    token: str
    host: str
    pid: int
    since: str
    machine: str = ""
    space: str = ""
    begun: str = ""

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"

    def is_gone(self) -> bool:
        """Certainly gone; False if it cannot be told."""
        if not self.machine or (self.machine, self.space) != (_read(BOOT), _space()):
            return False
        if self.pid == os.getpid() and self.begun == _begun(self.pid):
            return self.token not in _living
        return _begun(self.pid) != self.begun


BOOT = "/proc/sys/kernel/random/boot_id"
_living: set[str] = set()  # tokens of this process that are in use


def _read(path: str) -> str:
    try:
        return Path(path).read_text("ascii").strip()
    except (OSError, UnicodeError):
        return ""


def _space() -> str:
    try:
        return str(os.readlink("/proc/self/ns/pid"))
    except OSError:
        return ""


def _begun(pid: int) -> str:
    """When a process began, in the kernel's ticks; empty if there is none."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 and fields[0] != "Z" else ""


def myself() -> Holder:
    pid = os.getpid()
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return Holder(
        secrets.token_hex(8), socket.gethostname(), pid, since, _read(BOOT), _space(), _begun(pid)
    )


class AlreadyRunningError(LinkError):
    """Another runtime has the robot, and is alive."""

    def __init__(self, robot: str, holder: Holder):
        what = f"robot {robot!r} already runs: {holder}"
        super().__init__(
            what,
            f"end that one, or give this robot another identity.robotId; {holder.host} has it",
            True,
        )
        self.holder = holder


class Lease:
    def __init__(self, connection: Connection, robot: str):
        self.robot = robot
        self.holder = myself()
        self.until_s = 0.0  # ours until then, by the loop's clock
        self._connection = connection
        self._revision = 0
        self._replicas = 1
        _living.add(self.holder.token)

    @property
    def held(self) -> bool:
        return asyncio.get_running_loop().time() < self.until_s

    @property
    def _subject(self) -> str:
        return f"$KV.{BUCKET}.{self.robot}"

    async def take(self, say: Callable[[str], None], replicas: int = 1) -> None:
        """Get the lease; wait for that of a dead holder to run out. Raises AlreadyRunningError, if a living one has it. A bucket that is made has
        as many replicas as asked for."""
        loop = asyncio.get_running_loop()
        self._replicas = replicas
        await self._check(say)
        seen, since_s = 0, loop.time()
        told = False
        while True:
            if await self._write(self._revision):
                return
            revision, holder = await self._look()
            if holder is None or holder.token == self.holder.token or holder.is_gone():
                self._revision = revision
                continue
            if (seen and revision != seen) or holder.token in _living:
                raise AlreadyRunningError(self.robot, holder)
            if not seen:
                seen, since_s = revision, loop.time()
            if loop.time() - since_s > WATCH_S and not told:
                told = True
                left = f"within {LIFE_S:g} s"
                say(
                    f"robot {self.robot!r} was run by {holder}, which is silent: its lease ends {left}"
                )
            if loop.time() - since_s > LIFE_S:  # a bucket that does not forget
                self._revision = revision
                continue
            await asyncio.sleep(POLL_S)

    async def _check(self, say: Callable[[str], None]) -> None:
        """Whether the bucket, if it is there, can be used."""
        try:
            bucket = await look(self._connection, f"KV_{BUCKET}")
        except PermissionDeniedError:
            return
        if bucket is not None:
            for remark in audit.check_bucket(bucket, min(LEAST_S, LIFE_S), self._replicas):
                say(remark)

    async def renew(self) -> bool:
        """Write again; False if somebody else has it now. Raises LinkError if it cannot be told."""
        if await self._write(self._revision):
            return True
        revision, holder = await self._look()
        if holder is not None and holder.token != self.holder.token:
            return False
        return await self._write(
            revision
        )  # the last write was ours, its answer was lost; or the bucket was emptied

    async def release(self) -> None:
        """Free it for the next one, if it is ours."""
        _living.discard(self.holder.token)
        if self._revision and self.held:
            self.until_s = 0.0
            headers = f"KV-Operation: DEL\r\nNats-Expected-Last-Subject-Sequence: {self._revision}\r\n".encode()
            await self._connection.request(self._subject, b"", ANSWER_S, headers)

    async def _write(self, revision: int) -> bool:
        begun_s = asyncio.get_running_loop().time()
        try:
            payload = await self._put(revision)
        except NoRespondersError:
            await make_bucket(self._connection, self._replicas)
            payload = await self._put(0)
        try:
            answer = msgspec.json.decode(payload, type=PubAck)
        except (msgspec.DecodeError, UnicodeDecodeError) as found:
            raise LinkError(
                f"the answer to the lease of {self.robot} cannot be read: {found}"
            ) from None
        if answer.error is None:
            self._revision = answer.seq
            self.until_s = begun_s + LIFE_S - 1.0
            return True
        if answer.error.err_code in WRONG_SEQUENCE:
            return False
        raise ApiError(
            answer.error.err_code, answer.error.description, f"the lease of {self.robot}"
        )

    async def _put(self, revision: int) -> bytes:
        headers = f"Nats-Expected-Last-Subject-Sequence: {revision}\r\n".encode()
        data = msgspec.json.encode(self.holder)
        return (await self._connection.request(self._subject, data, ANSWER_S, headers))[1]

    async def _look(self) -> tuple[int, Holder | None]:
        """The last entry, and who made it; nobody if it is free."""
        found = await get(self._connection, f"KV_{BUCKET}", last_by_subj=self._subject)
        if found is None:
            return 0, None
        try:
            return found.seq, msgspec.json.decode(found.data, type=Holder)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return found.seq, None  # given back, or not a lease


async def make_bucket(connection: Connection, replicas: int) -> None:
    """A key-value bucket as NATS' own tools make and read it."""
    config = {
        "name": f"KV_{BUCKET}",
        "subjects": [f"$KV.{BUCKET}.>"],
        "max_msgs_per_subject": 1,
        "max_age": round(LIFE_S * 1e9),
        "duplicate_window": round(LIFE_S * 1e9),
        "storage": "file",
        "discard": "new",
        "allow_rollup_hdrs": True,
        "deny_delete": True,
        "allow_direct": True,
        "max_bytes": 16 << 20,
        "max_msgs": -1,
        "max_consumers": -1,
    }
    try:
        await make(connection, config, replicas)
    except ApiError as error:
        if error.code != NAME_IN_USE:
            raise
