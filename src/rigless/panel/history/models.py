"""Responses of the API routes of signals; `scripts/build-api-types` makes JSDoc types of them."""

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from rigless.kernel.events import Severity
from rigless.panel.api_models import SourceName


class SignalEntry(TypedDict):
    """A signal for plots. `section` is truth, view, metrics, input, out, in or program."""

    name: str
    robot: str
    section: str
    label: str
    unit: str


class SignalList(TypedDict):
    """The signals of a simulation. `left_out` more are there; ask for one robot or for a text.

    `complete` is below 1 while a recording is read.
    """

    stage: SourceName
    signals: list[SignalEntry]
    left_out: int
    notes: list[str]
    begin_s: float
    end_s: float
    complete: float
    generation: int


class FaultBand(TypedDict):
    """The time of a fault; `end_s` is null if it is active. Faults of programs have no robot."""

    robot: str
    target: str
    kind: str
    begin_s: float
    end_s: float | None


class EventMark(TypedDict):
    """A warning, an error or a collision."""

    time_s: float
    robot: str
    severity: Severity
    code: str
    text: str
    collision: bool


class SignalLimit(TypedDict):
    """The limits of an expectation on a signal, within a time window; null is no limit."""

    signal: str
    label: str
    low: float | None
    high: float | None
    from_s: float | None
    to_s: float | None


class SignalMarks(TypedDict):
    """The marks behind plots: faults, severe events and the limits of expectations."""

    stage: SourceName
    faults: list[FaultBand]
    events: list[EventMark]
    limits: list[SignalLimit]


class RecordingOverview(TypedDict):
    """The open recording over its whole length; `file` is null if none is open.

    `counts` has messages `received` and `sent` and events `info`, `warnings` and `errors`, each in
    bins of `step_s` from `begin_s` on.
    """

    file: str | None
    begin_s: float
    end_s: float
    step_s: float
    counts: dict[str, list[int]]
    faults: list[FaultBand]
    collisions: list[EventMark]
