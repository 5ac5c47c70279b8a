"""For every robot: codecs give the same for any chunking, and no bytes break a robot."""

import pytest

from .subjects import all_checks


@pytest.mark.parametrize("check", all_checks("wire"))
def test_conformance(check):
    check()
