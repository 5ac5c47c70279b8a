"""`rigless run` and `demo`: run a host and its control API until a signal or the end."""

import asyncio
import gc
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rigless.console import EventPrinter, print_line, print_note, progress, stderr_console
from rigless.host import sessions
from rigless.host.environment import Environment, state_folder
from rigless.host.host import Host
from rigless.host.outcome import OutcomeJudge
from rigless.kernel.events import SEVERITIES, Event
from rigless.kernel.problems import InputError, Problem
from rigless.scenario.build import Built

if TYPE_CHECKING:
    from rigless.host.foxglove.server import FoxgloveServer
    from rigless.panel.server import ControlServer
    from rigless.programs.output_log import Line
    from rigless.programs.supervisor import Supervisor
    from rigless.robots.pacbot.window.host_link import WindowLink


WARNING = SEVERITIES.index("warning")
JOIN = "nsenter --preserve-credentials --user --net --target"
PROGRAM_EVENTS = ("program-yielded", "program-returned")


class Children(Protocol):
    """Processes that end with the host. `failure` says why they cannot run."""

    failure: str
    status: int

    def begin(self, stop: Callable[[], None], /) -> None: ...

    async def end(self) -> None: ...


@dataclass
class Options:
    pace: float | str | None = None
    duration_s: float | None = None
    record: Path | None = None
    panel: str | socket.socket | None = None  # an address, or a socket that is bound already
    with_panel: bool = True
    auth: bool = True
    quiet: bool = False
    window: bool = False
    backend: str = "dds"
    embedded_nats: bool = False
    state: Path | None = None
    recordings: Path | None = None
    programs: bool = True
    commands: dict[str, list[str]] = field(default_factory=dict)
    foxglove: int | None = None  # the port to serve Foxglove on
    demo: bool = False  # a temporary state folder, few lines, and a hint after them
    exit: bool = False  # end with the scenario's duration, even if there is a panel
    isolated: bool = False  # this process is in a private network


def run_live(built: Built, options: Options) -> int:
    duration = options.duration_s if options.duration_s is not None else built.scenario.duration_s
    return asyncio.run(_run(built, options, duration))


async def _run(built: Built, options: Options, duration_s: float | None) -> int:
    state = state_folder(options.state)
    around = Environment(None if options.demo else state, options.embedded_nats, options.backend)
    recordings = options.recordings or state / "recordings"
    pace = _pace(built, options)
    return await serve_host(Host(built, pace, duration_s, around, recordings), options)


def _pace(built: Built, options: Options) -> float | str | None:
    """Return the pace of a run: a program that steps time itself needs lockstep.

    Raises InputError if the programs cannot have it.
    """
    programs = built.scenario.programs if options.programs else []
    steps = [program.name for program in programs if program.lockstep]
    pace = options.pace if options.pace is not None else built.speed
    if programs and pace == "fast":
        what = "programs run in wall time: it would leave them behind"
        raise InputError(Problem("--fast", what, "--speed 5, or --no-programs"))
    if not steps:
        return options.pace
    if not options.with_panel:
        what = f"{steps[0]} steps time through the control API, which it switches off"
        raise InputError(Problem("--no-panel", what, "leave it out, or add --no-programs"))
    if isinstance(options.pace, float):
        what = f"{steps[0]} steps time itself"
        raise InputError(Problem("--speed", what, "leave it out, or add --no-programs"))
    return "lockstep"


