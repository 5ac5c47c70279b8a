"""A client for programs that advance simulated time themselves, in lockstep with the robot.

    from rigless.clients.lockstep import Lockstep

    clock = Lockstep()             # RIGLESS_URL and RIGLESS_TOKEN, which rigless sets for programs
    while clock.time_s < 10.0:
        robot.send(command)        # received by the robot before time advances
        clock.step(ms=20)          # all messages of these 20 ms have been sent when it returns
        readings = robot.receive()

It needs only the standard library. In any language the same is one HTTP request a step: POST
/api/step with the JSON body {"ms": 20} and the header `Authorization: Bearer TOKEN`; the answer
holds `time_s` and `state`.
"""

import http.client
import json
import os
from typing import Any
from urllib.parse import urlsplit


class LockstepError(Exception):
    """The simulation cannot be stepped: it has ended, or it does not run in lockstep."""


class Lockstep:
    """The clock of a simulation that runs in lockstep.

    clock = Lockstep("http://127.0.0.1:8080", token)
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, timeout_s: float = 60.0
    ) -> None:
        url = url or os.environ.get("RIGLESS_URL", "")
        if not url:
            raise LockstepError(
                "no simulation to step: set RIGLESS_URL, or start this as a program of a scenario "
                "with lockstep = true"
            )
        self._token = token if token is not None else os.environ.get("RIGLESS_TOKEN", "")
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(
            parts.hostname or "127.0.0.1", parts.port or 80, timeout=timeout_s
        )
        self._status = self._request("GET", "/api/status")

    @property
    def time_s(self) -> float:
        """The simulated time after the last step."""
        return float(self._status["time_s"])

    def step(self, ms: float) -> float:
        """Advance by this many milliseconds and return the simulated time in seconds."""
        before = self.time_s
        self._status = self._request("POST", "/api/step", {"ms": ms})
        if self._status["state"] == "failed":
            raise LockstepError(f"the simulation has failed: {self._status['failure']}")
        if ms > 0 and self.time_s == before:
            raise LockstepError(f"the run has ended at {before:g} s")
        return self.time_s

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            self._connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = self._connection.getresponse()
            text = answer.read()
        except OSError as error:
            raise LockstepError(f"the simulation does not answer: {error}") from None
        if answer.status != 200:
            raise LockstepError(f"step refused: {answer.status} {text.decode(errors='replace')}")
        return json.loads(text)
