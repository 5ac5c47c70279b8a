"""Expectations on a value or on the region of a pose, at a time or over a window."""

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.robot import Robot
from rigless.kernel.timing.rate import to_ns
from rigless.scenario.expect.margins import counted, explain, moment, shown, slack, within
from rigless.scenario.expect.message_fields import ANYTHING
from rigless.scenario.expect.names import (
    check_message,
    check_names,
    message_path,
    other_names,
)
from rigless.scenario.expect.paths import look_up, member
from rigless.scenario.expect.watch import Watch
from rigless.scenario.verdict import Verdict

PLOTTED = 100  # samples for the plot of an expectation that is judged at one time


@dataclass
class Samples:
    """The samples of one expectation so far."""

    count: int = 0
    held: int = 0
    failure: str = ""  # the first sample that did not hold
    failed_at_s: float | None = None
    robot: str = ""  # that did not hold first
    last: str = ""
    margin: float = math.nan  # the worst, or with `eventually` the best
    extreme: str = ""  # the sample with that margin, of those reported


class ValueWatch(Watch):
    """A value within bounds, or a pose within a region."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._samples = Samples()
        self._extreme = math.nan

    def begin(self) -> None:
        e = self.e
        self.check_one_robot()
        check_names(e, self.robots.values())
        for robot in self.robots.values():
            value = self._read(robot)
            if (
                e.value is not None
                and e.equals is None
                and not isinstance(value, int | float | np.number | None)
            ):
                what = f"is not a number but {type(value).__name__}"
                raise InputError(Problem(e.value, what, "name one of its parts"))
        if self._has_window:
            self.call_every(to_ns(e.every_s), lambda: self._sample(self._samples))
            return
        if e.at_s is not None:
            core = self.run.simulation.core
            core.call_at(to_ns(e.at_s), lambda: self._sample(self._samples))
        self.call_every(to_ns(max(self.run.duration_s / PLOTTED, e.every_s)), self._plot)

    @property
    def _has_window(self) -> bool:
        return self.e.from_s is not None or self.e.to_s is not None

    def decided(self) -> bool:
        if not self._has_window:
            return self.e.at_s is None or self._samples.count > 0
        if self.window_ended():
            return True
        return self._samples.held > 0 if self.e.eventually else bool(self._samples.failure)

    def verdict(self) -> Verdict:
        e, samples = self.e, self._samples
        if e.at_s is None and not self._has_window:
            samples = Samples()
            self._sample(samples)
        passed, detail = self._judge(samples)
        low, high = e.min, e.max
        if e.region is not None:
            low = 0.0
        elif isinstance(e.equals, int | float) and not isinstance(e.equals, bool):
            low = high = e.equals
        return self.result(
            passed,
            detail,
            margin=samples.margin,
            broke_at_s=self.closing_s() if e.eventually else samples.failed_at_s,
            low=low,
            high=high,
            robot="" if passed else samples.robot,
        )

    def _judge(self, samples: Samples) -> tuple[bool, str]:
        if samples.count == 0:
            return False, f"never sampled: the run ended at {moment(self.run.now_ns / 1e9)}"
        others = ""
        if (path := message_path(self.e)) is not None:
            others = other_names(self.run.messages(path[0]), path[1], path[2])
        if self.e.eventually:
            nearest = f"nearest {samples.extreme or samples.last}"
            sample = f"last {samples.last}" if samples.held else nearest
            all_of = counted(samples.count, "sample")
            detail = f"held in {samples.held} of {all_of}; {sample}{others}"
            return samples.held > 0, detail
        if not samples.failure:
            if not self._has_window:
                return True, f"was {samples.last}"
            return True, f"held in {counted(samples.count, 'sample')}; last {samples.last}"
        failed = samples.count - samples.held
        worst = f"; worst {samples.extreme}" if samples.extreme not in ("", samples.failure) else ""
        more = f"{worst}; failed in {failed} of {samples.count} samples" if failed > 1 else ""
        return False, f"was {samples.failure}{more}{others}"

    def _sample(self, samples: Samples) -> None:
        """Every selected robot must satisfy it; report the first that does not."""
        good, worst, observed = True, math.nan, math.nan
        for robot in self.robots.values():
            value = self._read(robot)
            away = slack(self.e, value)
            if good:
                name, reported = robot.name, value
                good = away >= 0 if self.e.region else within(self.e, value)
            if not away >= worst:
                worst, observed = away, self._number(value, away)
        time_s = self.run.now_ns / 1e9
        samples.count += 1
        samples.held += good
        who = f"{name}: " if len(self.robots) > 1 else ""
        far = "" if good else explain(self.e, reported)
        samples.last = f"{who}{shown(self.e, reported)} at {moment(time_s)}{far}"
        better = not worst <= samples.margin if self.e.eventually else not worst >= samples.margin
        if better and not math.isnan(worst):
            samples.margin, samples.extreme = worst, samples.last
        if not good and not samples.failure:
            samples.failure, samples.failed_at_s, samples.robot = samples.last, time_s, name
        self.curve.add(time_s, observed)

    def _plot(self) -> None:
        """Add a point to the plot."""
        worst, observed = math.nan, math.nan
        with suppress(InputError):
            for robot in self.robots.values():
                value = self._read(robot)
                if not (away := slack(self.e, value)) >= worst:
                    worst, observed = away, self._number(value, away)
            self.curve.add(self.run.now_ns / 1e9, observed)

    def _number(self, value: Any, away: float) -> float:
        """Return the number to plot: the value, or how far the pose is inside the region."""
        return away if self.e.region is not None or math.isnan(away) else float(value)

    def _read(self, robot: Robot) -> Any:
        if self.e.value is None:
            return look_up(robot, "truth.pose")
        if message_path(self.e) is not None:
            return self._last_message(robot, self.e.value)
        return look_up(robot, self.e.value)

    def _last_message(self, robot: Robot, path: str) -> Any:
        """Return a field of the last message of a type on a port; None before the first.

        The path is, for example, sent.telemetry.Status.gyro_z.
        """
        root, port, *rest = [*path.split("."), ""][: max(2, path.count(".") + 1)]
        if port not in (known := [port.name for port in robot.ports]) or len(rest) < 2:
            example = "telemetry.Status.gyro_z" if root == "sent" else "commands.Control.id"
            fix = f"{root}.PORT.TYPE.FIELD, for example {root}.{example}"
            raise InputError(Problem(path, f"names no message of a port ({', '.join(known)})", fix))
        direction = "out" if root == "sent" else "in"
        value = self.run.messages(direction).get((robot.name, port, rest[0]))
        if value is None:
            field = {".".join(rest[1:]): ANYTHING} if rest[1:] else {}
            check_message([robot], port, rest[0], field, direction=direction)
        for part in rest[1:] if value is not None else ():
            value = member(value, part, path)
        return value
