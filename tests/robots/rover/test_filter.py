"""The example's filter distinguishes honest covariances from wrong ones."""

import runpy
from pathlib import Path

from rigless.robots.rover import readings

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "11_rover_ekf.py"


def test_the_filter_detects_wrong_covariances(monkeypatch, capsys):
    true = readings.speed_variance
    monkeypatch.setattr(readings, "speed_variance", lambda *terms: 0.2 * true(*terms))
    runpy.run_path(str(EXAMPLE))
    assert "the covariances are wrong" in capsys.readouterr().out
