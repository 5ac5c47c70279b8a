"""A small vacuum client on plain sockets: it waits for telemetry, then drives, turns and stops.

The options are the faults of a new build: another speed, a missing command, a late command.
"""

import argparse
import socket
import struct
import time

CONFIGURE = 3
PAUSE_S = 0.3


def part(field: int, data: bytes) -> bytes:
    """Encode a length-delimited field of protobuf."""
    return bytes([field << 3 | 2, len(data)]) + data


def number(name: str, value: float) -> bytes:
    """Encode an entry of the map `config`: a name and an f32_val."""
    return part(2, part(1, name.encode()) + part(2, struct.pack("<Bf", 6 << 3 | 5, value)))


def drive(linear: float, angular: float) -> bytes:
    """Encode a frame with a velocity."""
    config = number("linear", linear) + number("angular", angular)
    control = part(1, b"drive") + part(2, bytes([1 << 3, CONFIGURE]) + config)
    message = part(1, b"command") + part(3, part(1, control))
    return len(message).to_bytes(4, "big") + message


parser = argparse.ArgumentParser()
parser.add_argument("port", type=int)
parser.add_argument("--speed", type=float, default=0.2)
parser.add_argument("--skip-turn", action="store_true")
parser.add_argument("--late", type=float, default=0.0, help="seconds more before it stops")
options = parser.parse_args()

with socket.socket(type=socket.SOCK_DGRAM) as telemetry, socket.socket() as commands:
    telemetry.bind(("127.0.0.1", options.port))
    telemetry.settimeout(60)
    commands.connect(("127.0.0.1", options.port))
    print("telemetry of", len(telemetry.recv(65536)), "bytes", flush=True)
    commands.sendall(drive(options.speed, 0.0))
    time.sleep(PAUSE_S)
    if not options.skip_turn:
        commands.sendall(drive(0.0, 0.5))
    time.sleep(PAUSE_S + options.late)
    commands.sendall(drive(0.0, 0.0))
    time.sleep(PAUSE_S)
