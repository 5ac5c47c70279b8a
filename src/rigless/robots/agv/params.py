"""The parameters of each kind of command, step and action, and their validation.

Wrong types, unknown keys, and numbers that are not finite or too large are rejected with a sentence
that names the key.
"""

import math
import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from rigless.robots.agv.messages import Edge, Node

Metres = Annotated[float, Meta(ge=-1e6, le=1e6)]
Radians = Annotated[float, Meta(ge=-1e3, le=1e3)]
Word = Annotated[str, Meta(min_length=1, max_length=256)]
LONGEST = 400  # of a sentence
OUT_OF_RANGE = re.compile(r"Expected `(float|int)` [<>]")  # msgspec's message about a bound
LONGEST_ID = 256  # of ids that are echoed in replies
Words = Annotated[list[Word], Meta(max_length=256)]


class Refused(Exception):  # noqa: N818  # a reply, not a failure
    """A refusal: a code of the contract, a sentence, and the motor and the step concerned.

    The sentence is cut, because it is published and stored. `malformed`: the request does not have
    the shape of its kind, so it is not only out of range or beyond this robot.
    """

    def __init__(
        self, code: str, message: str, motor: str = "", step: str = "", malformed: bool = False
    ):
        super().__init__(message[:LONGEST])
        self.code, self.message, self.motor, self.step = code, message[:LONGEST], motor, step
        self.malformed = malformed


class Params(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of parameters. Unknown keys are rejected."""


class Move(Params, frozen=True):
    x: Metres
    y: Metres
    theta: Radians | None = None


class Destination(Params, frozen=True):
    x: Metres
    y: Metres
    theta: Radians = 0.0


class FollowRoute(Params, frozen=True):
    """A known route, a complete route, or a destination for which a route is requested."""

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


class Dock(Params, frozen=True):
    chargerId: Word | None = None


class Pick(Params, frozen=True):
    stationId: Word | None = None
    loadId: Word | None = None
    loadType: Word | None = None


class Drop(Params, frozen=True):
    stationId: Word | None = None


class CallLift(Params, frozen=True):
    liftId: Word | None = None
    floor: Word | None = None


class RideLift(Params, frozen=True):
    floor: Word


class UseDoor(Params, frozen=True):
    doorId: Word | None = None


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
    "DOCK": Dock,
    "START_CHARGING": Params,
    "STOP_CHARGING": Params,
    "PICK": Pick,
    "DROP": Drop,
    "CALL_LIFT": CallLift,
    "RIDE_LIFT": RideLift,
    "OPEN_DOOR": UseDoor,
    "CLOSE_DOOR": UseDoor,
}
STEPS: dict[str, type[Params]] = {**COMMANDS, "WAIT": Wait, "SCAN": Scan}
ACTIONS = {
    kind: params
    for kind, params in STEPS.items()
    if kind not in ("MOVE", "FOLLOW_ROUTE", "STOP", "INIT_POSE", "DOCK")
}
AT_PLACES = ("DOCK", "START_CHARGING", "STOP_CHARGING", "PICK", "DROP")
AT_DEVICES = ("CALL_LIFT", "RIDE_LIFT", "OPEN_DOOR", "CLOSE_DOOR")
MOVES = (
    "MOVE",
    "FOLLOW_ROUTE",
    "MOVE_AXIS",
    "GRIP",
    "RELEASE",
    "HOME",
    "DOCK",
    "PICK",
    "DROP",
    "RIDE_LIFT",
)  # kinds that move a part of the robot


def parse(kind: str, given: Any, kinds: dict[str, type[Params]]) -> Any:
    """Return the parameters of a kind. Raises Refused."""
    if kind not in kinds:
        what = f"{kind[:40]!r} is none of {', '.join(kinds)}"
        raise Refused("NOT_SUPPORTED", what, malformed=True)
    if not isinstance(given, dict):
        what = f"params of {kind} are an object, not {type(given).__name__}"
        raise Refused("INVALID_PARAMS", what, malformed=True)
    if key := _not_finite(given):
        what = f"{kind}: {key} is not a finite number"
        raise Refused("INVALID_PARAMS", what, malformed=True)
    try:
        return msgspec.convert(given, kinds[kind])
    except msgspec.ValidationError as error:
        what = f"{kind}: {sentence(str(error))}"
        malformed = OUT_OF_RANGE.match(str(error)) is None
        raise Refused("INVALID_PARAMS", what, malformed=malformed) from None


def sentence(text: str) -> str:
    """Return msgspec's message with the key first: `x: expected float, got str`."""
    what, _, place = text.partition(" - at `$")
    key = place.rstrip("`").lstrip(".")
    return f"{key}: {what[0].lower()}{what[1:]}".replace("`", "") if key else what.replace("`", "")


def _not_finite(value: Any, key: str = "", depth: int = 16) -> str:
    """Return the key of a number that is not finite, or of a value nested too deep."""
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
