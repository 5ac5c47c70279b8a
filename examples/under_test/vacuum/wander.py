"""Wander through a room: drive ahead, turn before obstacles, back off after a bump.

`python wander.py HOST PORT` uses the robot's real wire: protobuf messages, commands on TCP,
telemetry on UDP 5556.
"""

import socket
import sys
from cmath import rect

from rigless.robots.vacuum.protobuf.schema import ACTIONS, Message

UDP_PORT = 5556
SPEED_MPS, TURN_RADPS = 0.25, 0.8
NEAR_M, CLEAR_M, HALF_WIDTH_M = 0.55, 1.0, 0.25  # measured from the middle of the robot
SILENCE_US = 1_000_000  # without a scan for this time, stop


def command(component: str, action: str, **config: float) -> bytes:
    control = (message := Message(topic="command")).command.component_control
    control.id, control.action.type = component, ACTIONS.index(action)
    for key, value in config.items():
        control.action.config[key].f32_val = value
    return message.ByteSize().to_bytes(4, "big") + message.SerializeToString()


def wander(robot: socket.socket, udp: socket.socket) -> None:
    turn, back_until, scan_at, echoes = 0.0, 0, 0, None
    robot.sendall(command("lidar", "enable"))
    print("connected", flush=True)
    while True:
        group = Message.FromString(udp.recv(65535)[4:]).sensor_group
        values, now = group.values, group.timestamp_us
        if "bumper_left" in values:
            left, right = values["bumper_left"].bool_val, values["bumper_right"].bool_val
            if (left or right) and now > back_until:
                print(f"bump {'left' if left else ''} {'right' if right else ''}", flush=True)
                back_until, turn = now + 1_000_000, TURN_RADPS if right else -TURN_RADPS
                robot.sendall(command("drive", "configure", linear=-0.15, angular=0))
        if "scan" in values:
            points = values["scan"].pointcloud_val.points
            scan_at, echoes = now, [rect(point.distance_m, point.angle_rad) for point in points]
        elif now - scan_at > SILENCE_US and echoes is not None:
            print("no scans: stop", flush=True)
            robot.sendall(command("drive", "configure", linear=0, angular=0))
            echoes = None
        if "scan" in values and now > back_until:
            reach = CLEAR_M if turn else NEAR_M
            near = any(0 < e.real < reach and abs(e.imag) < HALF_WIDTH_M for e in echoes)
            free_side = TURN_RADPS if sum(e.imag for e in echoes) > 0 else -TURN_RADPS
            turn = (turn or free_side) if near else 0.0
            linear = 0.0 if turn else SPEED_MPS
            robot.sendall(command("drive", "configure", linear=linear, angular=turn))


if __name__ == "__main__":
    with socket.socket(type=socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", UDP_PORT))
        with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as robot:
            wander(robot, udp)
