"""Properties of transports that must be known before one is opened.

The scenario loader assigns addresses and the host chooses what to open by these properties, never
by the name of a transport. They are in a table of their own, so that they can be read where the
package that a transport needs (pyzmq, cyclonedds, rclpy, ...) is not installed.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Capabilities:
    """Properties of one transport. The defaults are those of a TCP server.

    host_and_port: the address is HOST:PORT. Otherwise it is used as it is written.
    shared_address: many robots use one address, such as a broker or a DDS domain. Otherwise each
        robot of a fleet gets the next port number.
    datagrams: port numbers are those of UDP, which do not collide with those of TCP.
    live_only: not opened in a fast run unless requested, since the timing of the other side would
        make two runs differ.
    needs_real_time: cannot run at another pace than 1x.
    drives_hardware: commands move real parts.
    without_clients: a part of the host; no program connects to it.
    ros: carries ROS 2 topics. `--backend` replaces it by another transport with this property.
    nats: connects to a NATS server, which the host starts if there is none.
    mqtt: connects to an MQTT broker, which the host starts if there is none.
    text_lines: `rigless send` ends a text with a newline.
    without_subjects: messages have no subject.
    keeps_state: stores messages in the state folder. The module has `saved_messages(port, folder)`.
    """

    host_and_port: bool = True
    shared_address: bool = False
    datagrams: bool = False
    live_only: bool = False
    needs_real_time: bool = False
    drives_hardware: bool = False
    without_clients: bool = False
    ros: bool = False
    nats: bool = False
    mqtt: bool = False
    text_lines: bool = False
    without_subjects: bool = False
    keeps_state: bool = False


CAPABILITIES = {
    "dds": Capabilities(host_and_port=False, shared_address=True, ros=True),
    "drivers": Capabilities(
        host_and_port=False, needs_real_time=True, drives_hardware=True, without_clients=True
    ),
    "file": Capabilities(host_and_port=False, without_clients=True),
    "memory": Capabilities(without_clients=True),
    "mqtt": Capabilities(shared_address=True, live_only=True, mqtt=True),
    "nats": Capabilities(shared_address=True, live_only=True, nats=True, keeps_state=True),
    "pty": Capabilities(host_and_port=False, text_lines=True),
    "rclpy": Capabilities(host_and_port=False, shared_address=True, ros=True),
    "tcp": Capabilities(text_lines=True),
    "udp": Capabilities(datagrams=True, text_lines=True),
    "websocket": Capabilities(without_subjects=True),
    "zmq": Capabilities(),
}


def capabilities(transport: str) -> Capabilities:
    """Return the capabilities of a transport, or the defaults if there is none of this name."""
    return CAPABILITIES.get(transport, Capabilities())


def ros_backends() -> list[str]:
    """Return the names of the transports that carry ROS 2 topics."""
    return [name for name, found in CAPABILITIES.items() if found.ros]
