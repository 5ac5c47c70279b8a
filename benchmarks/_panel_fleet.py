"""The fleet page: what one picture of many robots costs the server, and its size.

The robots are AGVs in virtual time, half of them on the way. Computing time is that of the thread,
so that other processes do not count.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rigless.host.host import Host
from rigless.kernel.plain import to_json
from rigless.panel.fleet.feed import KIND, PLACES_SHARE
from rigless.panel.fleet.rows import FleetRows, ViewCache
from rigless.panel.stream import messages
from rigless.panel.stream.sources import LiveSource
from rigless.scenario.load import open_target

ROBOTS = 1000
PICTURES = 20
STEP_S = 1 / 30


def measure_fleet(seconds: float) -> dict[str, float]:
    """Measure a thousand robots; fewer in a short run."""
    count = max(20, round(ROBOTS * min(1.0, seconds / 5)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "fleet.toml"
        path.write_text(f'[[robots]]\nkind = "agv"\ncount = {count}\n')
        host = Host(open_target(path, collect=False), "lockstep")
    sim = host.sim
    for n, name in enumerate(sim.robots):
        if n % 2:
            params = {"x": 20.0 + n, "y": 10.0}
            fields = {"commandId": "go", "commandType": "MOVE", "params": params}
            sim.send(name, "nats", {"type": "CommandRequest", **fields})
    sim.run(0.2)
    rows = FleetRows(LiveSource(host), sim, ViewCache(sim), 1)
    rows.read_places()
    rows.read_table()
    picture_s, table_s = [], []
    for _ in range(PICTURES):
        sim.run(STEP_S)
        picture_s.append(_seconds(rows.read_places))
        table_s.append(_seconds(rows.read_table))
    rows.close()
    block = messages.pack(KIND, 1, 1, 0, sim.now_s, [(0, rows.places.ravel())])
    picture = sorted(picture_s)[PICTURES // 2]
    return {
        "robots": count,
        "picture_ms": 1000 * picture,
        "table_ms": 1000 * sorted(table_s)[PICTURES // 2],
        "pictures_per_s": min(30.0, PLACES_SHARE / picture),
        "picture_bytes": len(block),
        "all_words_bytes": len(to_json(rows.rows)),
    }


def _seconds(do: Any) -> float:
    begin = time.thread_time()
    do()
    return time.thread_time() - begin
