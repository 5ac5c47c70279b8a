"""Parse what is varied: the texts of `--vary` and the table `[vary]` of a scenario."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rigless.kernel.documents import parse_toml
from rigless.kernel.problems import InputError, Problem, did_you_mean
from rigless.kernel.simulation import Simulation
from rigless.sweeps.vary.axis import Axis, Choice, Normal, Uniform, Values, linear
from rigless.sweeps.vary.free_space import MARGIN_M, free_space

RANGE = re.compile(r"([-+0-9.eE]+?)\.\.([-+0-9.eE]+)(?::([0-9]+))?")
CALL = re.compile(r"([a-z_]+)(?:\((.*)\))?", re.DOTALL)
KINDS = ("range", "uniform", "normal", "choice", "free_space")
SEED = "seed"
EXAMPLES = "KEY=a,b,c, KEY=lo..hi, KEY=lo..hi:n, KEY=uniform(lo,hi), normal(mean,sd), choice(…)"
World = Callable[[], Simulation]  # builds the base scenario, for axes that need its world


def parse_axes(
    texts: Iterable[str], table: Mapping[str, Any], world: World
) -> tuple[list[Axis], list[int] | None]:
    """Return the axes, and the seeds if the key `seed` is varied.

    A text replaces the entry of the table with its key. Raises InputError with all problems.
    """
    given: dict[str, tuple[str, Any]] = {}
    for key, value in table.items():
        given[key] = f"vary.{key}", value
    problems: list[Problem] = []
    for text in texts:
        key, equals, values = text.partition("=")
        if not equals or not key.strip():
            problems.append(Problem(f"--vary {text}", "is not KEY=VALUES", EXAMPLES))
            continue
        given[key.strip()] = f"--vary {key.strip()}", values.strip()
    axes: list[Axis] = []
    seeds: list[int] | None = None
    for key, (where, value) in given.items():
        try:
            axis = parse_axis(key, value, world, where)
        except InputError as error:
            problems += error.problems
            continue
        if key == SEED:
            seeds = _seeds_of(axis, where, problems)
        else:
            axes.append(axis)
    if problems:
        raise InputError(problems)
    return axes, seeds


def parse_axis(key: str, value: Any, world: World, where: str) -> Axis:
    """Return an axis from its text or its value in TOML. Raises InputError."""
    if isinstance(value, str):
        return _of_text(key, value, world, where)
    if isinstance(value, list):
        return _of_list(key, value, where)
    if isinstance(value, dict):
        return _of_table(key, value, world, where)
    raise InputError(Problem(where, f"{value!r} is one value; nothing varies", f"use --set {key}"))


def parse_seeds(text: str, where: str = "--seeds") -> list[int]:
    """Return the seeds of "N" (0 to N−1) or "A..B" (both included)."""
    numbers = re.fullmatch(r"\s*([0-9]{1,18})\s*(?:\.\.\s*([0-9]{1,18})\s*)?", text)
    if numbers is None:
        what = f"{text!r} is neither N nor A..B"
        raise InputError(Problem(where, what, "for example 100 or 7..42"))
    first, last = numbers.groups()
    seeds = range(int(first)) if last is None else range(int(first), int(last) + 1)
    if not seeds:
        fix = "1 or more" if last is None else f"{last}..{first}"
        raise InputError(Problem(where, f"{text!r} names no seed", fix))
    return list(seeds) if len(seeds) <= 10_000_000 else _too_many(where)


def _too_many(where: str) -> list[int]:
    raise InputError(Problem(where, "more than 10 million seeds", "give fewer"))


def _seeds_of(axis: Axis, where: str, problems: list[Problem]) -> list[int] | None:
    values = axis.values()
    if values is None or not all(type(seed) is int and 0 <= seed < 2**63 for seed in values):
        problems.append(Problem(where, "seeds are whole numbers from 0", "for example 0..99"))
        return None
    return list(values)


def _of_text(key: str, text: str, world: World, where: str) -> Axis:
    if numbers := RANGE.fullmatch(text.replace(" ", "")):
        return _range(key, numbers, where)
    call = CALL.fullmatch(text)
    if call and (call[2] is not None or call[1] == "free_space"):
        return _of_call(key, call[1], _split(call[2] or "", where), world, where)
    return _of_list(key, _split(text, where), where)


def _range(key: str, numbers: re.Match[str], where: str) -> Axis:
    try:
        low, high = float(numbers[1]), float(numbers[2])
    except ValueError:
        text = f"{numbers[0]!r} is no range of numbers"
        raise InputError(Problem(where, text, "for example 0.1..0.5:5")) from None
    _check_limits(low, high, where, numbers[0])
    if numbers[3] is not None:
        return _linear(key, low, high, int(numbers[3]), where, numbers[0])
    if re.fullmatch(r"[-+]?[0-9]+", numbers[1]) and re.fullmatch(r"[-+]?[0-9]+", numbers[2]):
        if high - low >= 1_000_000:
            raise InputError(Problem(where, f"{numbers[0]!r} has over a million values", "use :n"))
        return Values(key, tuple(range(int(low), int(high) + 1)))
    return Uniform(key, low, high)


def _linear(key: str, low: float, high: float, count: float, where: str, text: str) -> Axis:
    if count != int(count) or not 1 <= count <= 1_000_000:
        raise InputError(Problem(where, f"{text!r} has {count:g} values", "1 to 1000000"))
    if count > 1 and low == high:
        raise InputError(Problem(where, f"{text!r} is one value, {count:g} times", f"use {low:g}"))
    return linear(key, low, high, int(count))


def _check_limits(low: Any, high: Any, where: str, text: str) -> None:
    if not all(_is_number(value) for value in (low, high)):
        raise InputError(Problem(where, f"{text!r} is no range of finite numbers", "lo..hi"))
    if high < low:
        raise InputError(Problem(where, f"the range {text!r} is empty", f"{high:g}..{low:g}"))


def _of_call(key: str, name: str, values: list[Any], world: World, where: str) -> Axis:
    if name not in KINDS:
        what = f"unknown distribution {name!r}"
        raise InputError(Problem(where, what, did_you_mean(name, KINDS)))
    if name == "choice":
        return _of_list(key, values, where)
    if name == "free_space":
        clearance = {"clearance_m": values[0]} if values else {}
        return _of_table(key, {"free_space": clearance or True}, world, where)
    return _of_table(key, {name: values}, world, where)


def _of_list(key: str, values: list[Any], where: str) -> Axis:
    if not values:
        raise InputError(Problem(where, "has no values", EXAMPLES))
    doubled = [value for index, value in enumerate(values) if value in values[:index]]
    if doubled:
        raise InputError(Problem(where, f"has the value {doubled[0]!r} twice", "name it once"))
    return Values(key, tuple(values))


def _of_table(key: str, table: dict[str, Any], world: World, where: str) -> Axis:
    kinds = [kind for kind in KINDS if kind in table]
    extra = [name for name in table if name not in (*kinds, "weights")]
    if len(kinds) != 1 or extra:
        fix = did_you_mean(extra[0], KINDS) if extra else "one of: " + ", ".join(KINDS)
        raise InputError(Problem(where, f"{table!r} is no distribution", fix))
    kind, value = kinds[0], table[kinds[0]]
    if kind == "free_space":
        options = value if isinstance(value, dict) else {}
        clearance = options.get("clearance_m", MARGIN_M)
        if (value is not True and not options) or not _is_number(clearance) or clearance < 0:
            fix = "free_space = true, or { clearance_m = 0.1 }"
            raise InputError(Problem(where, f"{value!r} does not describe free space", fix))
        return free_space(key, world(), clearance)
    if kind == "choice":
        return _choice(key, value, table.get("weights"), where)
    if kind == "range" and isinstance(value, str):
        return _of_text(key, value, world, where)
    wanted = 3 if kind == "range" else 2
    if not isinstance(value, list) or len(value) != wanted or not all(map(_is_number, value)):
        fix = {"range": "[lo, hi, n]", "uniform": "[lo, hi]", "normal": "[mean, deviation]"}[kind]
        raise InputError(Problem(where, f"{kind} has not {wanted} numbers", f"{kind} = {fix}"))
    if kind == "normal":
        if value[1] <= 0:
            raise InputError(Problem(where, "the standard deviation is not positive"))
        return Normal(key, float(value[0]), float(value[1]))
    _check_limits(value[0], value[1], where, str(value))
    if kind == "range":
        return _linear(key, value[0], value[1], value[2], where, str(value))
    return Uniform(key, float(value[0]), float(value[1]))


def _choice(key: str, values: Any, weights: Any, where: str) -> Axis:
    if not isinstance(values, list):
        raise InputError(Problem(where, f"{values!r} is no list", "choice = [a, b, c]"))
    if weights is None:
        return _of_list(key, values, where)
    good = isinstance(weights, list) and len(weights) == len(values) and len(values) > 0
    if not good or not all(_is_number(weight) and weight > 0 for weight in weights):
        fix = "weights = [3, 1] has a positive number for every value"
        raise InputError(Problem(where, "the weights do not fit the values", fix))
    return Choice(key, tuple(values), tuple(float(weight) for weight in weights))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _split(text: str, where: str) -> list[Any]:
    """Return comma-separated values of TOML; bare words are text."""
    parts, depth, quote, begin = [], 0, "", 0
    for index, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "[{(":
            depth += 1
        elif letter in "]})":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[begin:index])
            begin = index + 1
    parts = [part.strip() for part in [*parts, text[begin:]]]
    if parts == [""]:
        return []
    if "" in parts:
        what = f"{text!r} has an empty value"
        raise InputError(Problem(where, what, "remove a comma, or quote it"))
    return [_value(part) for part in parts]


def _value(text: str) -> Any:
    document = parse_toml(f"value = {text}")
    return text if document.problems else document.data["value"]
