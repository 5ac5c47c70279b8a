"""Publishes the latest-wins messages of one robot, each acknowledged by its stream.

Nothing waits for an acknowledgement. All messages of a subject name one reply subject, so that the
connection counts their acknowledgements without a call for each. About once a second the counts
are compared: messages that are not acknowledged within ANSWER_S are reported as lost.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from rigless.transports.jetstream import streams
from rigless.transports.jetstream.connection import (
    DENIED,
    LOST,
    NO_REPLIES,
    NO_RESPONDERS,
    Connection,
)
from rigless.transports.jetstream.errors import Log, PermissionDeniedError
from rigless.transports.jetstream.followed import Followed

ANSWER_S = 5.0

_answer = msgspec.json.Decoder(streams.PubAck)


@dataclass
class _Subject:
    """A subject: messages sent on it, and how many of them were known at the last checks."""

    followed: Followed
    sent: int = 0
    refused: int = 0  # replies that are errors
    stored: int = 0  # replies that are none, at the last tick
    was_refused: int = 0  # at the last tick
    marked: int = 0  # messages sent until `marked_s`
    marked_stored: int = 0  # messages stored until then
    marked_s: float = 0.0


class LatestPublisher:
    """Publishes latest-wins messages of one robot.

    `check` is called with a subject that has no responders, `is_election` with the code of an
    error, `stored` when a message is stored.
    """

    def __init__(
        self,
        connection: Connection,
        stream: str,
        log: Log,
        check: Callable[[str, str], None],
        is_election: Callable[[int], bool],
        stored: Callable[[], None],
    ):
        self.stream, self.acknowledges = stream, True
        self.lost = 0  # messages that were not stored, since the owner last looked
        self._connection, self._log = connection, log
        self._check, self._is_election, self._stored = check, is_election, stored
        self._subjects: dict[str, _Subject] = {}
        self._rejected: dict[str, str] = {}  # rejected subject → reason

    @property
    def problem(self) -> str:
        """The reason why messages are not stored at present, or ""."""
        lost = (f"messages to {subject} are lost: {why}" for subject, why in self._rejected.items())
        return next(lost, "")

    def publish(self, subject: str, data: bytes, headers: bytes) -> None:
        if not self.acknowledges:
            self._connection.publish(subject, data, "", headers)
            return
        found = self._subjects.get(subject)
        if found is None:
            followed = self._connection.followed.add(subject, self._replied)
            found = self._subjects[subject] = _Subject(followed)
            found.marked_s = asyncio.get_running_loop().time()
        found.sent += 1
        self._connection.publish(subject, data, found.followed.reply, headers)

    def end(self) -> None:
        """Forget the messages in flight."""
        for one in self._subjects.values():
            self._connection.followed.remove(one.followed)
        self._subjects.clear()

    def not_taken(self, subject: str, why: str) -> None:
        """Report that messages of a subject are lost, unless this was reported before."""
        if self._rejected.get(subject) != why:
            self._rejected[subject] = why
            self._log(f"messages to {subject} are lost: {why}", "error")

    def _replied(self, subject: str, status: int, headers: bytes, data: bytes) -> None:
        """Handle a reply that is not known to be an acknowledgement."""
        found = self._subjects.get(subject)
        if found is None or status in (LOST, NO_REPLIES):
            return
        if status == DENIED:
            found.sent = found.marked = found.followed.replies  # there are no replies
            self._refuse(found)
            self.not_taken(subject, str(PermissionDeniedError("publish to", subject)))
        elif status == NO_RESPONDERS:
            self._refuse(found)
            self._check(subject, self.stream)
        else:
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                error = _answer.decode(data).error
                if error is not None:
                    self._refuse(found)
                    if not self._is_election(error.err_code):
                        self.not_taken(subject, f"{error.description} (error {error.err_code})")

    def _refuse(self, one: _Subject, count: int = 1) -> None:
        one.refused += count
        self.lost += count

    def tick(self, now_s: float) -> None:
        """Compare messages and acknowledgements. Call about once a second."""
        for subject, one in self._subjects.items():
            stored = one.followed.replies - one.refused
            if stored > one.stored and one.refused == one.was_refused:
                self._stored()
                if self._rejected.pop(subject, None):
                    self._log(f"the stream {self.stream} accepts {subject} again", "info")
            one.stored, one.was_refused = stored, one.refused
            if now_s - one.marked_s >= ANSWER_S:
                self._give_up(subject, one)
                one.marked, one.marked_stored, one.marked_s = one.sent, one.stored, now_s

    def _give_up(self, subject: str, one: _Subject) -> None:
        """Report messages that were sent before the last mark and have no reply."""
        missing = one.marked - one.followed.replies
        if missing > 0:
            one.followed.replies += missing
            self._refuse(one, missing)
            one.was_refused = one.refused  # a reply from now on says that messages are stored
            if one.stored == one.marked_stored:  # else only some were lost, as by a new leader
                why = f"no answer from the stream {self.stream} within {ANSWER_S:g} s"
                self.not_taken(subject, why)
