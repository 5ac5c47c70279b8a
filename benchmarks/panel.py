"""The panel's cost: CPU share, bytes sent, time to the first frame, and browser frame rate.

A live vacuum with its lidar on has 1, 5 and 20 clients that read its page 20 and 60 times a second;
the baseline has no client. A real browser draws the map with 360 beams, then the tabs Wire and
Plots.

The stream of the fleet page is measured with 1000 AGVs in virtual time.

RIGLESS_BENCH_SECONDS is the duration of each of the six measurements (5 s). Without a browser that
part is left out.
"""

import os
from typing import Any

from ._panel_browser import measure_browser
from ._panel_clients import CLIENTS, RATES, measure_clients, measure_first, measure_nobody, running
from ._panel_fleet import measure_fleet
from ._panel_wire import measure_wire

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
        figures["wire"] = measure_wire(pid, url, seconds)
        figures["browser"] = measure_browser(pid, url, seconds)
    return {"nobody_cpu_share": idle, **figures, "fleet": measure_fleet(seconds)}
