"""Check the expectations of a scenario while it runs: values, regions, events, message counts."""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rigless.kernel.events import Event
from rigless.kernel.key_path import line_of
from rigless.kernel.listeners import Output
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.rate import to_ns
from rigless.kernel.robot import Robot
from rigless.scenario.build import Built
from rigless.scenario.expectation_model import Expectation
from rigless.scenario.expected_names import check_message, check_names, least_count
from rigless.scenario.margins import distance, explain, explain_count, outside_m, shown
from rigless.scenario.planned_inputs import matching_robots
from rigless.scenario.verdict import FaultPeriod, Verdict

SHOWN = 3  # times to show of what was counted
ROOTS = ("truth", "state", "metrics", "input", "sent")


@dataclass
class _Watch:
    """The observations for one expectation so far."""

    expectation: Expectation
    robots: dict[str, Robot]  # the selected robots
    samples: int = 0
    held: int = 0
    count: int = 0
    failure: str = ""
    last: str = ""
    away: float = math.nan  # of the worst sample, or with `eventually` of the nearest
    extreme: str = ""  # that sample
    seen: list[str] = field(default_factory=list)

    def see(self, time_ns: int) -> None:
        self.count += 1
        if len(self.seen) < SHOWN:
            self.seen.append(f"{time_ns / 1e9:g} s")

    def times(self) -> str:
        """Return the times of the first observations."""
        return (
            f" ({', '.join(self.seen)}{', …' if self.count > SHOWN else ''})" if self.seen else ""
        )

    def note_distance(self, value: Any) -> None:
        """Keep the sample that is furthest from the bounds, or with `eventually` the nearest."""
        away, nearest = distance(self.expectation, value), self.expectation.eventually
        further = not (away >= self.away) if nearest else not (away <= self.away)
        if further and not math.isnan(away):
            self.away, self.extreme = away, self.last


