"""A robot that restarts at once when it is killed: each boot is a fork of a warm process.

python agv_phoenix.py PORT STATE      prints the process id of each boot
"""

import asyncio
import os
import sys
from pathlib import Path

from rigless.host.environment import Environment
from rigless.host.host import Host
from rigless.scenario.load import open_target


async def live(port: str, state: Path) -> None:
    host = Host(
        open_target("agv", [f"ports.nats={port}"], 1, collect=False),
        1.0,
        environment=Environment(state),
    )
    await host.open()
    await host.run()


def main() -> None:
    port, state = sys.argv[1], Path(sys.argv[2])
    open_target("agv", [], 1).simulation.run(0.1)  # load compiled code
    while True:
        child = os.fork()
        if child == 0:
            asyncio.run(live(port, state))
            os._exit(1)
        print(child, flush=True)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
