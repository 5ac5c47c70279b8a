"""The latency of motor replies of a live Pacbot, next to a bare pyzmq REP socket.

Four REQ clients send 200 commands a second each, in turn to both servers, which are processes of
their own. Only the clients' clock is used.

As a program this is the bare server: it prints its URL and serves until it is terminated.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import zmq

CLIENTS, RATE_HZ = 4, 200.0
COMMAND = '{"command":"move","id":%d,"params":{"speed":0.5}}'
LIVE = [
    sys.executable, "-c", "from rigless.cli import main; main()", "run", "pacbot", "--seed", "7",
    "--no-panel", "--quiet", "--set", "ports.commands=0", "--set", "ports.sensors=0",
]  # fmt: skip
ROUNDS = 5


def measure_replies(seconds: float) -> dict[str, float]:
    with (
        _serving(LIVE) as ours,
        _serving([sys.executable, __file__]) as bare,
        zmq.Context() as context,
    ):
        waits_us: dict[str, list[float]] = {ours: [], bare: []}
        for url in waits_us:
            _drive(context, url, min(0.5, seconds))  # warm-up
        for _ in range(ROUNDS):
            for url, waits in waits_us.items():
                waits += _drive(context, url, seconds / ROUNDS)
    p50_us, p99_us = np.percentile(waits_us[ours], (50, 99))
    bare_p50_us, bare_p99_us = np.percentile(waits_us[bare], (50, 99))
    return {
        "replies": len(waits_us[ours]),
        "replies_per_s": len(waits_us[ours]) / seconds,
        "p50_us": float(p50_us),
        "p99_us": float(p99_us),
        "bare_rep_p50_us": float(bare_p50_us),
        "bare_rep_p99_us": float(bare_p99_us),
        "p50_ratio_to_bare_rep": float(p50_us / bare_p50_us),
        "p99_ratio_to_bare_rep": float(p99_us / bare_p99_us),
    }


def _drive(context: "zmq.Context[zmq.Socket[bytes]]", url: str, seconds: float) -> list[float]:
    """Return the latencies of all clients in µs; their send times are spread evenly."""
    waits: list[list[float]] = [[] for _ in range(CLIENTS)]
    begin = time.perf_counter() + 0.05

    def client(number: int) -> None:
        with context.socket(zmq.REQ) as req:
            req.setsockopt(zmq.LINGER, 0)
            req.setsockopt(zmq.RCVTIMEO, 60_000)
            req.connect(url)
            for turn in range(max(1, round(seconds * RATE_HZ))):
                due = begin + (turn + number / CLIENTS) / RATE_HZ
                time.sleep(max(0.0, due - time.perf_counter()))
                sent = time.perf_counter()
                req.send_string(COMMAND % number)
                reply = req.recv()
                waits[number].append((time.perf_counter() - sent) * 1e6)
                if b"move" not in reply:
                    raise RuntimeError(f"the reply was {reply!r}")

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if sum(map(len, waits)) < CLIENTS * round(seconds * RATE_HZ):
        raise RuntimeError(f"some commands to {url} were not answered")
    return [wait for own in waits for wait in own[1:] or own]  # the first also connects


@contextmanager
def _serving(command: list[str]) -> Iterator[str]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            found = ""
            for line in server.stdout:
                if line.startswith("port pacbot/commands "):
                    found = line.split()[2]
                if line.strip() == "ready":
                    break
            yield found
        finally:
            server.terminate()


def _echo() -> None:
    with zmq.Context() as context, context.socket(zmq.REP) as rep:
        rep.bind("tcp://127.0.0.1:*")
        print("port pacbot/commands", rep.getsockopt_string(zmq.LAST_ENDPOINT), flush=True)
        print("ready", flush=True)
        while True:
            rep.send(rep.recv())


if __name__ == "__main__":
    _echo()
