"""Traffic: holds, speed limits, blocked zones and grants of traffic control, each with a lease.

A control ends when it is released or its validUntil has passed. Controls may be duplicated and
reordered: of one controlId and kind only a higher `seq` counts, and a hold that is older than its
release has no effect.
"""

import math
from typing import Any, Protocol

from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules import zones
from rigless.robots.agv.modules.events import Events
from rigless.robots.agv.motion.chassis import reach_m
from rigless.robots.agv.params import LONGEST_ID
from rigless.robots.agv.services import Clock
from rigless.robots.agv.state import CoreState, TrafficState, Zone
from rigless.robots.agv.units import unit_of

KINDS = ("HOLD", "SPEED_LIMIT", "ZONE_BLOCK", "GRANT")
NEVER_NS = 2**62
MOST = 200  # controls of one kind
MOST_SEQS = 5000
FIRST_SEQ = 1
MARGIN_M = 0.03  # between the footprint and a blocked zone
STAY_M = 0.02  # hysteresis before a robot that brakes for a zone continues
REROUTE_AFTER_NS = 5_000_000_000
FASTEST_MPS = 100.0


class RouteProgress(Protocol):
    """The module that follows routes."""

    def progress(self) -> tuple[str | None, float | None, list[str]]: ...

    def request_detour(self, zones: list[str]) -> None: ...


