"""A small G-code sender on a plain socket: one line at a time, each after the `ok` of the last.

Like many senders it drops received bytes before each line, so an early `ok` would be lost. The
options are the faults of a new build: another feed, a line more or less.
"""

import argparse
import contextlib
import socket

parser = argparse.ArgumentParser()
parser.add_argument("port", type=int)
parser.add_argument("--feed", type=int, default=600)
parser.add_argument("--more", action="store_true", help="send one line twice")
parser.add_argument("--less", action="store_true", help="leave one line out")
options = parser.parse_args()

lines = ["$X", "G21", "G91", f"G1 X2 F{options.feed}", f"G1 X-2 F{options.feed}", "M2"]
if options.more:
    lines.insert(2, "G21")
if options.less:
    del lines[1]

with socket.create_connection(("127.0.0.1", options.port), 60) as client:
    client.settimeout(60)
    for line in lines:
        client.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            print("dropped", client.recv(65536), flush=True)
        client.settimeout(60)
        client.sendall(line.encode() + b"\n")
        got = b""
        while b"ok\r\n" not in got and b"error:" not in got:
            piece = client.recv(65536)
            if not piece:
                raise SystemExit(f"closed after {line}")
            got += piece
        print(line, got, flush=True)
