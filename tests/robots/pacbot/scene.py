"""A Pacbot for tests and helpers for it; without noise unless a test sets it."""

import json

import numpy as np
from numba import njit

from rigless.kernel import inputs as inp
from rigless.robots.pacbot import body as b
from rigless.scenario.load import open_target
from rigless.worlds.clearance import nearest
from rigless.worlds.grid_world import NO_BOXES, NO_DISCS

WHEELS = ("north", "south", "east", "west")
DT_S = 0.01
NOISELESS = (
    "encoders.noise=0",
    "tof.noise_stddev_m=0",
    "imu.accel_stddev_mps2=0",
    "imu.gyro_stddev_radps=0",
    "imu.gyro_drift_radps=0",
)
FORWARD = {"west": 1, "east": -1}
RIGHT = {"north": 1, "south": -1}
CLOCKWISE = dict.fromkeys(WHEELS, 1)


def pacbot(*settings, seed=1, collect=True):
    return open_target("pacbot", [*NOISELESS, *settings], seed, collect).simulation


def times(speeds, factor):
    return {wheel: speed * factor for wheel, speed in speeds.items()}


def drive(sim, speeds, robot="pacbot"):
    """Set these wheels, and stop the others."""
    for number, wheel in enumerate(WHEELS):
        ask(sim, robot, command="move", id=number, params={"speed": speeds.get(wheel, 0)})


def ask(sim, robot="pacbot", **request):
    """Send a request over the wire and return the robot's reply as data."""
    return asked(sim, json.dumps(request).encode(), robot)


def asked(sim, data, robot="pacbot", link=5):
    replies = []

    def note(time_ns, output):
        if output.port == "commands" and output.link == link:
            replies.append(output.data)

    if link not in sim.core.links.by_port[robot, "commands"]:
        sim.apply(inp.Connect(robot, "commands", link, "10.0.0.9", "10.0.0.1:5555"))
    sim.core.listeners.output.append(note)
    sim.apply(inp.Arrive(robot, "commands", link, data))
    sim.core.listeners.output.remove(note)
    (reply,) = replies
    return json.loads(reply)


def truth(sim, robot="pacbot"):
    return sim.truth(robot)


def codes(sim):
    return [event.code for event in sim.events]


@njit
def many_steps(body, const, occupied, clear, discs, boxes, keys, scratch, goals, held, steps):
    """Do steps of a body, holding each row of goals for a while.

    Return the number of contacts, the smallest gap to a wall in cells, and the rectangle that it
    stayed in.
    """
    hits, gap, left, right, low, high = 0, np.inf, np.inf, -np.inf, np.inf, -np.inf
    for k in range(steps):
        for i in range(4):
            body[b.GOAL + i] = goals[k // held, i]
        hits += b.step(body, const, occupied, clear, discs, boxes, keys, k + 1, scratch)
        x, y = (body[b.X] - const[b.OX]) / const[b.RES], (body[b.Y] - const[b.OY]) / const[b.RES]
        gap = min(gap, nearest(occupied, clear, x, y, 1.0)[0])
        left, right, low, high = min(left, x), max(right, x), min(low, y), max(high, y)
    return hits, gap, right - left, high - low


def wander(sim, steps, seed, held=40):
    """Do that many steps of the bare body with random commands; see `many_steps`."""
    robot = next(iter(sim.robots.values()))
    goals = np.random.default_rng(seed).uniform(-1, 1, (steps // held + 1, 4))
    goals[::3] = np.round(goals[::3])
    around = robot.grid.occupied, robot.arrays.clear, NO_DISCS, NO_BOXES
    rest = robot.state.keys, np.zeros(b.SCRATCH_SIZE), goals, held, steps
    return many_steps(robot.state.body.copy(), robot.arrays.const, *around, *rest)
