"""Settings of an MQTT connection: address, client id, credentials and TLS."""

import ssl
import zlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from rigless.kernel.problems import InputError, Problem
from rigless.transports.jetstream.errors import LinkError

PLAIN, SECURE = 1883, 8883
SHORT = 23  # characters of a client id that every broker accepts (section 3.1.3.1)
KEPT = 14  # of a client id that is too long; the rest is a checksum


@dataclass(frozen=True)
class Settings:
    """Settings of one connection. The files are read at each connection."""

    url: str
    client_id: str
    user: str = ""
    password_file: str = ""
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    keep_alive_s: int = 15
    clean: bool = True
    subscriptions: tuple[tuple[str, int], ...] = ()
    connect_s: float = 5.0

    @property
    def parts(self) -> SplitResult:
        return urlsplit(self.url)

    @property
    def secure(self) -> bool:
        return self.parts.scheme == "mqtts"

    @property
    def host(self) -> str:
        return self.parts.hostname or "127.0.0.1"

    @property
    def port(self) -> int:
        return self.parts.port or (SECURE if self.secure else PLAIN)

    @property
    def place(self) -> str:
        """HOST:PORT, for messages."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def password(self) -> bytes:
        """Return the password, without the newline at the end of its file. Raises LinkError."""
        if not self.password_file:
            return b""
        try:
            return Path(self.password_file).read_bytes().rstrip(b"\r\n")
        except OSError as error:
            what = f"the password file {self.password_file} cannot be read: {error.strerror}"
            raise LinkError(what, "see passwordFile in the config", True) from None

    def context(self) -> ssl.SSLContext | None:
        """Return the TLS context; None for a plain connection. Raises LinkError."""
        if not self.secure:
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca_file or None)
            if self.cert_file:
                context.load_cert_chain(self.cert_file, self.key_file or None)
        except (OSError, ssl.SSLError) as error:
            files = ", ".join(filter(None, (self.ca_file, self.cert_file, self.key_file)))
            what = f"TLS files cannot be used ({files}): {error}"
            raise LinkError(what, "PEM files are expected", True) from None
        return context


def check_url(url: str, where: str) -> SplitResult:
    """Return the parts of a broker's URL. Raises InputError."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("mqtt", "mqtts") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        shown = url.rpartition("@")[2]
        fix = "such as mqtt://127.0.0.1:1883, or mqtts://HOST:8883 for TLS"
        raise InputError(Problem(where, f"{shown!r} is not the URL of an MQTT broker", fix))
    if parts.password is not None:
        what = "the URL has a password, which would be stored in recordings"
        raise InputError(Problem(where, what, "write it to a file, and name that in passwordFile"))
    return parts


def client_id(*names: str) -> str:
    """Return a client id of these names that every broker accepts.

    nats-server refuses dots and spaces; others refuse more than 23 characters. Different names give
    different ids.
    """
    whole = "-".join(names)
    plain = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter == "-") else "-"
        for letter in whole
    )
    if plain == whole and len(whole) <= SHORT:
        return whole
    return f"{plain[:KEPT]}-{zlib.crc32(whole.encode()):08x}"
