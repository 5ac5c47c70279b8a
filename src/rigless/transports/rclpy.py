"""ROS 2 topics over the installed rclpy: the same node, on any ROS middleware.

rclpy does not say who sent a message, so all peers together are one link. It is open while any
other node has an endpoint on one of the robot's topics. A thread spins the node and hands messages
to the event loop.
"""

import asyncio
import os
import threading
from collections import Counter, deque
from functools import partial
from importlib import import_module
from typing import Any

from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.ros.topics import Node, Topic
from rigless.ros.types import type_name
from rigless.transports.transport import Inbox

try:
    import rclpy
    from rcl_interfaces.msg import ParameterDescriptor
    from rclpy.context import Context
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
    from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
except ModuleNotFoundError:
    fix = "source your ROS 2 (source /opt/ros/…/setup.bash) with the same Python, or omit --backend"
    raise InputError(Problem("--backend rclpy", "rclpy cannot be imported", fix)) from None

OWN_KEPT = 200  # own messages to recognise: two seconds of /tf
LOOK_S = 0.1  # interval of the checks of the ROS graph
SPIN_S = 0.2


class Transport:
    """The ROS node of one robot."""

    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self.node: Node = port.options["node"]
        self._subjects = {topic.name: self.node.full_name(topic.name) for topic in self.node.topics}
        self._latched = {
            self._subjects[topic.name] for topic in self.node.topics if topic.transient_local
        }
        directions = Counter(self._subjects[topic.name] for topic in self.node.topics)
        # rclpy delivers a node's own messages to it: the last ones of topics in both directions
        self._own: dict[str, deque[bytes]] = {
            subject: deque(maxlen=OWN_KEPT) for subject, uses in directions.items() if uses > 1
        }
        self._publishers: dict[str, Any] = {}
        self._kept: dict[str, bytes] = {}
        self._link = 0
        self._ending = False
        self._thread: threading.Thread | None = None

    async def open(self, address: str) -> str:
        given = address.rpartition("/")[2].rpartition(":")[2]
        self._loop = asyncio.get_running_loop()
        self._context = Context()
        rclpy.init(context=self._context, domain_id=int(given) if given else None)
        namespace = self.node.full_namespace
        self._node = rclpy.create_node(
            self.node.name,
            context=self._context,
            namespace=namespace,
        )
        self._declare_parameters()
        for topic in self.node.topics:
            self._add(topic, self._subjects[topic.name])
        self._node.create_timer(LOOK_S, self._look)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin, name="rclpy", daemon=True)
        self._thread.start()
        return f"rclpy://domain/{given or os.environ.get('ROS_DOMAIN_ID') or 0}"

    def _declare_parameters(self) -> None:
        """Declare the parameters. Nothing reads a changed value, so they are read-only."""
        for name, value in self.node.parameters.items():
            if not self._node.has_parameter(name):
                given = list(value) if isinstance(value, tuple) else value
                fixed = ParameterDescriptor(read_only=True)  # one each: rclpy writes the name to it
                self._node.declare_parameter(name, given, fixed)

    def _add(self, topic: Topic, subject: str) -> None:
        package, _, name = type_name(topic.type).split("/")
        try:
            kind = getattr(import_module(f"{package}.msg"), name)
        except ModuleNotFoundError:
            self._node.get_logger().warning(f"this ROS has no {package}, so {subject} has no peers")
            return
        quality = QoSProfile(
            depth=topic.depth,
            reliability=ReliabilityPolicy.RELIABLE
            if topic.reliable
            else ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.TRANSIENT_LOCAL
            if topic.transient_local
            else DurabilityPolicy.VOLATILE,
        )
        if topic.direction == "out":
            self._publishers[subject] = self._node.create_publisher(kind, subject, quality)
        else:
            self._node.create_subscription(
                kind, subject, partial(self._received, subject), quality, raw=True
            )

    def send(self, link: int, data: bytes, subject: str) -> None:
        publisher = self._publishers.get(subject)
        if publisher is None or self._ending:
            return
        if subject in self._latched:
            if self._kept.get(subject) == data:
                return
            self._kept[subject] = data
        elif not publisher.get_subscription_count():
            return
        if subject in self._own:
            self._own[subject].append(data)
        publisher.publish(data)

    def close_link(self, link: int) -> None:
        """Close the link. If there are peers, the next check of the graph opens it again."""
        self._link = 0

    async def close(self) -> None:
        thread, self._thread = self._thread, None
        self._ending = True
        if thread is None:
            return
        await asyncio.to_thread(thread.join)
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    # In the thread of the node

    def _spin(self) -> None:
        while not self._ending:
            try:
                self._executor.spin_once(SPIN_S)
            except ExternalShutdownException:
                return

    def _received(self, subject: str, data: bytes) -> None:
        self._loop.call_soon_threadsafe(self._receive, subject, data)

    def _look(self) -> None:
        endpoints = [
            found.node_name
            for topic in self.node.topics
            for found in (
                self._node.get_subscriptions_info_by_topic(self._subjects[topic.name])
                if topic.direction == "out"
                else self._node.get_publishers_info_by_topic(self._subjects[topic.name])
            )
        ]
        self._loop.call_soon_threadsafe(
            self._meet, any(name != self.node.name for name in endpoints)
        )

    # On the event loop

    def _meet(self, there: bool) -> None:
        if there and not self._link and not self._ending:
            self._link = self.inbox.new_link()
            self.inbox.connected(self._link, "ros", self.node.name)
        elif not there and self._link:
            link, self._link = self._link, 0
            self.inbox.disconnected(link)

    def _receive(self, subject: str, data: bytes) -> None:
        if bytes(data) in self._own.get(subject, ()):
            return
        self._meet(True)
        if self._link:
            self.inbox.received(self._link, bytes(data), subject)
