"""Real nats-servers for tests, on loopback, each with its own port and store.

They can be killed, suspended and restarted, and have credentials, TLS and permissions on request.
They end with the `with` block and with the test process.

    with Server(tmp_path) as server: server.kill(); server.start()
    server = Server(tmp_path, Authority(tmp_path / "keys"))  # .creds("robot")
    server = Server(tmp_path, Tls(tmp_path / "tls"))  # .ca is the file that clients need
    server = Server(tmp_path, Users(robot=Permissions(publish=["robot.>"])))  # nats://robot:robot@…
"""

import asyncio
import base64
import contextlib
import hashlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import nkeys

import reserved
from rigless.transports.jetstream.server import RUN_WITH_PARENT, program

DEADLINE_S = 60.0


class Part(Protocol):
    """Additional settings of a server."""

    def config(self) -> str: ...


class Server:
    """One server. Its port and store survive a restart."""

    def __init__(self, folder: Path, *parts: Part, extra: str = "", port: int = 0):
        self.folder = folder / f"nats-{secrets.token_hex(4)}"
        self.folder.mkdir(parents=True)
        self.port = port or reserved.port()
        self.parts, self.extra = parts, extra
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"nats://{self.address}"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> "Server":
        """Start the server and wait until it answers."""
        assert self.process is None, "it runs"
        limits = "limits { default_max_consumers: -1 }"
        jetstream = f'jetstream {{ store_dir: "{self.folder / "store"}", {limits} }}\n'
        name = f'server_name: "{self.folder.name}"\nlisten: "{self.address}"\n'
        name += f'log_file: "{self.folder / "log"}"\n'
        config = self.folder / "conf"
        config.write_text(
            name + jetstream + "".join(part.config() for part in self.parts) + self.extra
        )
        wrapper = [sys.executable, "-I", "-S", "-c", RUN_WITH_PARENT, str(os.getpid())]
        with (self.folder / "out").open("ab") as out:
            self.process = subprocess.Popen(
                [*wrapper, program(), "-c", config], stdout=out, stderr=out
            )
        self._wait()
        return self

    def _wait(self) -> None:
        end = time.monotonic() + DEADLINE_S
        while True:
            assert self.process is not None
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"no server: {(self.folder / 'out').read_text()}")
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as probe:
                    if probe.makefile("rb").readline().startswith(b"INFO"):
                        return
            except OSError:
                time.sleep(0.005)

    def kill(self) -> None:
        """Kill the server with SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop the server, if it runs."""
        if self.process is not None:
            self.thaw()
            self._end(signal.SIGTERM)

    def restart(self) -> "Server":
        self.kill()
        return self.start()

    def freeze(self) -> None:
        """Suspend the server: connections stay open, nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def _end(self, signum: int) -> None:
        process, self.process = self.process, None
        assert process is not None, "it does not run"
        process.send_signal(signum)
        process.wait(DEADLINE_S)

    def __enter__(self) -> "Server":
        return self if self.process is not None else self.start()

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.kill()


class Proxy:
    """A proxy to a server that can drop the replies, on the loop of the test."""

    def __init__(self, server: Server):
        self._server = server
        self.deaf = False
        self._listening: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        assert self._listening is not None
        return f"127.0.0.1:{self._listening.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """Close all connections."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def __aenter__(self) -> "Proxy":
        self._listening = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._listening is not None
        self._listening.close()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", self._server.port)
        self._writers += [writer, there[1]]
        for source, sink, answers in ((reader, there[1], False), (there[0], writer, True)):
            task = asyncio.create_task(self._pass(source, sink, answers))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, answers: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(1 << 16):
                if not (answers and self.deaf):
                    sink.write(data)
        sink.close()


@dataclass
class Permissions:
    """Permissions of a user; None permits everything."""

    publish: list[str] | None = None
    subscribe: list[str] | None = None
    deny_publish: list[str] = field(default_factory=list)
    deny_subscribe: list[str] = field(default_factory=list)

    def rules(self) -> dict[str, dict[str, list[str]]]:
        found = {}
        for name, allow, deny in (
            ("publish", self.publish, self.deny_publish),
            ("subscribe", self.subscribe, self.deny_subscribe),
        ):
            rule = {key: value for key, value in (("allow", allow), ("deny", deny)) if value}
            if rule:
                found[name] = rule
        return found


class Users:
    """Users by name; the password is the name."""

    def __init__(self, **permissions: Permissions):
        self.permissions = permissions

    def config(self) -> str:
        users = [
            {"user": name, "password": name, "permissions": may.rules()}
            for name, may in self.permissions.items()
        ]
        return f"authorization: {json.dumps({'users': users})}\n"


