"""Shrinking: from a failing run to the smallest scenario that fails in the same way."""

from rigless.sweeps.shrink.api import Shrunk, shrink
from rigless.sweeps.shrink.culprit import Culprit, find_culprit

__all__ = ["Culprit", "Shrunk", "find_culprit", "shrink"]
