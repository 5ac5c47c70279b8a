"""A console backend for one AGV: `rigless run agv` beside, then: python examples/12_agv_backend.py nats://127.0.0.1:4222 agv
Type: task X Y | move X Y | stop | hold | release | quit. Without words it starts a robot of its own, ten times as fast, and types."""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import nats

import rigless

TOLD = {"command.ack": "status", "task.progress": "stepId", "task.done": "metrics", "task.failed": "code"}
SCRIPT = ["move 1 0", "", "task 3 1", "hold", "", "release", "", "", "", "", "quit"]


def at(seconds: float = 0.0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def show(message) -> None:
    kind, payload = message.subject.split(".", 2)[2], json.loads(message.data)["payload"]
    if kind in TOLD:
        print(f"  {kind:13} {payload[TOLD[kind]]} {payload.get('pct', '')} {payload.get('message', '')}", flush=True)


def request(line: str, number: int) -> tuple[str, dict]:
    match line.split():
        case ["move" | "stop" as word, *to]:
            about = {"commandId": str(uuid4()), "commandType": word.upper(), "issuedAt": at(), "expiresAt": at(60)}
            return "command.request", {**about, "params": dict(zip("xy", map(float, to), strict=False))}
        case ["task", x, y]:
            words = {"MOVE": {"x": float(x), "y": float(y)}, "RELEASE": {}, "GRIP": {}}
            steps = [{"stepId": word.lower(), "type": word, "params": params} for word, params in words.items()]
            return "task.assign", {"taskId": str(uuid4()), "revision": 1, "steps": steps}
        case ["hold" | "release" as word]:
            return "traffic.control", {"controlId": "desk", "kind": word.upper(), "validUntil": at(600), "seq": number}
    print(__doc__.splitlines()[1] if line else "  (waits)")
    return "", {}


async def backend(url: str, robot: str, script: list[str]) -> None:
    nc, head = await nats.connect(url), {"v": 1, "robotId": robot, "bootId": str(uuid4()), "seq": 0}
    await nc.subscribe(f"robot.{robot}.>", cb=show)
    while (line := script.pop(0) if script else (await asyncio.to_thread(sys.stdin.readline)).strip()) != "quit":
        print(f"> {line}", flush=True)
        kind, payload = request(line, head["seq"] + 1)
        head |= {"messageId": str(uuid4()), "type": kind, "seq": head["seq"] + 1, "ts": at(), "payload": payload}
        said = (
            nc.jetstream().publish(f"robot.{robot}.{kind}", json.dumps(head).encode()) if kind else asyncio.sleep(0.6)
        )
        await said
    await nc.drain()


if sys.argv[2:]:
    asyncio.run(backend(*sys.argv[1:3], []))
else:
    with rigless.serve("agv", speed=10) as host:
        asyncio.run(backend(host.address("agv", "nats"), "agv", SCRIPT))
