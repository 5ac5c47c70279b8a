"""Helpers of the scenario tests: paths of robots, and simulations built from text or data."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from rigless.kernel.problems import InputError, Problem
from rigless.scenario.build import Built, build
from rigless.scenario.expectations import ExpectationMonitor
from rigless.scenario.load import open_target
from rigless.scenario.model import Scenario
from rigless.scenario.source import Source
from rigless.scenario.verdict import Verdict

CART = str(Path(__file__).parent / "cart")
THERMOSTAT = str(Path(__file__).parents[2] / "examples" / "thermostat")


def cart(**entry: Any) -> dict[str, Any]:
    return {"kind": CART, **entry}


def built(robots: list[dict[str, Any]] | None = None, **tables: Any) -> Built:
    """Build a scenario from data, with one cart unless robots are given."""
    raw = {"robots": robots or [cart()], **tables}
    return build(Scenario.model_validate(raw), Source())


def opened(
    folder: Path, text: str | bytes, settings: Iterable[str] = (), seed: int | None = None
) -> Built:
    """Write a scenario file and open it as `rigless run` does."""
    path = folder / "s.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return open_target(path, settings, seed)


def problems(call: Any, *args: Any, **kwargs: Any) -> tuple[Problem, ...]:
    """Return the problems of the InputError that a call raises."""
    with pytest.raises(InputError) as caught:
        call(*args, **kwargs)
    return caught.value.problems


def judged(expect: list[dict[str, Any]], duration_s: float = 2.0, **tables: Any) -> list[Verdict]:
    """Run a scenario and return the verdicts on its expectations."""
    scene = built(expect=expect, **tables)
    examiner = ExpectationMonitor(scene, duration_s)
    scene.simulation.run(duration_s)
    return examiner.verdicts()
