"""Starts the programs of a scenario against a host, injects their faults, and ends them.

Programs run in wall time on the host's event loop. Each start, end and fault is an event of the
host, so that recordings, the panel and expectations have it.
"""

import asyncio
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rigless.host.host import Host
from rigless.kernel import inputs as inp
from rigless.kernel.events import Event, Severity
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.timing.rate import to_ns
from rigless.programs.output_log import Line
from rigless.programs.placeholders import RunFacts, fill_in, unknown_placeholders
from rigless.programs.program import Program, program_environment
from rigless.programs.yielding import Yielding
from rigless.scenario.build import Built
from rigless.scenario.expect.programs import ProgramFacts
from rigless.scenario.model import FaultEntry
from rigless.scenario.model.program import ProgramEntry, WaitFor
from rigless.scenario.planned_inputs import matching_robots
from rigless.scenario.verdict import INSTANT

NAMED = 3  # ports in a message
SAMPLE_S = 0.25
POLL_S = 0.01
DEFAULT_SHARE = 0.1  # of the CPU, for the fault `starve`


def check_programs(built: Built) -> None:
    """Raise InputError for placeholders and ports that the scenario does not have."""
    problems: list[Problem] = []
    for index, entry in enumerate(built.scenario.programs):
        at = ("programs", index)
        texts = {"command": " ".join(entry.words), "cwd": entry.cwd}
        texts |= {f"env.{key}": text for key, text in entry.env.items()}
        for key, text in texts.items():
            for problem in unknown_placeholders(text, built.addresses):
                problems += built.source.place((*at, *key.split(".", 1)), InputError(problem))
        port = entry.wait_for.port if entry.wait_for is not None else None
        if port is not None and tuple(port.rsplit(".", 1)) not in built.addresses:
            names = [".".join(key) for key in built.addresses]
            problems.append(
                built.source.problem(
                    (*at, "wait_for", "port"), f"unknown port {port!r}", f"one of {names}"
                )
            )
        robots = built.simulation.robots
        if entry.yields is not None and not matching_robots(entry.yields.robots, robots):
            what = f"unknown robot {entry.yields.robots!r}"
            fix = did_you_mean(entry.yields.robots, robots)
            problems.append(built.source.problem((*at, "yields", "robots"), what, fix))
        try:
            re.compile((entry.wait_for.output if entry.wait_for is not None else None) or "")
        except re.error as error:
            what = f"is not a regular expression: {error}"
            problems.append(built.source.problem((*at, "wait_for", "output"), what))
    for index, fault in enumerate(built.scenario.faults):
        if fault.program is not None:
            for key, what, fix in wrong_parameters(fault):
                problems.append(built.source.problem(("faults", index, key), what, fix))
    if problems:
        raise InputError(problems)


def wrong_parameters(fault: FaultEntry) -> Iterator[tuple[str, str, str]]:
    """Yield key, reason and fix of each wrong parameter of a fault on a program."""
    known = {"kill": ["signal"], "starve": ["share"]}.get(fault.kind, [])
    for key, value in (fault.model_extra or {}).items():
        if key not in known:
            options = f"it has: {', '.join(known)}" if known else "it has none"
            yield key, f"is not a parameter of {fault.kind}", options
        elif key == "signal" and not hasattr(signal, f"SIG{value}"):
            yield key, f"{value!r} is not a signal", "for example KILL, SEGV or INT"
        elif key == "share" and not (isinstance(value, int | float) and 0 < value < 1):
            yield key, f"{value!r} is not a share of the CPU time", "between 0 and 1"
    if fault.until_s is not None and fault.until_s <= fault.at_s:
        yield "until_s", f"{fault.until_s:g} is not after at_s ({fault.at_s:g})", ""
    if fault.until_s is not None and fault.kind in INSTANT:
        yield "until_s", f"{fault.kind} happens at one instant", "leave it out"


def _key(fault: FaultEntry) -> str:
    return f"{fault.kind} from {fault.at_s} s"


