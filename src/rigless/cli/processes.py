"""`rigless run --processes N`: start a process for each part of a fleet, and supervise them.

This process steps no robot. It has the panel, and a NATS server if the fleet brings its own. A
process that ends is started again, up to RESTARTS times a minute: it then joins the running fleet.
"""

import asyncio
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from rigless.cli.fleet_size import MEASURED
from rigless.cli.live import Options, serve_host
from rigless.console import print_line, print_note
from rigless.host.environment import Environment, state_folder
from rigless.host.host import Host
from rigless.host.shards.exchange import nats_settings
from rigless.host.storage.recording_file import next_parts
from rigless.scenario.build import Built
from rigless.transports.capabilities import capabilities

RIGLESS = (
    "from rigless.programs.reaper import PR_SET_PDEATHSIG, prctl; "
    "prctl(PR_SET_PDEATHSIG, 15); from rigless.cli import main; main()"
)
RESTARTS, RESTARTS_S = 5, 60.0
FIRST_WAIT_S = 0.2
END_S = 20.0
BAD_INPUT = 2  # the exit code of a process that will not start


def run_processes(target: str, settings: list[str], built: Built, options: Options) -> int:
    """Run a fleet in as many processes as its scenario has shards, until Ctrl-C."""
    return asyncio.run(_run(target, settings, built, options))


async def _run(target: str, settings: list[str], built: Built, options: Options) -> int:
    state = state_folder(options.state)
    around = Environment(state, options.embedded_nats, options.backend)
    recordings = options.recordings or state / "recordings"
    duration_s = options.duration_s if options.duration_s is not None else built.scenario.duration_s
    found = await nats_settings(built, around, lambda text, _: print_note(text, "dim"))
    url = urlsplit(found.servers[0])
    given = [one for one in settings if not one.startswith("shard=")]
    given += _nats_ports(built, f"{url.hostname}:{url.port or 4222}")
    commands = [
        _command(target, given, built, options, number, state)
        for number in range(1, built.simulation.core.membership.count + 1)
    ]
    host = Host(built, options.pace, duration_s, around, recordings)
    return await serve_host(host, replace(options, record=None), Processes(commands))


def _nats_ports(built: Built, address: str) -> list[str]:
    """Return settings that lead all robots to this server, if the config names another."""
    entries = built.scenario.robots
    moved = []
    robots = iter(built.simulation.robots.values())
    for entry in entries:
        members = [next(robots) for _ in range(entry.count)]
        first = members[0]
        for port in first.ports:
            if not capabilities(port.transport).nats:
                continue
            if built.addresses[first.name, port.name] != address:
                name = first.name.removesuffix("-1") if entry.count > 1 else first.name
                key = f"{name}.ports" if len(entries) > 1 else "ports"
                moved.append(f"{key}.{port.name}={address}")
    return moved


def _command(
    target: str, settings: list[str], built: Built, options: Options, number: int, state: Path
) -> list[str]:
    """Return the command of the process of one shard."""
    count = built.simulation.core.membership.count
    words = [sys.executable, "-c", RIGLESS, "run", target, "--shard", f"{number}/{count}"]
    words += ["--no-panel", "--seed", str(built.simulation.seed), "--backend", options.backend]
    words += ["--state", str(state / "shards" / f"{number}-of-{count}")]
    for setting in settings:
        words += ["--set", setting]
    if options.pace is not None:
        words += ["--speed", str(options.pace)]
    if options.duration_s is not None:
        words += ["--duration", str(options.duration_s)]
    if options.record is not None:
        name = f"{options.record.stem}-{number}-of-{count}{options.record.suffix}"
        words += ["--record", str(options.record.with_name(name))]
    if not options.programs:
        words += ["--no-programs"]
    for name, command in options.commands.items():
        words += ["--program", f"{name}={' '.join(command)}"]
    return [*words, "--quiet"] if options.quiet else words


def _with_next_recording(command: list[str]) -> list[str]:
    """Return the command with the next free file for its recording: the first one is kept."""
    if "--record" not in command:
        return command
    at = command.index("--record") + 1
    free = next(path for path in next_parts(Path(command[at])) if not path.exists())
    return [*command[:at], str(free), *command[at + 1 :]]


class Processes:
    """The processes of the shards of a fleet. `failure` says why the fleet cannot run."""

    def __init__(self, commands: list[list[str]]):
        self.failure, self.status = "", 0
        self.pids: dict[int, int] = {}  # shard → process
        self._commands = commands
        self._running: dict[int, asyncio.subprocess.Process] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._ending = False

    def begin(self, stop: Callable[[], None]) -> None:
        """Start all processes. `stop` is called if one of them cannot run."""
        for number, command in enumerate(self._commands, 1):
            self._tasks.append(asyncio.create_task(self._keep(number, command, stop)))

    async def _keep(self, number: int, command: list[str], stop: Callable[[], None]) -> None:
        """Run the process of a shard, and start it again when it dies."""
        died: deque[float] = deque(maxlen=RESTARTS)
        while not self._ending:
            status = await self._run_once(number, command)
            if self._ending or status == 0:
                return
            now_s = time.monotonic()
            died.append(now_s)
            often = len(died) == RESTARTS and now_s - died[0] < RESTARTS_S
            if status == BAD_INPUT or often:
                why = f"ended {RESTARTS} times within a minute" if often else "could not start"
                self.failure = f"shard {number} {why} (status {status}); its output is above"
                self.status = BAD_INPUT if status == BAD_INPUT else 1
                stop()
                return
            print_note(f"shard {number} has ended (status {status}): started again", "yellow")
            command = _with_next_recording(command)
            await asyncio.sleep(FIRST_WAIT_S)

    async def _run_once(self, number: int, command: list[str]) -> int:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, MEASURED: "1"},
            start_new_session=True,  # Ctrl-C in a terminal reaches this process only
        )
        self._running[number], self.pids[number] = process, process.pid
        assert process.stdout is not None
        assert process.stderr is not None
        await asyncio.gather(
            self._pass_on(number, process.stdout, True),
            self._pass_on(number, process.stderr, False),
        )
        status = await process.wait()
        del self._running[number], self.pids[number]
        return status

    async def _pass_on(self, number: int, stream: asyncio.StreamReader, ports: bool) -> None:
        """Show the lines of a process: its ports as they are, notes with its number."""
        while line := (await stream.readline()).decode("utf-8", "replace").rstrip():
            if not ports and not line.startswith("seed "):
                print_note(f"shard {number} | {line}", "dim")
            elif line.startswith("port "):
                print_line(line)

    async def end(self) -> None:
        """End all processes, the slow ones by force."""
        self._ending = True
        for process in self._running.values():
            _send(process.pid, signal.SIGTERM)
        _, late = await asyncio.wait(self._tasks, timeout=END_S) if self._tasks else (set(), set())
        if late:
            for process in self._running.values():
                _send(process.pid, signal.SIGKILL)
            await asyncio.wait(late)
        for task in self._tasks:
            if error := task.exception():
                raise error


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
