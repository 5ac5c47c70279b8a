"""For every robot: its page can be shown, and showing it changes no state."""

import pytest

from .subjects import all_checks


@pytest.mark.parametrize("check", all_checks("page"))
def test_conformance(check):
    check()
