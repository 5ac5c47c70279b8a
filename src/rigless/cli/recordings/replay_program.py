"""`rigless replay --serve --program`: a recorded robot for a new build of its program."""

import asyncio
import os
import shlex
import signal
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rigless.cli.recordings.replay_report import print_comparison, write_report
from rigless.console import print_note
from rigless.host.host import NEVER_NS
from rigless.host.playback import Playback, first_connection_ns, program_ports
from rigless.kernel.inputs import AnyInput, Arrive, Connect, Disconnect
from rigless.kernel.problems import InputError, Problem
from rigless.programs.output_log import Line, OutputLog
from rigless.programs.placeholders import RunFacts, fill_in
from rigless.programs.process import Process
from rigless.programs.usage import Usage
from rigless.recordings.compare_inputs import compare_inputs
from rigless.recordings.inputs import Message, Ports, decode_all, live_inputs, ports_of
from rigless.recordings.reader import Recording
from rigless.recordings.replay import rebuild, rebuilding
from rigless.recordings.tolerances import Tolerances
from rigless.scenario.build import Built
from rigless.transports.capabilities import capabilities

CONNECT_S = 60.0  # wall time in which the program must connect
HOLD_S = 30.0  # wall time in which a program on a broker must send its first message
DRAIN_S = 2.0  # wall time for the last bytes of a program that has ended
TAIL_S = 1.0
OUTPUT_BYTES = 20_000_000
GRACE_S = 5.0


@dataclass
class Request:
    """The options of the command."""

    file: Path
    program: str
    compare: bool
    speed: float
    tolerance: list[str]
    delay_tolerance_ms: float
    ignore: list[str]
    report: Path | None
    settings: list[str]


@dataclass
class ProgramRun:
    """The end of a program, and what it sent. `exit` is None if it was stopped."""

    inputs: list[tuple[int, AnyInput]]
    exit: int | None = None
    failure: str = ""
    played: int = 0
    lost_s: float = 0.0


def replay_program(request: Request) -> int:
    """Play a recording to a program; compare what it sends. Raises InputError for bad input."""
    words = _words(request.program)
    delay_ns = round(request.delay_tolerance_ms * 1e6 * request.speed)
    tolerances = Tolerances.parse(request.tolerance, request.ignore, delay_ns)
    recording = Recording.open(request.file)
    with rebuilding(request.file):
        built = _with_free_ports(rebuild(recording, request.settings), request.settings)
        ports = ports_of(built.simulation.robots.values())
        inputs = live_inputs(recording)
        recorded = _messages(ports, inputs)
    if request.compare and not recorded:
        what = "no program sent anything in it, so there is nothing to compare with"
        raise InputError(Problem(str(request.file), what, "record a run with the program"))
    begin_ns = first_connection_ns(ports, inputs)
    # go on after the end, so that a late last message is late and not missing
    tail_ns = 2 * delay_ns + round(TAIL_S * 1e9 * request.speed)
    first_ns = recorded[0].time_ns if recorded else 0
    run = asyncio.run(_run(request, words, built, recording, begin_ns or 0, first_ns, tail_ns))
    if run.failure:
        print_note(f"error: {run.failure}", "bold red")
    if run.lost_s:
        text = f"note: the machine lost {run.lost_s:.2f} s, so delays are not reliable"
        print_note(text, "yellow")
    failed = bool(run.failure) or run.exit not in (0, None)
    if not request.compare:
        print_note(f"played {run.played} messages", "dim")
        return int(failed)
    new = _messages(ports, run.inputs)
    if begin_ns is None:
        new = _moved(new, recorded)
    end_ns = max(recording.end_ns or 0, recording.last_ns)
    found = compare_inputs(recorded, new, tolerances, end_ns)
    print_comparison(found, len(recorded))
    if request.report is not None:
        write_report(request.report, found, str(request.file), words, run.exit, run.failure)
    return int(failed or found.first is not None)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(Problem("--program", f"cannot be split into words: {error}")) from None
    if not words:
        raise InputError(Problem("--program", "is empty", "name the program to start"))
    return words


def _with_free_ports(built: Built, settings: list[str]) -> Built:
    """Use a free port wherever the recording has a real one and the user gives none."""
    given = {setting.partition("=")[0].strip() for setting in settings}
    for (robot, port), declared in ports_of(built.simulation.robots.values()).items():
        can = capabilities(declared.transport)
        asked = {f"{robot}.ports.{port}", f"ports.{port}"} & given
        if asked or can.shared_address or can.without_clients:
            continue
        old = built.addresses[robot, port]
        built.addresses[robot, port] = (
            f"{old.rpartition(':')[0]}:0" if can.host_and_port else declared.address
        )
    return built


def _messages(ports: Ports, inputs: list[tuple[int, AnyInput]]) -> list[Message]:
    """Return the messages of programs."""
    return decode_all(ports, [one for one in inputs if _is_of_program(ports, one[1])])


