"""Values in G-code: `#` parameters and `[…]` expressions, as in grblHAL's NGC expressions.

Operators from lowest to highest precedence: AND OR XOR; EQ NE GT GE LT LE; + −; * / MOD; **.
Operators of equal precedence group to the left. Angles are in degrees.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.words import LARGEST, GcodeError, read_number

Key = int | str  # a parameter's number, or its name in lower case
DIGITS = tuple("0123456789.")
DEEPEST = 20  # levels of nested brackets
LONGEST_NAME = 30
ALMOST_WHOLE = 1e-4
SAME = 1e-4

BINARY: dict[str, tuple[int, Callable[[float, float], float]]] = {
    "AND": (1, lambda a, b: float(bool(a) and bool(b))),
    "OR": (1, lambda a, b: float(bool(a) or bool(b))),
    "XOR": (1, lambda a, b: float(bool(a) != bool(b))),
    "EQ": (2, lambda a, b: float(abs(a - b) < SAME)),
    "NE": (2, lambda a, b: float(abs(a - b) >= SAME)),
    "GT": (2, lambda a, b: float(a > b)),
    "GE": (2, lambda a, b: float(a >= b)),
    "LT": (2, lambda a, b: float(a < b)),
    "LE": (2, lambda a, b: float(a <= b)),
    "+": (3, lambda a, b: a + b),
    "-": (3, lambda a, b: a - b),
    "**": (5, lambda a, b: _power(a, b)),
    "*": (4, lambda a, b: a * b),
    "/": (4, lambda a, b: _divided(a, b)),
    "MOD": (4, lambda a, b: _remainder(a, b)),
}
UNARY: dict[str, Callable[[float], float]] = {
    "ABS": abs,
    "ACOS": lambda a: math.degrees(math.acos(_within_one(a))),
    "ASIN": lambda a: math.degrees(math.asin(_within_one(a))),
    "COS": lambda a: math.cos(math.radians(a)),
    "EXP": math.exp,
    "FIX": math.floor,
    "FUP": math.ceil,
    "LN": lambda a: math.log(_positive(a)),
    "ROUND": lambda a: math.copysign(math.floor(abs(a) + 0.5), a),
    "SIN": lambda a: math.sin(math.radians(a)),
    "SQRT": lambda a: math.sqrt(_not_negative(a)),
    "TAN": lambda a: math.tan(math.radians(a)),
}


def _power(a: float, b: float) -> float:
    if a < 0.0 and b != math.floor(b):
        raise GcodeError(codes.EXPRESSION_ARGUMENT)
    if a == 0.0 and b < 0.0:
        raise GcodeError(codes.EXPRESSION_RESULT)
    return float(a**b)


def _divided(a: float, b: float) -> float:
    if b == 0.0:
        raise GcodeError(codes.DIVIDED_BY_ZERO)
    return a / b


def _remainder(a: float, b: float) -> float:
    """Return the remainder, which is never negative."""
    if b == 0.0:
        raise GcodeError(codes.EXPRESSION_RESULT)
    return math.fmod(a, b) + (abs(b) if math.fmod(a, b) < 0.0 else 0.0)


def _within_one(a: float) -> float:
    if abs(a) > 1.0:
        raise GcodeError(codes.EXPRESSION_RANGE)
    return a


def _positive(a: float) -> float:
    if a <= 0.0:
        raise GcodeError(codes.EXPRESSION_RANGE)
    return a


def _not_negative(a: float) -> float:
    if a < 0.0:
        raise GcodeError(codes.EXPRESSION_RANGE)
    return a


@dataclass(frozen=True)
class Expressions:
    """Reads values in a line in capitals without spaces.

    `lookup` returns a parameter's value, or None if there is none.
    """

    lookup: Callable[[Key], float | None]

    def value(self, text: str, at: int, deep: int = 0) -> tuple[float, int]:
        """Return the value at this position and its end."""
        if deep > DEEPEST:
            raise GcodeError(codes.EXPRESSION_SYNTAX)
        char, after = text[at : at + 1], text[at + 1 : at + 2]
        if char in DIGITS or (char in ("+", "-") and after in DIGITS):
            return read_number(text, at)
        if char == "[":
            value, at = self._expression(text, at + 1, 0, deep + 1)
            if text[at : at + 1] != "]":
                raise GcodeError(codes.UNKNOWN_OPERATION)
            return value, at + 1
        if char == "#":
            key, at = self.key(text, at + 1, deep + 1)
            found = self.lookup(key)
            if found is None:
                raise GcodeError(codes.BAD_NUMBER if isinstance(key, str) else codes.OUT_OF_RANGE)
            return found, at
        if char in ("+", "-") and after:
            value, at = self.value(text, at + 1, deep + 1)
            return (-value if char == "-" else value), at
        if char.isalpha() and (name := self._function(text, at)):
            return self._call(name, text, at + len(name), deep)
        return read_number(text, at)

    def key(self, text: str, at: int, deep: int = 0) -> tuple[Key, int]:
        """Read the name or number of a parameter after its `#`."""
        if text[at : at + 1] == "<":
            end = text.find(">", at)
            if end < 0 or not 1 < end - at <= LONGEST_NAME + 1:
                raise GcodeError(codes.FLOW_SYNTAX)
            return text[at + 1 : end].lower(), end + 1
        value, at = self.value(text, at, deep)
        number = round(value)
        if abs(value - number) > ALMOST_WHOLE:
            raise GcodeError(codes.NOT_INTEGER)
        return number, at

    def assignment(self, text: str, at: int) -> tuple[Key, float, int]:
        """Read `#key=value` after the `#`."""
        key, at = self.key(text, at)
        if text[at : at + 1] != "=":
            raise GcodeError(codes.BAD_NUMBER)
        value, at = self.value(text, at + 1)
        return key, value, at

    def _expression(self, text: str, at: int, least: int, deep: int) -> tuple[float, int]:
        """Read an expression while operators bind tighter than `least`."""
        left, at = self.value(text, at, deep)
        while text[at : at + 1] not in ("]", ""):
            sign = next((sign for sign in BINARY if text.startswith(sign, at)), None)
            if sign is None:
                raise GcodeError(codes.UNKNOWN_OPERATION)
            binds, operation = BINARY[sign]
            if binds <= least:
                break
            right, at = self._expression(text, at + len(sign), binds, deep + 1)
            left = _checked(operation, left, right)
        return left, at

    @staticmethod
    def _function(text: str, at: int) -> str:
        names = ("ATAN", "EXISTS", *UNARY)
        return next((name for name in names if text.startswith(f"{name}[", at)), "")

    def _call(self, name: str, text: str, at: int, deep: int) -> tuple[float, int]:
        if name == "EXISTS":
            if not text.startswith("[#<", at):
                raise GcodeError(codes.EXPRESSION_SYNTAX)
            key, at = self.key(text, at + 2)
            if text[at : at + 1] != "]":
                raise GcodeError(codes.EXPRESSION_SYNTAX)
            return float(self.lookup(key) is not None), at + 1
        value, at = self.value(text, at, deep + 1)
        if name != "ATAN":
            return _checked(UNARY[name], value), at
        if text[at : at + 2] != "/[":
            raise GcodeError(codes.EXPRESSION_SYNTAX)
        other, at = self.value(text, at + 1, deep + 1)
        return math.degrees(math.atan2(value, other)), at


def _checked(operation: Callable[..., float], *values: float) -> float:
    try:
        found = float(operation(*values))
    except OverflowError:
        found = math.inf
    if not abs(found) <= LARGEST**4:
        raise GcodeError(codes.EXPRESSION_RESULT)
    return found
