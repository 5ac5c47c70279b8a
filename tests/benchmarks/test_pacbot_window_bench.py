"""The benchmark of the Pacbot's window counts its frames and the physics steps together."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / "benchmarks" / "_pacbot_window.py"
_spec = importlib.util.spec_from_file_location("window_benchmark", FILE)
_window = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_window)


@pytest.mark.parametrize("arrangement", ["process", "thread"])
def test_frames_and_steps_are_counted_together(arrangement, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("RIGLESS_WINDOW_TIMES", "")
    monkeypatch.setattr(_window, "WARM_UP", 3)
    found = _window.measure(1.5, arrangement)
    assert (found["arrangement"], found["display"]) == (arrangement, "dummy")
    assert found["frames"] > 0
    assert found["steps"] > 50
    assert 0 < found["frame_p50_ms"] <= found["frame_p99_ms"]
    assert found["late_p50_ms"] <= found["late_p99_ms"]


def test_shares():
    values = [float(n) for n in range(100)]
    assert (_window.share(values, 0.5), _window.share(values, 0.99), _window.share([], 0.5)) == (
        50,
        99,
        0,
    )
