"""One program of a scenario over a whole run: its starts, its ends, and what was seen of it."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from rigless.kernel.events import Severity
from rigless.programs.connections import tcp_peers
from rigless.programs.output_log import OutputLog
from rigless.programs.process import Process
from rigless.programs.usage import Usage
from rigless.scenario.expect.programs import ProgramFacts
from rigless.scenario.model.program import ProgramEntry

BACKOFF_S = (0.1, 0.5, 1.0, 2.0, 5.0)  # before the first, second, … restart
MEGABYTE = 1e6
Log = Callable[[str, str, Severity], None]  # code, text, severity


class Program:
    """A program with its command filled in. It is started any number of times."""

    def __init__(
        self,
        entry: ProgramEntry,
        words: list[str],
        cwd: Path,
        env: Mapping[str, str],
        folder: Path,
        now_s: Callable[[], float],
        log: Log,
    ):
        self.entry, self.words = entry, words
        self.cwd, self.env = cwd, env
        self.output = OutputLog(folder, entry.name, int(entry.limits.output_mb * MEGABYTE), now_s)
        self.usage = Usage()
        self.process: Process | None = None
        self.starts = 0
        self.failure = ""  # why it could not be started
        self.exit: int | None = None  # of the last end by itself; negative: a signal
        self.ended_at_s: float | None = None
        self.stopped = False  # by the end of the run or a fault: its exit code says nothing
        self.ran_to_end = False  # stopped by the end of the run
        self.withdrawn = False  # ended until `start`
        self.notes: list[str] = []
        self.periods: list[tuple[float, float]] = []
        self.peers: set[str] = set()  # HOST:PORT of TCP connections, until a robot's port is used
        self.on_exit: Callable[[], None] = lambda: None
        self._now_s, self._log = now_s, log
        self._began_s = 0.0
        self._restarting: asyncio.TimerHandle | None = None
        self._shares: dict[str, float] = {}  # of the time that it may run, by fault
        self._task: asyncio.Task[None] | None = None  # a restart in progress

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.alive

    @property
    def over(self) -> bool:
        """True if it has been started and will not run again."""
        busy = self.withdrawn or (self._task is not None and not self._task.done())
        return self.starts > 0 and not self.alive and self._restarting is None and not busy

    @property
    def ended_by_fault(self) -> bool:
        """True if a fault ended it for good."""
        return self.over and self.stopped and not self.ran_to_end

    @property
    def restarts(self) -> int:
        return max(self.starts - 1, 0)

    def start(self) -> None:
        """Start it, unless it is running."""
        if self.alive:
            return
        self.withdrawn, self._restarting = False, None
        self.starts += 1
        self.exit, self.ended_at_s, self.stopped, self.failure = None, None, False, ""
        self._began_s = self._now_s()
        self.process = Process(self.words, self.output, self.usage)
        self.process.on_exit = self._ended
        self.output.note(f"started: {' '.join(self.words)}")
        self._log("program-started", f"{self.name} started", "info")
        self.process.start(self.cwd, self.env)
        self._shares = {fault: share for fault, share in self._shares.items() if share > 0}
        if self._shares:
            self._apply_shares()

    def _ended(self) -> None:
        process = self.process
        assert process is not None
        self.failure, self.exit = process.failure, process.exit
        self.ended_at_s = self._now_s()
        self.periods.append((self._began_s, self.ended_at_s))
        text = self.how_it_ended()
        self.output.note(text)
        bad = bool(self.failure) or (not self.stopped and not self._exit_is_good())
        self._log("program-ended", f"{self.name} {text}", "error" if bad else "info")
        again = self.entry.restart == "always" or (self.entry.restart == "on-failure" and bad)
        if again and not (self.stopped or self.withdrawn or self.failure):
            wait_s = BACKOFF_S[min(self.starts - 1, len(BACKOFF_S) - 1)]
            loop = asyncio.get_running_loop()
            self._restarting = loop.call_later(wait_s, self._restart)
        self.on_exit()

    def _restart(self) -> None:
        async def again() -> None:
            await self._end_process()  # what the last start left behind
            self.start()

        self._keep(again())

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = asyncio.get_running_loop().create_task(work)

    def _exit_is_good(self) -> bool:
        expected = self.entry.exits
        return expected is None or self.exit in expected

    def how_it_ended(self) -> str:
        """Return a sentence about the last end, without the name."""
        if self.failure:
            return self.failure
        if self.exit is None:
            return "was stopped"
        if self.exit < 0:
            return f"was ended by {signal_name(-self.exit)}"
        return f"exited with {self.exit}"

    def facts(self) -> ProgramFacts:
        """Return what expectations judge. The end of a program by a fault is not its own."""
        alive = self.ran_to_end or self.alive or (self.starts > 0 and not self.over)
        own_end = self.starts > 0 and not alive and not self.stopped and not self.failure
        code = self.exit if own_end else None
        return ProgramFacts(
            exit=code if code is not None and code >= 0 else None,
            signal=signal_name(-code) if code is not None and code < 0 else "",
            alive=alive,
            started=self.starts > 0 and not self.failure,
            restarts=self.restarts,
            memory_mb=self.usage.memory_mb,
            cpu_s=self.usage.cpu_s,
            memory=self.usage.memory,
            cpu=self.usage.cpu,
            lines=self.output.lines,
            notes=[*([self.failure] if self.failure else []), *self.notes, *self.output.findings],
            ended_at_s=self.ended_at_s if own_end else None,
            over=self.over,
            cut=self.output.cut,
        )

    # Limits and faults

    def sample(self, look_for_peers: bool) -> None:
        """Measure its use of the machine; kill it if it is over a limit."""
        if self.process is None or not self.process.root:
            return
        self.usage.sample(self.process.root, self._now_s(), time.monotonic())
        if look_for_peers:
            self.peers |= tcp_peers(self.process.root)
        limits = self.entry.limits
        if limits.memory_mb is not None and self.usage.memory_mb > limits.memory_mb:
            self._exceed(f"it used {self.usage.memory_mb:.0f} MB, over limits.memory_mb")
        elif limits.cpu_s is not None and self.usage.cpu_s > limits.cpu_s:
            self._exceed(f"it used {self.usage.cpu_s:.1f} s of CPU time, over limits.cpu_s")

    def _exceed(self, what: str) -> None:
        if self.alive and self.process is not None:
            self.add_note(f"killed: {what}")
            self._log("program-over-limit", f"{self.name} is killed: {what}", "error")
            self.process.send_signal(signal.SIGKILL)

    def add_note(self, text: str) -> None:
        """Add a sentence to its output and to its result."""
        self.notes.append(text)
        self.output.note(text)

    def kill(self, number: int) -> None:
        """Send a signal to all of its processes, as a fault."""
        if self.alive and self.process is not None:
            self.stopped = self.entry.restart == "never"
            self.process.send_signal(number)

    def limit(self, fault: str, share: float) -> None:
        """Let it run only for a share of the time, as a fault, until `unlimit`; 0 stops it.

        The smallest share holds. A process that starts meanwhile is not stopped, but has the share.
        """
        self._shares[fault] = share
        self._apply_shares()

    def unlimit(self, fault: str) -> None:
        """End a fault of `limit`."""
        self._shares.pop(fault, None)
        self._apply_shares()

    def _apply_shares(self) -> None:
        if self.process is not None:
            self.process.limit(min(self._shares.values(), default=1.0))

    def restart(self) -> None:
        """Stop it as at the end of a run and start it again, as a fault."""

        async def again() -> None:
            self.stopped = True
            await self._end_process()
            self.start()

        self._keep(again())

    def withdraw(self) -> None:
        """End it as at the end of a run, until `start`."""
        if self.withdrawn:
            return
        self.withdrawn = True
        if self._restarting is not None:
            self._restarting.cancel()
            self._restarting = None
        if self.alive:
            self.stopped = True
            self._keep(self._end_process())

    # End

    async def _end_process(self) -> None:
        if self.process is None:
            return
        stop = self.entry.stop
        number = getattr(signal, f"SIG{stop.signal}")
        was_alive = self.alive
        killed = await self.process.end(number, stop.grace_s)
        if killed:
            ignored = f"ignored SIG{stop.signal} for {stop.grace_s:g} s and was killed"
            self.add_note(ignored)
        if self.process.outlived and not was_alive:
            names = ", ".join(dict.fromkeys(self.process.outlived))
            count = len(self.process.outlived)
            left = "a process" if count == 1 else f"{count} processes"
            self.add_note(f"left {left} behind ({names}), ended by rigless")

    async def end(self) -> None:
        """End all of its processes at the end of the run."""
        if self._restarting is not None:
            self._restarting.cancel()
            self._restarting = None
        if self._task is not None:
            self._task.cancel()
        if self.alive:
            self.stopped = self.ran_to_end = True
        await self._end_process()
        self.output.close()

    def abandon(self) -> None:
        """Let the reaper end all processes, after the event loop has been closed."""
        if self.process is not None:
            self.process.abandon()
        self.output.close()


def signal_name(number: int) -> str:
    """Return a name such as SIGSEGV."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def program_environment(
    entry: ProgramEntry, values: Mapping[str, str], run: Mapping[str, str], folder: Path
) -> dict[str, str]:
    """Return the environment of a program: this process's, the addresses, then its own."""
    env = dict(os.environ) | dict(run)
    if entry.home == "temporary":
        home = folder / f"{entry.name}.home"
        home.mkdir(parents=True, exist_ok=True)
        env["HOME"] = str(home)
    return env | dict(values)
