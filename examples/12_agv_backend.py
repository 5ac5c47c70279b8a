"""A console backend for one AGV: assigns tasks, shows what the robot answers, holds it and lets it go.

    python examples/12_agv_backend.py nats://127.0.0.1:4222 agv      beside: rigless run agv
    task X Y | move X Y | hold | release | stop | quit

Without words it starts a robot of its own, ten times as fast as real, and types for you."""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import nats

import rigless

SHOWN = {"command.ack": "status", "task.progress": "pct", "task.done": "metrics", "task.failed": "code", "events": "code"}
SCRIPT = ("move 1 0", 1, "task 3 1", 0.2, "hold", 0.3, "release", 2.5)


def at(seconds: float = 0.0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def backend(url: str, robot: str, script: tuple[str | float, ...]) -> None:
    nc = await nats.connect(url)
    js, boot, sent = nc.jetstream(), str(uuid4()), 0

    async def show(message: nats.aio.msg.Msg) -> None:
        kind, payload = message.subject.split(".", 2)[2], json.loads(message.data)["payload"]
        if kind in SHOWN:
            print(f"  {kind:13} {payload[SHOWN[kind]]} {payload.get('message') or payload.get('stepId') or ''}", flush=True)

    async def say(kind: str, **payload: object) -> None:
        nonlocal sent
        sent += 1
        envelope = {"v": 1, "messageId": str(uuid4()), "type": kind, "robotId": robot, "bootId": boot, "seq": sent, "ts": at(), "payload": payload}
        await js.publish(f"robot.{robot}.{kind}", json.dumps(envelope).encode(), headers={"Nats-Msg-Id": envelope["messageId"]})

    await nc.subscribe(f"robot.{robot}.>", cb=show)
    while line := script[0] if script else (await asyncio.to_thread(sys.stdin.readline)).strip() or "help":
        script = script[1:]
        if isinstance(line, int | float):
            await asyncio.sleep(line)
            if not script:
                break
            continue
        print(f"> {line}")
        match line.split():
            case ["move", x, y]:
                await say("command.request", commandId=str(uuid4()), commandType="MOVE", params={"x": float(x), "y": float(y)}, issuedAt=at(), expiresAt=at(30))
            case ["stop"]:
                await say("command.request", commandId=str(uuid4()), commandType="STOP", params={}, issuedAt=at(), expiresAt=at(30))
            case ["task", x, y]:
                steps = [("go", "MOVE", {"x": float(x), "y": float(y)}), ("grip", "GRIP", {})]
                await say("task.assign", taskId=str(uuid4()), revision=1, steps=[{"stepId": a, "type": b, "params": c} for a, b, c in steps])
            case ["hold" | "release" as word]:
                await say("traffic.control", controlId="console", kind=word.upper(), validUntil=at(600), seq=sent)
            case ["quit"]:
                break
            case _:
                print(__doc__)
    await nc.drain()


if __name__ == "__main__":
    if sys.argv[2:]:
        asyncio.run(backend(sys.argv[1], sys.argv[2], ()))
    else:
        with rigless.serve("agv", speed=10) as host:
            asyncio.run(backend(host.address("agv", "nats"), "agv", SCRIPT))
