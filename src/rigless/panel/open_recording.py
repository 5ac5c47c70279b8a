"""A recording that is open in the panel: its simulation, its place in time, and its state."""

from pathlib import Path

from rigless.kernel.simulation import Simulation
from rigless.panel.api_models import RecordingStatus
from rigless.recordings.seekable import SeekableRecording


class OpenRecording:
    """A source of pictures: the recording that a player has open, if any."""

    fixed = True

    def __init__(self) -> None:
        self._recording: SeekableRecording | None = None
        self._past_epochs = 0  # sum over the recordings that were open before
        self._jumps = 0
        self._failure = ""

    @property
    def recording(self) -> SeekableRecording | None:
        """The open recording."""
        return self._recording

    @property
    def sim(self) -> Simulation | None:
        return None if self._recording is None else self._recording.simulation

    @property
    def path(self) -> Path | None:
        return None if self._recording is None else self._recording.path

    @property
    def epoch(self) -> int:
        """A number that increases when time jumps or another recording is opened."""
        own = 0 if self._recording is None else self._recording.epoch
        return self._past_epochs + self._jumps + own

    def _status(self) -> RecordingStatus:
        recording = self._recording
        return {
            "file": None if recording is None else str(recording.path),
            "time_s": 0.0 if recording is None else recording.now_ns / 1e9,
            "begin_s": 0.0 if recording is None else recording.begin_ns / 1e9,
            "end_s": 0.0 if recording is None else recording.end_ns / 1e9,
            "cut": recording is not None and recording.cut,
            "note": "" if recording is None else recording.note,
            "failure": self._failure or ("" if recording is None else recording.failure),
        }
