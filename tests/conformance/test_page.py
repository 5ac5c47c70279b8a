"""For every robot: a page shows its robot, and looking at it changes nothing."""

import pytest

from .subjects import all_checks


@pytest.mark.parametrize("check", all_checks("page"))
def test_conformance(check):
    check()
