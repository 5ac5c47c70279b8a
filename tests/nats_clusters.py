"""A cluster of real nats-servers for tests.

with Cluster(tmp_path) as cluster: await cluster.ready(); cluster.nodes[0].kill()
"""

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

import nats.errors

import nats_clients
import reserved
from nats_servers import Part, Server


class Routes:
    """The cluster settings of a node."""

    def __init__(self, port: int, ports: list[int]):
        self.port, self.ports = port, ports

    def config(self) -> str:
        routes = json.dumps([f"nats://127.0.0.1:{port}" for port in self.ports])
        listen = f'listen: "127.0.0.1:{self.port}"'
        return f'cluster {{ name: "tests", {listen}, routes: {routes}, pool_size: -1 }}\n'


class Cluster:
    """Nodes with JetStream. Each gets the settings `parts`."""

    def __init__(self, folder: Path, *parts: Part, count: int = 3, extra: str = ""):
        ports = [reserved.port() for _ in range(count)]
        self.nodes = [Server(folder, Routes(port, ports), *parts, extra=extra) for port in ports]

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self.nodes]

    @property
    def _alive(self) -> list[str]:
        return [node.url for node in self.nodes if node.process is not None]

    def at(self, port: int) -> Server:
        return next(node for node in self.nodes if node.port == port)

    async def ask(self, verb: str, question: Any = None) -> dict[str, Any]:
        """Return JetStream's reply, or an empty one on a timeout."""
        with contextlib.suppress(nats.errors.Error, TimeoutError):
            client = await nats_clients.connect(self._alive)
            try:
                answer = await client.request(
                    f"$JS.API.{verb}", json.dumps(question or {}).encode(), timeout=1
                )
                return dict(json.loads(answer.data))
            finally:
                await client.close()
        return {}

    async def made(self, verb: str, question: Any = None) -> dict[str, Any]:
        """Wait for the info of a stream or consumer."""
        while "config" not in (found := await self.ask(verb, question)):
            await asyncio.sleep(0.02)
        return found

    async def say(self, subject: str) -> None:
        """Return a message that the stream stores."""
        client = await nats_clients.connect(self._alive)
        try:
            while True:
                with contextlib.suppress(nats.errors.Error, TimeoutError):
                    await client.jetstream().publish(subject, b"{}", timeout=1)
                    return
                await asyncio.sleep(0.05)
        finally:
            await client.close()

    async def ready(self) -> None:
        """Wait until a stream with three replicas can be created."""
        stream = {
            "name": "READY",
            "subjects": ["ready"],
            "num_replicas": min(3, len(self.nodes)),
            "storage": "memory",
        }
        await self.made("STREAM.CREATE.READY", stream)

    async def leader(self, place: str) -> Server:
        """Wait for the leader of a stream or a consumer (STREAM.CONSUMER)."""
        kind = "CONSUMER" if "." in place else "STREAM"
        while True:
            name = ((await self.ask(f"{kind}.INFO.{place}")).get("cluster") or {}).get("leader")
            for node in self.nodes:
                if node.folder.name == name:
                    return node
            await asyncio.sleep(0.02)

    async def lead(self, node: Server, place: str) -> None:
        """Make this node the leader of a stream or a consumer."""
        kind = "CONSUMER" if "." in place else "STREAM"
        while await self.leader(place) is not node:
            await self.ask(
                f"{kind}.LEADER.STEPDOWN.{place}", {"placement": {"preferred": node.folder.name}}
            )

    def __enter__(self) -> "Cluster":
        for node in self.nodes:
            node.start()
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            if node.process is not None:
                node.kill()
