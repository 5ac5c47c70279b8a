"""Robots for tests of the NATS transport: an inbox instead of a simulation, and a backend."""

import asyncio
import functools
import json
from contextlib import asynccontextmanager, suppress

import nats.errors
import nats.js.errors

import nats_clients
from rigless.kernel.ports import Port
from rigless.transports.nats import Transport

from .inboxes import Diary, until

IN, OUT, STATE = "ROBOT_IN", "ROBOT_OUT", "ROBOT_STATE"
PATIENCE_S = 60.0


def on_loop(scene):
    @functools.wraps(scene)
    def test(*args, **kwargs):
        asyncio.run(scene(*args, **kwargs))

    return test


def message(number, boot="boot", **payload):
    return json.dumps({"messageId": f"{boot}-{number}", "payload": payload}).encode()


def port(url, state, robot="r1", **options):
    nats_config = {"servers": [url], "credsFilePath": "", **options.pop("nats", {})}
    found = {
        "robot_id": robot,
        "nats": nats_config,
        "own_connection": False,
        "listens": (f"robot.{robot}.command.request", f"robot.{robot}.settings.desired"),
        "listens_last": (),
        "latest_wins": (f"robot.{robot}.state",),
        "kept": {f"robot.{robot}.command.ack": "commandId", f"robot.{robot}.settings.reported": ""},
        "report": "_transport",
        "inbound": ("robot.*.command.request", "robot.*.settings.desired"),
        "outbound": ("robot.*.events", "robot.*.command.ack", "robot.*.settings.reported"),
        "outbound_latest": ("robot.*.state",),
        "state": state,
    }
    return Port(
        "nats",
        object,
        "nats",
        url.rpartition("/")[2].rpartition("@")[2],
        "message",
        options=found | options,
    )


class Robot(Diary):
    """A robot that sends on request and replies with `answer`."""

    def __init__(self, given, answer=None):
        super().__init__()
        self.port, self.name = given, given.options["robot_id"]
        self.transport = Transport(given, self)
        self.answer = answer
        self.said = 0

    def received(self, link, data, subject=""):
        super().received(link, data, subject)
        if self.answer is not None and subject.endswith("command.request"):
            self.answer(self, data)

    def say(self, kind, number=None, boot="boot", **payload):
        self.said += 1
        self.transport.send(
            1, message(number or self.said, boot, **payload), f"robot.{self.name}.{kind}"
        )

    def heard(self, kind):
        """Return the payloads received on a subject."""
        return [data.rpartition(b"\r\n\r\n")[2] for data in self.raw(kind)]

    def raw(self, kind):
        wanted = kind if kind == "_transport" else f"robot.{self.name}.{kind}"
        return [
            report[2] for report in self.reports if report[0] == "received" and report[3] == wanted
        ]

    @property
    def report(self):
        """Return the last report of the connection state."""
        found = self.raw("_transport")
        return json.loads(found[-1]) if found else {"connected": False}

    @property
    def is_up(self):
        return self.report["connected"]

    @property
    def outages(self):
        """Return how often the robot was reported disconnected."""
        return sum(not json.loads(data)["connected"] for data in self.raw("_transport"))

    @property
    def depth(self):
        waiting = sum(message is not None for _, _, message in self.transport._outgoing)
        return waiting + self.transport._session.publisher.depth

    @property
    def texts(self):
        return "\n".join(text for _, text in self.logged)

    async def until_connected(self):
        await until(lambda: self.is_up, f"connected: {self.report} {self.logged}")

    async def until_sent(self):
        await until(lambda: self.depth == 0, f"outbox empty: {self.logged}")


@asynccontextmanager
async def running(given, answer=None, wait=True):
    robot = Robot(given, answer)
    await robot.transport.open(given.address)
    try:
        if wait:
            await robot.until_connected()
        yield robot
    finally:
        await robot.transport.close()


class Backend:
    """The backend, with the nats-py client."""

    def __init__(self, client):
        self.client = client
        self.js = client.jetstream(timeout=PATIENCE_S)

    async def publish_request(self, robot, number, kind="command.request", data=None):
        """Send until the server stores it; the id identifies repetitions."""
        body = data or json.dumps({"commandId": f"c{number}"}).encode()
        for _ in range(60):
            with suppress(nats.errors.Error, nats.js.errors.Error, TimeoutError):
                headers = {"Nats-Msg-Id": f"ask-{robot}-{number}"}
                await self.js.publish(f"robot.{robot}.{kind}", body, timeout=1, headers=headers)
                return
            await asyncio.sleep(0.05)
        raise AssertionError("nobody takes what the backend says")

    async def stored(self, stream=OUT, kind=""):
        """Return the ids of all messages of a stream, in order."""
        info = await self.js.stream_info(stream)
        found = []
        if not info.state.messages:
            return found
        for sequence in range(info.state.first_seq, info.state.last_seq + 1):
            try:
                message = await self.js.get_msg(stream, sequence)
            except nats.js.errors.NotFoundError:
                continue
            if message.subject.endswith(kind):
                found.append(message.headers["Nats-Msg-Id"])
        return found

    async def pending(self, robot):
        """Return the number of delivered messages that are not acknowledged."""
        return (await self.js.consumer_info(IN, robot)).num_ack_pending


@asynccontextmanager
async def backend(url, **options):
    client = await nats_clients.connect(url, **options)
    try:
        yield Backend(client)
    finally:
        await client.close()


async def eventually(check, what=""):
    """Wait until an async condition holds."""
    end = asyncio.get_running_loop().time() + PATIENCE_S
    while not await check():
        assert asyncio.get_running_loop().time() < end, f"waited in vain: {what}"
        await asyncio.sleep(0.02)
