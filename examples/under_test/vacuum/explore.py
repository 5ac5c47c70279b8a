"""Explore a room: build a map from scans and drive to its frontiers until there are none.

`python explore.py HOST PORT` uses the robot's real wire: protobuf messages, commands on TCP,
telemetry on UDP 5556. Places are complex numbers in metres. The pose comes from the encoders; each
scan corrects it by the pose near it at which the scan fits best on the walls of the map.
"""

import os
import socket
import sys
from cmath import phase, rect
from itertools import product
from pathlib import Path

import numpy as np

from rigless.robots.vacuum.protobuf.schema import ACTIONS, Message

UDP_PORT = 5556
CELL_M, CELLS, LIDAR_M = 0.05, 240, -0.11  # the lidar is behind the middle of the robot
TICKS_PER_M, WHEEL_BASE_M = 4464, 0.233
SPEED_MPS, TURN_RADPS = 0.25, 0.8
CLEAR, AHEAD = 7, 9  # cells: from walls to the middle of the robot, and to the point it heads for
SHIFTS = [rect(CELL_M * n / 2, 0) + 1j * CELL_M * m / 2 for n, m in product(range(-3, 4), repeat=2)]
TURNS = np.linspace(-0.06, 0.06, 9)
DISC = [(y, x) for y, x in product(range(-CLEAR, CLEAR + 1), repeat=2) if x * x + y * y <= CLEAR**2]
SIDES = [(0, 1), (0, -1), (1, 0), (-1, 0)]


def command(component: str, action: str, **config: float) -> bytes:
    control = (message := Message(topic="command")).command.component_control
    control.id, control.action.type = component, ACTIONS.index(action)
    for key, value in config.items():
        control.action.config[key].f32_val = value
    return message.ByteSize().to_bytes(4, "big") + message.SerializeToString()


