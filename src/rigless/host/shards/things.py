"""Exchange of loads, chargers and devices among shards, as `Share` inputs.

A shard publishes what has changed at each sample, and everything that it keeps every EVERYTHING_S,
so that lost messages are repaired. Of the latter, only differences from the last message are
applied. A shard that returns gets back what the others know about its own things.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from rigless.kernel.inputs import Share
from rigless.kernel.problems import InputError
from rigless.kernel.world import World

EVERYTHING_S = 5.0


class SharedThings:
    """The messages of one shard about things of its world.

    `publish` sends the content of a subject below that of the fleet; `apply` applies an input.
    """

    def __init__(
        self,
        number: int,
        publish: Callable[[str, bytes], None],
        apply: Callable[[Share], None],
        log: Callable[[str], None],
    ):
        self._number, self._publish, self._apply, self._log = number, publish, apply, log
        self._known: dict[int, dict[str, dict[str, Any]]] = {}  # the last states, by shard
        self._waiting: list[Share] | None = []  # until time begins
        self._kept: dict[int, Share] = {}  # of this shard, as others know it
        self._due_s = 0.0

    def send(self, world: World, now_s: float) -> None:
        """Publish what has changed, and everything from time to time."""
        content = world.outgoing()
        if now_s >= self._due_s:
            self._due_s = now_s + EVERYTHING_S
            self.send_all(world)
        if content:
            self._publish(f"things.{self._number}", msgspec.json.encode(content))

    def send_all(self, world: World) -> None:
        """Publish everything that this shard keeps."""
        if content := world.things_of(self._number):
            self._publish(f"all-things.{self._number}", msgspec.json.encode(content))

    def send_back(self, world: World, shard: int) -> None:
        """Publish what is known about the things of a shard that returns."""
        if content := world.things_of(shard):
            message = msgspec.json.encode([self._number, content])
            self._publish(f"your-things.{shard}", message)

    def receive(self, kind: str, number: int, data: bytes) -> None:
        """Take a message of another shard. Raises msgspec.MsgspecError."""
        if kind == "your-things":
            sender, content = msgspec.json.decode(data, type=tuple[int, dict[str, Any]])
            if number == self._number and self._waiting is not None:
                self._kept[sender] = Share(number, content)
            return
        content = msgspec.json.decode(data, type=dict[str, Any])
        if number == self._number:
            return
        things = content.get("things", {})
        if kind == "all-things":
            content["things"] = things = self._unknown(number, things)
            if not any(things.values()):
                return
        self._remember(number, things)
        share = Share(number, content)
        if self._waiting is None:
            self._give(share)
        else:
            self._waiting.append(share)

    def begin(self) -> None:
        """Apply what arrived before time began, and all else from now on."""
        waiting, self._waiting = self._waiting or [], None
        if self._kept:
            self._give(self._kept[min(self._kept)])
        for share in waiting:
            self._give(share)

    def _give(self, share: Share) -> None:
        try:
            self._apply(share)
        except InputError as error:
            self._log(f"things of shard {share.shard} were refused: {error}")

    def _unknown(self, shard: int, things: dict[str, Any]) -> dict[str, dict[str, Any]]:
        known = self._known.get(shard, {})
        return {
            kind: {name: one for name, one in some.items() if known.get(kind, {}).get(name) != one}
            for kind, some in things.items()
        }

    def _remember(self, shard: int, things: dict[str, Any]) -> None:
        known = self._known.setdefault(shard, {})
        for kind, some in things.items():
            known.setdefault(kind, {}).update(some)