class ExpectationMonitor:
    """Watch a simulation for `duration_s`; return the verdicts at the end."""

    def __init__(self, built: Built, duration_s: float):
        self._sim = simulation = built.simulation
        self._duration_s = duration_s
        self._watches = [_Watch(e, self._selected_robots(e)) for e in built.scenario.expect]
        self._sent: dict[tuple[str, str, str], Any] = {}  # robot, port, type → the last message
        self._codes: set[str] = set()  # of all events
        self._source = built.source
        self.faults: list[FaultPeriod] = []
        problems: list[Problem] = []
        for index, watch in enumerate(self._watches):
            try:
                self._begin(watch)
            except InputError as error:  # an unknown path is an error now, not at the end
                problems += built.source.place(("expect", index), error)
        if problems:
            raise InputError(problems)
        simulation.core.observe_events(self._event)
        if any(watch.expectation.port or _is_sent(watch.expectation) for watch in self._watches):
            simulation.core.recording = True
            simulation.core.listeners.output.append(self._output)

    def verdicts(self) -> list[Verdict]:
        """Return the verdicts in the order of the scenario."""
        found = []
        for index, watch in enumerate(self._watches):
            line = line_of(self._source.lines or {}, ("expect", index))
            place = f"{self._source.file}:{line}" if line else self._source.file
            expected = describe(watch.expectation)
            found.append(replace(self._judge(watch), expected=expected, place=place))
        return found

    def _begin(self, watch: _Watch) -> None:
        e = watch.expectation
        check_names(e, watch.robots.values())
        if e.event is not None or e.port is not None:
            if e.from_s is not None and e.from_s > self._duration_s:
                what = f"{e.from_s:g} s is after the end of the run, {self._duration_s:g} s"
                raise InputError(Problem("from_s", what, "a longer duration_s, or an earlier time"))
            return
        if e.robot is None and len(watch.robots) > 1:
            raise InputError(
                Problem(
                    "",
                    "this expectation names no robot and there are several",
                    "add robot = …, or * for all",
                )
            )
        for robot in watch.robots.values():
            value = self._read(e, robot)
            if (
                e.value is not None
                and e.equals is None
                and not isinstance(value, int | float | np.number | None)
            ):
                what = f"is not a number but {type(value).__name__}"
                raise InputError(Problem(e.value, what, "name one of its parts"))
        if e.from_s is None and e.to_s is None:
            at_s = e.at_s if e.at_s is not None else self._duration_s
            self._sim.core.call_at(to_ns(at_s), lambda: self._sample(watch))
            return
        start, end = (
            to_ns(e.from_s or 0.0),
            to_ns(e.to_s if e.to_s is not None else self._duration_s),
        )
        step = to_ns(e.every_s)

        def sample(due_ns: int = start) -> None:
            self._sample(watch)
            if due_ns + step <= end:
                self._sim.core.call_at(due_ns + step, lambda: sample(due_ns + step))

        self._sim.core.call_at(start, sample)

    def _selected_robots(self, e: Expectation) -> dict[str, Robot]:
        robots = self._sim.robots
        return {
            name: robots[name]
            for name in matching_robots("*" if e.robot is None else e.robot, robots)
        }

    def _read(self, e: Expectation, robot: Robot) -> Any:
        if e.value is None:
            return look_up(robot, "truth.pose")
        return self._last_sent(robot, e.value) if _is_sent(e) else look_up(robot, e.value)

    def _last_sent(self, robot: Robot, path: str) -> Any:
        """Return a field of the last message of a type on a port; None before the first.

        The path is, for example, sent.telemetry.Status.gyro_z.
        """
        _, port, *rest = [*path.split("."), ""][: max(2, path.count(".") + 1)]
        if port not in (known := [port.name for port in robot.ports]) or len(rest) < 2:
            fix = "sent.PORT.TYPE.FIELD, for example sent.telemetry.Status.gyro_z"
            raise InputError(Problem(path, f"names no message of a port ({', '.join(known)})", fix))
        check_message([robot], port, rest[0], rest[1:2])
        value = self._sent.get((robot.name, port, rest[0]))
        for part in rest[1:] if value is not None else ():
            value = _member(value, part, path)
        return value

    def _sample(self, watch: _Watch) -> None:
        """Every selected robot must satisfy it; report the first that does not."""
        e = watch.expectation
        for robot in watch.robots.values():
            value = self._read(e, robot)
            good = outside_m(e.region, value) == 0.0 if e.region else _within(e, value)
            if not good:
                break
        watch.samples += 1
        watch.held += good
        who = f"{robot.name}: " if len(watch.robots) > 1 else ""
        far = "" if good else explain(e, value)
        watch.last = f"{who}{shown(e, value)} at {self._sim.now_s:g} s{far}"
        watch.note_distance(value)
        if not good and not watch.failure:
            watch.failure = watch.last

    def _event(self, time_ns: int, event: Event) -> None:
        self._codes.add(event.code)
        self._note_fault(time_ns, event)
        for watch in self._watches:
            e = watch.expectation
            mine = e.robot is None or event.robot in watch.robots
            if mine and e.event == event.code and self._in_window(e, time_ns):
                watch.see(time_ns)

    def _note_fault(self, time_ns: int, event: Event) -> None:
        target, kind = event.data.get("target"), event.data.get("kind")
        if event.code == "fault-injected":
            self.faults.append(FaultPeriod(event.robot, str(target), str(kind), time_ns / 1e9))
        elif event.code == "fault-cleared":
            for fault in self.faults:
                same = (fault.robot, fault.target, fault.kind) == (event.robot, target, kind)
                if same and fault.end_s is None:
                    fault.end_s = time_ns / 1e9

    def _output(self, time_ns: int, output: Output) -> None:
        message, kind = output.content, output.type_name
        self._sent[output.robot, output.port, kind] = message
        for watch in self._watches:
            e = watch.expectation
            if (
                e.port == output.port
                and output.robot in watch.robots
                and e.message in (None, kind)
                and self._in_window(e, time_ns)
                and _matches(watch, message)
            ):
                watch.see(time_ns)

    def _in_window(self, e: Expectation, time_ns: int) -> bool:
        return to_ns(e.from_s or 0.0) <= time_ns and (e.to_s is None or time_ns <= to_ns(e.to_s))

    def _judge(self, watch: _Watch) -> Verdict:
        e = watch.expectation
        text = e.name or describe(e)
        if e.event is not None or e.port is not None:
            low = least_count(e)
            high = e.max_count if e.max_count is not None else None if e.seen else 0
            counted = (
                f"{watch.count} messages" if e.port is not None else f"seen {watch.count} times"
            )
            counted += explain_count(watch.count, low, high)
            times = watch.times() if e.event or e.message else ""
            passed = _count(watch.count, low, high) and not watch.failure
            others = "" if passed or watch.count else self._others(e)
            return Verdict(text, passed, watch.failure or f"{counted}{times}{others}")
        if watch.samples == 0:
            return Verdict(text, False, f"never sampled: the run ended at {self._sim.now_s:g} s")
        others = self._others(e) if _is_sent(e) else ""
        if e.eventually:
            nearest = f"nearest {watch.extreme or watch.last}"
            sample = f"last {watch.last}" if watch.held else nearest
            detail = f"held in {watch.held} of {watch.samples} samples; {sample}{others}"
            return Verdict(text, watch.held > 0, detail)
        if not watch.failure:
            detail = f"held in {watch.samples} samples; last {watch.last}"
            return Verdict(text, True, detail)
        failed = watch.samples - watch.held
        worst = f"; worst {watch.extreme}" if watch.extreme not in ("", watch.failure) else ""
        more = f"{worst}; failed in {failed} of {watch.samples} samples" if failed > 1 else ""
        return Verdict(text, False, f"was {watch.failure}{more}{others}")

    def _others(self, e: Expectation) -> str:
        """Return the names that did occur, in case the expected name is misspelt."""
        if e.event is not None:
            return "" if e.event in self._codes else _listing("events of this run", self._codes)
        port, wanted = (
            (e.port, e.message)
            if e.port is not None
            else ([*(e.value or "").split("."), "", ""])[1:3]
        )
        kinds = {kind for robot, name, kind in self._sent if name == port}
        return "" if wanted in kinds or not wanted else _listing(f"messages on {port}", kinds)


