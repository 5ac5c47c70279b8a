"""Publish messages on a NATS server, or receive from a subject of it."""

import asyncio
import contextlib
import ssl
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rigless.clients.login import NO_LOGIN, Login, refused
from rigless.kernel.problems import InputError, Problem

REACH_S = 5.0  # to connect


def exchange(
    url: str,
    messages: Sequence[str | bytes],
    subject: str,
    wait_s: float,
    login: Login = NO_LOGIN,
) -> Iterator[bytes]:
    """Publish to a subject; without messages, receive from it (default: everything)."""
    if messages and not subject:
        raise InputError(Problem("--subject", "a message to a broker needs a subject"))
    options = _options(login)
    yield from asyncio.run(_exchange(url, messages, subject or ">", wait_s, options))


def _options(login: Login) -> dict[str, Any]:
    """Return the options of the connection for a login. Raises InputError."""
    options: dict[str, Any] = {}
    if login.user:
        options |= {"user": login.user, "password": login.password()}
    try:
        if login.creds_file:
            jwt = "BEGIN NATS USER JWT" in Path(login.creds_file).read_text("utf-8")
            options["user_credentials" if jwt else "nkeys_seed"] = login.creds_file
        if login.ca_file or login.cert_file:
            context = ssl.create_default_context(cafile=login.ca_file or None)
            if login.cert_file:
                context.load_cert_chain(login.cert_file, login.key_file or None)
            options["tls"] = context
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        what = f"a file of the login cannot be used: {error}"
        fix = "--creds-file is a .creds file or a seed; certificates and keys are in PEM"
        raise InputError(Problem(" ".join(login.given()), what, fix)) from None
    return options


async def _exchange(
    url: str,
    messages: Sequence[str | bytes],
    subject: str,
    wait_s: float,
    options: dict[str, Any],
) -> list[bytes]:
    from nats.aio.client import Client
    from nats.errors import Error
    from nkeys import NkeysError  # type: ignore[import-untyped]

    found: list[bytes] = []
    client = Client()
    try:
        await client.connect(
            url, connect_timeout=round(REACH_S), allow_reconnect=False, error_cb=_ignore, **options
        )
    except Exception as error:
        with contextlib.suppress(AssertionError):  # it did not get as far as a socket
            await client.close()
        if isinstance(error, NkeysError):
            what = f"the key in it cannot be used: {error}"
            raise InputError(Problem("--creds-file", what, "get a new one")) from None
        if not isinstance(error, Error):
            raise
        if "authorization" in str(error).lower():
            raise refused(url, str(error).removeprefix("nats: ")) from None
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


async def _ignore(error: Exception) -> None:
    """Keep an error out of the log: it is raised too. By default nats-py logs a traceback."""
