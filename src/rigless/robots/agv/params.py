"""What each kind of command, step or action takes, and whether what was given is that: wrong types, unknown keys, numbers that are none or
too large are answered with a sentence that names the key."""

import math
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from rigless.robots.agv.messages import Edge, Node

Metres = Annotated[float, Meta(ge=-1e6, le=1e6)]
Radians = Annotated[float, Meta(ge=-1e3, le=1e3)]
Word = Annotated[str, Meta(min_length=1, max_length=256)]
LONGEST = 400  # of a sentence
LONGEST_ID = 256  # of what others name and is named to them again
Words = Annotated[list[Word], Meta(max_length=256)]


class Refused(Exception):  # noqa: N818  # an answer, not a failure
    """Why something is not done: a code of the contract, a sentence, the motor and the step that it is about. What was given may be in the sentence,
    but not all of it: it goes back in one message, and is remembered."""

    def __init__(self, code: str, message: str, motor: str = "", step: str = ""):
        super().__init__(message[:LONGEST])
        self.code, self.message, self.motor, self.step = code, message[:LONGEST], motor, step


class Params(Struct, frozen=True, forbid_unknown_fields=True):
    """Base: nothing else may be given."""


class Move(Params, frozen=True):
    x: Metres
    y: Metres
    theta: Radians | None = None


class Destination(Params, frozen=True):
    x: Metres
    y: Metres
    theta: Radians = 0.0


class FollowRoute(Params, frozen=True):
    """One of: a route that was given before, a whole route, or only where to (the backend is asked for the route)."""

    routeId: Word | None = None
    nodes: Annotated[list[Node], Meta(max_length=1000)] | None = None
    edges: Annotated[list[Edge], Meta(max_length=1000)] = []
    revision: int = 0
    to: Destination | None = None


class Target(Params, frozen=True):
    unit: Word
    value: Annotated[float, Meta(ge=-1e9, le=1e9)]


class MoveAxis(Params, frozen=True):
    target: Target
    motorId: Word | None = None
    functionKey: Word | None = None


class Axis(Params, frozen=True):
    motorId: Word | None = None
    functionKey: Word | None = None


class Motors(Params, frozen=True):
    motorIds: Words | None = None


class ResetMotor(Params, frozen=True):
    motorIds: Annotated[list[Word], Meta(min_length=1, max_length=256)]


class SetOutput(Params, frozen=True):
    ioId: Word
    value: bool


class InitPose(Params, frozen=True):
    x: Metres
    y: Metres
    theta: Radians
    mapId: Word | None = None


class Wait(Params, frozen=True):
    seconds: Annotated[float, Meta(ge=0, le=86_400)]


class Scan(Params, frozen=True):
    code: Word | None = None
    timeoutS: Annotated[float, Meta(gt=0, le=86_400)] = 10.0


COMMANDS: dict[str, type[Params]] = {
    "MOVE": Move,
    "FOLLOW_ROUTE": FollowRoute,
    "STOP": Params,
    "PAUSE": Params,
    "RESUME": Params,
    "MOVE_AXIS": MoveAxis,
    "GRIP": Axis,
    "RELEASE": Axis,
    "HOME": Motors,
    "RESET_MOTOR": ResetMotor,
    "CLEAR_FAULT": Params,
    "SET_OUTPUT": SetOutput,
    "INIT_POSE": InitPose,
}
STEPS: dict[str, type[Params]] = {**COMMANDS, "WAIT": Wait, "SCAN": Scan}
ACTIONS = {
    kind: params
    for kind, params in STEPS.items()
    if kind not in ("MOVE", "FOLLOW_ROUTE", "STOP", "INIT_POSE")
}
MOVES = (
    "MOVE",
    "FOLLOW_ROUTE",
    "MOVE_AXIS",
    "GRIP",
    "RELEASE",
    "HOME",
)  # what makes something of the robot move


def parse(kind: str, given: Any, kinds: dict[str, type[Params]]) -> Any:
    """The parameters of a kind; raises Refused."""
    if kind not in kinds:
        raise Refused("NOT_SUPPORTED", f"{kind[:40]!r} is none of {', '.join(kinds)}")
    if not isinstance(given, dict):
        raise Refused(
            "INVALID_PARAMS", f"params of {kind} are an object, not {type(given).__name__}"
        )
    if key := _not_finite(given):
        raise Refused("INVALID_PARAMS", f"{kind}: {key} is not a finite number")
    try:
        return msgspec.convert(given, kinds[kind])
    except msgspec.ValidationError as error:
        raise Refused("INVALID_PARAMS", f"{kind}: {sentence(str(error))}") from None


def sentence(text: str) -> str:
    """msgspec's words with the key first: `x: expected float, got str`."""
    what, _, place = text.partition(" - at `$")
    key = place.rstrip("`").lstrip(".")
    return f"{key}: {what[0].lower()}{what[1:]}".replace("`", "") if key else what.replace("`", "")


def _not_finite(value: Any, key: str = "", depth: int = 16) -> str:
    """The key of a number that is none, or of what is nested too deep."""
    if isinstance(value, float):
        return "" if math.isfinite(value) else key or "a number"
    if depth == 0:
        return f"{key} (nested too deep)"
    if isinstance(value, dict):
        return next(
            (
                bad
                for name, item in value.items()
                if (bad := _not_finite(item, str(name), depth - 1))
            ),
            "",
        )
    if isinstance(value, list):
        return next((bad for item in value if (bad := _not_finite(item, key, depth - 1))), "")
    return ""
