"""Ways to send a message again from a shell or from Python, as text to copy."""

import shlex
from urllib.parse import urlsplit

from rigless.transports.capabilities import capabilities

LONGEST = 4096  # bytes; a longer message is no line to read


def lines_for(
    robot: str, port: str, transport: str, url: str, data: bytes, subject: str
) -> dict[str, str]:
    """Return commands that send these bytes to a port, by name. Without a URL, only the bytes."""
    if len(data) > LONGEST:
        return {}
    literal = repr(data)
    found = {"Python bytes": literal}
    if not url:
        return found
    host, number = urlsplit(url).hostname or "127.0.0.1", urlsplit(url).port or 0
    found["rigless send"] = _rigless_send(robot, port, transport, data, subject)
    printed = f"printf {_printf(data)}"
    match transport:
        case "tcp":
            found["nc"] = f"{printed} | nc -w 1 {host} {number}"
            found["Python"] = (
                "import select, socket; s = socket.create_connection"
                f'(("{host}", {number})); s.sendall({literal}); '
                'print(s.recv(65536) if select.select([s], [], [], 2)[0] else "no answer")'
            )
        case "udp":
            found["nc"] = f"{printed} | nc -u -w 1 {host} {number}"
            found["Python"] = (
                "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
                f's.sendto({literal}, ("{host}", {number}))'
            )
        case "pty":
            path = urlsplit(url).path
            found["shell"] = f"{printed} > {shlex.quote(path)}"
            found["Python"] = f'open("{path}", "wb", buffering=0).write({literal})'
        case "zmq":
            found["Python"] = (
                "import zmq; s = zmq.Context.instance().socket(zmq.REQ); "
                f's.connect("tcp://{host}:{number}"); s.send({literal}); '
                'print(s.recv() if s.poll(2000) else "no answer")'
            )
        case "nats":
            place = f"nats://{host}:{number}"
            found["nats"] = f"{printed} | nats -s {place} pub {shlex.quote(subject)}"
            found["Python"] = _nats_python(place, subject, literal)
        case "mqtt":
            words = f"mosquitto_pub -h {host} -p {number} -t {shlex.quote(subject)} -s"
            found["mosquitto_pub"] = f"{printed} | {words}"
            found["Python"] = (
                "import paho.mqtt.publish as publish; "
                f'publish.single({subject!r}, {literal}, hostname="{host}", port={number})'
            )
        case "websocket":
            found["Python"] = (
                f'from websockets.sync.client import connect; connect("{url}").send({literal})'
            )
    return found


def _nats_python(place: str, subject: str, literal: str) -> str:
    return "\n".join(
        (
            "import asyncio, nats",
            "",
            "async def main():",
            f"    async with await nats.connect({place!r}) as client:",
            f"        await client.publish({subject!r}, {literal})",
            "",
            "asyncio.run(main())",
        )
    )


def _rigless_send(robot: str, port: str, transport: str, data: bytes, subject: str) -> str:
    words = ["rigless", "send", robot, port]
    if subject:
        words += ["--subject", subject]
    text = _text_argument(transport, data)
    words += ["--hex", data.hex(" ")] if text is None else [text]
    return shlex.join(words)


def _text_argument(transport: str, data: bytes) -> str | None:
    """Return the text that `rigless send` would send as these bytes, or None."""
    text = data.decode("utf-8", "replace")
    if capabilities(transport).text_lines:
        if not text.endswith("\n"):
            return None
        text = text[:-1]
    good = text and text.isprintable() and "\ufffd" not in text and not text.startswith("-")
    return text if good else None


def _printf(data: bytes) -> str:
    """Return an argument of the shell's printf that prints these bytes."""
    escaped = {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x25: "%%", 0x5C: "\\\\"}
    text = "".join(
        escaped.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")
        for byte in data
    )
    return shlex.quote(text)
