"""The nats-py client for tests, with long timeouts; it closes sockets of failed connects."""

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
