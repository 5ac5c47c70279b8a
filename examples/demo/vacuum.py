"""Clean an apartment: `python vacuum.py HOST PORT` drives where the floor is dirtiest.

It uses the robot's own wire: protobuf frames on TCP, telemetry on the same connection. Places come
from wheel encoders and gyro, obstacles from the lidar, the bumpers and the cliff sensors. It
remembers when it was where; that floor gets dirty again, so an error of the odometry does no harm.
"""

import random
import socket
import sys
from cmath import pi, rect
from contextlib import suppress
from math import inf, remainder, tau

from rigless.robots.vacuum.protobuf.schema import ACTIONS, Message

SPEED_MPS, TURN_RADPS, BACK_S = 0.25, 0.9, 1.2
HALF_WIDTH_M, NEAR_M, LEG_M, CELL_M = 0.23, 0.42, 1.5, 0.25  # from the middle of the robot
TICKS_PER_M, GYRO_LSB, DIRTY_S, FORGET_S = 4464, 1000, 900.0, 45.0
WHEELS = ("wheel_left", "wheel_right")
BUMPERS = ("bumper_left", "bumper_right")
CLIFFS = ("cliff_left_side", "cliff_left_front", "cliff_right_front", "cliff_right_side")
HEADINGS = [k * tau / 24 for k in range(24)]


def frame(component: str, action: str, **config: float) -> bytes:
    """Return a command as it is sent: its length in four bytes, then the message."""
    control = (message := Message(topic="command")).command.component_control
    control.id, control.action.type = component, ACTIONS.index(action)
    for key, value in config.items():
        control.action.config[key].f32_val = value
    return message.ByteSize().to_bytes(4, "big") + message.SerializeToString()


class Cleaner:
    def __init__(self, robot: socket.socket):
        self.robot, self.stream = robot, robot.makefile("rb")
        self.place, self.theta, self.now = 0j, 0.0, 0.0
        self.counted: tuple[float, int] | None = None
        self.cleaned: dict[tuple[int, int], float] = {}  # cell → time
        self.spots: list[tuple[float, complex]] = []  # time and place of bumps and edges
        self.goal, self.leg_from, self.back_until = 0.0, 0j, 0.0
        self.moved: tuple[float, complex] = (inf, 0j)

    def run(self) -> None:
        for component in ("telemetry", "drive", "lidar", "vacuum", "main_brush"):
            self.robot.sendall(frame(component, "enable"))
        print("cleaning", flush=True)
        while len(head := self.stream.read(4)) == 4:
            data = self.stream.read(int.from_bytes(head, "big"))
            group = Message.FromString(data).sensor_group
            self.now = group.timestamp_us / 1e6
            if "gyro_z" in group.values:
                self.reckon(group.values)
            if "scan" in group.values:
                points = group.values["scan"].pointcloud_val.points
                self.decide([rect(point.distance_m, point.angle_rad) for point in points])

    def drive(self, linear: float, angular: float) -> None:
        self.robot.sendall(frame("drive", "configure", linear=linear, angular=angular))

    def reckon(self, values) -> None:
        """Follow the place by wheels and gyro, and back off after a bump or before an edge."""
        ticks = sum(values[wheel].u32_val for wheel in WHEELS)
        then, before = self.counted or (self.now, ticks)
        self.counted = self.now, ticks
        self.theta += values["gyro_z"].i32_val / GYRO_LSB * (self.now - then)
        moved = (ticks - before + 2**15) % 2**16 - 2**15  # the sum of two counters that wrap
        self.place += rect(moved / 2 / TICKS_PER_M, self.theta)
        self.cleaned[self.cell(self.place)] = self.now
        hit = [name for name in (*BUMPERS, *CLIFFS) if values[name].bool_val]
        if hit and self.now > self.back_until:
            self.back_off(f"{hit[0]} at {self.place:.1f}")

    def back_off(self, reason: str) -> None:
        print(reason, flush=True)
        self.spots.append((self.now, self.place + rect(0.3, self.theta)))
        self.back_until = self.now + BACK_S
        self.drive(-0.15, 0.0)

    def cell(self, place: complex) -> tuple[int, int]:
        return int(place.real // CELL_M), int(place.imag // CELL_M)

    def decide(self, echoes: list[complex]) -> None:
        """Turn to the goal, drive towards it, and choose another one when the leg has ended."""
        if self.now < self.back_until:
            return
        self.spots = [spot for spot in self.spots if self.now - spot[0] < FORGET_S]
        back = rect(1, -self.theta)
        echoes += [(place - self.place) * back for _, place in self.spots]
        error = remainder(self.goal - self.theta, tau)
        ahead = clear(echoes, 0.0)
        if abs(self.place - self.moved[1]) > 0.1 or abs(error) > 0.3:
            self.moved = self.now, self.place
        elif self.now - self.moved[0] > 6:
            self.moved = self.now, self.place
            self.back_off(f"stuck at {self.place:.1f}")
            return
        ended = abs(error) < 0.3 and (ahead < NEAR_M or abs(self.place - self.leg_from) > LEG_M)
        if ended or self.leg_from == 0:
            ways = {heading: self.worth(echoes, heading) for heading in HEADINGS}
            best = max(ways, key=lambda heading: ways[heading])
            self.goal, self.leg_from = self.theta + best, self.place
            error = best
        turn = max(-TURN_RADPS, min(TURN_RADPS, 2.5 * remainder(error, tau)))
        slow = min(1.0, max(0.3, (ahead - NEAR_M) / 0.4 + 0.3))
        self.drive(SPEED_MPS * slow if abs(turn) < 0.6 and ahead > NEAR_M else 0.0, turn)

    def worth(self, echoes: list[complex], heading: float) -> float:
        """Return how much dirt lies in a direction, up to the first obstacle."""
        free = min(clear(echoes, heading) - NEAR_M, 4.0)
        if free < 0.1:
            return free - 1.0
        steps = max(1, int(free / CELL_M))
        total = 0.0
        for step in range(1, steps + 1):
            cell = self.cell(self.place + rect(step * CELL_M, self.theta + heading))
            age = self.now - self.cleaned.get(cell, -inf)
            total += min(age, DIRTY_S) / DIRTY_S
        return total + 0.3 * random.random() - 0.15 * abs(remainder(heading, tau)) / pi


def clear(echoes: list[complex], heading: float) -> float:
    """Return the distance to the first echo in the robot's path in a direction."""
    turn = rect(1, -heading)
    seen = (echo * turn for echo in echoes)
    return min((e.real for e in seen if e.real > 0 and abs(e.imag) < HALF_WIDTH_M), default=9.0)


if __name__ == "__main__":
    address = sys.argv[1], int(sys.argv[2])
    with suppress(KeyboardInterrupt), socket.create_connection(address) as robot:
        try:
            Cleaner(robot).run()
        except KeyboardInterrupt:
            robot.sendall(frame("drive", "configure", linear=0.0, angular=0.0))
        except ConnectionError:
            print("the robot has closed the connection", flush=True)
