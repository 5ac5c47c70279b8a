"""The trail of a shrink: its steps, and the size of a scenario."""

from dataclasses import dataclass, field
from typing import Any

from rigless.runs.session import DEFAULT_DURATION_S
from rigless.sweeps.shrink.draft import Data
from rigless.sweeps.shrink.items import WORDS, list_of


@dataclass(frozen=True)
class Step:
    """One step that made the scenario smaller, after this many runs."""

    runs: int
    text: str


@dataclass(frozen=True)
class Size:
    """The size of a scenario: the numbers of its items, of its values, and its duration."""

    items: dict[str, int]
    values: int
    duration_s: float

    @classmethod
    def of(cls, data: Data) -> "Size":
        items = {kind: len(list_of(data, kind)) for kind in WORDS}
        return cls(items, _values(data), float(data.get("duration_s", DEFAULT_DURATION_S)))

    def __str__(self) -> str:
        counted = [
            f"{count} {WORDS[kind][count != 1]}" for kind, count in self.items.items() if count
        ]
        return ", ".join([*counted, f"{self.values} values", f"{self.duration_s:g} s"])


@dataclass
class Trail:
    """The steps of a shrink so far."""

    steps: list[Step] = field(default_factory=list)

    def add(self, runs: int, text: str) -> Step:
        step = Step(runs, text)
        self.steps.append(step)
        return step


def _values(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(_values, value.values()))
    if isinstance(value, list):
        return sum(map(_values, value))
    return 1
