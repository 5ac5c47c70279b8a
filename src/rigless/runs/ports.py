"""Addresses of ports for checked runs that share a machine."""

from itertools import islice

from rigless.scenario.build import Built
from rigless.transports.capabilities import capabilities


def use_free_ports(built: Built) -> None:
    """Give every port that the scenario does not set any free port."""
    robots = iter(built.simulation.robots.values())
    for entry in built.scenario.robots:
        for robot in islice(robots, entry.count):
            for port in robot.ports:
                host, _, number = built.addresses[robot.name, port.name].rpartition(":")
                can = capabilities(port.transport)
                if port.name not in entry.ports and can.host_and_port and number.isdigit():
                    built.addresses[robot.name, port.name] = f"{host}:0"
