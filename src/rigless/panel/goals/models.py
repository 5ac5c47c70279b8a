"""Requests and responses of the goal routes."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.host.api.models import Body

Metres = Annotated[float, Field(ge=-1e9, le=1e9)]
Radians = Annotated[float, Field(ge=-1e6, le=1e6)]
GoalState = Literal["idle", "starting", "driving", "blocked", "arrived", "stopped", "failed"]
ACTIVE: tuple[GoalState, ...] = ("starting", "driving", "blocked")


class GiveGoal(Body):
    """A place to go to, with a heading if `theta_rad` is given.

    With `nearest`, a place that cannot be reached is replaced by the nearest one that can.
    """

    x_m: Metres
    y_m: Metres
    theta_rad: Radians | None = None
    nearest: StrictBool = False


class GoalStatus(TypedDict):
    """The goal of a robot. `route` leads from its place at the start to the goal.

    `text` says what happens, or why it does not. `client` is the driver's end of the connection.
    """

    state: GoalState
    text: str
    x_m: float
    y_m: float
    theta_rad: float | None
    route: list[tuple[float, float]]
    client: str


NO_GOAL: GoalStatus = {
    "state": "idle",
    "text": "",
    "x_m": 0.0,
    "y_m": 0.0,
    "theta_rad": None,
    "route": [],
    "client": "",
}
