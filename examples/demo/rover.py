"""Drive a rover in a figure eight round two trees: `python rover.py DOMAIN`.

A node on the ROS 2 network, without an installed ROS: rigless has the messages, Cyclone DDS the
wire. It estimates its pose from wheel encoders, compass and GPS, and steers by that estimate alone.
"""

import os
import sys
import time
from contextlib import suppress
from math import atan2, cos, dist, radians, remainder, sin, tau

from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic as DdsTopic

from rigless.ros import cdr
from rigless.ros.messages import Imu, NavSatFix, Twist, TwistWithCovarianceStamped, Vector3
from rigless.ros.topics import Topic
from rigless.transports.cyclone.participant import quality
from rigless.transports.cyclone.samples import sample_type
from rigless.transports.cyclone.settings import configuration

PERIOD_S, SPEED_MPS, LOOK_AHEAD_M = 0.05, 0.7, 0.9
LENGTH_M, WIDTH_M, POINTS = 5.0, 2.6, 240  # half length and half width of the figure
LATITUDE, LONGITUDE, EARTH_M = 46.5191, 6.5668, 6_378_137.0  # the origin of the map
ANTENNA_M = -0.2  # behind the middle of the rover
YAW_GAIN, GPS_GAIN = 0.02, 0.05  # share of the error that one message corrects
STEPS = [k * tau / POINTS for k in range(POINTS)]
FIGURE = [(LENGTH_M * sin(s), WIDTH_M * sin(2 * s)) for s in STEPS]


class Node:
    """Readers and writers of ROS topics."""

    def __init__(self, domain: int):
        self.domain = Domain(domain, configuration(os.environ))
        self.participant = DomainParticipant(domain)

    def _endpoint(self, made, name: str, kind: type, direction):
        topic = DdsTopic(self.participant, f"rt/{name}", sample_type(kind))
        reliable = direction == "out"  # sensors are best effort
        return made(self.participant, topic, quality(Topic(name, kind, direction, reliable)))

    def subscribe(self, name: str, kind: type):
        """Return a function that returns the messages since its last call."""
        reader = self._endpoint(DataReader, name, kind, "in")
        return lambda: [
            cdr.decode(kind, sample.data) for sample in reader.take(256) if hasattr(sample, "data")
        ]

    def publish(self, name: str, kind: type):
        """Return a function that publishes a message."""
        writer = self._endpoint(DataWriter, name, kind, "out")
        return lambda message: writer.write(sample_type(kind).of(cdr.encode(message)))


class Estimate:
    """The pose in metres east and north of the origin, and the yaw from east."""

    def __init__(self) -> None:
        self.x = self.y = self.yaw = 0.0
        self.stamp_s: float | None = None
        self.located = self.oriented = False

    def predict(self, velocity: TwistWithCovarianceStamped) -> None:
        stamp = velocity.header.stamp
        now_s = stamp.sec + stamp.nanosec * 1e-9
        step_s = min(max(now_s - (self.stamp_s or now_s), 0.0), 0.2)
        self.stamp_s, twist = now_s, velocity.twist.twist
        self.x += twist.linear.x * cos(self.yaw) * step_s
        self.y += twist.linear.x * sin(self.yaw) * step_s
        self.yaw += twist.angular.z * step_s

    def correct_yaw(self, imu: Imu) -> None:
        error = remainder(2.0 * atan2(imu.orientation.z, imu.orientation.w) - self.yaw, tau)
        self.yaw += error * (YAW_GAIN if self.oriented else 1.0)
        self.oriented = True

    def correct_place(self, fix: NavSatFix) -> None:
        if fix.status.status < 0 or not self.oriented:
            return
        east = radians(fix.longitude - LONGITUDE) * EARTH_M * cos(radians(LATITUDE))
        north = radians(fix.latitude - LATITUDE) * EARTH_M
        gain = GPS_GAIN if self.located else 1.0
        self.x += gain * (east - ANTENNA_M * cos(self.yaw) - self.x)
        self.y += gain * (north - ANTENNA_M * sin(self.yaw) - self.y)
        self.located = True


def steer(estimate: Estimate, at: int) -> tuple[Twist, int]:
    """Return the command towards the next point of the figure, and the point's number."""
    here = estimate.x, estimate.y
    while dist(here, FIGURE[at]) < LOOK_AHEAD_M:
        at = (at + 1) % POINTS
    goal_x, goal_y = FIGURE[at]
    turn = remainder(atan2(goal_y - estimate.y, goal_x - estimate.x) - estimate.yaw, tau)
    speed = SPEED_MPS * max(0.2, 1.0 - abs(turn))
    rate = max(-1.2, min(1.2, 1.8 * turn))
    return Twist(Vector3(speed, 0.0, 0.0), Vector3(0.0, 0.0, rate)), at


def main(domain: int) -> None:
    node, estimate, at = Node(domain), Estimate(), -1
    velocities = node.subscribe("enc_vel", TwistWithCovarianceStamped)
    compass, fixes = node.subscribe("imu", Imu), node.subscribe("gps", NavSatFix)
    command = node.publish("cmd_vel", Twist)
    print("waiting for the rover", flush=True)
    while True:
        for velocity in velocities():
            estimate.predict(velocity)
        for imu in compass():
            estimate.correct_yaw(imu)
        for fix in fixes():
            estimate.correct_place(fix)
        if estimate.located:
            if at < 0:
                here = estimate.x, estimate.y
                at = min(range(POINTS), key=lambda point: dist(here, FIGURE[point]))
                print(f"at {here[0]:.1f}, {here[1]:.1f}: driving", flush=True)
            twist, at = steer(estimate, at)
            command(twist)
        time.sleep(PERIOD_S)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main(int(sys.argv[1]))
