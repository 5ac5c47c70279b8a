"""Disk space reserved for the outbox, and released when the disk is full.

SQLite needs free space to delete rows and to checkpoint its journal. The reserve provides it, so
that a disk that was full does not stay full of delivered messages.
"""

import contextlib
import os
import shutil
from pathlib import Path

BYTES = 8 << 20  # twice the journal at a checkpoint
LEAST_BYTES = 64 << 10  # a smaller reserve is useless
SHARE = 4  # the reserve is at most 1/SHARE of the free space


class DiskReserve:
    """A file next to the outbox. `bytes` is its size; 0 while there is none."""

    def __init__(self, outbox: Path):
        self.path = outbox.with_name(f"{outbox.name}.reserve")
        self.bytes = 0
        self.take()

    def take(self) -> bool:
        """Allocate the reserve if there is space; return whether it is allocated."""
        self.release()
        with contextlib.suppress(OSError):
            wanted = min(BYTES, shutil.disk_usage(self.path.parent).free // SHARE)
            if wanted >= LEAST_BYTES:
                with self.path.open("wb") as file:
                    _fill(file.fileno(), wanted)
                self.bytes = wanted
        return self.bytes > 0

    def restore_if_missing(self) -> None:
        """Allocate it again if another process that shared the outbox removed it."""
        if self.bytes and not self.path.exists():
            self.take()

    def release(self) -> None:
        self.bytes = 0
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def _fill(file: int, count: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, count)
    else:
        os.write(file, bytes(count))
