"""Compiled functions on all cores: each thread takes a part of the robots."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

SMALLEST_PART = 16  # robots; a thread is not worth its start for fewer


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "rigless-batch")


def run_parts(function: Callable[..., None], n: int, threads: int, *args: Any) -> None:
    """Call `function(first, last, *args)` for parts of n robots, at the same time.

    Parts do not depend on each other, so their number does not change a result.
    """
    parts = min(threads, -(-n // SMALLEST_PART))
    if parts <= 1:
        function(0, n, *args)
        return
    ends = [n * part // parts for part in range(parts + 1)]
    jobs = [
        _pool(threads).submit(function, first, last, *args) for first, last in pairwise(ends[1:])
    ]
    function(ends[0], ends[1], *args)
    for job in jobs:
        job.result()
