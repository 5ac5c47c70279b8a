"""`rigless send`: one message to a port of a running robot, and the answer."""

import json as json_module
from typing import Any

from rigless.cli.control import Api
from rigless.clients.port_client import exchange
from rigless.console import print_line, print_note
from rigless.kernel.problems import InputError, Problem, unknown


def encode(texts: list[str], json: str | None, hex_bytes: str | None) -> bytes:
    """Return the bytes to send: lines of text, JSON, or bytes in hexadecimal."""
    given = [bool(texts), json is not None, hex_bytes is not None]
    if sum(given) > 1:
        raise InputError(Problem("send", "TEXT, --json and --hex exclude each other", "use one"))
    if json is not None:
        try:
            return json_module.dumps(json_module.loads(json), separators=(",", ":")).encode()
        except ValueError as error:
            fix = 'for example --json \'{"type": "get"}\''
            raise InputError(Problem("--json", f"is not JSON: {error}", fix)) from None
    if hex_bytes is not None:
        try:
            return bytes.fromhex(hex_bytes)
        except ValueError as error:
            what = f"is not hexadecimal: {error}"
            raise InputError(Problem("--hex", what, "for example --hex '3f 0a'")) from None
    return "".join(f"{text}\n" for text in texts).encode()


def send(
    api: Api, robot: str, port: str, data: bytes, subject: str = "", wait_s: float = 2.0
) -> None:
    """Send bytes to a port and print the answer: text as it is, other bytes in hexadecimal."""
    found = _port(api, robot, port)
    pieces = list(exchange(found["transport"], found["url"], data, subject, wait_s))
    if found["transport"] in STREAMS:
        pieces = [b"".join(pieces)] if pieces else []
    for piece in pieces:
        print_line(_shown(piece))
    if not pieces:
        print_note(f"no answer within {wait_s:g} s", "dim")


STREAMS = ("tcp", "pty")  # an answer may come in any number of pieces


def _port(api: Api, robot: str, port: str) -> Any:
    robots = {one["name"]: one for one in api.call("GET", "/api/status")["robots"]}
    if robot not in robots:
        raise unknown("robot", robot, robots)
    ports = {one["name"]: one for one in robots[robot]["ports"]}
    if port not in ports:
        raise unknown("port", port, ports, robot)
    if not ports[port]["url"]:
        raise InputError(Problem(f"{robot}/{port}", "is not open"))
    return ports[port]


def _shown(piece: bytes) -> str:
    text = piece.decode("utf-8", "replace").rstrip("\r\n")
    plain = all(letter.isprintable() or letter in "\r\n\t" for letter in text)
    return text if plain and "\ufffd" not in text else piece.hex(" ")
