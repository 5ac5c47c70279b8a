"""Frames on a stream: four bytes of length, then the content."""

import socket
import struct
from collections.abc import Iterator

HEADER = struct.Struct("<I")


def send_frame(link: socket.socket, content: bytes) -> None:
    """Send one frame."""
    link.sendall(HEADER.pack(len(content)) + content)


class Frames:
    """Splits received bytes into frames."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Add bytes and return the frames that are complete."""
        self._data += data
        while len(self._data) >= HEADER.size:
            end = HEADER.size + HEADER.unpack_from(self._data)[0]
            if len(self._data) < end:
                return
            frame = bytes(self._data[HEADER.size : end])
            del self._data[:end]
            yield frame
