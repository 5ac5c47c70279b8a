"""Cut a part out of a recording. The part begins with a snapshot, so it can be replayed.

The recorded simulation is run again and recorded from one time to another. The result is compared
with the original, so that a part never differs from it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording import Recorder
from rigless.kernel.recording.entries import HOST_EVENTS
from rigless.recordings.diff import compare
from rigless.recordings.reader import Record, Recording
from rigless.recordings.seekable import SeekableRecording


def trim(source: Path, begin_ns: int, end_ns: int, path: Path, stream: IO[bytes]) -> Recording:
    """Write the part of a recording between two times to a stream, which is the file `path`.

    Raises InputError if there is no such part, or if it cannot be repeated here.
    """
    original = Recording.open(source)
    seekable = SeekableRecording.open(original)
    begin_ns, end_ns = max(begin_ns, seekable.begin_ns), min(end_ns, seekable.end_ns)
    if begin_ns >= end_ns:
        what = f"the part from {begin_ns / 1e9:g} s to {end_ns / 1e9:g} s is empty"
        fix = f"it goes from {seekable.begin_ns / 1e9:g} s to {seekable.end_ns / 1e9:g} s"
        raise InputError(Problem(source.name, what, fix))
    seekable.seek(begin_ns)
    recorder = Recorder(seekable.simulation, stream)
    seekable.seek(end_ns, through=True)
    recorder.close()
    stream.flush()
    if recorder.failed:
        raise InputError(Problem(path.name, f"cannot be written: {recorder.failed}"))
    part = Recording.open(path)
    difference = compare(_between(original, begin_ns, end_ns), _between(part, begin_ns, end_ns))
    if difference is not None:
        what = f"the run cannot be repeated exactly here: {difference}"
        fix = "use the rigless and the robots that it was recorded with"
        raise InputError(Problem(source.name, what, fix))
    return part


def _between(recording: Recording, begin_ns: int, end_ns: int) -> Iterator[Record]:
    """Yield the records after the beginning, without events of the host."""
    found = (record for record in recording if record.topic != HOST_EVENTS)
    return (record for record in found if begin_ns < record.time_ns <= end_ns)
