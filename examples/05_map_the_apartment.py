"""Map the apartment at ten times real time with lidar, encoders and gyro, over plain sockets."""

import socket
from cmath import rect
from collections import Counter

import rigless
from rigless.robots.vacuum.protobuf.schema import ACTIONS, Message

SCANS, RATE_HZ, TICKS_PER_M, GYRO_LSB = 400, 110, 4464, 1000  # 400 scans take 80 s, here 8 s


def command(component: str, action: str, **config: float) -> bytes:
    control = (message := Message(topic="command")).command.component_control
    control.id, control.action.type = component, ACTIONS.index(action)
    for key, value in config.items():
        control.action.config[key].f32_val = value
    return message.ByteSize().to_bytes(4, "big") + message.SerializeToString()


def receive(telemetry: socket.socket) -> dict:
    return Message.FromString(telemetry.recv(65535)[4:]).sensor_group.values


def explore(robot: socket.socket, telemetry: socket.socket) -> tuple[complex, Counter]:
    """Drive ahead; turn at obstacles. Return the place by odometry and the echoes per cell."""
    place, theta, turn, ticks, hits = 0j, 0.0, 0.0, [], Counter()
    robot.sendall(command("lidar", "enable"))
    for _ in range(SCANS):
        while "scan" not in (values := receive(telemetry)):
            if "gyro_z" in values:  # dead reckoning; wheel counters wrap at 16 bits
                ticks.append(values["wheel_left"].u32_val + values["wheel_right"].u32_val)
                moved = (ticks[-1] - ticks[-2:][0] + 2**15) % 2**16 - 2**15
                theta += values["gyro_z"].i32_val / GYRO_LSB / RATE_HZ
                place += rect(moved / 2 / TICKS_PER_M, theta)
        echoes = [rect(p.distance_m, p.angle_rad) for p in values["scan"].pointcloud_val.points]
        near_m = 1.5 if turn else 0.5
        if any(0 < echo.real < near_m and abs(echo.imag) < 0.2 for echo in echoes):
            turn = turn or (0.8 if sum(echo.imag for echo in echoes) > 0 else -0.8)
        else:
            turn = 0.0
            points = (10 * (place + echo * rect(1, theta)) for echo in echoes)
            hits.update((point.real // 1, point.imag // 2) for point in points)
        robot.sendall(command("drive", "configure", linear=0 if turn else 0.3, angular=turn))
    return place, hits


with socket.socket(type=socket.SOCK_DGRAM) as udp:
    udp.bind(("127.0.0.1", 0))
    udp.settimeout(60)
    streaming = f"network.udp_streaming_port={udp.getsockname()[1]}", "network.udp_ports=streaming"
    with rigless.serve("vacuum", speed=10, seed=7, settings=streaming) as host:
        address = ("127.0.0.1", int(host.address("vacuum", "commands").rpartition(":")[2]))
        with socket.create_connection(address) as robot:
            place, hits = explore(robot, udp)
        error = place - complex(*host.truth("vacuum").pose[:2])
for row in range(24, -16, -1):
    print("".join("#" if hits[column, row] > 1 else " " for column in range(-40, 60)).rstrip())
print(f"odometry is off by {abs(error):.2f} m")