def _listing(what: str, found: set[str]) -> str:
    return f"; {what}: {', '.join(sorted(found)) or 'none'}"


def _matches(watch: _Watch, message: Any) -> bool:
    """Return True if a message matches `where`; a missing field fails the expectation."""
    try:
        for path, wanted in watch.expectation.where.items():
            value = message
            for part in path.split("."):
                value = None if value is None else _member(value, part, path)
            if value != wanted:
                return False
    except InputError as error:
        watch.failure = f"{type(message).__name__}: {error.problems[0]}"
        return False
    return True


def _is_sent(e: Expectation) -> bool:
    return e.value is not None and e.value.split(".")[0] == "sent"


def look_up(robot: Robot, path: str) -> Any:
    """Return the value at a path such as truth.pose.0, metrics.switched or input.window_open."""
    root, *parts = path.split(".")
    if root not in ROOTS:
        raise InputError(
            Problem(
                path, f"a value starts with one of {', '.join(ROOTS)}", did_you_mean(root, ROOTS)
            )
        )
    value: Any = robot.truth() if root == "truth" else getattr(robot, root)
    for part in parts:
        if root == "metrics" and part not in value:
            return 0
        value = _member(value, part, path)
    return value


def _member(value: Any, part: str, path: str) -> Any:
    if isinstance(value, dict):
        options = [str(key) for key in value]
        if part in value:
            return value[part]
    elif (
        part.isascii()
        and part.isdigit()
        and len(part) < 10
        and hasattr(value, "__getitem__")
        and hasattr(value, "__len__")
    ):
        options = [str(index) for index in range(len(value))]
        if int(part) < len(value):
            return value[int(part)]
    else:
        fields = getattr(value, "__dataclass_fields__", ()) or getattr(
            value, "__struct_fields__", ()
        )
        options = [*(fields or getattr(value, "__dict__", ()))]
        if part in options:
            return getattr(value, part)
    raise InputError(Problem(path, f"there is no {part!r} here", did_you_mean(part, options)))


def _within(e: Expectation, value: Any) -> bool:
    if e.equals is not None:
        return bool(value == e.equals)
    if value is None or isinstance(value, str):
        return False
    return (e.min is None or value >= e.min) and (e.max is None or value <= e.max)


def _count(count: int, low: int, high: int | None) -> bool:
    return count >= low and (high is None or count <= high)


def describe(e: Expectation) -> str:
    """Return an expectation as a sentence, for reports."""
    robot = f"{e.robot}: " if e.robot else ""
    if e.at_s is not None:
        when = f"at {e.at_s:g} s"
    elif e.from_s is not None or e.to_s is not None:
        when = f"from {e.from_s or 0:g} s to {f'{e.to_s:g} s' if e.to_s is not None else 'the end'}"
    else:
        when = "in the whole run" if e.event or e.port else "at the end"
    if e.event is not None:
        return f"{robot}event {e.event} {'seen' if e.seen else 'not seen'} {when}"
    if e.port is not None:
        which = " ".join(
            [e.message or "messages", *(f"{key}={value}" for key, value in e.where.items())]
        )
        if e.min_count is None and e.max_count is None:
            return f"{robot}{which} on {e.port} {'seen' if e.seen else 'not seen'} {when}"
        return f"{robot}{_bounds(e.min_count, e.max_count)} {which} on {e.port} {when}"
    once = "at least once " if e.eventually else ""
    if e.region is not None:
        shape = (
            f"{e.region.radius_m:g} m around {e.region.center}"
            if e.region.center
            else f"x {e.region.x}, y {e.region.y}"
        )
        return f"{robot}within {shape} {once}{when}"
    wanted = f"= {e.equals!r}" if e.equals is not None else _bounds(e.min, e.max)
    return f"{robot}{e.value} {wanted} {once}{when}"


def _bounds(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"between {low:g} and {high:g}"
    return f"at least {low:g}" if low is not None else f"at most {high:g}"
