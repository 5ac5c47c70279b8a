import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from rigless.kernel.plain import pack, unpack
from rigless.kernel.streams import OFF_WORD, Streams, stream_key

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)


@given(st.integers(0, 2**63), NAMES)
def test_the_same_seed_and_name_give_the_same_draws(seed, name):
    assert_array_equal(Streams(seed).get(name).random(4), Streams(seed).get(name).random(4))


def test_names_and_seeds_give_streams_of_their_own():
    keys = {tuple(stream_key(seed, name)) for seed in range(100) for name in ("a", "b", "a/b", "")}
    assert len(keys) == 400
    draws = [
        Streams(seed).get(name).random() for seed in range(100) for name in ("a", "b", "a/b", "")
    ]
    assert len(set(draws)) == 400


def test_seed_and_name_do_not_run_into_each_other():
    assert tuple(stream_key(1, "1x")) != tuple(stream_key(11, "x"))


def test_a_draw_does_not_depend_on_what_else_is_drawn():
    alone, crowded = Streams(3), Streams(3)
    first = alone.get("imu").standard_normal(6)
    mixed = []
    for index in range(6):
        crowded.get(f"other {index}").random(index + 1)
        mixed.append(crowded.get("imu").standard_normal())
    assert_array_equal(first, mixed)


def test_a_stream_goes_on_where_it_was():
    streams = Streams(3)
    assert streams.get("x") is streams.get("x")
    assert streams.get("x").random() != streams.get("x").random()


def test_the_key_is_pinned_so_that_recordings_stay_valid():
    assert [int(word) for word in stream_key(7, "vacuum/lidar")] == [
        4591411726019084607,
        3369845073392861778,
    ]
    assert Streams(7).get("vacuum/lidar").integers(0, 2**32, 3).tolist() == [
        678946463,
        1936390785,
        1056750505,
    ]


@given(st.integers(0, 7), st.sampled_from(["random", "standard_normal", "integers"]))
def test_saved_streams_go_on_exactly_through_plain_bytes(drawn, method):
    def draw(streams, n):
        generator = streams.get("a")
        args = (0, 100) if method == "integers" else ()
        return [getattr(generator, method)(*args) for _ in range(n)]

    streams = Streams(5)
    draw(streams, drawn)
    saved = unpack(pack(streams.save()))
    wanted, fresh = draw(streams, 5), streams.get("new").random()
    copy = Streams(5)
    copy.get("unknown to the snapshot").random()
    copy.load(saved)
    assert draw(copy, 5) == wanted
    assert copy.get("new").random() == fresh


def test_loading_forgets_streams_that_began_later():
    streams = Streams(1)
    saved = streams.save()
    first = streams.get("late").random()
    streams.load(saved)
    assert streams.get("late").random() == first


def test_the_draws_are_spread_evenly():
    draws = np.concatenate([Streams(seed).get("x").random(50) for seed in range(400)])
    counts, _ = np.histogram(draws, bins=20, range=(0, 1))
    assert (
        np.sum((counts - 1000) ** 2 / 1000) < 50
    )  # chi-square with 19 degrees: 43.8 is the 0.1 % point


def test_copies_of_a_robots_streams_continue_them_without_shifting_them():
    streams, same = Streams(3), Streams(3)
    for each in (streams, same):
        each.get("robot/imu").random()
    copies = streams.copies_for("robot")
    ahead = [copies("imu").random(), copies("imu").random(), copies("gyro").random()]
    assert ahead == [
        same.get("robot/imu").random(),
        same.get("robot/imu").random(),
        same.get("robot/gyro").random(),
    ]
    assert [streams.get("robot/imu").random() for _ in range(2)] == ahead[:2]
    assert streams.get("robot/gyro").random() == ahead[2]


def test_single_streams_get_a_seed_of_their_own_or_are_off():
    streams = Streams(3, {"a/imu": 8, "a/*": "off", "*": 9})
    assert_array_equal(streams.key("a/imu"), stream_key(8, "a/imu"))
    assert_array_equal(streams.key("a/lidar"), [OFF_WORD, OFF_WORD])
    assert_array_equal(streams.key("b/lidar"), stream_key(9, "b/lidar"))
    assert_array_equal(streams.get("a/imu").random(3), Streams(8).get("a/imu").random(3))
    assert streams.get("a/lidar").standard_normal() == 0.0
    assert list(streams.names) == ["a/imu", "a/lidar", "b/lidar"]
    assert_array_equal(Streams(3, {"a/imu": "off"}).key("a/gps"), stream_key(3, "a/gps"))


def test_a_saved_stream_that_is_off_stays_off():
    streams = Streams(3, {"x": "off"})
    streams.get("x").random()
    copy = Streams(4, {"x": "off"})
    copy.load(unpack(pack(streams.save())))
    assert copy.get("x").random() == Streams(5, {"r/x": "off"}).copies_for("r")("x").random() == 0.5
