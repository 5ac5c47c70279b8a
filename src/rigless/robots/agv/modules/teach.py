"""Teaching: a session in which places are recorded where the robot stands, and given back as a list at its end.

A place is where the robot stands when it is told; who is told late, after an outage or a restart, stands elsewhere by then, so that is refused.
"""

from typing import TYPE_CHECKING

import msgspec

from rigless.robots.agv import messages as m
from rigless.robots.agv.params import LONGEST_ID

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

MOST_BYTES = 48 * 1024  # of a result, which is one message
UNNAMED = "teach"  # a session that was given no id
LATE_S = 3.0


class Teach:
    def __init__(self, robot: "Agv"):
        self.robot = robot

    def start(self, message: m.TeachStart) -> None:
        state = self.robot.state.teach
        name = message.sessionId or state.session or UNNAMED
        if message.ageS > self.robot.publisher.uptime_s():
            self._reject(name, "it was said before this boot", message.correlationId)
        elif not 1 <= len(name) <= LONGEST_ID:
            self._reject(
                name,
                f"sessionId has {len(name)} characters, not 1 to {LONGEST_ID}",
                message.correlationId,
            )
        elif state.session and state.session != name:
            self._reject(
                name,
                f"the session {state.session!r} is not over; teach.stop ends it",
                message.correlationId,
            )
        elif not state.session:
            state.session, state.points = name, []

    def record(self, message: m.TeachRecord) -> None:
        state = self.robot.state.teach
        if not self._is_open(message.sessionId, message.correlationId):
            return
        if message.ageS > LATE_S:
            self._reject(state.session, f"it came {message.ageS:.1f} s late", message.correlationId)
            return
        index = len(state.points)
        name = message.pointId[:LONGEST_ID] or f"p{index + 1}"
        point = m.TeachPoint(state.session, name, index, self.robot.pose(), message.actions)
        if len(msgspec.json.encode([*state.points, point])) > MOST_BYTES:
            what = f"no room for a point after {index}: what a session gives has at most {MOST_BYTES} bytes"
            self._reject(state.session, what, message.correlationId)
            return
        state.points.append(point)
        self.robot.publisher.publish("teach.point", point, message.correlationId)

    def stop(self, message: m.TeachStop) -> None:
        state = self.robot.state.teach
        if not self._is_open(message.sessionId, message.correlationId):
            return
        result = m.TeachResult(
            state.session, "CANCELLED" if message.cancel else "DONE", list(state.points)
        )
        state.session, state.points = "", []
        self.robot.publisher.publish("teach.result", result, message.correlationId)

    def _is_open(self, session: str, correlation: str) -> bool:
        known = self.robot.state.teach.session
        if known and session in (known, ""):
            return True
        why = (
            f"the session that runs is {known!r}"
            if known
            else "no session runs; teach.start begins one"
        )
        self._reject(session, why, correlation)
        return False

    def _reject(self, session: str, why: str, correlation: str) -> None:
        self.robot.publisher.publish(
            "teach.result", m.TeachResult(session[:LONGEST_ID], "REJECTED", [], why), correlation
        )
