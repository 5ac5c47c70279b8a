"""Drive one policy on the batch and over the vacuum's real wire, and compare the traces bit by bit.

The policy gets five scans a second. On the wire time passes only by `host.step` (lockstep).
"""

import socket
from urllib.parse import urlsplit

import numpy as np

import rigless
from rigless.batch import Vacuums
from rigless.robots.vacuum.wire import CommandCodec, Control, Scan

SEED, SECONDS, START, SETTINGS = 5, 60, (0.0, 0.0), ("map_file=apartment", "lidar.enabled=true")


def policy(angles, distances):
    """Turn left while something is within half a metre ahead."""
    near = (distances < 0.5) & (np.abs(angles) < 0.6)
    return (0.0, 1.0) if near.any() else (0.25, 0.125)


def frame(linear, angular):
    """Return a velocity command as a client of the daemon sends it."""
    speeds = {"linear": linear, "angular": angular}
    return CommandCodec().encode_request(Control("drive", "configure", speeds))


def on_the_wire():
    with rigless.serve("vacuum", "lockstep", seed=SEED, settings=SETTINGS) as host:
        url = urlsplit(host.address("vacuum", "commands"))
        command, trace = START, []
        with socket.create_connection((url.hostname, url.port), timeout=60) as wire:
            for _ in range(5 * SECONDS):
                wire.sendall(frame(*command))
                while host.call(lambda h: h.sim.robots["vacuum"].state.command) != command:
                    pass  # the frame is on its way
                host.step(ms=200)
                trace.append(host.truth("vacuum").pose)
                scan = [each for each in host.take("vacuum", "telemetry") if type(each) is Scan][-1]
                command = policy(scan.angles, scan.distances)
    return np.array(trace)


def on_the_batch():
    robots, command, trace = Vacuums(1, map="apartment", seeds=[SEED]), START, []
    for _ in range(5 * SECONDS):
        robots.step([command], ticks=22)
        trace.append(robots.poses[0].copy())
        angles, distances, qualities, _ = (part[0] for part in robots.scan())
        command = policy(angles[qualities > 0], distances[qualities > 0])
    return np.array(trace)


if __name__ == "__main__":
    wire, batch = on_the_wire(), on_the_batch()
    print(f"{SECONDS} s, {len(wire)} commands\nthe vacuum drove to {wire[-1].round(3)}")
    print("traces are equal bit by bit:", wire.tobytes() == batch.tobytes())
