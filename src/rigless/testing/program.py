"""A program under test against a served host, for pytest and scripts without asyncio."""

import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from signal import SIGTERM

from rigless.host.host import Host
from rigless.host.serve import ServedHost
from rigless.kernel.events import Event, Severity
from rigless.programs.placeholders import RunFacts, fill_in
from rigless.programs.program import Program, program_environment, signal_name
from rigless.scenario.model.program import ProgramEntry, Stop

POLL_S = 0.005
TIMEOUT_S = 30.0


class ProgramError(AssertionError):
    """A program did not do what a test waited for. The text has its last lines."""


class RunningProgram:
    """A command that runs against a host, with all of its processes.

    It ends with the test. Methods that wait raise ProgramError with the last lines of its output.

        nav = rigless_program("./nav --port {vacuum.commands.port}", host)
        nav.wait_for_output("ready")
        assert nav.wait() == 0
    """

    def __init__(
        self,
        command: str | Sequence[str],
        host: ServedHost,
        folder: Path,
        name: str = "program",
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        stop: str = "TERM",
        grace_s: float = 5.0,
    ):
        words = shlex.split(command) if isinstance(command, str) else list(command)
        entry = ProgramEntry(
            name=name,
            command=words,
            env=dict(env or {}),
            stop=Stop.model_validate({"signal": stop, "grace_s": grace_s}),
            expect_exit="any",
        )
        self._host, self._folder = host, folder
        self.program = host.call(lambda inner: self._start(inner, entry, Path(cwd or Path.cwd())))

    def _start(self, host: Host, entry: ProgramEntry, cwd: Path) -> Program:
        facts = RunFacts(host.urls, host.sim.seed, host.built.scenario.name, str(self._folder))
        values = facts.values()
        words = [fill_in(word, values, "command") for word in entry.words]
        own = {key: fill_in(text, values, key) for key, text in entry.env.items()}
        env = program_environment(entry, own, facts.environment(), self._folder)

        def log(code: str, text: str, severity: Severity) -> None:
            data = {"program": entry.name}
            host.sim.core.log(Event(host.sim.now_ns, "", code, severity, text, data))

        program = Program(entry, words, cwd, env, self._folder, lambda: host.sim.now_s, log)
        program.start()
        return program

    def __repr__(self) -> str:
        return f"<RunningProgram {shlex.join(self.program.words)}: {self._state()}>"

    def _state(self) -> str:
        return "running" if self.alive else self.program.how_it_ended()

    @property
    def alive(self) -> bool:
        """True until the command has ended."""
        return self.program.alive

    @property
    def exit(self) -> int | None:
        """The exit code; None while it runs or if a signal ended it."""
        code = self.program.exit
        return code if code is not None and code >= 0 else None

    @property
    def signal(self) -> str:
        """The signal that ended it, such as SIGSEGV; else empty."""
        code = self.program.exit
        return signal_name(-code) if code is not None and code < 0 else ""

    @property
    def lines(self) -> list[str]:
        """The lines of its output so far, stdout and stderr in the order of arrival."""
        return [line.text for line in list(self.program.output.lines) if line.stream != "note"]

    @property
    def output(self) -> str:
        """Its output so far as one text."""
        return "\n".join(self.lines)

    @property
    def log(self) -> Path:
        """The file with its output: simulated time, stream and text of each line."""
        return self.program.output.path

    def wait(self, timeout_s: float = TIMEOUT_S) -> int | None:
        """Wait until it has ended by itself; return the exit code."""
        self._until(lambda: not self.alive, "it ends", timeout_s, dead_is_fine=True)
        if self.program.failure:
            raise ProgramError(self.program.failure)
        return self.exit

    def wait_for_output(self, pattern: str, timeout_s: float = TIMEOUT_S) -> re.Match[str]:
        """Wait for a line that matches a regular expression, and return the match."""
        compiled = re.compile(pattern)
        found: list[re.Match[str]] = []

        def seen() -> bool:
            found[:] = [match for line in self.lines if (match := compiled.search(line))]
            return bool(found)

        self._until(seen, f"a line matches {pattern!r}", timeout_s)
        return found[0]

    def wait_until(self, true: Callable[[], object], timeout_s: float = TIMEOUT_S) -> None:
        """Wait until a function of the test returns a true value."""
        self._until(true, "the condition of the test holds", timeout_s)

    def _until(
        self, true: Callable[[], object], what: str, timeout_s: float, dead_is_fine: bool = False
    ) -> None:
        end = time.monotonic() + timeout_s
        while not true():
            if not self.alive and not dead_is_fine and not true():
                raise ProgramError(f"it {self._state()} before {what}\n{self._last_lines()}")
            if time.monotonic() > end:
                text = f"waited {timeout_s:g} s in vain until {what}"
                raise ProgramError(f"{text}\n{self._last_lines()}")
            time.sleep(POLL_S)

    def _last_lines(self) -> str:
        return "\n".join(f"  | {line}" for line in self.lines[-10:]) or "  (no output)"

    def send_signal(self, number: int = SIGTERM) -> None:
        """Send a signal to all of its processes."""
        self._host.call(lambda host: self.program.kill(number))

    def pause(self) -> None:
        """Stop all of its processes with SIGSTOP, until `resume`."""
        self._host.call(lambda host: self.program.limit("pause", 0.0))

    def resume(self) -> None:
        """Continue after `pause`."""
        self._host.call(lambda host: self.program.unlimit("pause"))

    def stop(self) -> int | None:
        """End it with all of its processes, and return the exit code."""
        try:
            self._host.run_in_loop(lambda host: self.program.end())
        except RuntimeError:  # the host has ended already
            self.program.abandon()
        return self.exit
