"""Search for failing runs instead of counting them.

Sobol points cover the space of parameters first. Then an optimiser moves towards the worst margin:
optuna, if it is installed, otherwise the cross-entropy method. A failure is kept and its
surroundings are left, so that several distinct failures are found.
"""

from rigless.sweeps.search.failures import Failure
from rigless.sweeps.search.search import Search
from rigless.sweeps.search.space import Axis

__all__ = ["Axis", "Failure", "Search"]
