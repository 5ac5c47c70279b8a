"""For every robot: what a robot declares holds."""

import pytest

from .subjects import all_checks


@pytest.mark.parametrize("check", all_checks("declared"))
def test_conformance(check):
    check()
