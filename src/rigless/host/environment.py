"""Resources of a host that its transports share: a state folder, brokers, a ROS backend."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.transports.capabilities import capabilities
from rigless.transports.jetstream.errors import Log
from rigless.transports.jetstream.server.embedded import EmbeddedServers
from rigless.transports.mqtt311.embedded import EmbeddedBrokers
from rigless.transports.transport import load


def state_folder(given: Path | None = None) -> Path:
    """Return the folder for data that outlives a run: the given one, RIGLESS_STATE or a default."""
    if given is not None:
        return given
    if folder := os.environ.get("RIGLESS_STATE"):
        return Path(folder)
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "rigless"


class Environment:
    """Resources shared by the transports of one host.

    Without a state folder, a temporary one is used and removed at the end. With `embedded_nats`,
    robots connect to an embedded NATS server or MQTT broker, whatever their config says.
    """

    def __init__(
        self, state: Path | None = None, embedded_nats: bool = False, ros_backend: str = "dds"
    ):
        self.embedded_nats, self.ros_backend = embedded_nats, ros_backend
        self._state = state
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._embedded: EmbeddedServers | None = None
        self._brokers: EmbeddedBrokers | None = None

    def is_live(self, port: Port, fast: bool) -> bool:
        """Return whether the port is opened on its real transport, rather than in memory."""
        return not capabilities(port.transport).live_only or not fast or self.embedded_nats

    def load_transport(self, port: Port, fast: bool = False) -> None:
        """Load the transport of a port. Raises InputError if a package for it is missing."""
        if self.is_live(port, fast):
            ros = capabilities(port.transport).ros
            load(self.ros_backend if ros else port.transport, port.name)

    def prepare(self, port: Port, log: Log) -> Port:
        """Return the port with the options that its transport gets from the host."""
        can = capabilities(port.transport)
        if can.ros:
            return replace(port, transport=self.ros_backend)
        options: dict[str, Any] = dict(port.options)
        if can.keeps_state:
            options["state"] = self._folder()
        if can.nats:
            if self._embedded is None:
                self._embedded = EmbeddedServers(self._folder(), log, self.embedded_nats)
            options["embedded"] = self._embedded
        if can.mqtt:
            if self._brokers is None:
                self._brokers = EmbeddedBrokers(self._folder(), log, self.embedded_nats)
            options["embedded"] = self._brokers
        return replace(port, options=options)

    def saved_messages(self, port: Port) -> list[tuple[str, bytes]]:
        """Return the (subject, message) pairs that the robot saved in an earlier run, oldest first.

        Empty if there is no state folder that outlived that run.
        """
        if self._state is None or not capabilities(port.transport).keeps_state:
            return []
        messages: list[tuple[str, bytes]] = load(port.transport, port.name).saved_messages(
            port, self._state
        )
        return messages

    @property
    def kept_folder(self) -> Path | None:
        """The state folder, if it outlives the run."""
        return self._state if self._temporary is None else None

    def _folder(self) -> Path:
        if self._state is None:
            self._temporary = tempfile.TemporaryDirectory(
                prefix="rigless-", ignore_cleanup_errors=True
            )
            self._state = Path(self._temporary.name)
        try:
            self._state.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            what = f"cannot create the state folder {self._state}: {error.strerror}"
            fix = "choose another: --state DIR, or RIGLESS_STATE"
            raise InputError(Problem("nats", what, fix)) from None
        return self._state

    async def close(self) -> None:
        """Stop embedded servers and remove the temporary folder."""
        embedded, self._embedded = self._embedded, None
        if embedded is not None:
            await embedded.close()
        brokers, self._brokers = self._brokers, None
        if brokers is not None:
            await brokers.close()
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            self._state = None
            temporary.cleanup()
