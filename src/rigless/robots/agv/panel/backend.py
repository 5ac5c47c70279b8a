"""A client of the AGV's NATS server that speaks as a backend does."""

import json
from datetime import UTC, datetime
from itertools import count
from typing import Any
from uuid import uuid4

import nats
from nats.aio.client import Client
from nats.errors import Error

from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.robots.agv.link.publisher import PORT
from rigless.robots.agv.wire import VERSION, subject

REACH_S = 5.0
NUMBERS = count(1)


def timestamp() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"


class Backend:
    """One connection to the server of a robot's port."""

    def __init__(self, host: Host, robot: str):
        self._host, self._robot = host, robot
        self._boot = str(uuid4())
        self._client: Client | None = None

    @property
    def peer(self) -> str:
        """The number of this client at the server."""
        if self._client is None or not self._client.is_connected:
            return ""
        return f"NATS client {self._client.client_id}"

    async def connect(self) -> Client:
        """Connect, if it is not connected. Raises InputError."""
        if self._client is not None and self._client.is_connected:
            return self._client
        url = self._host.address(self._robot, PORT)
        if not url.startswith("nats:"):
            what = "its port is not open in this run"
            raise InputError(Problem(f"{self._robot}/{PORT}", what, "run it without --fast"))
        try:
            self._client = await nats.connect(
                url, name="rigless panel", connect_timeout=REACH_S, allow_reconnect=False
            )
        except (Error, OSError, TimeoutError) as error:
            what = f"no NATS server answers: {error}"
            raise InputError(Problem(url, what, "check the server")) from None
        return self._client

    async def publish(self, kind: str, payload: dict[str, Any]) -> None:
        """Publish a message to the robot. Raises InputError."""
        client = await self.connect()
        envelope = {
            "v": VERSION,
            "messageId": str(uuid4()),
            "type": kind,
            "robotId": self._robot,
            "bootId": self._boot,
            "seq": next(NUMBERS),
            "ts": timestamp(),
            "payload": payload,
        }
        try:
            await client.jetstream().publish(
                subject(self._robot, kind), json.dumps(envelope).encode()
            )
        except (Error, OSError, TimeoutError) as error:
            what = f"the server did not take {kind}: {error or type(error).__name__}"
            raise InputError(Problem(self._robot, what, "look at the port's state")) from None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None and client.is_connected:
            await client.close()
