"""The result of a scenario, as the API reports it."""

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12


class ExpectationResult(TypedDict):
    """An expectation of the scenario, and what was seen."""

    text: str
    passed: bool
    detail: str
    place: str


class OutcomeStatus(TypedDict):
    """The result of a scenario whose duration is over."""

    time_s: float
    text: str
    passed: bool
    expectations: list[ExpectationResult]