class Supervisor:
    """The programs of one run.

    `commands` replaces commands by name. `given_from` is the folder that those run in. `on_line`
    is called with the name of a program and each line of its output.
    """

    def __init__(
        self,
        host: Host,
        folder: Path,
        commands: Mapping[str, list[str]] | None = None,
        control: tuple[str, str] = ("", ""),
        given_from: Path | None = None,
        on_line: Callable[[str, Line], None] | None = None,
    ):
        self._host = host
        self._folder = folder
        self._commands = commands or {}
        self._control = control
        self._given_from = given_from or Path.cwd()
        self._on_line = on_line
        self.programs: dict[str, Program] = {}
        self.failure = ""  # why the programs could not begin
        self.connected: set[tuple[str, str]] = set()  # ports that a client has used
        self._yielding: list[Yielding] = []
        self._restarts_ahead = 0  # faults that will start a program again
        self._tasks: set[asyncio.Task[Any]] = set()

    async def begin(self) -> None:
        """Start the programs that start at 0 s, each after the one before it is ready.

        The host must be open and not yet running: simulated time waits. Raises InputError.
        """
        scenario = self._host.built.scenario
        core = self._host.sim.core
        core.listeners.input.append(self._input)
        core.listeners.event.append(self._event)
        for entry in scenario.programs:
            self.programs[entry.name] = program = self._make(entry)
            if entry.yields is not None:
                rule = Yielding(self._host, program, entry.yields, self._log)
                self._yielding.append(rule)
        for fault in scenario.faults:
            if fault.program is not None:
                self._plan_fault(fault, self.programs[fault.program])
        self._keep(self._sample())
        for program in self.programs.values():
            entry = program.entry
            if entry.start_at_s > 0:
                core.call_at(to_ns(entry.start_at_s), partial(self._start_when_due, program))
            elif entry.wait_for is not None and entry.wait_for.delays_start:
                self._start_after(program, entry.wait_for)
            else:
                program.start()
                if entry.wait_for is not None:
                    await self._wait_until_ready(program, entry.wait_for)
                if self.failure:
                    return

    def _make(self, entry: ProgramEntry) -> Program:
        host = self._host
        facts = RunFacts(
            host.urls, host.sim.seed, host.built.scenario.name, str(self._folder), *self._control
        )
        values = facts.values()
        where = f"programs.{entry.name}"
        given = self._commands.get(entry.name)
        words = [fill_in(word, values, f"{where}.command") for word in given or entry.words]
        base = host.built.source.folder if given is None or entry.cwd else self._given_from
        cwd = (base / fill_in(entry.cwd, values, f"{where}.cwd")).resolve()
        own = {key: fill_in(text, values, f"{where}.env") for key, text in entry.env.items()}
        env = program_environment(entry, own, facts.environment(), self._folder)
        log = partial(self._log, entry.name)
        program = Program(entry, words, cwd, env, self._folder, lambda: host.sim.now_s, log)
        if self._on_line is not None:
            program.output.on_line = partial(self._on_line, entry.name)
        return program

    def _log(self, program: str, code: str, text: str, severity: Severity) -> None:
        sim = self._host.sim
        sim.core.log(Event(sim.now_ns, "", code, severity, text, {"program": program}))

    def _keep(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Starts

    def _start_when_due(self, program: Program) -> None:
        wait = program.entry.wait_for
        if wait is not None and wait.delays_start:
            self._start_after(program, wait)
            return
        program.start()
        if wait is not None:
            self._keep(self._wait_until_ready(program, wait))

    def _start_after(self, program: Program, wait: WaitFor) -> None:
        """Start a program when a robot has logged an event or a program has printed a line."""
        if wait.program is not None:
            other = self.programs[wait.program]
            pattern = re.compile(wait.output or "")
            before = other.output.on_line

            def on_line(line: Line) -> None:
                before(line)
                if program.starts == 0 and line.stream != "note" and pattern.search(line.text):
                    program.start()

            other.output.on_line = on_line

    def _event(self, time_ns: int, event: Event) -> None:
        for program in self.programs.values():
            wait = program.entry.wait_for
            if (
                wait is not None
                and wait.event == event.code
                and wait.robot in (None, event.robot)
                and program.starts == 0
                and time_ns >= to_ns(program.entry.start_at_s)
            ):
                asyncio.get_running_loop().call_soon(program.start)

    def _input(self, time_ns: int, given: inp.AnyInput, source: str) -> None:
        if isinstance(given, inp.Connect | inp.Arrive) and source == "live":
            self.connected.add((given.robot, given.port))
        if source == "live":
            for rule in self._yielding:
                rule.input(given)

    async def _wait_until_ready(self, program: Program, wait: WaitFor) -> None:
        """Wait for a program's own condition; give up when it has ended or after the timeout."""
        what, ready = self._condition(program, wait)
        end = time.monotonic() + wait.timeout_s
        while not ready():
            if program.over:
                how = program.how_it_ended()
                self.failure = f"{program.name}: {how}"
                self.failure += "" if program.failure else f" before {what}"
            elif time.monotonic() > end:
                self.failure = f"{program.name}: waited {wait.timeout_s:g} s in vain until {what}"
            if self.failure:
                self._host.stop()
                return
            await asyncio.sleep(POLL_S)
        program.output.note(f"ready: {what}")

    def _condition(self, program: Program, wait: WaitFor) -> tuple[str, Callable[[], bool]]:
        """Return the condition in words and as a function."""
        if wait.port is not None:
            robot, _, port = wait.port.rpartition(".")
            url = self._host.urls.get((robot, port), "")
            return (
                f"a client connects to {wait.port} ({url})",
                lambda: (robot, port) in self.connected,
            )
        if wait.file is not None:
            facts = RunFacts(self._host.urls, self._host.sim.seed, "", str(self._folder))
            path = program.cwd / fill_in(wait.file, facts.values(), "wait_for.file")
            return f"the file {path} exists", path.exists
        pattern = re.compile(wait.output or "")
        lines = program.output.lines
        read = 0  # lines so far

        def printed() -> bool:
            nonlocal read
            new = lines[read:]
            read += len(new)
            return any(line.stream != "note" and pattern.search(line.text) for line in new)

        return f"a line of its output matches {wait.output!r}", printed

    def explain_no_connection(self, program: Program) -> str:
        """Return where a program connected to instead of a robot; empty if a robot's port is."""
        if self.connected:
            return ""
        found = [f"{'.'.join(key)} is {url}" for key, url in self._host.urls.items()]
        more = [f"and {len(found) - NAMED} more"] if len(found) > NAMED else []
        urls = ", ".join([*found[:NAMED], *more])
        elsewhere = (
            f"; it is connected to {', '.join(sorted(program.peers))}" if program.peers else ""
        )
        fix = "use {ROBOT.PORT.port} in its command or the variable RIGLESS_<ROBOT>_<PORT>"
        fix += "" if program.entry.isolate else ", or isolate = true for a program with fixed ports"
        return f"; no client ever connected to a robot ({urls}{elsewhere}); {fix}"

    # Faults

    def _plan_fault(self, fault: FaultEntry, program: Program) -> None:
        core = self._host.sim.core
        core.call_at(to_ns(fault.at_s), partial(self._begin_fault, fault, program))
        self._restarts_ahead += fault.kind == "restart"
        if fault.until_s is not None and fault.kind in ("pause", "starve"):
            core.call_at(to_ns(fault.until_s), partial(self._end_fault, fault, program))

    def _begin_fault(self, fault: FaultEntry, program: Program) -> None:
        params = fault.model_extra or {}
        self._log_fault("fault-injected", fault, program)
        match fault.kind:
            case "kill":
                program.kill(getattr(signal, f"SIG{params.get('signal', 'KILL')}"))
            case "pause":
                program.limit(_key(fault), 0.0)
            case "starve":
                program.limit(_key(fault), float(params.get("share", DEFAULT_SHARE)))
            case "restart":
                self._restarts_ahead -= 1
                program.restart()
        program.output.note(f"fault: {fault.kind}")

    def _end_fault(self, fault: FaultEntry, program: Program) -> None:
        program.unlimit(_key(fault))
        program.output.note(f"end of fault: {fault.kind}")
        self._log_fault("fault-cleared", fault, program)

    def _log_fault(self, code: str, fault: FaultEntry, program: Program) -> None:
        sim = self._host.sim
        data = {"target": program.name, "kind": fault.kind, "program": program.name}
        text = f"program {program.name}: {fault.kind}"
        text = text if code == "fault-injected" else f"end of {text}"
        sim.core.log(Event(sim.now_ns, "", code, "warning", text, data))

    # Watching

    async def _sample(self) -> None:
        while True:
            for program in self.programs.values():
                program.sample(look_for_peers=not self.connected)
            for rule in self._yielding:
                rule.look()
            await asyncio.sleep(SAMPLE_S)

    @property
    def all_over(self) -> bool:
        """True if every program has run and none will run again."""
        return not self._restarts_ahead and all(each.over for each in self.programs.values())

    @property
    def not_started(self) -> str:
        """The first program that the system could not start, and why; empty if there is none."""
        failed = (each for each in self.programs.values() if each.failure)
        return next((f"{each.name}: {each.failure}" for each in failed), "")

    def facts(self, name: str) -> ProgramFacts:
        """Return the observations of a program so far, for expectations."""
        program = self.programs.get(name)
        return ProgramFacts() if program is None else program.facts()

    async def end(self) -> None:
        """End all programs with all their processes."""
        for task in list(self._tasks):
            task.cancel()
        for program in self.programs.values():
            if program.alive and program.process is not None:
                program.sample(look_for_peers=False)
        await asyncio.gather(*(program.end() for program in self.programs.values()))
