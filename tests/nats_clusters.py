"""Several real nats-servers that are one, for tests: streams have leaders, nodes come and go.

with Cluster(tmp_path) as cluster: await cluster.ready(); cluster.nodes[0].kill()
"""

import json
from pathlib import Path

import nats

from nats_servers import Part, Server
from rigless.transports.jetstream.server import free_port

SYSTEM = "admin"


class Routes:
    """A node's part of the cluster. `ways`: where it looks for the others."""

    def __init__(self, port: int, ways: list[int], extra: str = ""):
        self.port, self.ways, self.extra = port, ways, extra

    def config(self) -> str:
        routes = ", ".join(f'"nats://127.0.0.1:{way}"' for way in self.ways)
        return (
            f'cluster {{ name: "tests", listen: "127.0.0.1:{self.port}", routes: [{routes}], pool_size: -1 {self.extra} }}\n'
            f'accounts {{ $SYS {{ users: [{{user: "{SYSTEM}", password: "{SYSTEM}"}}] }} }}\n'
        )


class Cluster:
    """Nodes with JetStream. `parts` are given to each node."""

    def __init__(self, folder: Path, *parts: Part, count: int = 3, extra: str = ""):
        ports = [free_port() for _ in range(count)]
        self.nodes = [Server(folder, Routes(port, ports), *parts, extra=extra) for port in ports]

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self.nodes]

    def named(self, name: str) -> Server:
        return next(node for node in self.nodes if node.folder.name == name)

    async def ready(self, replicas: int = 0) -> None:
        """Until there is a leader of the whole, and all nodes are known to it."""
        client = await nats.connect(self.live(), user=SYSTEM, password=SYSTEM)
        try:
            while True:
                info = await self._jsz(client)
                meta = info.get("meta_cluster") or {}
                if (
                    meta.get("leader")
                    and meta.get("cluster_size") == len(self.nodes)
                    and len([peer for peer in meta.get("replicas") or () if peer.get("current")])
                    >= len([node for node in self.nodes if node.process]) - 1
                ):
                    return
                await __import__("asyncio").sleep(0.05)
        finally:
            await client.close()

    def live(self) -> list[str]:
        return [node.url for node in self.nodes if node.process is not None]

    async def _jsz(self, client: nats.NATS) -> dict:
        import asyncio

        inbox = client.new_inbox()
        got = []

        async def hear(message):
            got.append(json.loads(message.data)["data"])

        sub = await client.subscribe(inbox, cb=hear)
        await client.publish("$SYS.REQ.SERVER.PING.JSZ", b"{}", reply=inbox)
        await client.flush()
        await asyncio.sleep(0.05)
        await sub.unsubscribe()
        return next(
            (
                found
                for found in got
                if (found.get("meta_cluster") or {}).get("leader") and (found["meta_cluster"].get("replicas"))
            ),
            {},
        )

    async def meta_leader(self) -> Server:
        client = await nats.connect(self.live(), user=SYSTEM, password=SYSTEM)
        try:
            return self.named((await self._jsz(client))["meta_cluster"]["leader"])
        finally:
            await client.close()

    def start(self) -> "Cluster":
        for node in self.nodes:
            if node.process is None:
                node.start()
        return self

    def __enter__(self) -> "Cluster":
        return self.start()

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            if node.process is not None:
                node.kill()
