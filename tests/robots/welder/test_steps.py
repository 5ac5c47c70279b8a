"""Replies come at the same instants, however the time is advanced."""

import pytest

from rigless.kernel import inputs as inp

from .scene import welder
from .senders import zigzag


@pytest.mark.parametrize("step_s", [0.0007, 0.013])
def test_answers_come_at_the_same_time_however_time_is_advanced(step_s):
    """The planner's room is noticed when it appears, also by who skips ticks."""

    def answers(step_s):
        sim = welder("planner_blocks=15", collect=False)
        times = []
        sim.core.listeners.output.append(lambda at_ns, output: times.append((at_ns, output.data)))
        sim.apply(inp.Connect("welder", "grbl", 1, "10.0.0.9:1", "10.0.0.1:1"))
        job = "".join(
            f"{line}\n"
            for line in [*zigzag(80), "M3", "G4 P0.7", "G1 X9 F300", "G1 Y3", "G1 Z2", "M5"]
        )
        sim.apply(inp.Arrive("welder", "grbl", 1, job.encode()))
        end_ns = 12 * 10**9
        while sim.now_ns < end_ns:
            sim.run_until(min(end_ns, sim.now_ns + round(step_s * 1e9)))
        return times

    assert answers(step_s) == answers(12.0)
