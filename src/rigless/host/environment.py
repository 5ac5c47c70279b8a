"""What a host gives its transports beside a port: a folder to keep things in, the NATS server that robots share, the ROS that runs ROS ports."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.transports.jetstream.embedded import EmbeddedServers
from rigless.transports.jetstream.errors import Log


def state_folder(given: Path | None = None) -> Path:
    """Where things outlive a run: as given, else RIGLESS_STATE, else this user's own folder for such things."""
    if given is not None:
        return given
    if own := os.environ.get("RIGLESS_STATE"):
        return Path(own)
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "rigless"


class Environment:
    """Without a state folder there is a temporary one, gone at the end. With `embedded_nats` robots use a server of ours whatever
    their config says."""

    def __init__(
        self, state: Path | None = None, embedded_nats: bool = False, ros_backend: str = "dds"
    ):
        self.embedded_nats, self.ros_backend = embedded_nats, ros_backend
        self._state = state
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._embedded: EmbeddedServers | None = None

    def is_live(self, port: Port, fast: bool) -> bool:
        """Whether a port is really there. A broker's is not in a fast run, unless asked for: what it says of itself, when it likes,
        would make each run another."""
        return port.transport != "nats" or not fast or self.embedded_nats

    def prepare(self, port: Port, tell: Log) -> Port:
        """The port with what its transport needs from here."""
        if port.transport == "dds":
            return replace(port, transport=self.ros_backend)
        if port.transport == "nats":
            if self._embedded is None:
                self._embedded = EmbeddedServers(self._folder(), tell, self.embedded_nats)
            extra = {"state": self._folder(), "embedded": self._embedded}
            return replace(port, options={**port.options, **extra})
        return port

    def saved_messages(self, port: Port) -> list[tuple[str, bytes]]:
        """What a robot left behind when it last ran, if there is a folder that outlived it: subjects and messages, oldest first."""
        if port.transport != "nats" or self._state is None:
            return []
        from rigless.transports.nats import saved_messages  # only for those who have such a port

        return saved_messages(port, self._state)

    def _folder(self) -> Path:
        if self._state is None:
            self._temporary = tempfile.TemporaryDirectory(
                prefix="rigless-", ignore_cleanup_errors=True
            )
            self._state = Path(self._temporary.name)
        try:
            self._state.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            what = f"the state folder {self._state} cannot be made: {error.strerror}"
            raise InputError(
                Problem("nats", what, "choose another: --state DIR, or RIGLESS_STATE")
            ) from None
        return self._state

    async def close(self) -> None:
        """End what was started and remove what was temporary."""
        embedded, self._embedded = self._embedded, None
        if embedded is not None:
            await embedded.close()
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            self._state = None
            temporary.cleanup()
