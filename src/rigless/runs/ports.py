"""Addresses of ports for checked runs that share a machine."""

import atexit
import os
import socket
from functools import cache
from itertools import islice

from rigless.scenario.build import Built
from rigless.transports.capabilities import capabilities

# Higher domains have ephemeral ports. People mostly use low ones, so the search begins at the top.
DOMAINS = range(101, 0, -1)
_held: list[socket.socket] = []  # reserves domains while this process runs


def use_free_ports(built: Built) -> None:
    """Give every port that the scenario does not set any free port, or a free ROS domain."""
    robots = iter(built.simulation.robots.values())
    for entry in built.scenario.robots:
        for robot in islice(robots, entry.count):
            for port in robot.ports:
                key = robot.name, port.name
                host, _, number = built.addresses[key].rpartition(":")
                can = capabilities(port.transport)
                if port.name in entry.ports:
                    continue
                if can.host_and_port and number.isdigit():
                    built.addresses[key] = f"{host}:0"
                elif can.ros and "ROS_DOMAIN_ID" not in os.environ:
                    built.addresses[key] = f"domain/{free_domain()}"


@cache
def free_domain() -> int:
    """Return a DDS domain that no other run and no other participant of this machine uses."""
    for number in DOMAINS:
        if not _is_quiet(number):
            continue
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            held.bind(f"\0rigless-domain-{number}")  # abstract: it goes with the process (Linux)
        except OSError:
            held.close()
        else:
            atexit.register(held.close)
            _held.append(held)
            return number
    return 0


def _is_quiet(domain: int) -> bool:
    """Return False if the first participant of a domain has its port (RTPS 2.2, 9.6.1)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("0.0.0.0", 7400 + 250 * domain + 10))
        except OSError:
            return False
    return True
