"""The traffic manager of the examples, in virtual time: its messages go to simulated robots."""

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from rigless.robots.agv import messages as m
from rigless.scenario.load import open_target

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "traffic_manager"
TYPES = {"command.request": m.CommandRequest, "route.response": m.RouteResponse}
HEARD = ("state", "traffic.state", "command.ack")
LONGEST = 300  # lines of the example


def example():
    spec = importlib.util.spec_from_file_location("traffic_manager", FOLDER / "traffic.py")
    module = sys.modules["traffic_manager"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Wire:
    """A connection that keeps what is published."""

    def __init__(self):
        self.sent = []

    def jetstream(self):
        return self

    async def publish(self, subject, body):
        self.sent.append((subject.split(".")[1], json.loads(body)))


async def drive(robots, seconds, reserves, tmp_path):
    """Run robots with the manager; return the manager and the simulation."""
    text = (FOLDER / "small.toml").read_text().replace("count = 8", f"count = {robots}")
    (tmp_path / "fleet.toml").write_text(text)
    (tmp_path / "traffic.py").write_text("")  # the program does not run here
    sim = open_target(tmp_path / "fleet.toml").simulation
    module, wire = example(), Wire()
    layout = module.Layout(json.loads(module.files("rigless.worlds.data")
                                      .joinpath("warehouse_100.json").read_text()))  # fmt: skip
    manager = module.Manager(layout, wire, reserves)
    while sim.now_s < seconds:
        sim.run(0.5)
        for robot in sim.robots:
            for envelope in sim.take(robot, "nats"):
                if envelope.type in HEARD:
                    data = msgspec.json.encode({"payload": msgspec.to_builtins(envelope.payload)})
                    subject = f"robot.{robot}.{envelope.type}"
                    await manager.receive(SimpleNamespace(subject=subject, data=data))
        if len(manager.vehicles) == robots:
            await manager.dispatch()
        for robot, message in wire.sent:
            kind = TYPES[message["type"]]
            sim.send(robot, "nats", msgspec.convert(message["payload"], kind))
        wire.sent.clear()
    return manager, sim


def codes(sim):
    return {event.code for event in sim.events} & {"collision", "deadlock"}


def test_it_is_small():
    assert len((FOLDER / "traffic.py").read_text().splitlines()) < LONGEST


@pytest.mark.parametrize("reserves", [True, False])
def test_with_reservation_robots_never_block_each_other_and_without_it_they_do(reserves, tmp_path):
    manager, sim = asyncio.run(drive(24, 110.0, reserves, tmp_path))
    if reserves:
        assert codes(sim) == set()
        assert manager.failed == 0
        assert sum(robot.truth().odometer_m for robot in sim.robots.values()) > 400.0
    else:
        assert codes(sim) == {"deadlock"}
