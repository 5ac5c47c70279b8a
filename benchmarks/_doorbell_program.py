"""A program with a known reaction time: it answers each RING after the given milliseconds.

_doorbell_program.py PORT DELAY_MS
"""

import socket
import sys
import time

port, delay_s = int(sys.argv[1]), float(sys.argv[2]) / 1000
with socket.create_connection(("127.0.0.1", port)) as connection:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in connection.makefile("rb"):
        end = time.monotonic() + delay_s
        time.sleep(max(delay_s - 0.002, 0.0))
        while time.monotonic() < end:
            pass
        try:
            connection.sendall(b"OPEN\n")
        except OSError:
            break
