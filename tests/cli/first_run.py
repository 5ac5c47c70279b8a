"""Print the functions that robots need and `rigless compile` does not use.

A robot runs in its scenarios, and as its users may ask for it (`USES`).

It is a program of its own, since functions that are in use in this process do not show up. Each
robot has a fork of its own, since robots share functions.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np

from rigless.cli.compile import use_robot
from rigless.kernel.compiled import _functions
from rigless.runs.request import Request, run_here
from rigless.scenario.load import load
from rigless.worlds import find_map, load_map

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
MOVE = {
    "type": "CommandRequest",
    "commandId": "go",
    "commandType": "MOVE",
    "params": {"x": 2.0, "y": 1.0},
    "issuedAt": "2026-01-01T00:00:00Z",
    "expiresAt": "2026-01-01T00:01:00Z",
}


def use_agv() -> None:
    profile = "runtime.simulationProfile"
    load("agv", settings=[f"{profile}.map=warehouse", f"{profile}.robotsAreObstacles=true"]).run(1)
    for settings in ([], [f"{profile}.map=hall"]):
        fleet = load("agv", settings=["count=3", *settings])
        for name in fleet.robots:
            fleet.send(name, "nats", MOVE)
        fleet.run(3)


def use_vacuum() -> None:
    for setting in ("scan_packed=true", "realism=hardware"):
        sim = load("vacuum", settings=[setting])
        sim.send("vacuum", "commands", {"type": "Control", "id": "lidar", "action": "enable"})
        sim.run(1)
    load_map(find_map("corridor")).cast(np.zeros((2, 3)), np.zeros(4), 1.0)


def use_welder() -> None:
    from rigless.robots.welder import Arm, estimate
    from rigless.robots.welder.arm.body import reach
    from rigless.robots.welder.config import WelderConfig

    Arm().forward(np.zeros(6))
    reach(WelderConfig(urdf=str(SCENARIOS.parent / "src/rigless/robots/welder/arm.urdf")))
    estimate("G0 Z500\nG1 X10\nG3 X20 I5\n", WelderConfig(coordinates="cartesian"))


USES = {
    "agv": use_agv,
    "vacuum": use_vacuum,
    "welder": use_welder,
}


def in_use() -> set[str]:
    """Return the functions with the types of arguments that Python has called them with."""
    return {
        f"{function.py_func.__module__}.{function.py_func.__name__}{signature}"
        for function in _functions
        for signature in function.overloads
    }


def check(kind: str, scenarios: list[str]) -> list[str]:
    use_robot(kind)
    before = in_use()
    for name in scenarios:
        run_here(Request(str(SCENARIOS / f"{name}.toml"), trace=True))
    load(kind).robots[kind].view().draw()
    USES.get(kind, lambda: None)()
    return sorted(in_use() - before)


def main(wanted: dict[str, list[str]]) -> None:
    pipes = {}
    for kind, scenarios in wanted.items():
        pipes[kind], write_end = os.pipe()
        if os.fork() == 0:
            with os.fdopen(write_end, "w") as out:
                out.write(json.dumps(check(kind, scenarios)))
            os._exit(0)
        os.close(write_end)
        with os.fdopen(pipes[kind]) as found:
            pipes[kind] = json.loads(found.read() or '["it failed"]')
    print(json.dumps(pipes))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
