"""For every robot: its declarations are correct."""

import pytest

from .subjects import all_checks


@pytest.mark.parametrize("check", all_checks("declared"))
def test_conformance(check):
    check()
