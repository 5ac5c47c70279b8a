"""Requests of 3.0 for zones and corridors, and the answers of the master.

Without an answer nothing is granted. A release may be revoked, or end with its lease.
"""

from collections.abc import Callable

from msgspec.structs import replace

from rigless.robots.agv.services import Clock
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.errors import Rejected
from rigless.robots.agv.vda5050_model.state import VdaState

Named = str | int | r.Trajectory | None  # what a request refers to
MOST_REQUESTS = 100
GRANTED, REJECTED, EXPIRED = "GRANTED", "REJECTED", "EXPIRED"
LOST = ("REVOKED", EXPIRED)
SHOWN = {REJECTED: "REVOKED", "QUEUED": "REQUESTED"}  # the schema of 3.0 lacks these two


class Releases:
    """`deadline_ns` converts a time of the master to simulated time. It raises ValueError."""

    def __init__(self, clock: Clock, state: VdaState, deadline_ns: Callable[[str], int]):
        self._clock, self._state, self._deadline_ns = clock, state, deadline_ns

    def released(self, key: str, ask: str, **names: Named) -> bool:
        """Return True if a release is granted; else make a request of the kind `ask`."""
        state = self._state
        found = state.requests.get(key)
        if found is not None and found.requestStatus == GRANTED:
            return True
        again = found is None or found.requestStatus in LOST
        if ask and again and len(state.requests) < MOST_REQUESTS:
            state.asked += 1
            state.requests[key] = m.Request(
                requestId=f"request-{state.asked}",
                requestType=ask,
                requestStatus="REQUESTED",
                **names,  # type: ignore[arg-type]
            )
            state.session.changed = True
        return False

    def answer(self, given: r.Response) -> None:
        """Take the answer to a request; an unknown one is ignored. Raises Rejected."""
        state = self._state
        for key, request in list(state.requests.items()):
            if request.requestId == given.requestId:
                state.leases.pop(key, None)
                if given.leaseExpiry and given.grantType == GRANTED:
                    state.leases[key] = self._lease_ns(given.leaseExpiry)
                self._set(key, given.grantType)

    def _lease_ns(self, text: str) -> int:
        try:
            return self._deadline_ns(text)
        except ValueError:
            what = f"leaseExpiry {text[:40]!r} is not a time"
            raise Rejected("invalid", what) from None

    def expire(self) -> None:
        """End the leases whose time is over."""
        leases, now_ns = self._state.leases, self._clock.now_ns
        over = [key for key, end_ns in leases.items() if now_ns >= end_ns]
        for key in over:
            del leases[key]
            self._set(key, EXPIRED)

    def _set(self, key: str, status: str) -> None:
        requests = self._state.requests
        requests[key] = replace(requests[key], requestStatus=status)
        if status == GRANTED and key in self._state.spans:
            self.forget_lost(requests[key].zoneId or "")
        self._state.zones_changed = self._state.session.changed = True

    def open(self, kind: str) -> list[m.Request]:
        """Return the open requests: zone or edge."""
        return [
            replace(request, requestStatus=SHOWN.get(request.requestStatus, request.requestStatus))
            for key, request in self._state.requests.items()
            if key.startswith(kind)
        ]

    def forget(self, key: str) -> None:
        """Drop a request."""
        self._state.requests.pop(key, None)
        self._state.leases.pop(key, None)
        self._state.spans.pop(key, None)

    def forget_lost(self, zone: str) -> None:
        """Drop the requests for paths through a zone whose release was lost."""
        for key in list(self._state.spans):
            request = self._state.requests.get(key)
            if request is not None and request.zoneId == zone and request.requestStatus in LOST:
                self.forget(key)


def key_of(part: r.Edge | r.Zone) -> str:
    """Return the key of the request for an edge or a zone."""
    if isinstance(part, r.Edge):
        return f"edge/{part.edgeId}/{part.sequenceId}"
    return f"zone/{part.zoneId}"