class Tls:
    """A certificate for 127.0.0.1 or other names, by a test CA.

    `verify` requires client certificates.
    """

    def __init__(
        self,
        folder: Path,
        verify: bool = False,
        names: tuple[str, ...] = ("127.0.0.1", "localhost"),
    ):
        import trustme

        folder.mkdir(parents=True, exist_ok=True)
        self.verify = verify
        self.ca, self._certificate, self._key = (
            folder / "ca.pem",
            folder / "server.pem",
            folder / "server.key",
        )
        self.client_certificate, self.client_key = folder / "client.pem", folder / "client.key"
        authority = trustme.CA()
        authority.cert_pem.write_to_path(self.ca)
        for subjects, certificate, key in (
            (names, self._certificate, self._key),
            (("robot.example",), self.client_certificate, self.client_key),
        ):
            made = authority.issue_cert(*subjects)
            made.private_key_pem.write_to_path(key)
            certificate.write_bytes(b"".join(blob.bytes() for blob in made.cert_chain_pems))

    def config(self) -> str:
        ca = f'ca_file: "{self.ca}", verify: true,' if self.verify else ""
        return f'tls {{ {ca} cert_file: "{self._certificate}", key_file: "{self._key}" }}\n'


class Authority:
    """An operator with one account, whose users have .creds files."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._operator = _key(nkeys.PREFIX_BYTE_OPERATOR)
        self._account = _key(nkeys.PREFIX_BYTE_ACCOUNT)
        self._system = _key(nkeys.PREFIX_BYTE_ACCOUNT)

    def config(self) -> str:
        unlimited = dict.fromkeys(
            ("subs", "data", "payload", "imports", "exports", "conn", "leaf"), -1
        )
        stored = dict.fromkeys(("mem_storage", "disk_storage", "streams", "consumer"), -1)
        account = {
            "limits": {**unlimited, **stored, "wildcards": True},
            "type": "account",
            "version": 2,
        }
        system = {"limits": {**unlimited, "wildcards": True}, "type": "account", "version": 2}
        preload = {
            _public(self._account): _token("robots", self._operator, self._account, account),
            _public(self._system): _token("SYS", self._operator, self._system, system),
        }
        operator = _token(
            "operator", self._operator, self._operator, {"type": "operator", "version": 2}
        )
        return (
            f"operator: {operator}\nsystem_account: {_public(self._system)}\n"
            f"resolver: MEMORY\nresolver_preload: {json.dumps(preload)}\n"
        )

    def creds(
        self, name: str, may: Permissions | None = None, lasts_s: float | None = None
    ) -> Path:
        """Return a user's .creds file that expires in `lasts_s`; negative: it has expired."""
        user = _key(nkeys.PREFIX_BYTE_USER)
        rules = (may or Permissions()).rules()
        claims = {
            "pub": rules.get("publish", {}),
            "sub": rules.get("subscribe", {}),
            "type": "user",
            "version": 2,
        }
        claims |= dict.fromkeys(("subs", "data", "payload"), -1)
        token = _token(name, self._account, user, claims, lasts_s)
        path = self.folder / f"{name}.creds"
        path.write_text(
            f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
            f"-----BEGIN USER NKEY SEED-----\n{user.seed.decode()}\n------END USER NKEY "
            "SEED------\n"
        )
        path.chmod(0o600)
        return path


def _key(prefix: int) -> nkeys.KeyPair:
    return nkeys.from_seed(nkeys.encode_seed(secrets.token_bytes(32), prefix))


def _public(key: nkeys.KeyPair) -> str:
    return bytes(key.public_key).decode()


def _token(
    name: str,
    issuer: nkeys.KeyPair,
    subject: nkeys.KeyPair,
    claims: dict[str, object],
    lasts_s: float | None = None,
) -> str:
    """Return a JWT for nats-server: signed by ed25519, with a hash as its id."""
    now = int(time.time())
    body = {
        "iat": now,
        "iss": _public(issuer),
        "name": name,
        "sub": _public(subject),
        "nats": claims,
    }
    if lasts_s is not None:
        body |= {"iat": now - 3600, "exp": int(now + lasts_s)}
    digest = hashlib.sha256(json.dumps(body).encode()).digest()
    body["jti"] = base64.b32encode(digest).rstrip(b"=").decode()
    parts = [
        _base64(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ed25519-nkey"}, body)
    ]
    signature = issuer.sign(".".join(parts).encode())
    return ".".join([*parts, _base64(signature)])


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
