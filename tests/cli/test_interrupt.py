"""Ctrl-C ends a command without a traceback, also where Python or numba discards it."""

import signal
import sys
from types import SimpleNamespace

import pytest

import rigless.cli


def test_an_error_that_follows_a_discarded_interrupt_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repeats: list[object] = []
    actions: list[object] = []
    monkeypatch.setattr(rigless.cli._thread, "start_new_thread", lambda *a: repeats.append(a))
    monkeypatch.setattr(signal, "signal", lambda number, action: actions.append(action))

    def compile_with_interrupt() -> int:
        sys.unraisablehook(SimpleNamespace(exc_type=KeyboardInterrupt))  # type: ignore[arg-type]
        raise RuntimeError("no compiled object yet")  # numba's consequence

    def compile_alone() -> int:
        raise RuntimeError("a real error")

    monkeypatch.setattr(rigless.cli, "_run", compile_alone)
    with pytest.raises(RuntimeError, match="a real error"):
        rigless.cli.main()
    monkeypatch.setattr(rigless.cli, "_run", compile_with_interrupt)
    with pytest.raises(SystemExit) as end:
        rigless.cli.main()
    assert end.value.code == 130
    assert len(repeats) == 1
    assert actions[-1] == signal.SIG_IGN
