"""Clean an apartment lane by lane: `python vacuum.py HOST PORT`.

It uses the robot's own wire: protobuf frames on TCP, telemetry on the same connection. Its place
comes from wheel encoders and gyro, its map (cleaning_map.py) from the lidar, the bumpers and the
cliff sensors. If a scan does not fit to the map, the robot was carried away, and it begins again.
"""

import socket
import sys
from cmath import phase, rect
from contextlib import suppress
from math import inf, remainder, tau

import numpy as np
from cleaning_map import SPEED_MPS, CleaningMap, walls

from rigless.robots.vacuum.protobuf.schema import ACTIONS, Message

TICKS_PER_M, GYRO_LSB = 4464, 1000
BACK_S, STUCK_S, BLIND_S, STEER_S = 1.2, 4.0, 1.0, 0.05
ESCAPES = (-0.15, 0.0), (0.0, 0.9), (-0.15, 0.0), (0.15, 0.0)  # if the last one did not move it
IDLE_S, WALLED_S, BUMP_S = 10.0, 2.0, 90.0
LIDAR_M = -0.11  # behind the middle
AHEAD_M, THERE_M, CORNER_RAD = 0.25, 0.04, 0.35
STEADY_RADPS = 0.25  # a scan in a faster turn is bent
WHEELS = ("wheel_left", "wheel_right")
SENSORS = {  # the direction of what they found, and for how many seconds it is remembered
    "bumper_left": (0.6, BUMP_S),
    "bumper_right": (-0.6, BUMP_S),
    "cliff_left_side": (1.0, 900.0),
    "cliff_left_front": (0.3, 900.0),
    "cliff_right_front": (-0.3, 900.0),
    "cliff_right_side": (-1.0, 900.0),
}
FOUND_M = 0.2  # from the middle


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
        self.place, self.theta, self.turning, self.now = 0j, 0.0, 0.0, 0.0
        self.counted: tuple[float, int] | None = None
        self.map, self.scans, self.misfits = CleaningMap(), 0, 0
        self.path: list[complex] = []  # corners still to reach; the robot comes from `start`
        self.start, self.back_until, self.seen, self.steered = 0j, 0.0, 0.0, 0.0
        self.backed_from, self.tries = complex(inf), 0
        self.idle_from = inf  # since then there is no floor left to clean
        self.moved: tuple[float, complex, float] | None = None

    def run(self) -> None:
        self.switch_on()
        print("cleaning", flush=True)
        while len(head := self.stream.read(4)) == 4:
            data = self.stream.read(int.from_bytes(head, "big"))
            group = Message.FromString(data).sensor_group
            self.now = group.timestamp_us / 1e6
            if "gyro_z" in group.values:
                self.reckon(group.values)
            if "scan" in group.values:
                points = group.values["scan"].pointcloud_val.points
                self.see(np.array([rect(one.distance_m, one.angle_rad) for one in points]))

    def switch_on(self) -> None:
        for component in ("telemetry", "drive", "lidar", "vacuum", "main_brush"):
            self.robot.sendall(frame(component, "enable"))

    def drive(self, linear: float, angular: float) -> None:
        self.robot.sendall(frame("drive", "configure", linear=linear, angular=angular))

    def reckon(self, values) -> None:
        """Follow the place by wheels and gyro, and back off after a bump or before an edge."""
        ticks = sum(values[wheel].u32_val for wheel in WHEELS)
        then, before = self.counted or (self.now, ticks)
        self.counted = self.now, ticks
        self.turning = values["gyro_z"].i32_val / GYRO_LSB
        self.theta += self.turning * (self.now - then)
        moved = (ticks - before + 2**15) % 2**16 - 2**15  # the sum of two counters that wrap
        self.place += rect(moved / 2 / TICKS_PER_M, self.theta)
        self.map.sweep(self.place)
        if self.now < self.back_until:
            return
        found = [name for name in SENSORS if values[name].bool_val]
        for name in found:
            self.note(*SENSORS[name])
        if found:
            self.back_off(found[0])
        elif self.now - self.seen > BLIND_S:
            self.stop()
        elif self.now - self.steered > STEER_S:
            self.steer()

    def stop(self) -> None:
        """Stop until there are scans again: an emergency stop switches everything off."""
        if self.path or self.now - self.steered > BLIND_S:
            self.path, self.steered = [], self.now
            self.drive(0.0, 0.0)
            self.switch_on()

    def note(self, direction: float, seconds: float) -> None:
        """Mark an obstacle next to the robot that the lidar does not see."""
        spot = self.place + rect(FOUND_M, self.theta + direction)
        self.map.marks.append((self.now + seconds, spot))

    def back_off(self, reason: str) -> None:
        print(f"{reason} at {self.place:.1f}", flush=True)
        self.path, self.back_until = [], self.now + BACK_S
        still = abs(self.place - self.backed_from) < 0.05
        self.backed_from, self.tries = self.place, self.tries + 1 if still else 0
        self.drive(*ESCAPES[self.tries % len(ESCAPES)])

    def see(self, echoes: np.ndarray) -> None:
        """Note a scan in the map, and drive."""
        self.seen = self.now
        if not len(echoes):
            return
        if self.scans == 0:
            self.theta = -walls(echoes)  # the map lies along the walls
        steady = abs(self.turning) < STEADY_RADPS
        if steady:
            turn = rect(1, self.theta)
            fits = self.map.see(self.place + LIDAR_M * turn, self.place + echoes * turn)
            self.scans, self.misfits = self.scans + 1, 0 if fits else self.misfits + 1
        if self.misfits > 2:
            print("the map does not fit to the scan: begin again", flush=True)
            self.map, self.path, self.misfits = CleaningMap(), [], 0
        elif self.now >= self.back_until and self.scans > 2:
            self.go(steady)

    def go(self, steady: bool) -> None:
        """Drive along the path. Choose another one at its end, or if it is blocked."""
        if steady or not self.path:
            self.map.plan(self.now, self.place)
            if self.path and self.map.is_blocked(self.place, self.path[0]):
                self.path = []
        if not self.path:
            self.choose()
        if self.path and not self.is_stuck():
            self.steer()

    def steer(self) -> None:
        """Drive to the next corner of the path, close to the line that leads there."""
        while self.path and self.reached(self.path[0]):
            self.start = self.path.pop(0)
        if not self.path:
            return
        self.steered = self.now
        leg = self.path[0] - self.start
        along = leg / abs(leg)
        done = ((self.place - self.start) / along).real
        aim = self.start + along * min(done + AHEAD_M, abs(leg) + 0.02)
        error = remainder(phase(aim - self.place) - self.theta, tau)
        left = abs(self.path[0] - self.place)
        speed = min(SPEED_MPS, 0.05 + 2.5 * left) * max(0.2, 1 - abs(error))
        self.drive(speed if abs(error) < CORNER_RAD else 0.0, max(-1.0, min(1.0, 3.0 * error)))

    def reached(self, corner: complex) -> bool:
        leg = corner - self.start
        left = ((corner - self.place) * leg.conjugate()).real
        return abs(corner - self.place) < THERE_M or left <= 0

    def choose(self) -> None:
        """Choose the next lane, or the way to floor that is not swept."""
        self.start = self.place
        self.path = self.map.lane(self.place, self.theta) or self.map.way(self.place)
        if self.path:
            self.idle_from = self.now
            return
        self.drive(0.0, 0.0)
        idle_s = self.now - self.idle_from
        if idle_s > WALLED_S:  # by bumps around it
            self.map.marks = [mark for mark in self.map.marks if mark[0] > self.now + BUMP_S]
        if idle_s > IDLE_S:
            print("the whole floor is clean: again", flush=True)
            self.map.swept[:] = False

    def is_stuck(self) -> bool:
        """Back off if the robot has neither moved nor turned for some time."""
        since, place, theta = self.moved or (self.now, self.place, self.theta)
        self.moved = since, place, theta
        if abs(self.place - place) > 0.05 or abs(self.theta - theta) > 0.2:
            self.moved = self.now, self.place, self.theta
        elif self.now - since > STUCK_S:
            self.moved = self.now, self.place, self.theta
            self.note(0.0, 30.0)
            self.back_off("stuck")
            return True
        return False


if __name__ == "__main__":
    address = sys.argv[1], int(sys.argv[2])
    with suppress(KeyboardInterrupt), socket.create_connection(address) as robot:
        try:
            Cleaner(robot).run()
        except KeyboardInterrupt:
            robot.sendall(frame("drive", "configure", linear=0.0, angular=0.0))
        except ConnectionError:
            print("the robot has closed the connection", flush=True)
