"""Authentication of a robot to the NATS server, and the certificates that it trusts.

Authentication: a .creds file (a user's JWT and the seed of its key), the seed alone (an nkey), or
user and password or a token in the URL. Trusted: the system's CAs (or SSL_CERT_FILE) and those of
RIGLESS_NATS_CA. RIGLESS_NATS_CERT and RIGLESS_NATS_KEY name the robot's own certificate.
"""

import base64
import binascii
import importlib
import os
import re
import ssl
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote

import msgspec

from rigless.transports.jetstream.errors import LinkError

BLOCK = re.compile(r"-{3,}BEGIN ([A-Z ]+)-{3,}\s+(\S+)\s+-{3,}END [A-Z ]+-{3,}")
SEED = re.compile(r"SU[A-Z2-7]{56}")
CA, CERT, KEY = "RIGLESS_NATS_CA", "RIGLESS_NATS_CERT", "RIGLESS_NATS_KEY"


def login(url: SplitResult, creds: str, nonce: str) -> dict[str, str]:
    """Return the authentication fields of CONNECT. Raises LinkError."""
    if creds:
        return _by_creds(creds, nonce)
    if url.password is not None:
        return {"user": unquote(url.username or ""), "pass": unquote(url.password)}
    return {"auth_token": unquote(url.username)} if url.username else {}


def _by_creds(path: str, nonce: str) -> dict[str, str]:
    jwt, seed = _read(path)
    try:
        nkeys: Any = importlib.import_module("nkeys")
    except ModuleNotFoundError:
        raise LinkError(
            "credentials need the package 'nkeys'", "pip install 'rigless[nats]'", final=True
        ) from None
    try:
        key = nkeys.from_seed(bytearray(seed.encode()))
        signature, public = key.sign(nonce.encode()), bytes(key.public_key).decode()
    except Exception as error:  # nkeys raises several types for bad seeds
        raise LinkError(
            f"the key in {path} cannot be used: {error}", "get a new .creds file", final=True
        ) from None
    who = {"jwt": jwt} if jwt else {"nkey": public}
    return {**who, "sig": base64.urlsafe_b64encode(signature).decode().rstrip("=")}


def _read(path: str) -> tuple[str, str]:
    """Return the JWT and the seed of a .creds file; the JWT is "" if the file is a bare seed."""
    try:
        text = Path(path).expanduser().read_text("utf-8")
    except (OSError, UnicodeError) as error:
        what = getattr(error, "strerror", None) or "it is not text"
        fix = "nats.credsFilePath names it; leave it empty for a server without credentials"
        raise LinkError(f"the credentials {path} cannot be read: {what}", fix, final=True) from None
    blocks = dict(BLOCK.findall(text))
    jwt, seed = blocks.get("NATS USER JWT", ""), blocks.get("USER NKEY SEED", "")
    bare = SEED.fullmatch(text.strip())
    if not seed and bare is None:
        raise LinkError(
            f"{path} is not a .creds file: the user's seed is not in it",
            "get a new one",
            final=True,
        )
    return jwt, seed or text.strip()


def rejected(reason: str, creds: str, url: SplitResult) -> LinkError:
    """Return the error for a rejected login, with the likely reason."""
    if creds:
        expired = expiry(creds)
        if expired is not None and expired <= time.time():
            day = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(expired))
            return LinkError(
                f"the credentials {creds} have expired ({day})", "get a new .creds file", final=True
            )
        return LinkError(
            f"the server does not accept the credentials {creds}: {reason}",
            "get a new .creds file",
            True,
        )
    if url.username:
        return LinkError(
            f"the server does not accept this user: {reason}",
            "see nats.servers in the config",
            True,
        )
    return LinkError(
        f"the server wants credentials: {reason}", "set nats.credsFilePath in the config", True
    )


def expiry(creds: str) -> float | None:
    """Return when a .creds file expires, in seconds since 1970; None if never or unknown."""
    try:
        middle = _read(creds)[0].split(".")[1]
        claims: Any = msgspec.json.decode(
            base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4))
        )
        return float(claims["exp"]) if claims.get("exp") else None
    except (
        LinkError,
        IndexError,
        ValueError,
        TypeError,
        AttributeError,
        binascii.Error,
        msgspec.DecodeError,
    ):
        return None


def tls(wanted: bool, environment: Mapping[str, str] = os.environ) -> ssl.SSLContext:
    """Return the TLS context, with our certificate if the server wants it. Raises LinkError."""
    if wanted and not environment.get(CERT):
        fix = f"name its file in {CERT}, and that of its key in {KEY}"
        raise LinkError("the NATS server wants a certificate of the robot", fix, final=True)
    context = ssl.create_default_context()
    try:
        if environment.get(CA):
            context.load_verify_locations(environment[CA])
        if environment.get(CERT):
            context.load_cert_chain(environment[CERT], environment.get(KEY) or None)
    except (OSError, ssl.SSLError) as error:
        names = " ".join(
            f"{name}={environment[name]}" for name in (CA, CERT, KEY) if environment.get(name)
        )
        raise LinkError(
            f"certificates cannot be read ({names}): {error}", "see these variables", final=True
        ) from None
    return context
