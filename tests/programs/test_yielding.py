"""A program yields to another client of its robot, and returns when that has left."""

import asyncio
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from rigless.host.environment import Environment
from rigless.host.host import Host
from rigless.host.yielder import not_driving
from rigless.kernel import inputs as inp
from rigless.programs.connections import clients_of
from rigless.programs.supervisor import Supervisor, check_programs
from rigless.scenario.load import open_target
from runs.scenes import CLIENT, scenario

PROGRAM = """
[[programs]]
name = "driver"
command = "{client} --url {thermostat.line} --wait 600 'SET 24'"
yields = { robots = "thermo*", return_s = 0 }
wait_for = { port = "thermostat.line" }
restart = "always"
"""
DEADLINE_S = 60.0


async def until(true) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not true():
            await asyncio.sleep(0.01)


def codes(host: Host) -> list[str]:
    found = [event.code for event in host.sim.events if event.code.startswith("program-")]
    return [code.removeprefix("program-") for code in found]


async def drive(folder: Path) -> None:
    built = open_target(scenario(folder, PROGRAM), ["thermostat.ports.line=0"])
    check_programs(built)
    host = Host(built, 1.0, None, Environment(folder))
    await host.open()
    supervisor = Supervisor(host, folder)
    url = host.urls["thermostat", "line"]
    try:
        await supervisor.begin()
        driver = supervisor.programs["driver"]
        running = asyncio.create_task(host.run())
        await until(lambda: host.sim.truth("thermostat").setpoint_c == 24)
        assert codes(host) == ["started"]  # it does not yield to itself
        assert len(clients_of(int(url.rpartition(":")[2]), [])) == 1

        words = [sys.executable, "-S", str(CLIENT), "--url", url, "--wait", "600"]
        other = subprocess.Popen(words)
        try:
            await until(lambda: not driver.alive)
            assert driver.withdrawn
            assert not driver.over
            assert codes(host) == ["started", "yielded", "ended"]
        finally:
            other.kill()
            other.wait()
        await until(lambda: codes(host)[3:] == ["returned", "started"])

        with not_driving(host.yielders):  # as at an emergency stop
            host.apply(inp.Send("thermostat", "line", "Set", {"celsius": 21.0}))
        assert codes(host)[5:] == []

        host.apply(inp.Send("thermostat", "line", "Set", {"celsius": 20.0}))  # as the panel does
        await until(lambda: codes(host)[5:] == ["yielded", "ended", "returned", "started"])

        place = urlsplit(url)  # a client that the robot disconnects because of bad bytes
        _, bad = await asyncio.open_connection(place.hostname, place.port)
        bad.write(b"x" * 100_000)
        await until(lambda: codes(host)[9:] == ["yielded", "ended", "returned", "started"])
        bad.close()
        host.reset()  # robots are put back: the program begins again
        await until(lambda: codes(host)[-2:] == ["ended", "started"] and driver.starts == 5)
        host.stop()
        await running
    finally:
        await supervisor.end()
        await host.close()


def test_a_program_yields_to_other_clients_and_returns(tmp_path: Path) -> None:
    asyncio.run(drive(tmp_path))
