"""Counter-based noise for numba functions: Philox 4×32 with ten rounds (Salmon et al., SC 2011).

A draw is a function of (key, counter) alone. Keys come from `rigless.kernel.streams.stream_key`.
Counters are the model's own tick number and the index of the value within the tick. A draw
therefore depends neither on batch size nor on other draws, and a snapshot needs no generator state.

The key of a stream that is off gives the median of every draw: normal 0, uniform 0.5.
"""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numba import uint32, uint64
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined
from rigless.kernel.compiled.elementary import log
from rigless.kernel.compiled.lending import lent
from rigless.kernel.streams import OFF_WORD, stream_key

Key = NDArray[np.uint64]

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint32(0x9E3779B9), np.uint32(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_UNIT = 2.0**-32
_OFF = np.uint64(OFF_WORD)
_MEDIAN = np.uint32(0x80000000)
_QUANTILES = np.array([0.0, *(NormalDist().inv_cdf(i / 4096) for i in range(1, 4096)), 0.0])


def noise_key(seed: int, name: str) -> Key:
    """Return the key of a stream for `block`.

    Only the first of its two words is used, as two 32-bit halves.
    """
    return stream_key(seed, name)


@inlined
def block(key: Key, tick: int, index: int) -> Any:
    """Return four random 32-bit words for the `index`-th value of the `tick`-th step."""
    counter = uint64(tick)
    c0, c1 = uint32(counter & _LOW), uint32(counter >> _SHIFT)
    c2, c3 = uint32(index), uint32(key[1] & _LOW)
    k0, k1 = uint32(key[0] & _LOW), uint32(key[0] >> _SHIFT)
    for _ in range(10):
        p0, p1 = _M0 * uint64(c0), _M1 * uint64(c2)
        c0, c1, c2, c3 = (
            uint32((p1 >> _SHIFT) ^ uint64(c1) ^ uint64(k0)),
            uint32(p1 & _LOW),
            uint32((p0 >> _SHIFT) ^ uint64(c3) ^ uint64(k1)),
            uint32(p0 & _LOW),
        )
        k0, k1 = uint32(k0 + _W0), uint32(k1 + _W1)
    if uint64(key[1]) == _OFF:
        c0 = c1 = c2 = c3 = _MEDIAN
    return c0, c1, c2, c3


@compiled
def blocks(key: Key, tick: int, words: Any) -> None:
    """Fill four rows of `words` with those of `block` for the indices 0, 1, 2, ….

    It is eight times as fast as a loop over `block` and what follows: the compiler makes vector
    instructions of a loop that has no branches.
    """
    key, words = lent(key), lent(words)
    low, high = uint64(tick) & _LOW, uint64(tick) >> _SHIFT
    key0, key1, key2 = key[0] & _LOW, key[0] >> _SHIFT, key[1] & _LOW
    for i in range(words.shape[1]):
        c0, c1, c2, c3 = _rounds(low, high, uint64(i), key2, key0, key1)
        words[0, i], words[1, i], words[2, i], words[3, i] = c0, c1, c2, c3
    if key[1] == _OFF:
        words[:] = _MEDIAN


@compiled
def blocks_of_ticks(key: Key, tick: int, words: Any) -> None:
    """Fill four rows of `words` with those of `block` for index 0 of the ticks from `tick`."""
    key, words = lent(key), lent(words)
    key0, key1, key2 = key[0] & _LOW, key[0] >> _SHIFT, key[1] & _LOW
    for i in range(words.shape[1]):
        now = uint64(tick) + uint64(i)
        c0, c1, c2, c3 = _rounds(now & _LOW, now >> _SHIFT, uint64(0), key2, key0, key1)
        words[0, i], words[1, i], words[2, i], words[3, i] = c0, c1, c2, c3
    if key[1] == _OFF:
        words[:] = _MEDIAN


@inlined
def _rounds(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> Any:
    """Return the words of a counter and a key, 32 bits each in words of the products."""
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (
            (p1 >> _SHIFT) ^ c1 ^ k0,
            p1 & _LOW,
            (p0 >> _SHIFT) ^ c3 ^ k1,
            p0 & _LOW,
        )
        k0, k1 = (k0 + uint64(_W0)) & _LOW, (k1 + uint64(_W1)) & _LOW
    return c0, c1, c2, c3


@inlined
def uniform(word: int) -> float:
    """Return a number in [0, 1) from one word."""
    return word * _UNIT


@inlined
def normal(word: int) -> Any:
    """Return a standard normal number from one word.

    It is the quantile function, by table inside and by formula in the tails.
    """
    bin_ = word >> 20
    if 8 <= bin_ < 4088:
        low = _QUANTILES[bin_]
        return low + (_QUANTILES[bin_ + 1] - low) * ((word & 0xFFFFF) * 2.0**-20)
    return _tail((word + 0.5) * _UNIT)


@compiled
def _tail(p: float) -> Any:
    """Return the normal quantile of a p near 0 or 1.

    Acklam's rational approximation, relative error 1e-9.
    """
    q = math.sqrt(-2.0 * log(min(p, 1.0 - p)))
    top = (
        (
            ((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q
            - 2.549732539343734
        )
        * q
        + 4.374664141464968
    ) * q + 2.938163982698783
    bottom = (
        ((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q
        + 3.754408661907416
    ) * q + 1
    return top / bottom if p < 0.5 else -top / bottom
