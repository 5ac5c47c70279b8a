"""The panel's cost: what a live vacuum with its lidar on takes of a core, and how many bytes leave it, with 1, 5 and 20 clients
that look at its page 20 and 60 times a second, beside the same vacuum with nobody looking; how soon a client has its first
picture; and how many pictures a second a real browser draws of the map with 360 beams.

RIGLESS_BENCH_SECONDS is how long each of the six is measured (5 s). The browser is left out where there is none.
"""

import os
from typing import Any

from ._panel_browser import measure_browser
from ._panel_clients import CLIENTS, RATES, measure_clients, measure_first, measure_nobody, running

FULL_SECONDS = 5.0


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    figures: dict[str, Any] = {}
    with running() as (pid, url):
        idle = measure_nobody(pid, seconds)
        figures["first_picture"] = measure_first(url, 20)
        for hz in RATES:
            for count in CLIENTS:
                figures[f"{count}_at_{hz}_hz"] = measure_clients(pid, url, hz, count, seconds, idle)
        figures["browser"] = measure_browser(pid, url, seconds)
    return {"nobody_cpu_share": idle, **figures}
