"""A host that a test runs programs against: recorded, traced, and reported if the test fails."""

import contextlib
import shlex
from pathlib import Path

from rigless.host.host import Host
from rigless.host.serve import ServedHost
from rigless.runs.hosted import program_result, program_trace
from rigless.runs.reports import render_html
from rigless.runs.result import Result
from rigless.runs.tracer import Tracer
from rigless.testing.program import RunningProgram

TRACED_S = 600.0  # of simulated time; later a path has fewer points


class RecordedHost:
    """One host of a test, with the programs that run against it."""

    def __init__(self, host: ServedHost, folder: Path, number: int, test: str):
        self._host, self._test = host, test
        self._recording = folder / f"run-{number}.mcap"
        self._report = folder / f"report-{number}.html"
        self.programs: list[RunningProgram] = []
        host.start_recording(self._recording)
        self._tracer = host.call(lambda inner: Tracer(inner.built, TRACED_S))

    def explain(self, failure: str) -> list[str]:
        """Write the report of a failed test; return lines with the commands that show it."""
        with contextlib.suppress(RuntimeError):  # the test has ended the host
            result = self._host.call(lambda inner: self._result(inner, failure))
            self._report.write_text(render_html([result]), encoding="utf-8")
        lines = [f"recording: rigless open {shlex.quote(str(self._recording))}"]
        lines += [f"report: {self._report}"] if self._report.exists() else []
        return lines + [f"output: {program.log}" for program in self.programs]

    def _result(self, host: Host, failure: str) -> Result:
        trace = self._tracer.finish()
        programs = [program.program for program in self.programs]
        trace.programs = [program_trace(program) for program in programs]
        return Result(
            self._test,
            host.built.scenario.name,
            host.sim.seed,
            host.sim.now_s,
            failure=failure,
            wall_s=host.wall_s,
            programs=[program_result(program) for program in programs],
            recording=str(self._recording),
            trace=trace,
        )

    def close(self) -> None:
        """End the programs and the recording."""
        for program in self.programs:
            program.stop()
        with contextlib.suppress(RuntimeError):
            self._host.stop_recording()
