"""A client with plain sockets wanders through the apartment at ten times real time and maps it by lidar, encoders and gyro."""

import socket
from cmath import rect
from collections import Counter

import rigless
from rigless.robots.vacuum.schema import ACTIONS, Message
from rigless.worlds import find_map, load_map

SCANS, TICKS_PER_M, GYRO_LSB = 400, 4464, 1000  # 400 scans are 80 s, and 8 s at ten times real time


def command(component: str, action: str, **config: float) -> bytes:
    control = (message := Message(topic="command")).command.component_control
    control.id, control.action.type = component, ACTIONS.index(action)
    for key, value in config.items():
        control.action.config[key].f32_val = value
    return message.ByteSize().to_bytes(4, "big") + message.SerializeToString()


def explore(robot: socket.socket, telemetry: socket.socket) -> tuple[complex, set[tuple[int, int]]]:
    """Ahead until something is near, then turn to the open side. Gives the place by odometry, and the cells (0.1 m) of walls."""
    place, theta, turn, danger, before, hits = 0j, 0.0, 0.0, False, None, Counter()
    robot.sendall(command("lidar", "enable"))
    for scan in range(SCANS):
        while (
            group := Message.FromString(telemetry.recv(65535)[4:]).sensor_group
        ).group_id != "lidar":
            if "gyro_z" in (said := group.values):
                now = (group.timestamp_us, said["wheel_left"].u32_val, said["wheel_right"].u32_val)
                us, left, right = (
                    (a - b + 2**15) % 2**16 - 2**15 for a, b in zip(now, before or now, strict=True)
                )
                theta += said["gyro_z"].i32_val / GYRO_LSB * us / 1e6
                place += rect((left + right) / 2 / TICKS_PER_M, theta)
                before, danger = (
                    now,
                    danger or any(said[k].bool_val for k in said if k[:5] in ("bumpe", "cliff")),
                )
        echoes = [
            rect(point.distance_m, point.angle_rad)
            for point in group.values["scan"].pointcloud_val.points
        ]
        near = danger or any(
            0 < echo.real < (1.5 if turn else 0.5) and abs(echo.imag) < 0.2 for echo in echoes
        )
        if (
            not turn and not near
        ):  # the beams of a scan are taken one by one: keep those of a steady robot
            points = (place + echo * rect(1, theta) for echo in echoes)
            hits.update((int(point.real // 0.1), int(point.imag // 0.1)) for point in points)
        turn, danger = (
            (turn or (0.8 if sum(echo.imag for echo in echoes) > 0 else -0.8)) if near else 0.0,
            False,
        )
        ahead = 0.0 if turn or scan > SCANS - 5 else 0.3
        robot.sendall(command("drive", "configure", linear=ahead, angular=turn))
    return place, {cell for cell, count in hits.items() if count > 1}


with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as telemetry:
    telemetry.bind(("127.0.0.1", 0))
    telemetry.settimeout(60)
    ports = (
        f"network.udp_streaming_port={telemetry.getsockname()[1]}",
        "network.udp_ports=streaming",
    )
    with rigless.serve("vacuum", speed=10, seed=7, settings=ports) as host:
        port = int(host.address("vacuum", "commands").rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as robot:
            place, walls = explore(robot, telemetry)
        off_m = abs(
            place - complex(*host.truth("vacuum").pose[:2])
        )  # ground truth: not on the robot's wire
for row in range(49, -31, -2):
    print(
        "".join(
            " #"[bool({(column, row), (column, row - 1)} & walls)] for column in range(-40, 60)
        ).rstrip()
    )
solid = (
    load_map(find_map("apartment")).occupied.reshape(80, 5, 100, 5).any(axis=(1, 3))
)  # from (-4, -3), 0.1 m a cell
true = [
    (c, r)
    for r in range(80)
    for c in range(100)
    if solid[r, c] and not solid[r - 1 : r + 2, c - 1 : c + 2].all()
]
found = [
    (c, r) for c, r in true if any((c + i % 3 - 41, r + i // 3 - 31) in walls for i in range(9))
]
print(
    f"{len(found) / len(true):.0%} of the true walls are found, and odometry is off by {off_m:.2f} m"
)
