"""`rigless replay`, `rigless diff` and `rigless export`."""

import asyncio
from pathlib import Path

from rigless.cli.live import Options, serve_host
from rigless.console import print_line, print_note, progress
from rigless.recordings.diff import compare_files
from rigless.recordings.reader import Recording
from rigless.recordings.replay import rebuild, rebuilding, verify


def verify_recording(file: Path) -> int:
    with progress(f"replaying {file.name}") as bar:
        found = verify(file, lambda part: bar.update(bar.task_ids[0], completed=part))
    if found.versions:
        print_note(f"note: {found.versions}; sameness is promised for one version", "yellow")
    if found.difference is not None:
        print_line(f"different: {found.difference}")
        return 1
    where = " there" if found.cut else ""
    cut = f" (the recording was cut off{where}: {found.missing})" if found.missing else ""
    print_line(f"the same: {found.records} records up to {found.end_ns / 1e9:.6f} s{cut}")
    return 0


def serve_recording(file: Path, speed: float, at_once: bool, settings: list[str]) -> int:
    from rigless.host.playback import Playback

    recording = Recording.open(file)
    with rebuilding(file):
        built = rebuild(recording, settings)

    async def play() -> int:
        with rebuilding(file):
            host = Playback(built, recording, speed, at_once)
        if recording.missing:
            print_note(f"note: the recording was cut off: {recording.missing}", "yellow")
        if not at_once:
            print_note("the recording starts with the first client", "dim")
        code = await serve_host(host, Options(with_panel=False, quiet=True, programs=False))
        print_note(f"played {host.played} messages", "dim")
        return code

    return asyncio.run(play())


def diff_recordings(left: Path, right: Path) -> int:
    recordings = Recording.open(left), Recording.open(right)
    difference, compared = compare_files(*recordings)
    if difference is None:
        cut = [
            f"{one.path.name} was cut off at {one.last_ns / 1e9:.6f} s: {one.missing}"
            for one in recordings
            if one.missing
        ]
        longer = max(recordings, key=lambda one: one.records)
        if cut and longer.records > compared:
            more = longer.records - compared
            cut.append(f"{more} later records of {longer.path.name} were not compared")
        print_line(f"equal: {compared} records ({'; '.join(cut)})" if cut else "equal")
        return 0
    print_line(f"different: {difference}")
    return 1


def export_recording(file: Path, bag_folder: Path) -> int:
    from rigless.recordings.ros2bag import export

    bag = export(Recording.open(file), bag_folder)
    print_line(f"{bag_folder}: {bag.messages} messages on {len(bag.topics)} topics")
    if bag.corrupt:
        print_note(f"{bag.corrupt} messages that faults had corrupted are left out", "yellow")
    return 0