async def serve_host(host: Host, options: Options, children: "Children | None" = None) -> int:
    """Open, announce, run, close. Ctrl-C and SIGTERM end it cleanly.

    `children` are the processes of the other shards of a fleet. They end first.
    """
    for signum in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signum, host.stop)
    printer = EventPrinter()
    shown = WARNING if options.quiet else SEVERITIES.index("info")

    def show(time_ns: int, event: Event) -> None:
        least = shown if not options.demo or event.code in PROGRAM_EVENTS else WARNING
        if SEVERITIES.index(event.severity) >= least and not (options.demo and left_out(event)):
            printer.show(event)

    def left_out(event: Event) -> bool:
        """Return whether the demo leaves an event out: it is repeated, or the run is ending."""
        again = event.code == "pace-lost" and host.worst_lag_ns < host.lost_ns
        return again or host.finished.is_set()

    def tell(text: str) -> None:
        if not options.quiet:
            print_note(text, "dim")

    host.sim.core.observe_events(show)
    if host.exchange is not None and options.with_panel:
        host.exchange.observes = True
    server: ControlServer | None = None
    window: WindowLink | None = None
    note: Path | None = None
    supervisor: Supervisor | None = None
    viewer: FoxgloveServer | None = None
    if children is not None:
        children.begin(host.stop)
    try:
        await host.open()
        if options.record is not None:
            host.recording_file.start(options.record)
        server = _server(host, options)
        for text in host.built.notes:
            print_note(text, "yellow")
        for (robot, port), url in host.urls.items():
            print_line(f"port {robot}/{port} {url}")
        if options.isolated:
            tell(f"ports are in a private network; a client by hand: {JOIN} {os.getpid()} COMMAND")
        if server is not None:
            await server.open()
            note = _write_session(server, host.built.scenario.name)
            print_line(f"panel {server.url}")
            for text in server.notes:
                print_note(text, "yellow")
            if not options.demo:
                tell(f"recordings of the panel in {host.recordings.path}")
        if options.foxglove is not None:
            viewer = _foxglove(host)
            print_line(f"foxglove {await viewer.open(options.foxglove)}")
        if options.window:
            window = _window(host)
            await window.open()
        tell(f"seed {host.sim.seed}")
        gc.collect()
        gc.freeze()  # long-lived objects need no further collection
        if options.programs and has_programs(host) and host.built.scenario.programs:
            supervisor = _supervisor(host, server, options, tell)
        if _keeps_serving(host, options) and server is not None:
            OutcomeJudge(host, supervisor)
        print_line("ready")
        if options.demo and server is not None:
            print_note(f"open {server.url} in a browser; Ctrl-C ends", "bold")
        begin, began_ns = time.monotonic(), host.sim.now_ns
        if supervisor is not None:
            await supervisor.begin()
        await _run_with_progress(host)
        printer.finish()
        _print_summary(host, began_ns, time.monotonic() - begin, tell)
        lost = bool(host.recording_file.failed)
    finally:
        if supervisor is not None:
            await supervisor.end()
        if children is not None:
            await children.end()
        if window is not None:
            await window.close()
        if note is not None:
            note.unlink(missing_ok=True)
        if viewer is not None:
            await viewer.close()
        if server is not None:
            await server.close()
        await host.close()
    if children is not None and children.failure:
        print_note(f"error: {children.failure}", "bold red")
        return children.status
    if window is not None and window.error:
        print_note(f"error: {window.error}", "bold red")
        return 1
    if supervisor is not None and supervisor.failure:
        print_note(f"error: {supervisor.failure}", "bold red")
        return 1
    return 1 if host.failure or lost else 0


def has_programs(host: Host) -> bool:
    """Return True if this process starts the programs: only one shard of a fleet does."""
    return host.exchange is None or host.exchange.shard.number == 1


def _keeps_serving(host: Host, options: Options) -> bool:
    """True if the panel stays open after the scenario's duration (decision 23)."""
    if host.end_ns is None or host.exchange is not None:
        return False
    return options.duration_s is None and not options.exit and host.pace.mode == "real"


