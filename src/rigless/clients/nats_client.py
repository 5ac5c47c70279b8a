"""Publish messages on a NATS server, or receive from a subject of it."""

import asyncio
import time
from collections.abc import Iterator, Sequence

from rigless.kernel.problems import InputError, Problem

REACH_S = 5.0  # to connect


def exchange(
    url: str, messages: Sequence[str | bytes], subject: str, wait_s: float
) -> Iterator[bytes]:
    """Publish to a subject; without messages, receive from it (default: everything)."""
    if messages and not subject:
        raise InputError(Problem("--subject", "a message to a broker needs a subject"))
    yield from asyncio.run(_exchange(url, messages, subject or ">", wait_s))


async def _exchange(
    url: str, messages: Sequence[str | bytes], subject: str, wait_s: float
) -> list[bytes]:
    import nats
    from nats.errors import Error

    found: list[bytes] = []
    try:
        client = await nats.connect(url, connect_timeout=REACH_S, allow_reconnect=False)
    except Error as error:
        raise OSError(str(error) or "no NATS server answers") from None
    async with client:
        for message in messages:
            await client.publish(
                subject, message if isinstance(message, bytes) else message.encode()
            )
        if messages:
            await client.flush()
            return found
        subscription = await client.subscribe(subject)
        end = time.monotonic() + wait_s
        while (left_s := end - time.monotonic()) > 0:
            try:
                received = await subscription.next_msg(left_s)
            except Error:
                break
            found.append(f"{received.subject} ".encode() + received.data)
    return found
