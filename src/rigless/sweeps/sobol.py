"""Sobol points: they fill a space evenly with any number of points, better than random ones.

The direction numbers are those of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better
two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), table new-joe-kuo-6.
"""

import numpy as np
from numpy.typing import NDArray

BITS = 32
# Per dimension after the first: the degree and the coefficients of the polynomial, and m₁, m₂, …
JOE_KUO: tuple[tuple[int, int, tuple[int, ...]], ...] = (
    (1, 0, (1,)),
    (2, 1, (1, 3)),
    (3, 1, (1, 3, 1)),
    (3, 2, (1, 1, 1)),
    (4, 1, (1, 1, 3, 3)),
    (4, 4, (1, 3, 5, 13)),
    (5, 2, (1, 1, 5, 5, 17)),
    (5, 4, (1, 1, 5, 5, 5)),
    (5, 7, (1, 1, 7, 11, 19)),
    (5, 11, (1, 1, 5, 1, 1)),
    (5, 13, (1, 1, 1, 3, 11)),
    (5, 14, (1, 3, 5, 5, 31)),
    (6, 1, (1, 3, 3, 9, 7, 49)),
    (6, 13, (1, 1, 1, 15, 21, 21)),
    (6, 16, (1, 3, 1, 13, 27, 49)),
    (6, 19, (1, 1, 1, 15, 7, 5)),
    (6, 22, (1, 3, 1, 15, 13, 25)),
    (6, 25, (1, 1, 5, 5, 19, 61)),
    (7, 1, (1, 3, 7, 11, 23, 15, 103)),
    (7, 4, (1, 3, 7, 13, 13, 15, 69)),
)
MOST_DIMENSIONS = len(JOE_KUO) + 1


def sobol(dimensions: int, count: int, seed: int | None = None) -> NDArray[np.float64]:
    """Return the first points of a sequence in [0, 1): an array of count rows.

    The seed shifts all points by one random vector of bits (a digital shift), which keeps them
    even. Without a seed the first point is 0. A longer sequence begins with the shorter one.
    Dimensions after the 21st are plain random numbers.
    """
    even = min(dimensions, MOST_DIMENSIONS)
    points = np.zeros((count, even), np.uint64)
    for column in range(even):
        points[:, column] = _integers(column, count)
    numbers = np.random.Generator(np.random.Philox(seed or 0))
    shift = numbers.integers(0, 1 << BITS, MOST_DIMENSIONS, np.uint64)[:even]
    if seed is not None:
        points ^= shift
    values = points / float(1 << BITS)
    if dimensions == even:
        return values
    rest = [
        np.random.Generator(np.random.Philox([seed or 0, column])).random(count)
        for column in range(even, dimensions)
    ]
    return np.column_stack([values, *rest])


def _integers(column: int, count: int) -> NDArray[np.uint64]:
    """Return the points of a dimension as integers, in the order of the Gray code."""
    directions = _directions(column)
    index = np.arange(count, dtype=np.uint64)
    gray = index ^ (index >> np.uint64(1))
    values = np.zeros(count, np.uint64)
    for bit, direction in enumerate(directions):
        values ^= ((gray >> np.uint64(bit)) & np.uint64(1)) * np.uint64(direction)
    return values


def _directions(column: int) -> list[int]:
    """Return the direction numbers of a dimension, scaled to integers."""
    if column == 0:
        return [1 << (BITS - 1 - bit) for bit in range(BITS)]
    degree, coefficients, initial = JOE_KUO[column - 1]
    found = [m << (BITS - 1 - bit) for bit, m in enumerate(initial)]
    for bit in range(degree, BITS):
        value = found[bit - degree] ^ (found[bit - degree] >> degree)
        for step in range(1, degree):
            if coefficients >> (degree - 1 - step) & 1:
                value ^= found[bit - step]
        found.append(value)
    return found
