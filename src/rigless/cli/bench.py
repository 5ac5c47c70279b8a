"""`rigless bench`: runs the files of `benchmarks/`, each of which has `run() -> dict` of figures."""

import importlib.util
import json as json_module
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigless.cli.speak import line, say
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.scenario.places import folder


def run_benchmarks(names: list[str], json: bool) -> None:
    place = folder("benchmarks")
    found = {path.stem: path for path in sorted(place.glob("*.py"))} if place else {}
    for name in names:
        if name not in found:
            raise unknown("benchmark", name, found)
    results: dict[str, Any] = {}
    for name in names or found:
        say(f"measuring {name} …", "dim")
        results[name] = _load(name, found[name])()
    if json:
        line(json_module.dumps(results[names[0]] if len(names) == 1 else results, indent=2))
        return
    for name, figures in results.items():
        line(f"{name}:")
        for key, value in figures.items():
            line(f"  {key:<44} {f'{value:,.4g}' if isinstance(value, float) else value}")


def _load(name: str, path: Path) -> Callable[[], dict[str, Any]]:
    spec = importlib.util.spec_from_file_location(f"rigless_benchmark_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise InputError(
            Problem(name, f"this benchmark needs {error.name!r}", "pip install 'rigless[bench]'")
        ) from None
    run: Callable[[], dict[str, Any]] = module.run
    return run
