"""`rigless open`: the panel on a recording, without a live simulation."""

import asyncio
import math
import signal
from pathlib import Path

from rigless.console import print_line, print_note
from rigless.host.host import Host
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.simulation import Simulation
from rigless.panel.server import ControlServer
from rigless.recordings.reader import Recording
from rigless.recordings.replay import rebuilding, recorded_scenario
from rigless.scenario.build import Built
from rigless.scenario.source import Source


def open_recording(file: Path, at_s: float | None, panel: str | None, auth: bool) -> int:
    """Serve the panel on a recording until a signal. Raises InputError for a bad file."""
    if at_s is not None and not math.isfinite(at_s):
        raise InputError(Problem("--at", f"{at_s} is not a time", "give seconds: --at 12.4"))
    recording = Recording.open(file)
    with rebuilding(file):
        host = _empty_host(recording)
    return asyncio.run(_serve(host, recording, at_s, panel, auth))


def _empty_host(recording: Recording) -> Host:
    """Return a host without robots. The panel then has nothing to show but the recording."""
    scenario, seed = recorded_scenario(recording)
    return Host(Built(Simulation([], seed=seed), scenario, {}, Source()), speed=1.0)


async def _serve(
    host: Host, recording: Recording, at_s: float | None, panel: str | None, auth: bool
) -> int:
    host.paused = True
    host.recording_file.made.append(recording.path)  # it may be read and cut
    server = ControlServer(host, panel, auth)
    try:
        await server.player.open(recording)
        for signum in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(signum, host.stop)
        if at_s is not None:
            _seek(server, at_s)
        await server.open()
        print_line(f"panel {server.url}")
        for text in (*server.notes, *_notes(server, recording)):
            print_note(text, "yellow")
        print_line("ready")
        await host.finished.wait()
    finally:
        await server.close()
        await host.close()
    return 0


def _seek(server: ControlServer, at_s: float) -> None:
    """Go to an instant of the recording; it may take a while, which the panel shows."""
    status = server.player.describe()
    begin_s, end_s = status["begin_s"], status["end_s"]
    if not begin_s <= at_s <= end_s:
        near, name = (begin_s, "begins") if at_s < begin_s else (end_s, "ends")
        text = f"note: the recording {name} at {near:g} s; that instant is shown, not {at_s:g} s"
        print_note(text, "yellow")
    server.player.seek(at_s)


def _notes(server: ControlServer, recording: Recording) -> list[str]:
    """Return notes on a recording that was cut off or made by another version."""
    cut = [f"note: the recording was cut off: {recording.missing}"] if recording.missing else []
    other = server.player.describe()["note"]
    return [*cut, *([f"note: {other}"] if other else [])]
