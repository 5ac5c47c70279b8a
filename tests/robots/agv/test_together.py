"""AGVs that tick together give the same bytes as AGVs that tick one by one."""

import random

import pytest

from rigless.kernel import inputs as inp
from rigless.kernel.problems import InputError
from rigless.robots.agv.together.step import ALONE
from rigless.scenario.load import open_target

COUNT, SECONDS = 6, 10.0
WORLDS = ("world.map=open", "count=6", "world.map=hall")  # the second: the fleet's warehouse


def opened(seed, *, alone=False, count=COUNT):
    sim = open_target("agv", [f"count={count}", WORLDS[seed % 3]], seed, collect=False).simulation
    if alone:
        sim.core.tick_alone()
    sim.core.recording = True
    for name in sim.robots:
        sim.apply(inp.Connect(name, "nats", 1, "backend", name))
    return sim


def act(sim, draw, number):
    """Do something to a random robot: a command, a task, a control, a fault, an obstacle."""
    name = draw.choice(list(sim.robots))
    x, y, _ = sim.robots[name].machine.drive.pose
    at = x + draw.uniform(-8, 8), y + draw.uniform(-8, 8)

    def command(kind, **params):
        fields = {"commandId": f"c{number}", "commandType": kind, "params": params}
        sim.send(name, "nats", {"type": "CommandRequest", **fields})

    def route():
        nodes = [
            {"nodeId": f"n{k}", "sequenceId": 2 * k, "x": x + draw.uniform(-4, 4), "y": y + k,
             "released": True}
            for k in range(4)
        ]  # fmt: skip
        edges = [
            {"edgeId": f"e{k}", "sequenceId": 2 * k + 1, "startNodeId": f"n{k}",
             "endNodeId": f"n{k + 1}"}
            for k in range(3)
        ]  # fmt: skip
        command("FOLLOW_ROUTE", nodes=nodes, edges=edges)

    def task():
        steps = [
            {"stepId": "1", "type": "MOVE", "params": {"x": at[0], "y": y}},
            {"stepId": "2", "type": "WAIT", "params": {"seconds": 0.5}},
            {"stepId": "3", "type": "MOVE", "params": {"x": x, "y": y}},
        ]
        sim.send(name, "nats", {"type": "TaskAssign", "taskId": f"t{number}", "revision": 1,
                                "steps": steps})  # fmt: skip

    def control():
        until = f"2026-01-01T00:00:{int(sim.now_ns / 1e9) + 3:02d}Z"
        kind = draw.choice(["HOLD", "SPEED_LIMIT"])
        sim.send(name, "nats", {"type": "TrafficControl", "controlId": f"h{number}", "kind": kind,
                                "value": {"mps": 0.3}, "seq": 1, "validUntil": until})  # fmt: skip

    def fault():
        kind, until_ns = draw.choice(["error", "weak", "stall"]), sim.now_ns + 10**9
        sim.apply(inp.Inject(name, "drive_left", kind, {}, until_ns))

    hoist = {"unit": "mm", "value": draw.uniform(0, 200)}
    deeds = [
        *[lambda: command("MOVE", x=at[0], y=at[1])] * 10,
        route,
        task,
        control,
        fault,
        lambda: command("STOP"),
        lambda: command("PAUSE"),
        *[lambda: command("RESUME")] * 2,
        lambda: command("MOVE_AXIS", functionKey="HOIST", target=hoist),
        lambda: sim.apply(inp.SetInput(name, "estop", draw.random() < 0.5)),
        lambda: sim.apply(inp.SetInput(name, "lost_s", number / 10)),
        lambda: sim.apply(inp.PlaceObstacle(f"o{number % 5}", *at, 0.0, 0.2)),
        lambda: sim.apply(inp.RemoveObstacle(f"o{draw.randrange(5)}")),
        lambda: sim.apply(inp.PlaceRobot(name, x + 0.5, y)),
    ]
    try:
        draw.choice(deeds)()
    except InputError:  # no room for it
        return


def run(seed, alone):
    """Return all outputs and events of a random run, and its last snapshot."""
    sim, draw, found = opened(seed, alone=alone), random.Random(seed), []
    sim.core.listeners.output.append(lambda at, out: found.append((at, out.robot, out.data)))
    sim.core.listeners.event.append(lambda at, event: found.append((at, event.robot, event.text)))
    number, saved = 0, [sim.snapshot()]
    while sim.now_ns < SECONDS * 1e9:
        for _ in range(draw.randint(0, 3)):
            number += 1
            act(sim, draw, number)
        if draw.random() < 0.2:
            saved.append(sim.snapshot())
        if draw.random() < 0.1:
            sim.restore(draw.choice(saved[-3:]))  # robots have moved since
        sim.run(draw.choice([0.05, 0.137, 0.5, 1.0]))
    return found, sim.snapshot().to_bytes()


@pytest.mark.parametrize("seed", range(6))
def test_robots_that_tick_together_send_the_same_bytes_as_one_by_one(seed):
    together, saved = run(seed, alone=False)
    one_by_one, also = run(seed, alone=True)
    assert together == one_by_one
    assert saved == also


def test_most_ticks_of_a_fleet_that_drives_are_done_together():
    sim = opened(0, count=20)
    ticks = []
    for robot in sim.robots.values():
        own = robot.site.tick  # called once in each tick of its own
        robot.site.tick = lambda own=own: (ticks.append(1), own())
        robot.exercise()
    sim.run(5.0)
    assert all(robot.truth().driving for robot in sim.robots.values())
    assert len(ticks) < 0.05 * 20 * 500


def test_an_input_ends_the_common_ticks_of_its_robot_only():
    sim = opened(0, count=3)
    sim.run(0.5)
    group = sim.robots["agv-1"].group
    assert group.modes() == [group.modes()[0]] * 3 != [ALONE] * 3
    sim.apply(inp.SetInput("agv-1", "late_ms", 5.0))  # changes telemetry only
    sim.apply(inp.SetInput("agv-2", "estop", True))
    assert [mode == ALONE for mode in group.modes()] == [False, True, False]
    sim.run(0.5)
    assert sim.truth("agv-2").reasons == ["ESTOP"]
    assert ALONE not in group.modes()
