"""Traffic: holds, speed limits and blocked zones from the fleet's control, each until it is released or its time has passed; and where the
robot is on its way, for that control.

Controls may come twice and out of order: of one controlId and kind only a higher `seq` counts, and a hold that is older than its
release does not come back, nor begin after it.
"""

import math
from typing import TYPE_CHECKING, Any

from rigless.robots.agv import messages as m
from rigless.robots.agv.modules import zones
from rigless.robots.agv.motion.chassis import reach_m
from rigless.robots.agv.params import LONGEST_ID
from rigless.robots.agv.state import Zone
from rigless.robots.agv.units import unit_of

if TYPE_CHECKING:
    from rigless.robots.agv.robot import Agv

KINDS = ("HOLD", "SPEED_LIMIT", "ZONE_BLOCK", "GRANT")
NEVER_NS = 2**62
MOST = 200  # controls of one kind, and zones that are looked at
MOST_SEQS = 5000
FIRST_SEQ = 1
MARGIN_M = 0.03  # kept between the body and a blocked zone
STAY_M = 0.02  # so much farther a zone must be to let go of a robot that brakes for it
REROUTE_AFTER_NS = 5_000_000_000
FASTEST_MPS = 100.0


class Traffic:
    def __init__(self, robot: "Agv"):
        self.robot = robot
        size = robot.config.dimensions
        self.length_m, self.width_m = size.lengthMm / 1000, size.widthMm / 1000
        self.reach_m = reach_m(robot.config)
        self.room_m = (
            self.reach_m - self.length_m / 2 + MARGIN_M
        )  # so much is left before a zone that it can turn away

    # In

    def hear(self, message: m.TrafficControl) -> None:
        state, name = self.robot.state.traffic, message.controlId
        if not 1 <= len(name) <= LONGEST_ID:
            self._reject(f"controlId has {len(name)} characters, not 1 to {LONGEST_ID}", name)
            return
        if not self._newer(name, message.kind, message.seq):
            return
        try:
            until_ns = (
                self.robot.publisher.deadline_ns(message.validUntil, message.receivedAtNs)
                if message.validUntil
                else NEVER_NS
            )
            if (
                until_ns > self.robot.now_ns or message.kind == "RELEASE"
            ):  # which is not undone by coming late
                self._take(name, message, until_ns)
        except ValueError as error:
            self._reject(f"{message.kind} {name[:40]}: {error}", name)
        self._arrange()
        self.robot.state.core.changed = True
        state.seqs = (
            dict(list(state.seqs.items())[-MOST_SEQS:])
            if len(state.seqs) > MOST_SEQS
            else state.seqs
        )

    def _newer(self, name: str, kind: str, seq: int) -> bool:
        """Of its kind; and not older than a release of the same control, nor a release than what it would release."""
        seqs = self.robot.state.traffic.seqs
        others = KINDS if kind == "RELEASE" else ("RELEASE",)
        if seq <= seqs.get(f"{name}/{kind}", -1) or any(
            seq < seqs.get(f"{name}/{other}", -1) for other in others
        ):
            return False
        seqs.pop(f"{name}/{kind}", None)
        seqs[f"{name}/{kind}"] = seq
        return True

    def _take(self, name: str, message: m.TrafficControl, until_ns: int) -> None:
        state = self.robot.state.traffic
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
        """What it names, if that is not over yet. What it names and was never heard of will do nothing when it comes. Some backends give every word
        an id of its own and count on: one that names nothing known, by its own id alone, also ends every hold that was said before it."""
        state = self.robot.state.traffic
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
                said = {hold: state.seqs.get(f"{hold}/HOLD", 0) for hold in state.holds}
                state.holds = {
                    hold: end
                    for hold, end in state.holds.items()
                    if said[hold] >= max(seq, FIRST_SEQ + 1)
                }
            state.seqs[f"{named}/RELEASE"] = max(seq, state.seqs.get(f"{named}/RELEASE", seq))
            what = f"RELEASE {name[:40]}: nothing was heard of a control {named[:40]!r}; what comes of it with a lower seq does nothing"
            self.robot.core.notice("UNKNOWN_CONTROL", "INFO", "traffic", what, {"controlId": named})
        state.grants = {
            key: grant for key, grant in state.grants.items() if grant[0] != named
        }  # with its zone

    def _reject(self, why: str, name: str) -> None:
        self.robot.core.notice(
            "INVALID_PARAMS", "WARNING", "traffic", why, {"controlId": name[:LONGEST_ID]}
        )

    # As time goes by

    def tick(self) -> None:
        state, now_ns = self.robot.state.traffic, self.robot.now_ns
        if now_ns >= state.next_ns:
            state.holds = {name: until for name, until in state.holds.items() if until > now_ns}
            state.limits = {name: one for name, one in state.limits.items() if one[1] > now_ns}
            state.zones = {
                name: zone for name, zone in state.zones.items() if zone.until_ns > now_ns
            }
            state.grants = {
                name: grant for name, grant in state.grants.items() if grant[1] > now_ns
            }
            self._arrange()
            self.robot.state.core.changed = True
        if state.zones or state.blocked:
            self._look_ahead()

    def _arrange(self) -> None:
        """When something ends next, and how fast the robot may be."""
        state = self.robot.state.traffic
        ends = [
            *state.holds.values(),
            *(end for _, end in (*state.grants.values(), *state.limits.values())),
        ]
        state.next_ns = min(
            [*ends, *(zone.until_ns for zone in state.zones.values())], default=NEVER_NS
        )
        self.robot.machine.limit_speed(
            min((limit[0] for limit in state.limits.values()), default=None)
        )

    def _look_ahead(self) -> None:
        """Stand before a zone that what is driven would touch. One that the robot is in already does not keep it there."""
        robot, state, machine = self.robot, self.robot.state.traffic, self.robot.machine
        blocked: list[str] = []
        if machine.path_left:
            pose = machine.pose
            v, _ = machine.velocity
            body = zones.footprint(pose, self.length_m, self.width_m)
            disc = (pose[0], pose[1], self.reach_m)
            ahead_m = machine.stop_distance_m + 2 * abs(v) * robot.tick_s + self.room_m
            stay_m = ahead_m + 2 * machine.top_mps * robot.tick_s + STAY_M
            size = self.length_m, self.width_m
            ahead = zones.swept(pose, *size, ahead_m, MARGIN_M, machine.backwards)
            farther = (
                zones.swept(pose, *size, stay_m, MARGIN_M, machine.backwards)
                if state.blocked
                else ahead
            )
            turning, granted = machine.turning, [zone for zone, _ in state.grants.values()]
            for name, zone in state.zones.items():
                shape, (x, y, radius_m) = (zone.corners, zone.circle), zone.around
                if (
                    name in granted
                    or math.hypot(x - pose[0], y - pose[1]) > radius_m + self.reach_m + stay_m + 1.0
                ):
                    continue
                if zones.touches(body, *shape):
                    continue
                way = farther if name in state.blocked else ahead
                if zones.disc_touches(disc, *shape) if turning else zones.touches(way, *shape):
                    blocked.append(name)
        if blocked != state.blocked:
            state.blocked_ns = robot.now_ns if not state.blocked else state.blocked_ns
            state.blocked = blocked
        elif blocked and robot.now_ns - state.blocked_ns >= REROUTE_AFTER_NS:
            robot.route.ask_around(blocked)

    def answered(self) -> None:
        """Whatever the answer was: if the way stays blocked, another is asked for a while later."""
        self.robot.state.traffic.blocked_ns = self.robot.now_ns

    # Out

    def tell(self) -> None:
        robot = self.robot
        if not robot.publisher.wanted():
            robot.publisher.skip("traffic.state")
            return
        state, machine = robot.state.traffic, robot.machine
        v, omega = machine.velocity
        corners = zones.footprint(machine.pose, self.length_m, self.width_m)
        edge, s, nodes = robot.route.progress()
        ids = [*state.holds, *state.blocked]
        robot.publisher.publish("traffic.state", m.TrafficState(
            robot.pose(), m.Velocity(round(v, 4), round(omega, 4)), [(round(x, 4), round(y, 4)) for x, y in corners],
            nodes, bool(ids), ids, round(machine.stop_distance_m, 4), edge, s))  # fmt: skip


def _put(table: dict[str, Any], key: str, value: Any) -> None:
    if key not in table and len(table) >= MOST:
        raise ValueError(f"there are {MOST} of its kind already; release some")
    table[key] = value


def _speed(value: Any) -> float:
    """Of a number or {mps}, in m/s, or of {unit, value} as in the configuration."""
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
            f"value: {{mps}}, or {{unit, value}}, is a speed of 0 to {FASTEST_MPS:g} m/s"
        )
    return float(given) * si