class Traffic:
    def __init__(
        self,
        clock: Clock,
        state: TrafficState,
        core: CoreState,
        config: RobotConfig,
        machine: Machine,
        publisher: Publisher,
        events: Events,
        route: RouteProgress,
    ):
        self._clock, self._state, self._core = clock, state, core
        self._machine, self._publisher, self._events = machine, publisher, events
        self._route, self._tick_s = route, 1.0 / config.runtime.tickHz
        size = config.dimensions
        self._length_m, self._width_m = size.lengthMm / 1000, size.widthMm / 1000
        self._reach_m = reach_m(config)
        # Distance to a zone at which the robot can still turn away from it.
        self._room_m = self._reach_m - self._length_m / 2 + MARGIN_M

    # Controls

    def receive(self, message: m.TrafficControl) -> None:
        state, name = self._state, message.controlId
        if not 1 <= len(name) <= LONGEST_ID:
            self._reject(f"controlId has {len(name)} characters, not 1 to {LONGEST_ID}", name)
            return
        if not self._is_new(name, message.kind, message.seq):
            return
        try:
            until_ns = (
                self._publisher.deadline_ns(message.validUntil, message.receivedAtNs)
                if message.validUntil
                else NEVER_NS
            )
            # A release never expires.
            if until_ns > self._clock.now_ns or message.kind == "RELEASE":
                self._apply(name, message, until_ns)
        except ValueError as error:
            self._reject(f"{message.kind} {name[:40]}: {error}", name)
        self._update()
        self._core.changed = True
        state.seqs = (
            dict(list(state.seqs.items())[-MOST_SEQS:])
            if len(state.seqs) > MOST_SEQS
            else state.seqs
        )

    def _is_new(self, name: str, kind: str, seq: int) -> bool:
        """Record the seq. Return False for a duplicate, or a control older than its release."""
        seqs = self._state.seqs
        others = KINDS if kind == "RELEASE" else ("RELEASE",)
        if seq <= seqs.get(f"{name}/{kind}", -1) or any(
            seq < seqs.get(f"{name}/{other}", -1) for other in others
        ):
            return False
        seqs.pop(f"{name}/{kind}", None)
        seqs[f"{name}/{kind}"] = seq
        return True

    def _apply(self, name: str, message: m.TrafficControl, until_ns: int) -> None:
        state = self._state
        match message.kind:
            case "HOLD":
                _put(state.holds, name, until_ns)
            case "RELEASE":
                self._release(name, message.value, message.seq)
            case "SPEED_LIMIT":
                if message.value is None:
                    state.limits.pop(name, None)
                else:
                    _put(state.limits, name, (_speed(message.value), until_ns))
            case "ZONE_BLOCK":
                given = message.zone if message.zone is not None else message.value
                shape = zones.read(given)
                _put(state.zones, name, Zone(*shape, zones.around(*shape), until_ns))
            case "GRANT":
                zone = message.value if isinstance(message.value, str) else name
                _put(state.grants, name, (zone, until_ns))

    def _release(self, name: str, value: Any, seq: int) -> None:
        """End the named control.

        If the control is unknown, a later arrival of it with a lower seq has no effect. Some
        backends give every message its own controlId and one running seq: a release that names
        only itself also ends every hold with a lower seq.
        """
        state = self._state
        given = value.get("controlId") if isinstance(value, dict) else value
        named = given if isinstance(given, str) and given else name
        if len(named) > LONGEST_ID:
            raise ValueError(
                f"value has {len(named)} characters, more than a controlId may have ({LONGEST_ID})"
            )
        held: tuple[dict[str, Any], ...] = (state.holds, state.limits, state.zones, state.grants)
        if any(named in kind for kind in held) or any(
            f"{named}/{kind}" in state.seqs for kind in KINDS
        ):
            for kind in held:
                kind.pop(named, None)
        else:
            if value is None:
                seqs = {hold: state.seqs.get(f"{hold}/HOLD", 0) for hold in state.holds}
                state.holds = {
                    hold: end
                    for hold, end in state.holds.items()
                    if seqs[hold] >= max(seq, FIRST_SEQ + 1)
                }
            state.seqs[f"{named}/RELEASE"] = max(seq, state.seqs.get(f"{named}/RELEASE", seq))
            what = (
                f"RELEASE {name[:40]}: control {named[:40]!r} is unknown;"
                " messages of it with a lower seq will be ignored"
            )
            self._events.notice("UNKNOWN_CONTROL", "INFO", "traffic", what, {"controlId": named})
        # A grant ends with its zone.
        state.grants = {key: grant for key, grant in state.grants.items() if grant[0] != named}

    def _reject(self, why: str, name: str) -> None:
        data = {"controlId": name[:LONGEST_ID]}
        self._events.notice("INVALID_PARAMS", "WARNING", "traffic", why, data)

    # Ticks

    def tick(self) -> None:
        state, now_ns = self._state, self._clock.now_ns
        if now_ns >= state.next_ns:
            state.holds = {name: until for name, until in state.holds.items() if until > now_ns}
            state.limits = {
                name: limit for name, limit in state.limits.items() if limit[1] > now_ns
            }
            state.zones = {
                name: zone for name, zone in state.zones.items() if zone.until_ns > now_ns
            }
            state.grants = {
                name: grant for name, grant in state.grants.items() if grant[1] > now_ns
            }
            self._update()
            self._core.changed = True
        if state.zones or state.blocked:
            self._look_ahead()

    def _update(self) -> None:
        """Update the time of the next expiry, and the speed limit."""
        state = self._state
        ends = [
            *state.holds.values(),
            *(end for _, end in (*state.grants.values(), *state.limits.values())),
        ]
        state.next_ns = min(
            [*ends, *(zone.until_ns for zone in state.zones.values())], default=NEVER_NS
        )
        self._machine.drive.limit_speed(
            min((limit[0] for limit in state.limits.values()), default=None)
        )

    def _look_ahead(self) -> None:
        """Find the zones that the robot must stop for. It may leave a zone that it is inside."""
        state, drive = self._state, self._machine.drive
        blocked: list[str] = []
        if drive.path_left:
            pose = drive.pose
            v, _ = drive.velocity
            body = zones.footprint(pose, self._length_m, self._width_m)
            disc = (pose[0], pose[1], self._reach_m)
            ahead_m = drive.stop_distance_m + 2 * abs(v) * self._tick_s + self._room_m
            stay_m = ahead_m + 2 * drive.top_mps * self._tick_s + STAY_M
            size = self._length_m, self._width_m
            ahead = zones.swept(pose, *size, ahead_m, MARGIN_M, drive.backwards)
            farther = (
                zones.swept(pose, *size, stay_m, MARGIN_M, drive.backwards)
                if state.blocked
                else ahead
            )
            turning, granted = drive.turning, [zone for zone, _ in state.grants.values()]
            for name, zone in state.zones.items():
                shape, (x, y, radius_m) = (zone.corners, zone.circle), zone.around
                if (
                    name in granted
                    or math.hypot(x - pose[0], y - pose[1])
                    > radius_m + self._reach_m + stay_m + 1.0
                ):
                    continue
                if zones.touches(body, *shape):
                    continue
                swept = farther if name in state.blocked else ahead
                if zones.disc_touches(disc, *shape) if turning else zones.touches(swept, *shape):
                    blocked.append(name)
        if blocked != state.blocked:
            state.blocked_ns = self._clock.now_ns if not state.blocked else state.blocked_ns
            state.blocked = blocked
        elif blocked and self._clock.now_ns - state.blocked_ns >= REROUTE_AFTER_NS:
            self._route.request_detour(blocked)

    def detour_answered(self) -> None:
        """Wait before the next request, if the path stays blocked."""
        self._state.blocked_ns = self._clock.now_ns

    # Messages

    def publish_state(self) -> None:
        publisher = self._publisher
        if not publisher.wanted():
            publisher.skip("traffic.state")
            return
        state, drive = self._state, self._machine.drive
        v, omega = drive.velocity
        edge, s, nodes = self._route.progress()
        ids = [*state.holds, *state.blocked]
        message = m.TrafficState(
            drive.pose_message(),
            m.Velocity(round(v, 4), round(omega, 4)),
            self._machine.protection.footprint_message(),
            nodes,
            bool(ids),
            ids,
            round(drive.stop_distance_m, 4),
            edge,
            s,
        )
        publisher.publish("traffic.state", message)


def _put(table: dict[str, Any], key: str, value: Any) -> None:
    if key not in table and len(table) >= MOST:
        raise ValueError(f"there are already {MOST} controls of this kind; release some")
    table[key] = value


def _speed(value: Any) -> float:
    """Return a speed in m/s from a number, {mps}, or {unit, value} as in the configuration."""
    si, given = 1.0, value
    if isinstance(value, dict):
        given = value.get("mps", value.get("value"))
        si = unit_of(str(value["unit"]), "speed", "linear").si if "unit" in value else 1.0
    if (
        isinstance(given, bool)
        or not isinstance(given, int | float)
        or not 0 <= given * si <= FASTEST_MPS
    ):
        raise ValueError(
            f"value: expected {{mps}} or {{unit, value}}, a speed of 0 to {FASTEST_MPS:g} m/s"
        )
    return float(given) * si
