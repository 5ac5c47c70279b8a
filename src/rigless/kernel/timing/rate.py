"""Exact periodic due times: the n-th one is n·10⁹·den//num nanoseconds, so 110 Hz never drifts."""

from fractions import Fraction

NS_PER_S = 1_000_000_000


class Rate:
    """A frequency as an exact fraction of hertz. Zero means never."""

    __slots__ = ("den", "num")

    def __init__(self, hz: float | Fraction):
        exact = hz if isinstance(hz, Fraction) else Fraction(str(hz))
        if exact < 0:
            raise ValueError(f"a rate cannot be negative: {hz} Hz")
        if exact > NS_PER_S:
            raise ValueError(f"a rate cannot be above 1 GHz, one tick a nanosecond: {hz:g} Hz")
        self.num, self.den = exact.numerator, exact.denominator

    @classmethod
    def of_period(cls, seconds: float) -> "Rate":
        """Return the rate of a period in seconds, exact in decimal (0.01 s is 100 Hz)."""
        return cls(1 / Fraction(str(seconds)))

    def due_ns(self, n: int) -> int:
        """Return when the n-th tick is due, counted from where the rate was set."""
        return n * NS_PER_S * self.den // self.num

    @property
    def hz(self) -> float:
        """The frequency in hertz."""
        return self.num / self.den


def to_ns(seconds: float) -> int:
    """Return seconds as the nearest nanosecond; decimal numbers such as 0.1 are exact."""
    if seconds.__class__ is float and -1e6 < seconds < 1e6:
        scaled = seconds * 1e9  # within 0.23 ns of the decimal number
        nearest = round(scaled)
        if -0.25 < scaled - nearest < 0.25:
            return nearest
    return round(Fraction(str(seconds)) * NS_PER_S)
