"""Fixtures that install robots and remove them after the test."""

import shutil
import sys
from pathlib import Path

import pytest

import rigless.robots

from .scenes import CART


@pytest.fixture
def modules():
    """Unload the modules that a test has imported."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and "/pytest-" in str(
            sys.modules[name].__file__
        ):
            del sys.modules[name]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modules: None):
    """Return a function that adds a robot to rigless.robots.

    Call `install("cart")`, or give the text of its __init__.py.
    """
    place = tmp_path / "installed"
    place.mkdir()
    monkeypatch.setattr(rigless.robots, "__path__", [*rigless.robots.__path__, str(place)])
    names = []

    def add(name: str, text: str | None = None) -> None:
        names.append(name)
        if text is None:
            shutil.copytree(CART, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (place / name).mkdir()
            (place / name / "__init__.py").write_text(text)

    yield add
    for name in names:
        vars(rigless.robots).pop(name, None)
