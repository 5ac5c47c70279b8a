"""Drive a rover to a place by GPS and compass: `python go_to.py EAST_M NORTH_M`.

A ROS 2 node: it subscribes to /gps and /imu and publishes /cmd_vel. The place is relative to the
first fix. Times are those of the messages, so it works at any speed of the simulation.
"""

import sys
from math import atan2, cos, hypot, pi, radians, remainder, tau

import rclpy
from geometry_msgs.msg import Twist
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Imu, NavSatFix

EARTH_M = 6_371_000.0
SPEED_MPS, NEAR_M = 0.8, 0.4


class GoTo(Node):
    def __init__(self, east_m: float, north_m: float):
        super().__init__("go_to")
        self.goal = (east_m, north_m)
        self.origin: tuple[float, float] | None = None
        self.yaw: float | None = None
        self.done = False
        self.commands = self.create_publisher(Twist, "cmd_vel", 10)
        self.create_subscription(Imu, "imu", self.on_imu, qos_profile_sensor_data)
        self.create_subscription(NavSatFix, "gps", self.on_fix, qos_profile_sensor_data)

    def on_imu(self, imu: Imu) -> None:
        self.yaw = 2.0 * atan2(imu.orientation.z, imu.orientation.w)

    def on_fix(self, fix: NavSatFix) -> None:
        place = radians(fix.longitude) * cos(radians(fix.latitude)), radians(fix.latitude)
        if self.origin is None:
            self.origin = place
            print("first fix", flush=True)
        if self.yaw is None:
            return
        east, north = ((a - b) * EARTH_M for a, b in zip(place, self.origin, strict=True))
        to_east, to_north = self.goal[0] - east, self.goal[1] - north
        command = Twist()
        if hypot(to_east, to_north) < NEAR_M:
            self.done = True
        else:
            turn = remainder(atan2(to_north, to_east) - self.yaw, tau)
            command.linear.x = SPEED_MPS * max(0.0, 1.0 - abs(turn) / (pi / 3))
            command.angular.z = max(-1.0, min(1.0, 1.5 * turn))
        self.commands.publish(command)


def main() -> None:
    rclpy.init()
    node = GoTo(float(sys.argv[1]), float(sys.argv[2]))
    print("subscribed", flush=True)
    while not node.done:
        rclpy.spin_once(node)
    print("arrived", flush=True)
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
