"""The last messages of ROS topics that are kept for late subscribers, such as /tf_static.

A robot publishes them once, when it starts or when a peer connects. A viewer that connects later
gets them from here. Outputs are encoded for it only during the first instants of a run.
"""

from collections.abc import Mapping
from typing import Protocol

from rigless.kernel.loop.listeners import Output

START_NS = 1_000_000_000  # by then robots have published what they publish once


class _Core(Protocol):
    def update_recording(self) -> None: ...


class LatchedTopics:
    """Keeps the last message of each of these subjects. `note` is a listener to outputs."""

    def __init__(self, core: _Core, subjects: set[str], now_ns: int):
        self._core, self._subjects = core, subjects
        self._end_ns = now_ns + START_NS
        self._kept: dict[str, bytes] = {}
        self.needs_all_outputs = bool(subjects)

    @property
    def kept(self) -> Mapping[str, bytes]:
        """The messages by subject."""
        return self._kept

    def note(self, time_ns: int, output: Output) -> None:
        """Keep an output if its subject is one of these."""
        if output.subject in self._subjects:
            self._kept[output.subject] = output.data
        if self.needs_all_outputs and (
            time_ns >= self._end_ns or self._kept.keys() == self._subjects
        ):
            self.needs_all_outputs = False
            self._core.update_recording()
