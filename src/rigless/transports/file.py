"""A file as a robot's memory.

Its content is received once when the port opens, and each message replaces it. The one link is the
file. A missing file counts as empty. A write goes to a temporary file that then replaces it, so the
file is never half written. A failed write counts as dropped.
"""

import os
from pathlib import Path

from rigless.kernel.ports import Port
from rigless.transports.transport import Inbox

LARGEST = 1 << 20


class Transport:
    """The file of one port."""

    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self._path = Path()
        self._link = 0

    async def open(self, address: str) -> str:
        self._path = Path(address).absolute()
        if not self._path.parent.is_dir():
            raise FileNotFoundError(2, "there is no such folder", str(self._path.parent))
        data = self._path.read_bytes()[:LARGEST] if self._path.exists() else b""
        self._link = self.inbox.new_link()
        self.inbox.connected(self._link, str(self._path), str(self._path))
        if data:
            self.inbox.received(self._link, data)
        return self._path.as_uri()

    def send(self, link: int, data: bytes, subject: str) -> None:
        temporary = self._path.with_name(f".{self._path.name}.new")
        try:
            temporary.write_bytes(data)
            os.replace(temporary, self._path)
        except OSError:
            self.inbox.dropped(self._link)

    def close_link(self, link: int) -> None:
        """Do nothing: there is no connection."""

    async def close(self) -> None:
        """Do nothing: no file is held open."""
