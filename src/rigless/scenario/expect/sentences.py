"""Expectations as sentences, for reports."""

from rigless.scenario.expectation_model import Expectation, Region


def describe(e: Expectation) -> str:
    """Return an expectation as a sentence."""
    robot = f"{e.robot}: " if e.robot else ""
    return f"{robot}{_condition(e)} {_when(e)}"


def _condition(e: Expectation) -> str:
    if e.event is not None:
        return f"event {e.event} {'seen' if e.seen else 'not seen'}"
    if e.port is not None:
        return _messages(e)
    once = " at least once" if e.eventually else ""
    if e.region is not None:
        return f"within {_shape(e.region)}{once}"
    wanted = f"= {e.equals!r}" if e.equals is not None else bounds(e.min, e.max)
    return f"{e.value} {wanted}{once}"


def _messages(e: Expectation) -> str:
    which = " ".join(
        [e.message or "messages", *(f"{key}={value}" for key, value in e.where.items())]
    )
    if e.min_count is None and e.max_count is None:
        return f"{which} on {e.port} {'seen' if e.seen else 'not seen'}"
    return f"{bounds(e.min_count, e.max_count)} {which} on {e.port}"


def _when(e: Expectation) -> str:
    if e.at_s is not None:
        return f"at {e.at_s:g} s"
    if e.from_s is not None or e.to_s is not None:
        end = f"{e.to_s:g} s" if e.to_s is not None else "the end"
        return f"from {e.from_s or 0:g} s to {end}"
    return "in the whole run" if e.event or e.port else "at the end"


def _shape(region: Region) -> str:
    if region.center:
        return f"{region.radius_m:g} m around {region.center}"
    return f"x {region.x}, y {region.y}"


def bounds(low: float | None, high: float | None) -> str:
    """Return limits in words, such as 'between 1 and 2'."""
    if low is not None and high is not None:
        return f"between {low:g} and {high:g}"
    return f"at least {low:g}" if low is not None else f"at most {high:g}"