def _is_of_program(ports: Ports, given: AnyInput) -> bool:
    """Return False for a settings file, and for what a transport itself reports to its robot."""
    if not isinstance(given, Arrive | Connect | Disconnect):
        return False
    port = ports.get((given.robot, given.port))
    if port is None or capabilities(port.transport).without_clients:
        return False
    own = (port.options.get("report"), *port.options.get("kept", ()))
    return not isinstance(given, Arrive) or given.subject not in own


def _moved(new: list[Message], recorded: list[Message]) -> list[Message]:
    """Align the first messages: on a broker there is no connection that both runs begin with."""
    shift_ns = recorded[0].time_ns - new[0].time_ns if new else 0
    return [message._replace(time_ns=message.time_ns + shift_ns) for message in new]


async def _run(
    request: Request,
    words: list[str],
    built: Built,
    recording: Recording,
    begin_ns: int,
    first_ns: int,
    tail_ns: int,
) -> ProgramRun:
    with rebuilding(request.file):
        host = Playback(built, recording, request.speed, begin_ns=begin_ns)
    assert host.end_ns is not None
    host.end_ns += tail_ns
    run = ProgramRun([])
    host.sim.core.listeners.input.append(
        lambda time_ns, given, source: (
            run.inputs.append((time_ns, given))
            if source == "live" and not host.finished.is_set()
            else None
        )
    )
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, host.stop)
    with tempfile.TemporaryDirectory(prefix="rigless-", ignore_cleanup_errors=True) as folder:
        await host.open()
        try:
            for (robot, port), url in host.urls.items():
                print_note(f"port {robot}/{port} {url}", "dim")
            process = _process(host, words, Path(folder))
            try:
                if not program_ports(ports_of(host.sim.robots.values())):
                    _hold_at(host, first_ns)
                await _play(host, process, run)
            finally:
                await process.end(grace_s=GRACE_S)
                process.log.close()
        finally:
            await host.close()
    run.failure = run.failure or host.failure
    run.played, run.lost_s = host.played, host.lost_ns / 1e9
    return run


def _process(host: Playback, words: list[str], folder: Path) -> Process:
    """Start the program with the addresses of the ports."""
    facts = RunFacts(host.urls, host.sim.seed, host.built.scenario.name, str(folder))
    values = facts.values()
    filled = [fill_in(word, values, "--program") for word in words]

    def show(line: Line) -> None:
        print_note(f"program | {line.text}", "dim" if line.stream == "out" else "yellow")

    log = OutputLog(folder, "program", OUTPUT_BYTES, lambda: host.sim.now_s)
    log.on_line = show
    process = Process(filled, log, Usage())
    process.start(Path.cwd(), {**os.environ, **facts.environment()})
    return process


def _hold_at(host: Playback, first_ns: int) -> None:
    """Play from the start, but wait for the program before the first recorded message.

    A broker does not show who is connected. Without this, a program that starts more slowly than
    the recorded one would miss the answer to its first request. Outputs of the instant of that
    message are such answers, so time stops a nanosecond before.
    """
    loop, ports = asyncio.get_running_loop(), ports_of(host.sim.robots.values())
    host.hold_ns = max(first_ns - 1, host.sim.now_ns)

    def hold() -> None:
        if host.hold_ns < NEVER_NS:
            host.pause()
            loop.call_later(HOLD_S, go_on)

    def go_on() -> None:
        host.hold_ns = NEVER_NS
        host.resume()

    def on_input(time_ns: int, given: AnyInput, source: str) -> None:
        if source == "live" and isinstance(given, Arrive) and _is_of_program(ports, given):
            loop.call_soon(go_on)

    host.sim.core.listeners.input.append(on_input)
    if first_ns <= host.sim.now_ns:
        hold()  # not one output is due before the first message
    else:
        host.sim.core.call_at(host.hold_ns, partial(loop.call_soon, hold))
        host.resume()


async def _play(host: Playback, process: Process, run: ProgramRun) -> None:
    """Play until the recording ends, the program ends, or it does not connect."""
    exited = asyncio.Event()
    process.on_exit = exited.set
    playing = asyncio.create_task(host.run())
    ended = asyncio.create_task(exited.wait())
    waiting = asyncio.create_task(asyncio.sleep(CONNECT_S))
    try:
        while not playing.done() and not ended.done():
            await asyncio.wait(
                (playing, ended, *(() if waiting.done() else (waiting,))),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if waiting.done() and host.paused:
                run.failure = f"the program did not connect within {CONNECT_S:g} s"
                break
        if ended.done():
            if process.failure:
                raise InputError(Problem("--program", process.failure))
            await _drain(host)
            run.exit = process.exit
            if host.paused:
                run.failure = f"the program ended with code {process.exit} before it connected"
            elif process.exit:
                run.failure = f"the program ended with code {process.exit}"
    finally:
        waiting.cancel()
        ended.cancel()
        host.stop()
        await playing


async def _drain(host: Playback) -> None:
    """Read the last bytes of a program that has ended, until its connections are closed."""
    end = time.monotonic() + DRAIN_S
    places = program_ports(ports_of(host.sim.robots.values()))
    while time.monotonic() < end:
        await asyncio.sleep(0.02)
        if not any((robot, port) in places for robot, port, _, _ in host.live.values()):
            return
