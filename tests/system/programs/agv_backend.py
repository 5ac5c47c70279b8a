"""A small backend on NATS: it sends a MOVE and then a STOP, each after the ack of the last.

The options are the faults of a new build: another place, a missing command.
"""

import argparse
import asyncio
import json
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_OID, uuid4, uuid5

import nats

BOOT = "2f0f1f6e-8f9c-4b53-9d57-0f6f0e5a7c11"
SUBJECT = "robot.agv.command.request"

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("--x", type=float, default=2.0)
parser.add_argument("--no-stop", action="store_true")
options = parser.parse_args()


def at(seconds: float) -> str:
    return f"{datetime.now(UTC) + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S.%fZ}"


async def send(client, acks, name: str, kind: str, **params: float) -> None:
    number = str(uuid5(NAMESPACE_OID, name))  # the same in every run
    command = {"commandId": number, "commandType": kind, "params": params}
    command |= {"issuedAt": at(0), "expiresAt": at(600)}
    message = {"v": 1, "messageId": str(uuid4()), "robotId": "agv", "bootId": BOOT}
    message |= {"seq": 1, "ts": at(0), "type": "command.request", "payload": command}
    while True:
        try:
            await client.jetstream().publish(SUBJECT, json.dumps(message).encode())
            break
        except nats.js.errors.NoStreamResponseError:  # the robot has not made its streams yet
            await asyncio.sleep(0.1)
    async for got in acks.messages:
        ack = json.loads(got.data)["payload"]
        if ack["commandId"] == number:
            print(name, ack["status"], flush=True)
            break


async def main() -> None:
    client = await nats.connect(options.url)
    acks = await client.subscribe("robot.agv.command.ack")
    await client.flush()
    await send(client, acks, "go", "MOVE", x=options.x, y=0.5)
    await asyncio.sleep(0.5)
    if not options.no_stop:
        await send(client, acks, "halt", "STOP")
    await client.close()


asyncio.run(main())
