"""A running `rigless` process and its control API."""

import os
import signal
from pathlib import Path
from typing import Any

import httpx

from conftest import DEADLINE_S, Process
from forked import Forked

LEFT_OUT = ("RIGLESS_URL", "RIGLESS_TOKEN", "PYTHONUNBUFFERED")


class Server(Process):
    """`rigless run` (or `open`) with a panel, in a working folder of its own for recordings."""

    def __init__(self, words: tuple[str, ...], folder: Path, port: int = 0, verb: str = "run"):
        self.folder, self._verb = folder, verb
        self.out, self.err = folder / "stdout", folder / "stderr"
        self._words = words
        self._start(f"127.0.0.1:{port}")

    def _start(self, address: str) -> None:
        runtime = self.folder / "runtime"
        runtime.mkdir(exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
        environment = {
            **kept,
            "XDG_RUNTIME_DIR": str(runtime),
            "NO_COLOR": "1",
            "TERM": "dumb",
            "COLUMNS": "200",
        }
        words = (self._verb, *self._words, "--panel", address)
        words += ("--recordings", str(self.folder)) if self._verb == "run" else ()
        for path in (self.out, self.err):  # of the process before, if it restarts
            path.unlink(missing_ok=True)
        self.popen = Forked(words, self.out, self.err, environment, self.folder)
        try:
            self.wait_ready()
        except AssertionError:
            self.popen.kill()  # no other test uses it yet
            self.popen.wait()
            raise
        headers = {} if "--no-auth" in self._words else {"Authorization": f"Bearer {self.token}"}
        self._awake = True
        self.http = httpx.Client(base_url=self.url, headers=headers, timeout=DEADLINE_S)

    @property
    def entrance(self) -> str:
        """The URL with the token, as it was printed."""
        return self._panel

    def leave(self) -> str:
        """Stop the process and return its address."""
        address = self.url.removeprefix("http://")
        self.end()
        return address

    def come_back(self, address: str) -> None:
        self._start(address)

    def end(self, signum: int = signal.SIGTERM) -> int:
        self.http.close()
        return super().end(signum) if self.popen.poll() is None else self.popen.returncode

    # Requests

    def get(self, path: str) -> Any:
        return self._good(self.http.get(path))

    def post(self, path: str, **body: Any) -> Any:
        return self._good(self.http.post(path, json=body))

    def delete(self, path: str) -> Any:
        return self._good(self.http.delete(path))

    def _good(self, answer: httpx.Response) -> Any:
        assert answer.status_code == 200, answer.text
        return answer.json()

    def status(self) -> dict[str, Any]:
        return self.get("/api/status")

    def robot(self, name: str) -> dict[str, Any]:
        return self.get(f"/api/robots/{name}")

    def truth(self, name: str = "vacuum") -> dict[str, Any]:
        return self.get(f"/api/robots/{name}/truth")["truth"]

    def faults(self) -> list[dict[str, Any]]:
        return self.get("/api/faults")

    def reset_and_run(self) -> "Server":
        """Reset everything except recordings and snapshots, and run."""
        self.delete("/api/deck")
        if self.status()["recording"]:
            self.delete("/api/recording")
        self.post("/api/reset")
        self.post("/api/speed", speed=1)
        self.post("/api/resume")
        self._awake = True
        return self

    def rest(self) -> None:
        """Pause until the next reset."""
        if self._awake and self.popen.poll() is None:
            self.post("/api/pause")
        self._awake = False
