"""Runs each test of the contract once for every robot."""

import pytest

from .exercise import name_of, targets


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "target" in metafunc.fixturenames:
        metafunc.parametrize("target", targets(), ids=name_of)
