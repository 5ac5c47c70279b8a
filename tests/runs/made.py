"""Results for the tests of reports, made by hand."""

from rigless.kernel.events import Event
from rigless.runs.result import ProgramResult, Result
from rigless.runs.trace import (
    MessageLane,
    ObstacleTrace,
    OutputLine,
    ProgramTrace,
    RegionTrace,
    RobotTrace,
    Trace,
    WorldPicture,
)
from rigless.scenario.verdict import FaultPeriod, Series, Verdict

DURATION_S = 20.0


def verdict(passed: bool = False, text: str = "it keeps going") -> Verdict:
    """Return an expectation of a speed that is too low from 12 s on."""
    values = [0.3 if time_s < 12 or passed else 0.05 for time_s in range(21)]
    return Verdict(
        text,
        passed,
        "held" if passed else "was 0.05 at 12 s; worst 0.05",
        "truth.velocity at least 0.1",
        "s.toml:7",
        margin=0.2 if passed else -0.05,
        broke_at_s=None if passed else 12.0,
        series=Series([float(time_s) for time_s in range(21)], values),
        low=0.1,
        robot="rob",
    )


def trace(lines: int = 0, text: str = "line") -> Trace:
    """Return a trace of one robot on an open plane, with one program if it has lines."""
    times = [float(time_s) for time_s in range(21)]
    program = ProgramTrace(
        "nav",
        [
            OutputLine(DURATION_S * n / lines, "err" if n % 7 == 0 else "out", f"{text} {n}")
            for n in range(lines)
        ],
        cpu=Series(times, [0.5] * 21),
        memory=Series(times, [20.0] * 21),
        periods=[(0.0, DURATION_S)],
    )
    return Trace(
        DURATION_S,
        0.1,
        [RobotTrace("rob", "vacuum", 0, 0.2, times, times, [0.5 * time_s for time_s in times])],
        [WorldPicture("", obstacles=[ObstacleTrace("cart", 12.0, 6.0, radius_m=0.3)])],
        [MessageLane("rob", "commands", "in", [3] * 200)],
        [Event(12_000_000_000, "rob", "collision", "warning", text)],
        [(12.0, 6.0)],
        regions=[RegionTrace(0, 0, center_m=(20.0, 10.0), radius_m=1.0)],
        programs=[program] if lines else [],
    )


def result(*verdicts: Verdict, lines: int = 0, text: str = "line") -> Result:
    """Return a result with a fault and a trace."""
    return Result(
        "crash",
        "s.toml",
        7,
        DURATION_S,
        list(verdicts) or [verdict(), verdict(passed=True, text="it stays awake")],
        wall_s=1.25,
        faults=[FaultPeriod("rob", "gyro", "bias", 10.0, 15.0)],
        programs=[
            ProgramResult("nav", ["./nav", text], 3, False, last_lines=[text, "the last line"])
        ]
        if lines
        else [],
        repeat="rigless check s.toml --seed 7",
        recording="out/crash run.mcap",
        trace=trace(lines, text),
    )
