"""A console backend for one AGV: type task X Y, move X Y, stop, hold or release."""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from uuid import uuid1, uuid4

import nats

import rigless

SCRIPT = {"move 1 0": "SUCCEEDED", "task 4 1": "task.done"}  # lines, and the answers to wait for
KEYS = {"command.ack": "status", "task.progress": "stepId", "task.done": "metrics"}


def at(seconds: float = 0.0) -> str:
    return f"{datetime.now(UTC) + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S.%fZ}"


def message_for(word: str, *to: str) -> tuple[str, dict]:
    goal = dict(zip("xy", map(float, to), strict=False))
    if word == "task":
        params = {"MOVE": goal, "RELEASE": {}, "GRIP": {}}
        steps = [{"stepId": step, "type": step, "params": params[step]} for step in params]
        return "task.assign", {"taskId": str(uuid4()), "revision": 1, "steps": steps}
    if word in ("hold", "release"):
        control = {"controlId": "me", "kind": word.upper(), "seq": uuid1().time}
        return "traffic.control", {**control, "validUntil": at(600)}
    command = {"commandId": str(uuid4()), "commandType": word.upper(), "params": goal}
    return "command.request", {**command, "issuedAt": at(), "expiresAt": at(60)}


async def backend(url: str, robot: str, script: dict[str, str]) -> None:
    async def show(message) -> None:
        if (kind := message.subject.split(".", 2)[2]) in (*KEYS, "task.failed"):
            data = json.loads(message.data)["payload"]
            log.append(f"  {kind:13} {data[KEYS.get(kind, 'code')]} {data.get('pct', '')}")
            print(log[-1], flush=True)

    client, boot_id, log = await nats.connect(url), str(uuid4()), []
    await client.subscribe(f"robot.{robot}.>", cb=show)
    lines = iter(script or sys.stdin)
    while line := (await asyncio.to_thread(next, lines, "")).strip():
        print(f"> {line}", flush=True)
        kind, payload = message_for(*line.split())
        envelope = {"v": 1, "messageId": str(uuid4()), "robotId": robot, "bootId": boot_id}
        envelope |= {"seq": uuid1().time, "ts": at(), "type": kind, "payload": payload}
        await client.jetstream().publish(f"robot.{robot}.{kind}", json.dumps(envelope).encode())
        while script.get(line, "") not in "".join(log):
            await asyncio.sleep(0.1)
    await client.drain()


if sys.argv[2:]:  # for example: nats://127.0.0.1:4222 agv
    asyncio.run(backend(*sys.argv[1:3], {}))
else:  # a robot of its own, and a script
    with rigless.serve("agv", speed=10) as host:
        asyncio.run(backend(host.address("agv", "nats"), "agv", SCRIPT))
