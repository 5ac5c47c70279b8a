"""A backend for tests on nats-py: it sends commands and reads all messages of the robots."""

import asyncio
import json
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import nats
import nats.errors
from nats.aio.client import Client
from nats.js.errors import Error as JetStreamError

import nats_clients

IN, OUT, STATE = "ROBOT_IN", "ROBOT_OUT", "ROBOT_STATE"
DEADLINE_S = 60.0
FINAL = {"SUCCEEDED", "FAILED", "REJECTED", "CANCELLED", "EXPIRED"}
LATEST_WINS = {"heartbeat", "state", "telemetry", "traffic.state"}
TROUBLES = (nats.errors.Error, JetStreamError, OSError, asyncio.TimeoutError, json.JSONDecodeError)


def rfc3339(seconds: float) -> str:
    return (
        datetime.fromtimestamp(seconds, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


@dataclass(frozen=True)
class Stored:
    """A message in the stream."""

    place: int  # in the stream
    stored_s: float  # by the server's clock
    robot: str
    type: str
    envelope: dict[str, Any]

    @property
    def payload(self) -> Any:
        return self.envelope["payload"]


class Backend:
    """A backend. `sent` holds the commands and tasks that the server has acknowledged."""

    def __init__(self, client: Client, robot: str = "agv", clock_off_s: float = 0.0):
        self.client, self.robot, self.clock_off_s = client, robot, clock_off_s
        self.stream = client.jetstream(timeout=2)  # the server may be down; requests are repeated
        self.operator = client.jetstream(timeout=DEADLINE_S)  # for requests without a retry
        self.boot = str(uuid.uuid4())
        self.sent: dict[str, str] = {}  # id → kind
        self.out: list[Stored] = []
        self._read: dict[str, int] = {}  # stream → last sequence that was read
        self._seqs: dict[str, int] = {}

    @classmethod
    async def connect(
        cls, url: str, robot: str = "agv", clock_off_s: float = 0.0, **options: Any
    ) -> "Backend":
        settings = {"max_reconnect_attempts": -1, "reconnect_time_wait": 0.05, **options}
        return cls(await nats_clients.connect(url, **settings), robot, clock_off_s)

    async def __aenter__(self) -> "Backend":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()

    # To the robot

    @property
    def now_s(self) -> float:
        return time.time() + self.clock_off_s

    def envelope(self, type: str, payload: dict[str, Any], message_id: str = "") -> bytes:
        self._seqs[type] = seq = self._seqs.get(type, 0) + 1
        return json.dumps(
            {
                "v": 1,
                "messageId": message_id or str(uuid.uuid4()),
                "type": type,
                "robotId": self.robot,
                "bootId": self.boot,
                "seq": seq,
                "ts": rfc3339(self.now_s),
                "payload": payload,
            }
        ).encode()

    async def publish(self, type: str, data: bytes, message_id: str = "") -> None:
        """Publish until the server acknowledges it, across outages."""
        header = {"Nats-Msg-Id": message_id} if message_id else None
        end = time.monotonic() + DEADLINE_S
        while True:
            try:
                await self.stream.publish(f"robot.{self.robot}.{type}", data, headers=header)
                return
            except TROUBLES:
                assert time.monotonic() < end, (
                    f"no acknowledgement of a {type} within {DEADLINE_S:g} s"
                )
                await asyncio.sleep(0.05)

    async def send(self, type: str, payload: dict[str, Any]) -> None:
        message_id = str(uuid.uuid4())
        await self.publish(type, self.envelope(type, payload, message_id), message_id)

    def command_of(
        self, kind: str, params: dict[str, Any], command_id: str = "", lasts_s: float = 300.0
    ) -> dict[str, Any]:
        return {
            "commandId": command_id or str(uuid.uuid4()),
            "commandType": kind,
            "params": params,
            "issuedAt": rfc3339(self.now_s),
            "expiresAt": rfc3339(self.now_s + lasts_s),
        }

    async def command(
        self, kind: str, lasts_s: float = 300.0, command_id: str = "", **params: Any
    ) -> str:
        payload = self.command_of(kind, params, command_id, lasts_s)
        await self.send("command.request", payload)
        self.sent[payload["commandId"]] = "command"
        return str(payload["commandId"])

    async def assign(self, *steps: dict[str, Any], task_id: str = "") -> str:
        task_id = task_id or str(uuid.uuid4())
        numbered = [
            {"stepId": f"s{number}", "params": {}, **step} for number, step in enumerate(steps)
        ]
        await self.send("task.assign", {"taskId": task_id, "revision": 1, "steps": numbered})
        self.sent[task_id] = "task"
        return task_id

    # From the robot

    async def read(self) -> list[Stored]:
        """Return the messages stored since the last read."""
        found: list[Stored] = []
        try:
            for stream in (OUT, STATE):
                found += await self._read_from(stream)
        except TROUBLES:
            await asyncio.sleep(0.05)  # the server is down: read later
        self.out += sorted(found, key=lambda stored: stored.stored_s)
        return self.out

    async def _read_from(self, stream: str) -> list[Stored]:
        info = await self.stream.stream_info(stream)
        read, last = self._read.get(stream, 0), info.state.last_seq
        if last < read:  # the server has restarted, and this stream is in its memory
            read = 0
        if not info.state.messages or last == read:
            return []
        subscription = await self.stream.pull_subscribe(
            "",
            stream=stream,
            config=nats.js.api.ConsumerConfig(
                deliver_policy=nats.js.api.DeliverPolicy.BY_START_SEQUENCE,
                opt_start_seq=read + 1,
                ack_policy=nats.js.api.AckPolicy.NONE,
                inactive_threshold=30,
                mem_storage=True,
            ),
        )
        found: list[Stored] = []
        while not found or found[-1].place < last:
            found += [_stored(message) for message in await subscription.fetch(500, timeout=2)]
        self._read[stream] = found[-1].place
        await subscription.unsubscribe()
        return found

    def clear(self) -> None:
        """Forget everything that was read, also its places: a stream may be a new one."""
        self.out.clear()
        self.sent.clear()
        self._read.clear()

    def of(self, *types: str) -> list[Stored]:
        return [
            stored for stored in self.out if stored.type in types and stored.robot == self.robot
        ]

    def answers(self, command_id: str) -> list[Any]:
        return [s.payload for s in self.of("command.ack") if s.payload["commandId"] == command_id]

    def ended(self, sent_id: str) -> list[Any]:
        """Return the final messages of a command or task, without replayed ones."""
        if self.sent.get(sent_id, "command") == "command":
            return [
                ack
                for ack in self.answers(sent_id)
                if ack["status"] in FINAL and not ack.get("replayed")
            ]
        return [
            s.payload for s in self.of("task.done", "task.failed") if s.payload["taskId"] == sent_id
        ]

    def latest(self, type: str) -> Any:
        found = self.of(type)
        return found[-1].payload if found else {}

    async def until(self, true: Any, what: str = "") -> None:
        end = time.monotonic() + DEADLINE_S
        while True:
            await self.read()
            if true():
                return
            last = [(s.type, s.payload) for s in self.out if s.type not in LATEST_WINS][-5:]
            assert time.monotonic() < end, f"waited {DEADLINE_S:g} s in vain: {what}; last {last}"
            await asyncio.sleep(0.02)

    def said_at(self, types: set[str]) -> list[float]:
        """Return the simulated times of messages of these types."""
        return [stored.envelope["sim"]["simTimeS"] for stored in self.out if stored.type in types]

    async def until_ended(self, *sent: str) -> None:
        await self.until(
            lambda: all(self.ended(one) for one in sent or self.sent), "everything ended"
        )


def _stored(message: Any) -> Stored:
    robot, _, kind = message.subject.removeprefix("robot.").partition(".")
    data = message.metadata
    return Stored(
        data.sequence.stream, data.timestamp.timestamp(), robot, kind, json.loads(message.data)
    )


def check_kept(backend: Backend) -> None:
    """Check that no acknowledged message is lost or duplicated, in either direction."""
    ids = [stored.envelope["messageId"] for stored in backend.out]
    assert len(ids) == len(set(ids)), "a message is stored twice"
    for sent_id, kind in backend.sent.items():
        assert len(backend.ended(sent_id)) == 1, f"{kind} {sent_id}: {backend.ended(sent_id)}"
        begun = [
            ack
            for ack in backend.answers(sent_id)
            if ack["status"] == "ACCEPTED" and not ack.get("replayed")
        ]
        assert len(begun) <= 1, f"{sent_id} was taken {len(begun)} times"
    numbers: dict[tuple[str, str, str], list[int]] = {}
    for stored in backend.out:
        if stored.type not in LATEST_WINS:
            key = (stored.robot, stored.type, stored.envelope["bootId"])
            numbers.setdefault(key, []).append(stored.envelope["seq"])
    for key, found in numbers.items():
        assert found == list(range(found[0], found[0] + len(found))), f"{key}: {found}"
        assert found[0] == 1, f"{key} begins with {found[0]}"


@dataclass(frozen=True)
class Outage:
    """A server outage: its start in server and simulated time, and when the robot noticed."""

    killed_s: float
    said_s: float
    known_s: float
    until_s: float


def check_fresh(backend: Backend, outages: list[Outage]) -> None:
    """Check that no stream message waited for the end of an outage.

    This holds for messages from before it, and for a robot that knew of it.
    """
    for stored in (stored for stored in backend.out if stored.type in LATEST_WINS):
        said_s = stored.envelope["sim"]["simTimeS"]
        for outage in outages:
            assert said_s >= outage.said_s or stored.stored_s <= outage.killed_s, (
                f"{stored.type} was published late"
            )
            assert not outage.known_s < said_s < outage.until_s, (
                f"{stored.type} of an outage was published"
            )


def day(days: float) -> float:
    return timedelta(days=days).total_seconds()
