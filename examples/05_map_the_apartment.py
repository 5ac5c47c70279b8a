"""Map the apartment at ten times real time with lidar, encoders and gyro, over plain sockets."""

import socket
from cmath import rect
from collections import Counter

import rigless
from rigless.robots.vacuum.protobuf.schema import ACTIONS, Message
from rigless.worlds import find_map, load_map

SCANS, TICKS_PER_M, GYRO_LSB = 400, 4464, 1000  # 400 scans take 80 s, here 8 s
WHEELS, STOP = ("wheel_left", "wheel_right"), {"linear": 0, "angular": 0}


def command(component: str, action: str, **config: float) -> bytes:
    control = (message := Message(topic="command")).command.component_control
    control.id, control.action.type = component, ACTIONS.index(action)
    for key, value in config.items():
        control.action.config[key].f32_val = value
    return message.ByteSize().to_bytes(4, "big") + message.SerializeToString()


def explore(robot: socket.socket, udp: socket.socket) -> tuple[complex, set]:
    """Drive ahead; turn at obstacles. Return the place by odometry and the 0.1 m cells of walls."""
    place, theta, turn, before, hits = 0j, 0.0, 0.0, None, Counter()
    robot.sendall(command("lidar", "enable"))
    for scan in range(SCANS):
        while "scan" not in (group := Message.FromString(udp.recv(65535)[4:]).sensor_group).values:
            if "gyro_z" in (values := group.values):  # dead reckoning; wheel counters wrap at 2**16
                now = group.timestamp_us, sum(values[wheel].u32_val for wheel in WHEELS)
                us, ticks = now[0] - (before or now)[0], now[1] - (before or now)[1]
                before, theta = now, theta + values["gyro_z"].i32_val / GYRO_LSB * us / 1e6
                place += rect(((ticks + 2**15) % 2**16 - 2**15) / 2 / TICKS_PER_M, theta)
        points = group.values["scan"].pointcloud_val.points
        echoes = [rect(point.distance_m, point.angle_rad) for point in points]
        near = any(0 < e.real < (1.5 if turn else 0.5) and abs(e.imag) < 0.2 for e in echoes)
        turn = (turn or (0.8 if sum(e.imag for e in echoes) > 0 else -0.8)) if near else 0.0
        if not near:
            ends = (10 * (place + echo * rect(1, theta)) for echo in echoes)
            hits.update((int(end.real // 1), int(end.imag // 1)) for end in ends)
        speeds = {"linear": 0 if turn else 0.3, "angular": turn} if scan < SCANS - 5 else STOP
        robot.sendall(command("drive", "configure", **speeds))
    return place, {cell for cell, count in hits.items() if count > 1}


with socket.socket(type=socket.SOCK_DGRAM) as udp:
    udp.bind(("127.0.0.1", 0))
    udp.settimeout(60)
    streaming = f"network.udp_streaming_port={udp.getsockname()[1]}", "network.udp_ports=streaming"
    with rigless.serve("vacuum", speed=10, seed=7, settings=streaming) as host:
        address = ("127.0.0.1", int(host.address("vacuum", "commands").rpartition(":")[2]))
        with socket.create_connection(address) as robot:
            place, walls = explore(robot, udp)
        error_m = abs(place - complex(*host.truth("vacuum").pose[:2]))
for y in range(48, -32, -2):
    print("".join(" #"[bool({(x, y), (x, y + 1)} & walls)] for x in range(-40, 60)).rstrip())
solid = load_map(find_map("apartment")).occupied.reshape(80, 5, 100, 5).any(axis=(1, 3))
true = sum(solid[max(y + 29, 0) : y + 32, max(x + 39, 0) : x + 42].any() for x, y in walls)
print(f"{true / len(walls):.0%} of {len(walls)} cells are walls; odometry is {error_m:.2f} m off")
