"""A serial line: a pseudo terminal in raw mode that programs open like /dev/ttyACM0.

The address is `/dev/pts/`, for a terminal of any number, or the path of a symbolic link to create,
which must not exist. One program at a time uses a serial line, so there is one link: from the first
byte until the last program closes the terminal. Then the terminal is polled until it is opened
again.
"""

import asyncio
import os
import select
import tty
from pathlib import Path

from rigless.kernel.ports import Port
from rigless.transports.transport import ALL, PENDING_BYTES, Inbox

ANY = "/dev/pts/"
READ_BYTES = 1 << 16
LOOK_EVERY_S = 0.05


class Transport:
    """The pseudo terminal of one port."""

    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self._ours = -1
        self._link: int | None = None
        self._made: Path | None = None
        self._name = ""
        self._waiting = bytearray()  # not yet written to the terminal
        self._look: asyncio.TimerHandle | None = None

    async def open(self, address: str) -> str:
        ours, theirs = os.openpty()
        try:
            tty.setraw(theirs)  # stays raw while our end is open
            self._name = os.ttyname(theirs)
            if address != ANY:
                Path(address).symlink_to(self._name)
                self._made = Path(address)
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        os.set_blocking(ours, False)
        self._ours = ours
        self._wait_for_peer()
        return f"pty://{self._made or self._name}"

    def send(self, link: int, data: bytes, subject: str) -> None:
        if self._link is None or link not in (ALL, self._link):
            return
        if len(self._waiting) + len(data) > PENDING_BYTES:
            self.inbox.dropped(self._link)
            return
        self._waiting += data
        self._write()

    def close_link(self, link: int) -> None:
        """Forget the peer; the next byte opens a new link."""
        if link == self._link:
            self._link = None
            self._waiting.clear()

    async def close(self) -> None:
        if self._ours < 0:
            return
        self._stop_listening()
        if self._look is not None:
            self._look.cancel()
        os.close(self._ours)
        self._ours, self._link = -1, None
        if self._made is not None:
            self._made.unlink(missing_ok=True)

    def _wait_for_peer(self) -> None:
        loop = asyncio.get_running_loop()
        look = select.poll()
        look.register(self._ours, select.POLLIN)
        hung_up = any(
            event & select.POLLHUP and not event & select.POLLIN for _, event in look.poll(0)
        )
        if hung_up:
            self._look = loop.call_later(LOOK_EVERY_S, self._wait_for_peer)
        else:
            self._look = None
            loop.add_reader(self._ours, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._ours, READ_BYTES)
        except BlockingIOError:
            return
        except OSError:  # the last program has closed it
            self._stop_listening()
            if self._link is not None:
                link = self._link
                self.close_link(link)
                self.inbox.disconnected(link)
            self._wait_for_peer()
            return
        if self._link is None:
            self._link = self.inbox.new_link()
            self.inbox.connected(self._link, self._name, self._name)
        if self._link is not None:  # the robot may have closed it at once
            self.inbox.received(self._link, data)

    def _write(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            del self._waiting[: os.write(self._ours, self._waiting)]
        except BlockingIOError:
            pass
        except OSError:  # no program has it open
            self._waiting.clear()
        if self._waiting:
            loop.add_writer(self._ours, self._write)
        else:
            loop.remove_writer(self._ours)

    def _stop_listening(self) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._ours)
        loop.remove_writer(self._ours)
