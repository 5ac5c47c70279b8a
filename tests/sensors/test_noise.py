"""Counter-based noise: the algorithm's published results, and its distributions by scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy import stats

from rigless.kernel.streams import OFF_WORD, Streams
from rigless.sensors.noise import block, blocks, blocks_of_ticks, noise_key, normal, uniform


@njit
def draw(key, tick, count):
    out = np.empty((count, 4))
    for i in range(count):
        words = block(key, tick, i)
        out[i, 0], out[i, 1] = normal(words[0]), normal(words[1])
        out[i, 2], out[i, 3] = uniform(words[2]), uniform(words[3])
    return out


def test_the_words_are_those_of_philox_4x32_10():
    # Known answer of the Random123 distribution for a counter and key of zeros.
    words = block(np.zeros(2, np.uint64), 0, 0)
    assert [int(word) for word in words] == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 1))
def test_a_draw_depends_on_its_counter_alone(tick, index):
    key = noise_key(3, "vacuum/lidar")
    assert block(key, tick, index) == block(key, tick, index)
    assert block(key, tick, index) != block(key, tick ^ 1, index)
    assert block(key, tick, index) != block(key, tick, index ^ 1)
    assert block(key, tick, index) != block(noise_key(4, "vacuum/lidar"), tick, index)
    assert block(key, tick, index) != block(noise_key(3, "vacuum/imu"), tick, index)


@pytest.mark.parametrize("key", [noise_key(3, "a"), np.full(2, OFF_WORD, np.uint64)])
def test_many_blocks_at_once_are_those_of_single_ones(key):
    for tick in (0, 7, (1 << 40) + 5):
        words = np.empty((4, 37), np.uint32)
        blocks(key, tick, words)
        assert words.T.tolist() == [list(block(key, tick, index)) for index in range(37)]


def test_normals_are_normal_and_uniforms_uniform_and_all_independent():
    numbers = draw(noise_key(1, "test"), 5, 400_000)
    for column in (0, 1):
        assert stats.kstest(numbers[:, column], "norm").pvalue > 1e-4
        assert stats.kurtosis(numbers[:, column]) == pytest.approx(0, abs=6 * np.sqrt(24 / 400_000))
    for column in (2, 3):
        assert stats.kstest(numbers[:, column], "uniform").pvalue > 1e-4
    off_diagonal = np.corrcoef(numbers.T)[~np.eye(4, dtype=bool)]
    assert np.abs(off_diagonal).max() < 5 / np.sqrt(400_000)


@given(st.integers(0, 2**32 - 1))
def test_a_normal_is_the_quantile_of_its_word(word):
    # The word is passed as numba sees it, a 32-bit unsigned integer.
    got = draw_one(np.uint32(word))
    assert got == pytest.approx(stats.norm.ppf((word + 0.5) / 2**32), abs=1e-3)


@njit
def draw_one(word):
    return normal(word)


def test_the_key_of_a_stream_that_is_off_draws_medians():
    numbers = draw(Streams(3, {"x": "off"}).key("x"), 5, 100)
    assert (numbers == [0.0, 0.0, 0.5, 0.5]).all()


@pytest.mark.parametrize("key", [noise_key(3, "a"), np.full(2, OFF_WORD, np.uint64)])
@pytest.mark.parametrize("tick", [0, 7, 2**32 - 3, 2**40])
def test_words_of_many_ticks_are_those_of_each_tick(key, tick):
    words = np.empty((4, 11), np.uint32)
    blocks_of_ticks(key, tick, words)
    for i in range(11):
        assert words[:, i].tolist() == [int(word) for word in block(key, tick + i, 0)]
