"""Subjects whose messages are all acknowledged: a reply subject for each, and a count of replies.

JetStream's acknowledgements arrive in runs of hundreds. They are counted without a call for each;
every other reply is passed to a handler.
"""

from collections.abc import Callable
from typing import Any

from rigless.transports.jetstream import protocol

OnReply = Callable[[Any, int, bytes, bytes], None]  # subject, status, header block, payload


class Followed:
    """A subject. `replies` counts all replies to its messages."""

    __slots__ = ("number", "on_reply", "replies", "reply", "subject")

    def __init__(self, number: bytes, reply: str, subject: str, on_reply: OnReply):
        self.number, self.reply, self.subject, self.on_reply = number, reply, subject, on_reply
        self.replies = 0


class FollowedSubjects:
    """The followed subjects of a connection, whose replies are on INBOX.a<number>."""

    def __init__(self, inbox: str):
        self._inbox, self._last = inbox, 0
        self._by_number: dict[bytes, Followed] = {}

    def add(self, subject: str, on_reply: OnReply) -> Followed:
        self._last += 1
        number = b"%d" % self._last
        found = Followed(number, f"{self._inbox}.a{self._last}", subject, on_reply)
        self._by_number[number] = found
        return found

    def remove(self, followed: Followed) -> None:
        self._by_number.pop(followed.number, None)

    def acknowledged(self, numbers: list[bytes]) -> None:
        """Count a run of acknowledgements."""
        followed = self._by_number
        for number in numbers:
            found = followed.get(number)
            if found is not None:
                found.replies += 1

    def take(self, name: str, headers: bytes, data: bytes) -> bool:
        """Take a reply if the last token of its subject is one of ours."""
        if not name.startswith("a"):
            return False
        found = self._by_number.get(name[1:].encode())
        if found is not None:
            found.replies += 1
            found.on_reply(found.subject, protocol.status(headers), headers, data)
        return True

    def deny(self, subject: str, status: int) -> bool:
        """Pass on that messages to a subject are not permitted."""
        denied = [one for one in self._by_number.values() if one.subject == subject]
        for one in denied:
            one.on_reply(subject, status, b"", b"")
        return bool(denied)
