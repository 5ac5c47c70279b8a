"""Teaching: a session that records poses of the robot, and returns them as a list at its end.

A point is the pose at the time of its message. A message that arrives late is rejected, because
the robot may have moved since.
"""

import msgspec

from rigless.robots.agv import messages as m
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.machine.path import DrivePath
from rigless.robots.agv.params import LONGEST_ID
from rigless.robots.agv.state import TeachState

MOST_BYTES = 48 * 1024  # of a result, which is one message
UNNAMED = "teach"  # the session id if none is given
LATE_S = 3.0


class Teach:
    def __init__(self, state: TeachState, publisher: Publisher, drive: DrivePath):
        self._state, self._publisher, self._drive = state, publisher, drive

    def start(self, message: m.TeachStart) -> None:
        state = self._state
        name = message.sessionId or state.session or UNNAMED
        if message.ageS > self._publisher.uptime_s():
            self._reject(name, "it was sent before this boot", message.correlationId)
        elif not 1 <= len(name) <= LONGEST_ID:
            self._reject(
                name,
                f"sessionId has {len(name)} characters, not 1 to {LONGEST_ID}",
                message.correlationId,
            )
        elif state.session and state.session != name:
            self._reject(
                name,
                f"the session {state.session!r} is still open; send teach.stop first",
                message.correlationId,
            )
        elif not state.session:
            state.session, state.points = name, []

    def record(self, message: m.TeachRecord) -> None:
        state = self._state
        if not self._is_open(message.sessionId, message.correlationId):
            return
        if message.ageS > LATE_S:
            self._reject(
                state.session, f"it arrived {message.ageS:.1f} s late", message.correlationId
            )
            return
        index = len(state.points)
        name = message.pointId[:LONGEST_ID] or f"p{index + 1}"
        point = m.TeachPoint(
            state.session, name, index, self._drive.pose_message(), message.actions
        )
        if len(msgspec.json.encode([*state.points, point])) > MOST_BYTES:
            what = (
                f"the session is full after {index} points: a result has at most {MOST_BYTES} bytes"
            )
            self._reject(state.session, what, message.correlationId)
            return
        state.points.append(point)
        self._publisher.publish("teach.point", point, message.correlationId)

    def stop(self, message: m.TeachStop) -> None:
        state = self._state
        if not self._is_open(message.sessionId, message.correlationId):
            return
        result = m.TeachResult(
            state.session, "CANCELLED" if message.cancel else "DONE", list(state.points)
        )
        state.session, state.points = "", []
        self._publisher.publish("teach.result", result, message.correlationId)

    def _is_open(self, session: str, correlation: str) -> bool:
        known = self._state.session
        if known and session in (known, ""):
            return True
        why = (
            f"the open session is {known!r}"
            if known
            else "no session is open; send teach.start first"
        )
        self._reject(session, why, correlation)
        return False

    def _reject(self, session: str, why: str, correlation: str) -> None:
        self._publisher.publish(
            "teach.result", m.TeachResult(session[:LONGEST_ID], "REJECTED", [], why), correlation
        )
