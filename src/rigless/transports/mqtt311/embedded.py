"""MQTT brokers that the host starts itself: nats-server with its MQTT listener.

One is started if a robot's broker is on loopback and there is none, or on request. It is shared by
the robots of the host, and restarted when it exits.
"""

import asyncio
import os
from pathlib import Path

from rigless.kernel.problems import InputError, Problem
from rigless.transports.jetstream.errors import Log
from rigless.transports.jetstream.server import ANSWER_S, LOOPBACK, Server, free_port
from rigless.transports.jetstream.server.embedded import TRIES, Keeper, is_loopback, wait_for_orphan
from rigless.transports.mqtt311 import packets as p

SETTLE_S = 2.0
OTHER_PORT = "--set ports.vda5050=0 takes any free port"


class EmbeddedBrokers:
    """The embedded brokers of one host, by port; usually one or none.

    With `always`, robots use an embedded broker whatever their config says.
    """

    def __init__(self, state: Path, log: Log, always: bool = False):
        self.state, self.always = state, always
        self.patience_s = SETTLE_S  # a run waits this long for a session before it starts
        self._keeper = Keeper("MQTT broker", log)
        self._log = log
        self._free: int | None = None  # port of the broker shared by robots with port 0
        self._lock = asyncio.Lock()

    @property
    def servers(self) -> dict[int, Server]:
        return self._keeper.servers

    async def ensure(self, host: str, port: int) -> tuple[str, int]:
        """Return the address to connect to, and start a broker if needed. Raises InputError."""
        async with self._lock:
            wanted = self._free if port == 0 else port
            if wanted is not None and wanted in self.servers:
                return LOOPBACK, wanted
            local = is_loopback(host)
            if not self.always and port and not local:
                return host, port
            if port and local:
                await wait_for_orphan(self._folder(port))
                if await self._is_there(host, port):
                    if not self.always:
                        return host, port
                    raise self._taken(host, port, "a broker that is not ours")
            return await self._start(host if local else LOOPBACK, port)

    async def _is_there(self, host: str, port: int) -> bool:
        try:
            return await is_broker(host, port)
        except ValueError as error:
            raise self._taken(host, port, str(error)) from None

    def _taken(self, host: str, port: int, what: str) -> InputError:
        fix = f"end it, or use another port: {OTHER_PORT}"
        return InputError(Problem("mqtt", f"{host}:{port} is in use: {what}", fix))

    async def _start(self, host: str, port: int) -> tuple[str, int]:
        for attempt in range(TRIES):
            number = port or free_port(host)
            folder = self._folder(number)
            server = Server(LOOPBACK, free_port(), folder, mqtt=(host, number))
            try:
                await server.start()
                break
            except InputError:
                if port or attempt == TRIES - 1:
                    raise
        if port == 0:
            self._free = number
        self._keeper.keep(number, server)
        note = f"no MQTT broker at {host}:{number}: started one" if port else "started a broker"
        self._log(
            f"{note} (nats-server {server.version}, {host}:{number}, store {server.folder})", "info"
        )
        return host, number

    def _folder(self, port: int) -> Path:
        return self.state / "mqtt-broker" / str(port)

    def kill(self, port: int) -> bool:
        """Kill a broker, which is started again. Return False if it is not an embedded one."""
        server = self.servers.get(port)
        if server is None:
            return False
        server.kill()
        return True

    async def close(self) -> None:
        """Stop all embedded brokers."""
        await self._keeper.close()
        self._free = None


async def is_broker(host: str, port: int, patience_s: float = ANSWER_S) -> bool:
    """Return whether an MQTT broker answers at an address; False if nothing listens there.

    Raises ValueError if something else does.
    """
    answers: list[p.Packet] = []
    parser = p.Parser(answers.append, longest=65536)
    try:
        async with asyncio.timeout(patience_s):
            reader, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError):
        return False
    try:
        async with asyncio.timeout(patience_s):
            writer.write(p.connect(p.Login(f"rigless-look-{os.getpid()}")))
            while not answers:
                data = await reader.read(4096)
                if not data:
                    raise ValueError("it is not an MQTT broker, since it hangs up")
                parser.feed(data)
            writer.write(p.GOODBYE)
    except (OSError, TimeoutError):
        raise ValueError("it does not answer as an MQTT broker") from None
    except p.ProtocolError:
        raise ValueError("it is not an MQTT broker") from None
    finally:
        writer.close()
    return True
