"""A small program under test: connects to the thermostat, sends lines, prints the answers.

thermostat_client.py [--url URL] [--wait S] [--exit CODE] LINE…
"""

import os
import socket
import sys
import time


def option(name: str, default: str) -> str:
    words = sys.argv
    return words[words.index(name) + 1] if name in words else default


url = option("--url", os.environ.get("RIGLESS_THERMOSTAT_LINE", ""))
host, _, port = url.rpartition("/")[2].rpartition(":")
lines = [word for word in sys.argv[1:] if word[:3] in ("GET", "SET")]
with socket.create_connection((host, int(port))) as connection:
    answers = connection.makefile("r", newline="\r\n")
    for line in lines:
        connection.sendall(line.encode() + b"\n")
        print(line, "->", answers.readline().strip(), flush=True)
    time.sleep(float(option("--wait", "0")))
sys.exit(int(option("--exit", "0")))
