"""The example's filter tells honest covariances from others: what it calls consistent is not by chance."""

import runpy
from pathlib import Path

from rigless.robots.rover import readings

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "11_rover_ekf.py"


def test_a_filter_that_is_told_lies_notices(monkeypatch, capsys):
    true = readings.speed_variance
    monkeypatch.setattr(readings, "speed_variance", lambda *given: 0.2 * true(*given))
    runpy.run_path(str(EXAMPLE))
    assert "the covariances lie" in capsys.readouterr().out
