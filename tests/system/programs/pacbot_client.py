"""A small Pacbot client on two REQ sockets: it drives, reads the sensors and stops.

The options are the faults of a new build: one command more or less, another speed.
"""

import argparse

import zmq

parser = argparse.ArgumentParser()
parser.add_argument("address")
parser.add_argument("--speed", type=float, default=0.5)
parser.add_argument("--more", action="store_true", help="stop twice")
parser.add_argument("--less", action="store_true", help="do not read the sensors")
options = parser.parse_args()

context = zmq.Context()
motor, sensors = context.socket(zmq.REQ), context.socket(zmq.REQ)
for one in (motor, sensors):
    one.setsockopt(zmq.RCVTIMEO, 60_000)
    one.setsockopt(zmq.LINGER, 0)
    one.connect(options.address)


def ask(socket, **fields):
    socket.send_json(fields)
    return socket.recv_json()


for wheel in range(4):
    print(ask(motor, command="move", id=wheel, params={"speed": options.speed}), flush=True)
if not options.less:
    print(sorted(ask(sensors, command="sensors")), flush=True)
for _ in range(1 + options.more):
    for wheel in range(4):
        print(ask(motor, command="stop", id=wheel), flush=True)
