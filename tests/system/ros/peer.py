"""A node of a real ROS 2, run by the Python of a ROS environment.

It reads commands from standard input, one JSON list a line ([word, arguments…]), and replies with
one line of JSON. It imports nothing of rigless.
"""

import json
import sys
import threading
import time
from importlib import import_module

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy


def plain(value):
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def kind_of(name):
    package, _, kind = name.split("/")
    return getattr(import_module(f"{package}.msg"), kind)


class Peer:
    def __init__(self, name):
        rclpy.init()
        self.node = rclpy.create_node(name)
        self.received = {}
        self.publishers = {}

    def subscribe(self, key, topic, kind, reliable=True, kept=False):
        quality = QoSProfile(
            depth=1000,
            reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.TRANSIENT_LOCAL if kept else DurabilityPolicy.VOLATILE,
        )
        self.received[key] = []
        self.node.create_subscription(kind_of(kind), topic, self.received[key].append, quality)

    def count(self, key):
        return len(self.received[key])

    def take(self, key):
        found, self.received[key][:] = list(self.received[key]), []
        return plain(found)

    def advertise(self, topic, kind, kept=False):
        durability = DurabilityPolicy.TRANSIENT_LOCAL if kept else DurabilityPolicy.VOLATILE
        self.publishers[topic] = self.node.create_publisher(
            kind_of(kind), topic, QoSProfile(depth=10, durability=durability)
        )

    def matched(self, topic):
        return self.publishers[topic].get_subscription_count()

    def drive(self, topic, ahead, turn):
        message = kind_of("geometry_msgs/msg/Twist")()
        message.linear.x, message.angular.z = ahead, turn
        self.publishers[topic].publish(message)

    def parameters(self, node, seconds=20.0):
        """Return what a node's parameter services reply."""
        client = AsyncParameterClient(self.node, node)
        if not client.wait_for_services(seconds):
            return None

        def reply(future):
            end = time.monotonic() + seconds
            while not future.done() and time.monotonic() < end:
                time.sleep(0.01)
            return future.result()

        names = sorted(reply(client.list_parameters([], 10)).result.names)
        values = reply(client.get_parameters(names)).values
        descriptors = reply(client.describe_parameters(names)).descriptors
        asked = [Parameter("level", value=4).to_parameter_msg()]
        changed = reply(client.set_parameters(asked)).results[0]
        found = {
            descriptor.name: [plain(parameter_value_to_python(value)), descriptor.read_only]
            for value, descriptor in zip(values, descriptors, strict=True)
        }
        return [found, changed.successful, changed.reason]

    def nodes(self):
        return sorted(self.node.get_node_names_and_namespaces())

    def topics_of(self, name, namespace):
        published = self.node.get_publisher_names_and_types_by_node(name, namespace)
        subscribed = self.node.get_subscriber_names_and_types_by_node(name, namespace)
        return [dict(published), dict(subscribed)]

    def endpoints(self, topic):
        found = self.node.get_publishers_info_by_topic(
            topic
        ) + self.node.get_subscriptions_info_by_topic(topic)
        return [
            [
                one.topic_type,
                str(one.topic_type_hash),
                one.qos_profile.reliability.name,
                one.qos_profile.durability.name,
            ]
            for one in found
        ]


def main():
    peer = Peer(sys.argv[1])
    executor = SingleThreadedExecutor()
    executor.add_node(peer.node)
    threading.Thread(target=executor.spin, daemon=True).start()
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        word, *arguments = json.loads(line)
        print(json.dumps(getattr(peer, word)(*arguments)), flush=True)


main()
