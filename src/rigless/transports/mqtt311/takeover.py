"""Another client with the same client id, which takes a session over and leaves again."""

import asyncio
from dataclasses import replace

from rigless.transports.jetstream.errors import LinkError
from rigless.transports.mqtt311 import packets as p
from rigless.transports.mqtt311.broker_socket import BrokerSocket
from rigless.transports.mqtt311.settings import Settings

STAY_S = 0.2  # before the second client leaves


async def displace(settings: Settings) -> None:
    """Connect as the client of these settings, so that the broker drops the first connection."""
    socket = BrokerSocket(lambda _: None)
    login = p.Login(
        settings.client_id, settings.keep_alive_s, True, None, settings.user, settings.password()
    )
    try:
        async with asyncio.timeout(settings.connect_s):
            await socket.dial(replace(settings, subscriptions=()), p.connect(login))
        await asyncio.sleep(STAY_S)
        socket.write(p.GOODBYE)
        await socket.leave(STAY_S)
    except (OSError, TimeoutError, LinkError, p.ProtocolError):
        socket.end("not used")