def cells_of(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns of the cells of places. The robot starts in the middle."""
    scaled = np.asarray(places) / CELL_M + (1 + 1j) * CELLS / 2
    inside = np.clip([scaled.imag, scaled.real], 0, CELLS - 1).astype(int)
    return inside[0], inside[1]


def grown(cells: np.ndarray, shifts: list[tuple[int, int]]) -> np.ndarray:
    """Return cells together with themselves moved by each of the shifts."""
    found = cells.copy()
    for y, x in shifts:
        found |= np.roll(cells, (y, x), (0, 1))
    return found


class Room:
    """A map of evidence: positive for walls, negative for free floor, 0 for unknown."""

    def __init__(self) -> None:
        self.evidence = np.zeros((CELLS, CELLS))

    @property
    def floor(self) -> np.ndarray:
        return self.evidence < -0.5

    @property
    def walls(self) -> np.ndarray:
        return self.evidence > 0.5

    def add(self, origins: np.ndarray, ends: np.ndarray) -> None:
        """Note what a scan has seen: floor along each beam, and a wall at its end."""
        lengths = np.abs(ends - origins)[:, None]
        along = np.arange(0, 8, CELL_M)[None, :]
        beams = origins[:, None] + (ends - origins)[:, None] / lengths * along
        self.evidence[cells_of(beams[along < lengths - CELL_M])] -= 0.3  # each cell once
        self.evidence[cells_of(ends)] += 1.2
        self.evidence = self.evidence.clip(-4, 4)

    def match(self, points: np.ndarray, place: complex, theta: float) -> tuple[complex, float]:
        """Return the pose near this one at which points of the robot's frame are on walls."""
        fit = self.walls * 1.0 + grown(self.walls, SIDES)
        best = (-1.0, place, theta)
        for turn in TURNS:
            ends = points * rect(1, theta + turn)
            scores = fit[cells_of(place + np.add.outer(SHIFTS, ends))].sum(axis=1)
            scores -= 40 * np.abs(SHIFTS) * len(ends) / 100  # small corrections are more likely
            n = int(scores.argmax())
            best = max(best, (scores[n], place + SHIFTS[n], theta + turn), key=lambda one: one[0])
        return best[1:]

    def way_to_frontier(self, place: complex) -> complex | None:
        """Return a point on the way to the nearest frontier; None if there is no frontier."""
        free = self.floor & ~grown(self.walls, DISC)
        start = tuple(int(n) for n in cells_of(place))
        reached = np.zeros_like(free)
        reached[start] = True
        reached = grown(reached, DISC) & self.floor  # it may stand too near to a wall
        unknown = grown(~(self.floor | self.walls), SIDES)
        waves = [reached]
        while not (goals := np.argwhere(waves[-1] & free & unknown)).size:
            wave = grown(waves[-1], SIDES) & free & ~reached
            if not wave.any():
                return None
            reached, waves = reached | wave, [*waves, wave]
        y, x = goals[len(goals) // 2]
        for wave in reversed(waves[AHEAD - CLEAR : -1]):
            y, x = next((y + j, x + i) for j, i in SIDES if wave[y + j, x + i])
        return ((x + 0.5 + (y + 0.5) * 1j) - (1 + 1j) * CELLS / 2) * CELL_M

    def save(self, file: Path) -> None:
        """Write the map as PGM: walls black, floor white, the rest grey."""
        grey = np.where(self.walls, 0, np.where(self.floor, 254, 205)).astype(np.uint8)
        file.write_bytes(b"P5 %d %d 255\n" % grey.shape + grey[::-1].tobytes())


def explore(robot: socket.socket, udp: socket.socket) -> Room:
    room, place, theta, before, trail = Room(), 0j, 0.0, None, []
    back_until = finished = 0
    robot.sendall(command("lidar", "enable"))
    print("connected", flush=True)
    while finished < 5:
        group = Message.FromString(udp.recv(65535)[4:]).sensor_group
        values, now = group.values, group.timestamp_us
        if "wheel_left" in values:  # dead reckoning; the counters of the wheels wrap at 2**16
            ticks = values["wheel_left"].u32_val, values["wheel_right"].u32_val
            steps = [a - b for a, b in zip(ticks, before or ticks, strict=True)]
            left_m, right_m = (((n + 2**15) % 2**16 - 2**15) / TICKS_PER_M for n in steps)
            theta, before = theta + (right_m - left_m) / WHEEL_BASE_M, ticks
            place += rect((left_m + right_m) / 2, theta)
            trail = [*trail[-40:], (now, place, theta)]
        if "bumper_left" in values:
            left, right = values["bumper_left"].bool_val, values["bumper_right"].bool_val
            if (left or right) and now > back_until:
                print(f"bump {'left' if left else ''} {'right' if right else ''}", flush=True)
                back_until = now + 1_000_000
                robot.sendall(command("drive", "configure", linear=-0.15, angular=0))
        if "scan" in values and trail:
            points = values["scan"].pointcloud_val.points
            echoes = np.array([LIDAR_M + rect(p.distance_m, p.angle_rad) for p in points])
            # a turn takes 0.2 s: put each point where the robot was at that time
            times = now - 200_000 * (1 - np.arange(len(echoes)) / max(len(echoes), 1))
            at, places, thetas = (np.array(column) for column in zip(*trail, strict=True))
            places = np.interp(times, at, places.real) + 1j * np.interp(times, at, places.imag)
            turned = np.exp(1j * np.interp(times, at, thetas))
            ends, eyes = places + echoes * turned, places + LIDAR_M * turned
            if room.walls.any():
                back = rect(1, -theta)
                better, angle = room.match((ends - place)[::2] * back, place, theta)
                turn = rect(1, angle - theta)
                ends, eyes = ((each - place) * turn + better for each in (ends, eyes))
                trail = [(t, (p - place) * turn + better, a + angle - theta) for t, p, a in trail]
                place, theta = better, angle
            room.add(eyes, ends)
            goal = room.way_to_frontier(place)
            finished = finished + 1 if goal is None else 0
            if now > back_until:
                error = 0.0 if goal is None else phase((goal - place) * rect(1, -theta))
                linear = SPEED_MPS if goal is not None and abs(error) < 0.4 else 0.0
                angular = max(-TURN_RADPS, min(TURN_RADPS, 2 * error))
                robot.sendall(command("drive", "configure", linear=linear, angular=angular))
    return room


if __name__ == "__main__":
    with socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", UDP_PORT))
        with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as robot:
            room = explore(robot, udp)
            robot.sendall(command("drive", "configure", linear=0, angular=0))
    file = Path(os.environ.get("RIGLESS_RUN_FOLDER", ".")) / "room.pgm"
    room.save(file)
    print(f"finished: {room.floor.sum() * CELL_M**2:.1f} m2 of floor, the map is {file}")
