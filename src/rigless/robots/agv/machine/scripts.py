"""The script of a simulation profile: obstacles that come and go, codes, and faults.

All timed entries are in one list in order of time. `state.due_ns` is the time of the next one, so
that a tick without one costs a comparison. The faults are the kernel's own: they are shown, cleared
and ended like injected ones. They follow from the simulation, so they are not recorded as inputs.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled
from rigless.kernel.inputs import Inject
from rigless.kernel.timing.rate import to_ns
from rigless.robots.agv.machine.sensing import Sensing
from rigless.robots.agv.machine.state import MachineState
from rigless.robots.agv.profile import FaultRule, SimulationProfile
from rigless.robots.agv.services import ScriptServices

Array = NDArray[np.float64]

NEVER = 2**62
OBSTACLES, CODE, RULE = range(3)  # kinds of entries


@compiled
def pass_over(markers: Array, over: Array, x0: float, y0: float, x1: float, y1: float) -> int:
    """Find the markers (x, y, radius) that a straight motion reaches.

    `over` gets 2 for a marker that was reached, and 1 if the motion ends on it.
    """
    dx, dy, found = x1 - x0, y1 - y0, 0
    square = dx * dx + dy * dy
    for k in range(markers.shape[0]):
        mx, my, radius = markers[k, 0], markers[k, 1], markers[k, 2]
        part = (
            0.0 if square == 0.0 else min(max(((mx - x0) * dx + (my - y0) * dy) / square, 0.0), 1.0)
        )
        near = math.hypot(x0 + part * dx - mx, y0 + part * dy - my) <= radius
        ends_on = math.hypot(x1 - mx, y1 - my) <= radius
        if near and over[k] == 0.0:
            found += 1
            over[k] = 3.0 if ends_on else 2.0
        elif not ends_on:
            over[k] = 0.0
    return found


class Scripts:
    """The script of one robot."""

    def __init__(self, services: ScriptServices, profile: SimulationProfile, sensing: Sensing):
        self._services, self._sensing, self._profile = services, sensing, profile
        self.markers = np.array(
            [(mark.x, mark.y, mark.radiusM) for mark in profile.markers]
        ).reshape(-1, 3)
        self._codes = [mark.code for mark in profile.markers]
        rules = profile.faultInjectionRules
        for rule in rules:
            services.fault_targets.resolve(services.name, rule.target, rule.kind, rule.params)
        self._by_chance = [rule for rule in rules if rule.chancePerS is not None]
        self._by_distance = [rule for rule in rules if rule.afterDistanceM is not None]
        self._by_command = [rule for rule in rules if rule.onCommand is not None]
        self.watches_distance = bool(self._by_distance)
        entries = [
            (to_ns(rule.atS), RULE, i) for i, rule in enumerate(rules) if rule.atS is not None
        ]
        entries += [(to_ns(entry.atS), CODE, i) for i, entry in enumerate(profile.barcodeScript)]
        for entry in profile.obstacleScript:
            entries += [
                (to_ns(at_s), OBSTACLES, 0)
                for at_s in (entry.atS, entry.untilS)
                if at_s is not None
            ]
        self._entries = sorted(entries)

    def begin(self, state: MachineState) -> None:
        state.over = np.zeros(len(self.markers))
        state.driven = [False] * len(self._by_distance)
        state.chances_ns = [self._next_chance(i, 0) for i in range(len(self._by_chance))]
        state.due_ns = self._due_ns(state)

    def run(self, state: MachineState, now_ns: int) -> bool:
        """Carry out all due entries. Return True if the obstacles have changed."""
        moved = False
        while state.cursor < len(self._entries) and self._entries[state.cursor][0] <= now_ns:
            _, what, index = self._entries[state.cursor]
            state.cursor += 1
            if what == OBSTACLES:
                self._place_obstacles(state, now_ns)
                moved = True
            elif what == CODE:
                entry = self._profile.barcodeScript[index]
                first = self._sensing.scanners[0] if self._sensing.scanners else None
                if reader := entry.deviceId or first:
                    self._sensing.scan(state, entry.code, reader)
            else:
                self._inject(self._profile.faultInjectionRules[index], now_ns)
        for i, rule in enumerate(self._by_chance):
            if state.chances_ns[i] <= now_ns:
                if self._services.fault(rule.target, rule.kind) is None:
                    self._inject(rule, now_ns)
                state.chances_ns[i] = self._next_chance(i, now_ns + to_ns(rule.durationS or 0.0))
        state.due_ns = self._due_ns(state)
        return moved

    def moved(self, state: MachineState, x0: float, y0: float, x1: float, y1: float) -> None:
        """Let scanners read the markers on the way from one point to another."""
        if pass_over(self.markers, state.over, x0, y0, x1, y1):
            along = (self.markers[:, 0] - x0) * (x1 - x0) + (self.markers[:, 1] - y0) * (y1 - y0)
            for k in sorted(np.flatnonzero(state.over >= 2.0).tolist(), key=along.__getitem__):
                self._sensing.scan(state, self._codes[k])
                state.over[k] -= 2.0

    def driven(self, state: MachineState, odometer_m: float, now_ns: int) -> None:
        for i, rule in enumerate(self._by_distance):
            if not state.driven[i] and odometer_m >= (rule.afterDistanceM or 0.0):
                state.driven[i] = True
                self._inject(rule, now_ns)

    def command_began(self, command: str, now_ns: int) -> None:
        for rule in self._by_command:
            if rule.onCommand == command:
                self._inject(rule, now_ns)

    def _inject(self, rule: FaultRule, now_ns: int) -> None:
        services = self._services
        until_ns = None if rule.durationS is None else now_ns + to_ns(rule.durationS)
        fault = Inject(services.name, rule.target, rule.kind, rule.params, until_ns)
        services.begin_fault(fault)

    def _place_obstacles(self, state: MachineState, now_ns: int) -> None:
        ahead, placed = math.inf, []
        for entry in self._profile.obstacleScript:
            if to_ns(entry.atS) <= now_ns and (
                entry.untilS is None or now_ns < to_ns(entry.untilS)
            ):
                if entry.distanceM is not None:
                    ahead = min(ahead, entry.distanceM)
                else:
                    placed.append((entry.x, entry.y, entry.radiusM))
        state.ahead_m, state.placed = ahead, np.array(placed, dtype=float).reshape(-1, 3)

    def _next_chance(self, index: int, from_ns: int) -> int:
        """Draw the time at which a rule with a chance per second begins next.

        One with a chance of 1 begins within the second.
        """
        chance = self._by_chance[index].chancePerS or 0.0
        if chance == 0.0:
            return NEVER
        draw = self._services.random(f"rule/{index}").random()
        wait_s = draw if chance == 1.0 else math.log1p(-draw) / math.log1p(-chance)
        return from_ns + to_ns(wait_s) if wait_s < 1e9 else NEVER

    def _due_ns(self, state: MachineState) -> int:
        at = self._entries[state.cursor][0] if state.cursor < len(self._entries) else NEVER
        return min([at, *state.chances_ns])