def _supervisor(
    host: Host, server: "ControlServer | None", options: Options, tell: Callable[[str], None]
) -> "Supervisor":
    """Return the programs of the scenario; their output is shown with their names before it."""
    from rigless.programs.supervisor import Supervisor, check_programs
    from rigless.runs.folders import new_folder

    check_programs(host.built)
    if any(entry.isolate for entry in host.built.scenario.programs) and not options.isolated:
        tell("not isolated: this run uses the ports above; --isolate gives it a private network")
    folder = new_folder(None, host.built.scenario.name, host.sim.seed)
    control = (server.address, server.token or "") if server is not None else ("", "")
    tell(f"files of programs in {folder}")

    def show(program: str, line: "Line") -> None:
        if line.stream == "note":  # most are events too
            if line.text in supervisor.programs[program].output.findings:
                print_note(f"{program}: {line.text}", "yellow")
            return
        if server is not None:
            server.hub.feed.live.count_line(program)
        if not (options.quiet or (options.demo and line.stream == "out")):
            print_note(f"{program} | {line.text}", "dim" if line.stream == "out" else "yellow")

    supervisor = Supervisor(host, folder, options.commands, control, on_line=show)
    return supervisor


def _window(host: Host) -> "WindowLink":
    try:
        from rigless.robots.pacbot.window.host_link import WindowLink
    except ModuleNotFoundError as error:
        fix = "pip install 'rigless[pacbot,window]'"
        raise InputError(Problem("--window", f"needs {error.name!r}", fix)) from None
    return WindowLink(host)


def _foxglove(host: Host) -> "FoxgloveServer":
    try:
        from rigless.host.foxglove.server import FoxgloveServer
    except ModuleNotFoundError as error:
        fix = "pip install 'rigless[foxglove]'"
        raise InputError(Problem("--foxglove", f"needs {error.name!r}", fix)) from None
    return FoxgloveServer(host)


def _write_session(server: "ControlServer", name: str) -> Path | None:
    try:
        return sessions.write(server.address, server.token, name)
    except OSError as error:
        reason = f"cannot write {error.filename}: {error.strerror}"
        print_note(f"rigless ctl will need --url and --token: {reason}", "yellow")
        return None


def _server(host: Host, options: Options) -> Any:
    if not options.with_panel:
        return None
    try:
        from rigless.panel.server import ControlServer
    except ModuleNotFoundError as error:
        reason = f"no panel, ctl and send: {error.name} is not installed"
        print_note(f"{reason}; pip install 'rigless[panel]'", "yellow")
        return None
    return ControlServer(host, options.panel, options.auth)


async def _run_with_progress(host: Host) -> None:
    """Show a progress bar for long fast runs in a terminal, below the events."""
    if host.pace.mode != "fast" or host.end_ns is None or not stderr_console().is_terminal:
        await host.run()
        return
    with progress(f"{host.built.scenario.name}") as bar:
        running = asyncio.create_task(host.run())
        while not running.done():
            bar.update(bar.task_ids[0], completed=host.sim.now_ns / host.end_ns)
            await asyncio.wait([running], timeout=0.1)
        await running


def _print_summary(host: Host, began_ns: int, wall_s: float, tell: Callable[[str], None]) -> None:
    simulated_s = (host.sim.now_ns - began_ns) / 1e9
    factor = simulated_s / wall_s if wall_s > 0 else 0.0
    tell(f"simulated {simulated_s:.3f} s in {wall_s:.2f} s ({factor:.1f}× real time)")
    if host.exchange is not None and (ages := sorted(host.exchange.ages_ms)):
        middle, late = (ages[int(part * (len(ages) - 1))] for part in (0.5, 0.99))
        tell(f"poses of other shards arrived after {middle:.1f} ms, 99 % within {late:.1f} ms")
    for place, count in host.dropped.items():
        print_note(f"{count} messages to slow or absent peers of {place} were dropped", "yellow")
    file = host.recording_file
    if file.failed:
        print_note(f"error: the recording to {file.path} is incomplete: {file.failed}", "bold red")
    elif file.path is not None:
        next_step = f"next: rigless replay {file.path} --verify"
        tell(f"recorded {file.messages} messages; {next_step}")
    if host.failure:
        print_note(f"error: {host.failure}", "bold red")
