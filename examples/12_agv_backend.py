"""A console backend for one AGV: `rigless run agv` beside, then: python examples/12_agv_backend.py nats://127.0.0.1:4222 agv
Type: task X Y | move X Y | stop | hold | release | quit. Without words it starts a robot of its own, ten times as fast, and types."""

import asyncio
import json
import sys
from datetime import UTC, datetime, timedelta
from uuid import uuid1, uuid4

import nats

import rigless


def at(seconds: float = 0.0) -> str:
    return (
        (datetime.now(UTC) + timedelta(seconds=seconds))
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


def request(word: str, *to: str) -> tuple[str, dict]:
    goal = dict(zip("xy", map(float, to), strict=False))
    if word == "task":
        steps = [
            {"stepId": w, "type": w, "params": p}
            for w, p in (("MOVE", goal), ("RELEASE", {}), ("GRIP", {}))
        ]
        return "task.assign", {"taskId": str(uuid4()), "revision": 1, "steps": steps}
    if word in ("hold", "release"):
        return "traffic.control", {
            "controlId": "me",
            "kind": word.upper(),
            "validUntil": at(600),
            "seq": uuid1().time,
        }
    about = {
        "commandId": str(uuid4()),
        "commandType": word.upper(),
        "issuedAt": at(),
        "expiresAt": at(60),
    }
    return "command.request", {**about, "params": goal}


async def backend(url: str, robot: str, script: list[str]) -> None:
    async def show(message) -> None:
        if isinstance(message, Exception):
            print(f"  {message}: trying again; does `rigless run agv` run?", flush=True)
        elif (kind := message.subject.split(".", 2)[2]) in told:
            payload = json.loads(message.data)["payload"]
            got.append(
                f"  {kind:13} {payload[told[kind]]} {payload.get('pct', '')} {payload.get('message', '')}"
            )
            print(got[-1], flush=True)

    told, got = (
        {
            "command.ack": "status",
            "task.progress": "stepId",
            "task.done": "metrics",
            "task.failed": "code",
        },
        [],
    )
    nc, head = (
        await nats.connect(url, error_cb=show),
        {"v": 1, "robotId": robot, "bootId": str(uuid4()), "seq": 0},
    )
    await nc.subscribe(f"robot.{robot}.>", cb=show)
    while (
        line := script.pop(0) if script else await asyncio.to_thread(sys.stdin.readline)
    ) not in ("", "quit\n"):
        print(f"> {line.strip()}", flush=True)
        try:
            kind, payload = request(*line.split())
            head |= {
                "messageId": str(uuid4()),
                "type": kind,
                "seq": head["seq"] + 1,
                "ts": at(),
                "payload": payload,
            }
            await nc.jetstream(timeout=60).publish(
                f"robot.{robot}.{kind}", json.dumps(head).encode()
            )
        except (ValueError, TypeError):
            print(__doc__.splitlines()[1])
        while await asyncio.sleep(0.3) or ("", "task.done", "", "MOVE", "SUCCEEDED")[
            len(script)
        ] not in "".join(got):
            continue  # what was asked for is done, and there was time to watch
    await nc.drain()


if sys.argv[2:]:
    asyncio.run(backend(*sys.argv[1:3], []))
else:
    with rigless.serve("agv", speed=10) as host:
        asyncio.run(
            backend(
                host.address("agv", "nats"), "agv", ["move 1 0", "task 4 1", "hold", "release", ""]
            )
        )
