"""A TCP connection to a server: writing, and the ways to end it."""

import asyncio
import contextlib
import socket
import struct


class ClientSocket(asyncio.Protocol):
    """The base of protocols of one connection. `lost` is done, with the reason, when it ended."""

    def __init__(self) -> None:
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None
        self._reason = ""  # why this side ended it; empty if the server did

    @property
    def waiting_bytes(self) -> int:
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)

    def end(self, reason: str) -> None:
        """Reset the connection; unsent data is discarded."""
        self._reason = self._reason or reason
        if self._transport is not None:
            plug: socket.socket | None = self._transport.get_extra_info("socket")
            if plug is not None:
                with contextlib.suppress(OSError):
                    plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()

    def hang_up(self, reason: str) -> None:
        """Close after all data is sent."""
        self._reason = self._reason or reason
        if self._transport is not None:
            self._transport.close()

    async def leave(self, patience_s: float) -> None:
        """Close after all data is sent, and wait for it."""
        self.hang_up("closed")
        if self._transport is not None:
            await asyncio.wait([self.lost], timeout=patience_s)
            if not self.lost.done():
                self._transport.abort()
