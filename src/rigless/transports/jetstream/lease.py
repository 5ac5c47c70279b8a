"""A lease that lets one process run a robot.

Two processes on one durable consumer would silently split its commands. The holder writes its name
into a key-value bucket (key = robot) every few seconds; each write names the revision before it, so
that of two writers only one succeeds. Entries expire after LIFE_S, so the lease of a crashed
process is free within that time. In a bucket without expiry, an entry that was not renewed for
LIFE_S is free too. If the holder is on this machine and its process has ended, the lease is taken
over at once.
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
from rigless.transports.jetstream.streams import NAME_IN_USE, PubAck, create, get, info

BUCKET = "robot_lease"
LIFE_S = 15.0
RENEW_S = 4.0
LEAST_S = 2.5 * RENEW_S  # entries of a bucket must live at least this long
WATCH_S = 6.0  # a holder that has not renewed for this long is probably gone
POLL_S = 0.5
ANSWER_S = 3.0
WRONG_SEQUENCE = (10071, 10164)  # the second: a concurrent write in a cluster


class Holder(msgspec.Struct, frozen=True):
    """The process that holds a lease.

    `machine` and `space` (the PID namespace) tell whether its process is visible from here, `begun`
    (its start time) whether the PID still belongs to it.
    """

    token: str
    host: str
    pid: int
    since: str
    machine: str = ""
    space: str = ""
    begun: str = ""

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}, since {self.since}"

    def has_ended(self) -> bool:
        """Return True if the process has certainly ended; False if unknown."""
        if not self.machine or (self.machine, self.space) != (_read(BOOT), _pid_namespace()):
            return False
        if self.pid == os.getpid() and self.begun == _start_time(self.pid):
            return self.token not in _active
        return _start_time(self.pid) != self.begun


BOOT = "/proc/sys/kernel/random/boot_id"
_active: set[str] = set()  # tokens of the leases of this process


def _read(path: str) -> str:
    try:
        return Path(path).read_text("ascii").strip()
    except (OSError, UnicodeError):
        return ""


def _pid_namespace() -> str:
    try:
        return str(os.readlink("/proc/self/ns/pid"))
    except OSError:
        return ""


def _start_time(pid: int) -> str:
    """Return the start time of a process in kernel ticks; "" if there is none."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 and fields[0] != "Z" else ""


def this_process() -> Holder:
    pid = os.getpid()
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return Holder(
        secrets.token_hex(8),
        socket.gethostname(),
        pid,
        since,
        _read(BOOT),
        _pid_namespace(),
        _start_time(pid),
    )


class AlreadyRunningError(LinkError):
    """Another live process runs the robot."""

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
        self.holder = this_process()
        self.until_s = 0.0  # end of the lease, by the loop's clock
        self._connection = connection
        self._revision = 0
        self._replicas = 1
        _active.add(self.holder.token)

    @property
    def held(self) -> bool:
        return asyncio.get_running_loop().time() < self.until_s

    @property
    def _subject(self) -> str:
        return f"$KV.{BUCKET}.{self.robot}"

    async def acquire(self, log: Callable[[str], None], replicas: int = 1) -> None:
        """Acquire the lease; wait for that of a dead holder to expire.

        Raises AlreadyRunningError if a live process holds it. A new bucket gets `replicas`
        replicas.
        """
        loop = asyncio.get_running_loop()
        self._replicas = replicas
        await self._check(log)
        seen, since_s = 0, loop.time()
        logged = False
        while True:
            if await self._write(self._revision):
                return
            revision, holder = await self._read_entry()
            if holder is None or holder.token == self.holder.token or holder.has_ended():
                self._revision = revision
                continue
            if (seen and revision != seen) or holder.token in _active:
                raise AlreadyRunningError(self.robot, holder)
            if not seen:
                seen, since_s = revision, loop.time()
            if loop.time() - since_s > WATCH_S and not logged:
                logged = True
                left = f"within {LIFE_S:g} s"
                log(
                    f"robot {self.robot!r} was run by {holder}, which is silent: its lease "
                    f"ends {left}"
                )
            if loop.time() - since_s > LIFE_S:  # a bucket without expiry
                self._revision = revision
                continue
            await asyncio.sleep(POLL_S)

    async def _check(self, log: Callable[[str], None]) -> None:
        """Check an existing bucket."""
        try:
            bucket = await info(self._connection, f"KV_{BUCKET}")
        except PermissionDeniedError:
            return
        if bucket is not None:
            for remark in audit.check_bucket(bucket, min(LEAST_S, LIFE_S), self._replicas):
                log(remark)

    async def renew(self) -> bool:
        """Renew the lease; return False if another process holds it. Raises LinkError."""
        if await self._write(self._revision):
            return True
        revision, holder = await self._read_entry()
        if holder is not None and holder.token != self.holder.token:
            return False
        return await self._write(
            revision
        )  # the reply to our last write was lost, or the bucket was emptied

    async def release(self) -> None:
        """Release the lease if it is ours."""
        _active.discard(self.holder.token)
        if self._revision and self.held:
            self.until_s = 0.0
            headers = (
                f"KV-Operation: DEL\r\nNats-Expected-Last-Subject-Sequence: {self._revision}\r\n"
            ).encode()
            await self._connection.request(self._subject, b"", ANSWER_S, headers)

    async def _write(self, revision: int) -> bool:
        begun_s = asyncio.get_running_loop().time()
        try:
            payload = await self._put(revision)
        except NoRespondersError:
            await create_bucket(self._connection, self._replicas)
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

    async def _read_entry(self) -> tuple[int, Holder | None]:
        """Return the last revision and its holder; None if the lease is free."""
        found = await get(self._connection, f"KV_{BUCKET}", last_by_subj=self._subject)
        if found is None:
            return 0, None
        try:
            return found.seq, msgspec.json.decode(found.data, type=Holder)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return found.seq, None  # released, or not a lease


async def create_bucket(connection: Connection, replicas: int) -> None:
    """Create a key-value bucket in the format of the NATS tools."""
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
        await create(connection, config, replicas)
    except ApiError as error:
        if error.code != NAME_IN_USE:
            raise
