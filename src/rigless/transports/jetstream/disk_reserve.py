"""Room on the disk that is kept for the outbox, and given up when there is no other: what was sent can be deleted then, and the journal worked into
the file, for both of which SQLite needs room first. So a disk that was full does not stay full of messages that have long got there."""

import contextlib
import os
import shutil
from pathlib import Path

BYTES = 8 << 20  # as the journal may have half of it before it is worked in
LEAST_BYTES = 64 << 10  # less is of no use
SHARE = 4  # of what is free, the reserve is at most this part


class DiskReserve:
    """A file beside the outbox. `bytes` is how large it is; 0 while there is none."""

    def __init__(self, outbox: Path):
        self.path = outbox.with_name(f"{outbox.name}.reserve")
        self.bytes = 0
        self.take()

    def take(self) -> bool:
        """Keep room, if there is any; gives whether it is kept."""
        self.give_up()
        with contextlib.suppress(OSError):
            wanted = min(BYTES, shutil.disk_usage(self.path.parent).free // SHARE)
            if wanted >= LEAST_BYTES:
                with self.path.open("wb") as file:
                    _fill(file.fileno(), wanted)
                self.bytes = wanted
        return self.bytes > 0

    def see_to_it(self) -> None:
        """Another process that used the outbox too, and has ended, took it away."""
        if self.bytes and not self.path.exists():
            self.take()

    def give_up(self) -> None:
        self.bytes = 0
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


def _fill(file: int, count: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, count)
    else:
        os.write(file, bytes(count))
