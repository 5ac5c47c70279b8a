"""Expectations as sentences, for reports."""

from rigless.scenario.expect.margins import counted, least_count
from rigless.scenario.model.expectation import Expectation, Region

AT_THE_END = ("value", "region")  # the subjects that are judged at the end by default


def describe(e: Expectation) -> str:
    """Return an expectation as a sentence."""
    robot = f"{e.robot}: " if e.robot else ""
    if e.program is not None and e.output is None:
        return _program(e)
    return f"{robot}{_condition(e)} {_when(e)}"


def _condition(e: Expectation) -> str:
    match e.subject:
        case "event":
            if e.min_count is None and e.max_count is None:
                return f"event {e.event} {_seen(e)}"
            return f"{bounds(least_count(e) or None, e.max_count, 'event')} {e.event}"
        case "port":
            return _messages(e)
        case "program":
            if e.min_count is None and e.max_count is None:
                return f"output of {e.program} matching {e.output!r} {_seen(e)}"
            lines = bounds(least_count(e) or None, e.max_count, "line")
            return f"{lines} of {e.program} matching {e.output!r}"
        case "reacts_within_ms":
            return f"{_which(e)} within {e.reacts_within_ms:g} ms after {_trigger(e)}"
        case "no_collision":
            return "no collision"
        case "keeps_distance_m":
            return f"keeps at least {e.keeps_distance_m:g} m from everything"
        case "stops_within_m":
            return f"stops within {e.stops_within_m:g} m after {_trigger(e)}"
        case "path_length_max_m":
            return f"drives at most {e.path_length_max_m:g} m"
        case "standstill_max_s":
            return f"stands still for at most {e.standstill_max_s:g} s"
    if e.coverage_min is not None:
        if e.by == "lidar":
            return f"the lidar sees at least {100 * e.coverage_min:g} % of the floor"
        return f"covers at least {100 * e.coverage_min:g} % of the reachable floor"
    if e.reaches is not None:
        return f"reaches {_shape(e.reaches)}"
    once = " at least once" if e.eventually else ""
    if e.region is not None:
        return f"within {_shape(e.region)}{once}"
    wanted = f"= {e.equals!r}" if e.equals is not None else bounds(e.min, e.max)
    return f"{e.value} {wanted}{once}"


def _program(e: Expectation) -> str:
    if e.exit is not None:
        return f"{e.program} exits with {e.exit}"
    if e.restarts_max is not None:
        if e.restarts_max == 0:
            return f"{e.program} is never restarted"
        return f"{e.program} restarts at most {counted(e.restarts_max, 'time')}"
    if e.memory_max_mb is not None:
        return f"{e.program} uses at most {e.memory_max_mb:g} MB of memory"
    if e.cpu_max_s is not None:
        return f"{e.program} uses at most {e.cpu_max_s:g} s of CPU time"
    return f"{e.program} is alive at the end"


def _seen(e: Expectation) -> str:
    return "seen" if e.seen else "not seen"


def _trigger(e: Expectation) -> str:
    return f"event {e.after}" if e.after is not None else f"a fault of {e.after_fault}"


def _which(e: Expectation, noun: str = "messages") -> str:
    return f"{_type(e, noun)} {_where(e)}"


def _type(e: Expectation, noun: str) -> str:
    words = [e.message or noun, *(f"{key}={value}" for key, value in e.where.items())]
    return " ".join(words)


def _where(e: Expectation) -> str:
    return f"received on {e.port}" if e.message_direction == "in" else f"on {e.port}"


def _messages(e: Expectation) -> str:
    if e.has_rate:
        return f"{bounds(e.min_hz, e.max_hz)} {_type(e, 'messages')} per second {_where(e)}"
    if e.min_count is None and e.max_count is None:
        return f"{_which(e)} {_seen(e)}"
    one = (e.min_count if e.max_count is None else e.max_count) == 1
    which = _which(e, "message" if one else "messages")
    return f"{bounds(least_count(e) or None, e.max_count)} {which}"


def _when(e: Expectation) -> str:
    if e.at_s is not None:
        return f"at {e.at_s:g} s"
    if e.from_s is not None or e.to_s is not None:
        end = f"{e.to_s:g} s" if e.to_s is not None else "the end"
        return f"from {e.from_s or 0:g} s to {end}"
    return "at the end" if e.subject in AT_THE_END else "in the whole run"


def _shape(region: Region) -> str:
    if region.center:
        x, y = region.center
        return f"{region.radius_m:g} m around ({x:g}, {y:g})"
    sides = (("x", region.x), ("y", region.y))
    return ", ".join(f"{axis} {side[0]:g} to {side[1]:g} m" for axis, side in sides if side)


def bounds(low: float | None, high: float | None, noun: str = "") -> str:
    """Return limits in words, such as 'between 1 and 2', with a noun if one is given."""
    if low is not None and high is not None:
        text = f"exactly {low:g}" if low == high else f"between {low:g} and {high:g}"
    else:
        text = f"at least {low:g}" if low is not None else f"at most {high:g}"
    if not noun:
        return text
    return f"{text} {noun}{'' if (low if high is None else high) == 1 else 's'}"
