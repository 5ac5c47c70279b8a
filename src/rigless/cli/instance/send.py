"""`rigless send`: messages to a port of a running robot, and the answer."""

import json as json_module
from typing import Any

from rigless.cli.instance.control import Api
from rigless.clients.login import NO_LOGIN, Login
from rigless.clients.port_client import exchange, readable
from rigless.console import print_line, print_note
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.transports.capabilities import capabilities


def encode(texts: list[str], json: str | None, hex_bytes: str | None) -> list[str | bytes]:
    """Return the messages to send: texts, JSON as text, or bytes given in hexadecimal."""
    given = [bool(texts), json is not None, hex_bytes is not None]
    if sum(given) > 1:
        raise InputError(Problem("send", "TEXT, --json and --hex exclude each other", "use one"))
    if json is not None:
        try:
            return [json_module.dumps(json_module.loads(json), separators=(",", ":"))]
        except (ValueError, RecursionError) as error:
            fix = 'for example --json \'{"type": "get"}\''
            raise InputError(Problem("--json", f"is not JSON: {error}", fix)) from None
    if hex_bytes is not None:
        try:
            return [bytes.fromhex(hex_bytes)]
        except ValueError as error:
            what = f"is not hexadecimal: {error}"
            raise InputError(Problem("--hex", what, "for example --hex '3f 0a'")) from None
    return list(texts)


def send(
    api: Api,
    robot: str,
    port: str,
    messages: list[str | bytes],
    subject: str = "",
    wait_s: float = 2.0,
    login: Login = NO_LOGIN,
) -> None:
    """Send messages to a port and print the answer: text as it is, other bytes in hexadecimal."""
    found = _port(api, robot, port)
    transport, direction = found["transport"], found["direction"]
    if why := _refusal(transport, direction, bool(messages)):
        raise InputError(Problem(f"{robot}/{port}", *why))
    answers = direction != "in"
    pieces = exchange(transport, found["url"], messages, subject, wait_s, answers, login)
    can = capabilities(transport)
    if can.text_lines and not can.datagrams:  # an answer may come in any number of pieces
        whole = b"".join(pieces)
        pieces = iter([whole] if whole else [])
    nothing = True
    for piece in pieces:
        print_line(readable(piece))
        nothing = False
    if nothing:
        # On a shared address answers are messages on other subjects.
        sent = messages and (can.shared_address or not answers)
        lacking = "answer" if messages else "message"
        print_note("sent" if sent else f"no {lacking} within {wait_s:g} s", "dim")


def _refusal(transport: str, direction: str, sending: bool) -> tuple[str, str] | None:
    """Return why a port cannot be used like this and what to do instead, or None."""
    if direction == "out" and capabilities(transport).datagrams:
        return (
            "only sends datagrams, to peers that the robot gets over its other ports",
            "use a client of the robot, or see its messages with rigless run --record",
        )
    if direction == "out" and sending:
        return "only sends: it receives no messages", "without a message, its own are printed"
    if direction == "in" and not sending:
        return "only receives: it sends no messages", "give a TEXT, --json or --hex"
    return None


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
