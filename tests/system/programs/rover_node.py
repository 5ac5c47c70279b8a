"""A small ROS 2 node: after some IMU messages it drives, turns and stops the rover.

The options are the faults of a new build: another speed, a missing command.
"""

import argparse
import time

import rclpy
from geometry_msgs.msg import Twist
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Imu

parser = argparse.ArgumentParser()
parser.add_argument("url", help="dds://domain/N")
parser.add_argument("--speed", type=float, default=0.5)
parser.add_argument("--no-turn", action="store_true")
options = parser.parse_args()

rclpy.init(domain_id=int(options.url.rpartition("/")[2]))
node = rclpy.create_node("driver")
seen: list[Imu] = []
node.create_subscription(Imu, "imu", seen.append, qos_profile_sensor_data)
commands = node.create_publisher(Twist, "cmd_vel", 10)
while len(seen) < 50 or not commands.get_subscription_count():
    rclpy.spin_once(node, timeout_sec=0.1)
print("imu", flush=True)
for linear, angular in ((options.speed, 0.0), (0.0, 0.4), (0.0, 0.0)):
    if angular and options.no_turn:
        continue
    command = Twist()
    command.linear.x, command.angular.z = linear, angular
    commands.publish(command)
    time.sleep(0.5)
node.destroy_node()
rclpy.shutdown()
