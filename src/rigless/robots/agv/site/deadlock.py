"""Deadlocks: robots that block each other in a circle say so.

A circle that lasts for `CONFIRM_S` is published as the event DEADLOCK by each of its robots, with
the names of all of them, and cleared when it opens.
"""

from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.services import Clock
from rigless.robots.agv.state import CoreState

DEADLOCK = "DEADLOCK"
CONFIRM_S, PERIOD_S = 2.0, 0.5


class Deadlocks:
    def __init__(self, clock: Clock, state: CoreState, machine: Machine, events: Events):
        self._clock, self._state, self._machine, self._events = clock, state, machine, events

    @property
    def due_ns(self) -> int:
        """The time of the next look."""
        return self._state.circle_due_ns

    def tick(self) -> None:
        """Look for a circle every half a second while the robot is blocked."""
        state, now_ns = self._state, self._clock.now_ns
        if now_ns < state.circle_due_ns:
            return
        state.circle_due_ns = now_ns + to_ns(PERIOD_S)
        circle = self._machine.protection.circle()
        if not circle:
            state.circle_ns = 0
            self._events.clear(DEADLOCK)
            return
        state.circle_ns = state.circle_ns or now_ns
        if DEADLOCK not in state.conditions and now_ns - state.circle_ns >= to_ns(CONFIRM_S):
            text = f"these robots block each other: {', '.join(circle)}"
            self._events.raise_(DEADLOCK, DEADLOCK, "ERROR", "robot", text, {"robots": circle})
