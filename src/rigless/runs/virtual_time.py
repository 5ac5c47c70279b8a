"""Run a scenario without programs: in virtual time, as fast as possible."""

import time

from rigless.kernel.simulation import RobotError
from rigless.kernel.timing.rate import to_ns
from rigless.runs.result import Result
from rigless.runs.session import Options, duration_of, judge, recorded
from rigless.runs.tracer import Tracer
from rigless.scenario.build import Built
from rigless.scenario.expectations import ExpectationMonitor

STEPS = 200


def run_in_virtual_time(target: str, built: Built, options: Options) -> Result:
    """Run a scenario to its end and return the result."""
    sim, duration_s = built.simulation, duration_of(built)
    monitor = options.monitor or ExpectationMonitor(built, duration_s)
    tracer = Tracer(built, duration_s) if options.trace else None
    result = Result(built.scenario.name, target, sim.seed, duration_s)
    begin, end_ns = time.monotonic(), to_ns(duration_s)
    with recorded(sim, options.record) as failed:
        try:
            for step in range(1, STEPS + 1):
                sim.run_until(end_ns * step // STEPS)
                options.progress(step / STEPS)
        except RobotError as error:
            result.failure = str(error)
        result.wall_s = time.monotonic() - begin
        result.trace = tracer.finish() if tracer is not None else None  # while it is recorded
    judge(result, monitor, sim)
    result.recording = str(options.record) if options.record is not None else ""
    if failed:
        result.notes += failed
    return result
