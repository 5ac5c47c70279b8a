"""Stations, chargers, doors and lifts that the robots of several shards use.

Theory of operation. One shard keeps each thing; the others have a copy of its state. A conveyor and
its two stations have one keeper, and so have a lift and its doors. A robot whose shard keeps the
thing uses it at once. Otherwise its shard sends a request to the keeper, again every RETRY_S until
the answer arrives. The keeper carries a request out once, however often it arrives, and publishes
the answer together with the new state of the thing. A request is identified by its robot, its
action, its thing and its time; time goes on when a shard that died returns.

A robot may lose interest before the answer arrives, for example when its command is cancelled. An
answer that nobody takes within STALE_S is undone: the load goes back, the charger is released.
"""

import zlib
from collections.abc import Iterable

from rigless.kernel.timing.rate import to_ns
from rigless.kernel.world import Shards
from rigless.worlds.layout.model import Layout
from rigless.worlds.layout.sharing.state import Answer, Request, SharedState

RETRY_S = 1.0
STALE_S = 5.0
UNDONE_BY = {"claim": "release", "take": "return", "put": "remove"}


class Sharing:
    """The keepers of the things of a world, and the messages that this shard has to send."""

    def __init__(self, layout: Layout):
        self._groups = _groups(layout)
        self._shards: Shards | None = None
        self._robots: dict[str, None] = {}
        self._keepers: dict[str, int] = {}
        self._observed = False  # messages are taken
        self._changed: set[str] = set()
        self._requests: list[Request] = []
        self._answers: list[Request] = []

    def use(self, shards: Shards) -> None:
        """Share all things among the shards of a simulation."""
        self._shards = shards if shards.number is not None else None
        self._keepers.clear()

    def join(self, robot: str) -> None:
        """Note a robot that uses the things. Only shards that step such robots keep things."""
        if robot not in self._robots:
            self._robots[robot] = None
            self._keepers.clear()

    @property
    def number(self) -> int:
        """The number of this shard, from 0, among all shards."""
        number = None if self._shards is None else self._shards.number
        return max((number or 0) - 1, 0)

    @property
    def count(self) -> int:
        return 1 if self._shards is None else self._shards.count

    def keeper(self, thing: str) -> int:
        """Return the shard that keeps a thing; 0 without shards."""
        if self._shards is None:
            return 0
        found = self._keepers.get(thing)
        if found is None:
            owners = self._shards.owners
            shards = sorted({owners[name] for name in self._robots if name in owners}) or [1]
            group = self._groups.get(thing, thing)
            found = self._keepers[thing] = shards[zlib.crc32(group.encode()) % len(shards)]
        return found

    def keeps(self, thing: str) -> bool:
        """Return True if this shard keeps a thing."""
        return self._shards is None or self.keeper(thing) == self._shards.number

    def is_own(self, shard: int) -> bool:
        """Return True if this is the number of this shard."""
        return self._shards is not None and self._shards.number == shard

    # Requests of robots of this shard

    def send(self, state: SharedState, wanted: Request, now_ns: int) -> Request:
        """Return the request that the keeper gets, which may have been made before."""
        found = state.requests.get(wanted.key)
        if found is None or not found.is_like(wanted):
            found = state.requests[wanted.key] = wanted
            found.made_ns, found.sent_ns = now_ns, -to_ns(RETRY_S)
        found.polled_ns = now_ns
        self._send_again(found, now_ns)
        return found

    def poll(self, state: SharedState, wanted: Request, now_ns: int) -> Answer | None:
        """Ask the keeper, and return its answer once it is there."""
        found = self.send(state, wanted, now_ns)
        if found.answer is not None:
            del state.requests[found.key]
        return found.answer

    def tell(self, state: SharedState, wanted: Request, now_ns: int) -> None:
        """Ask the keeper without interest in its answer."""
        found = state.requests.get(wanted.key)
        if found is not None and found.answer is not None:
            del state.requests[found.key]
        self.send(state, wanted, now_ns)

    def attend(self, state: SharedState, now_ns: int) -> None:
        """Send requests again that have no answer, and undo what nobody is interested in."""
        for key, found in list(state.requests.items()):
            if found.answer is None:
                self._send_again(found, now_ns)
            elif now_ns - found.polled_ns >= to_ns(STALE_S):
                del state.requests[key]
                undo = UNDONE_BY.get(found.action)
                if undo is not None and found.answer.granted:
                    load = found.answer.load or found.load
                    load_id = load.id if load is not None else ""
                    again = Request(found.robot, undo, found.thing, load=load, load_id=load_id)
                    self.send(state, again, now_ns)

    def _send_again(self, request: Request, now_ns: int) -> None:
        if request.answer is None and now_ns - request.sent_ns >= to_ns(RETRY_S):
            request.sent_ns = now_ns
            if self._observed:
                self._requests.append(request)

    def settle(self, state: SharedState, answers: Iterable[Request]) -> None:
        """Take the answers to requests of this shard."""
        for given in answers:
            found = state.requests.get(given.key)
            if found is not None and found.made_ns == given.made_ns and found.answer is None:
                found.answer = given.answer

    # Messages

    def changed(self, thing: str) -> None:
        """Note that the others need the new state of a thing."""
        if self._observed and self.keeps(thing):
            self._changed.add(thing)

    def answer(self, request: Request) -> None:
        """Send a request back with its answer."""
        if self._observed:
            self._answers.append(request)

    def take(self) -> tuple[set[str], list[Request], list[Request]]:
        """Return changed things, requests and answers since the last call."""
        self._observed = True
        taken = self._changed, self._requests, self._answers
        self._changed, self._requests, self._answers = set(), [], []
        return taken


def _groups(layout: Layout) -> dict[str, str]:
    """Return the name of the group of each thing that has its keeper in common with others."""
    groups: dict[str, str] = {}
    for lift in layout.lifts:
        groups |= {f"doors/{floor.door}": f"lifts/{lift.id}" for floor in lift.floors if floor.door}
    for one in layout.conveyors:
        start, end = f"stations/{one.start}", f"stations/{one.end}"
        old, new = groups.get(end, end), groups.get(start, start)
        groups |= {thing: new for thing, group in groups.items() if group == old}
        groups |= {start: new, end: new, f"belts/{one.id}": new}
    return groups
