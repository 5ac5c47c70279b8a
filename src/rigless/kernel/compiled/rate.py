"""Due times of a rate, for compiled functions; see `rigless.kernel.timing.rate`."""

from rigless.kernel.compiled import compiled
from rigless.kernel.timing.rate import NS_PER_S


@compiled
def due_ns(number: int, num: int, den: int) -> int:
    """Return when tick `number` of a rate of num/den hertz is due."""
    return number * NS_PER_S * den // num
