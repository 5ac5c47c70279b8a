"""The time to shrink a planted failure, and the size that is left.

The scenario has three faults, eight obstacles and noise; one fault and one obstacle matter.
"""

import time
from pathlib import Path
from typing import Any

from rigless.sweeps.shrink import shrink

PLANTED = Path(__file__).with_name("_planted.toml")


def measure_shrinking() -> dict[str, Any]:
    """Return figures of one shrink in this process, after a first run that compiles."""
    expect = "it touches nothing"
    shrink(PLANTED, expect=expect, budget=10)
    begin = time.perf_counter()
    found = shrink(PLANTED, expect=expect)
    took_s = time.perf_counter() - begin
    return {
        "shrink_s": took_s,
        "runs": found.runs,
        "runs_per_s": found.runs / took_s,
        "before": str(found.before),
        "after": str(found.after),
    }
