"""A scripted window for tests: holds the given keys for a number of requests, then exits.

python scripted_window.py WORDS… DESCRIPTOR TITLE

WORDS are drive F L T COUNT, act NAME, ask, crash, junk, mute or riddle.
"""

import socket
import sys

from rigless.robots.pacbot.window.messages import (
    LENGTH,
    Hello,
    Picture,
    PictureRequest,
    decode_for_window,
    pack,
)

*words, descriptor, _title = sys.argv[1:]
connection = socket.socket(fileno=int(descriptor))


def read(count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data


def ask(**what: object) -> None:
    connection.sendall(pack(PictureRequest(1, **what)))  # type: ignore[arg-type]
    while True:
        (length,) = LENGTH.unpack(read(LENGTH.size))
        if isinstance(decode_for_window(read(length)), Picture):
            return


if words[0] == "mute":
    sys.exit(0)
if words[0] == "riddle":
    connection.sendall(pack(Hello("the screen is on fire")))
    sys.exit(1)
connection.sendall(pack(Hello()))
while words:
    word = words.pop(0)
    if word == "drive":
        axes = float(words.pop(0)), float(words.pop(0)), float(words.pop(0))
        for _ in range(int(words.pop(0))):
            ask(axes=axes)
    elif word == "act":
        ask(actions=[words.pop(0)])
    elif word == "ask":
        ask()
    elif word == "junk":
        connection.sendall(LENGTH.pack(5) + b"\xc1\xff\x00{}")
        read(1)
    elif word == "crash":
        sys.exit(7)
