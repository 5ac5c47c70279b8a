"""The thermostat on real sockets at twenty times real time, with a client on plain sockets."""

import socket
from pathlib import Path
from urllib.parse import urlsplit

import rigless

THERMOSTAT = Path(__file__).parent / "thermostat"


def client(host: str, port: int) -> None:
    """Talk to the device; a real one would do as well."""
    with (
        socket.create_connection((host, port), timeout=60) as line,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as reports,
    ):
        reports.bind((host, 0))
        reports.settimeout(60)
        answers = line.makefile("r", newline="\n")
        for request in ("GET", "SET 25", f"SUBSCRIBE {reports.getsockname()[1]}", "SING"):
            line.sendall(request.encode() + b"\n")
            print(f"{request:16} → {answers.readline().strip()}")
        for _ in range(5):
            print("report:", reports.recv(100).decode().strip())
        answers.close()


def main() -> None:
    with rigless.serve(str(THERMOSTAT), speed=20) as host:  # any free ports
        url = urlsplit(host.address("thermostat", "line"))
        print(f"the thermostat listens on {url.geturl()}")
        client(url.hostname or "", url.port or 0)
        print(f"{host.now_s:.1f} s of its time have passed")


if __name__ == "__main__":
    main()
