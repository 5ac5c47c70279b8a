"""NATS' own client, for tests: it has patience, and leaves no socket open when a server goes away just as it connects."""

from typing import Any

from nats.aio.client import Client

PATIENCE_S = 60


async def connect(servers: str | list[str], **options: Any) -> Client:
    client = Client()

    async def clear_up(_: Exception) -> None:
        if not client.is_connected and client._transport:
            client._transport.close()

    await client.connect(servers, connect_timeout=PATIENCE_S, error_cb=clear_up, **options)
    return client
