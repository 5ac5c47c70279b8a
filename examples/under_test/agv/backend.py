"""A backend that sends one AGV to a place and waits for the result: `backend.py URL ROBOT X Y`.

It ends with 0 if the command succeeded and with 1 if it did not.
"""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import nats

FINAL = ("SUCCEEDED", "FAILED", "REJECTED", "EXPIRED", "CANCELED")


def at(seconds: float = 0.0) -> str:
    return f"{datetime.now(UTC) + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S.%fZ}"


def envelope(robot: str, kind: str, payload: dict) -> bytes:
    head = {"v": 1, "messageId": str(uuid4()), "robotId": robot, "bootId": str(uuid4()), "seq": 1}
    return json.dumps({**head, "ts": at(), "type": kind, "payload": payload}).encode()


async def move(url: str, robot: str, x: float, y: float) -> str:
    """Return the final status of a MOVE command."""
    client = await nats.connect(url)
    print("connected", flush=True)
    acks = await client.subscribe(f"robot.{robot}.command.ack")
    command = {"commandId": str(uuid4()), "commandType": "MOVE", "params": {"x": x, "y": y}}
    command |= {"issuedAt": at(), "expiresAt": at(120)}
    subject = f"robot.{robot}.command.request"
    await client.jetstream().publish(subject, envelope(robot, "command.request", command))
    print(f"MOVE to {x:g}, {y:g}", flush=True)
    async for message in acks.messages:
        ack = json.loads(message.data)["payload"]
        if ack["commandId"] == command["commandId"]:
            print(f"{ack['status']} {ack.get('message') or ack.get('code') or ''}", flush=True)
            if ack["status"] in FINAL:
                break
    await client.close()
    return str(ack["status"])


if __name__ == "__main__":
    url, robot, x, y = sys.argv[1:5]
    status = asyncio.run(move(url, robot, float(x), float(y)))
    sys.exit(0 if status == "SUCCEEDED" else 1)
