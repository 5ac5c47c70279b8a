"""The cost of VDA 5050: fleet size, latency of orders, and a broker that is killed under orders.

Fleets of standing robots publish 1 state a second, and 1 or 10 visualizations. Next to them a bare
paho-mqtt client publishes the same bytes, a state and a visualization in turn. In the last part an
order is extended node by node, and the broker is killed before each extension.

RIGLESS_BENCH_SECONDS below 20 reduces it to one small fleet and three outages.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

from ._vda5050 import Broker, bare, latency, outages, rates

FULL_SECONDS = 20.0
FLEETS = (50, 100, 200, 300)
HELD = 0.98


def run() -> dict[str, Any]:
    seconds = float(os.environ.get("RIGLESS_BENCH_SECONDS", FULL_SECONDS))
    full = seconds >= FULL_SECONDS
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder))
        broker.start()
        try:
            fleets: dict[str, dict[str, float]] = {}
            for hz in (1.0, 10.0):
                for count in FLEETS if full else (2,):
                    found = rates(broker, count, hz, seconds / 2)
                    fleets[f"{count} at {hz:g} Hz"] = found
                    if min(found["states_held"], found["visualizations_held"]) < HELD:
                        break
            times, messages = latency(broker, 200 if full else 5)
            return {
                "fleets": fleets,
                "paho_mqtt": bare(broker, messages, seconds / 10),
                "order_to_state": times,
                "outages": outages(broker, 21 if full else 4),
            }
        finally:
            broker.kill()
