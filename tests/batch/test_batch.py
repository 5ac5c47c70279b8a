"""Batches have the bits of single simulations, whatever their size, order, config and faults."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from rigless.batch import Pacbots, Rovers, Vacuums
from rigless.kernel.problems import InputError

from .single import SAME, Single, random_commands

KINDS = {"vacuum": Vacuums, "pacbot": Pacbots, "rover": Rovers}
LIDAR = {"lidar": {"enabled": True}}
CONFIGS = {
    "vacuum": [
        LIDAR,
        {**LIDAR, "realism": "hardware", "deadman_timeout_ms": 120.0},
        {**LIDAR, "mock_compat": True},
        {
            "lidar": {
                "enabled": True,
                "num_rays": 90,
                "scan_rate_hz": 7.3,
                "cold_start_s": 0.4,
                "noise": {"miss_rate": 0.1, "materials": True, "mixed_pixels": 0.1},
            },
            "sensors": {"battery": {"model": "discharge"}},
            "robot": {"collision_mode": "slide"},
        },
    ],
    "pacbot": [
        {},
        {"profile": "upstream", "motors": {"watchdog_s": 0.2}},
        {
            "tof": {"count": 8, "rate_hz": 33.0, "cone_rad": 0.3, "dropout": 0.1},
            "motors": {"tau_s": 0.0, "slip": 0.1, "grip": 0.2},
            "imu": {"mount_x_m": 0.02},
        },
    ],
    "rover": [
        {},
        {"map_file": "apartment", "limits": {"linear_mps": 1.0, "linear_mps2": 0.8}},
        {
            "low_rate_update_period_s": 0.083,
            "cmd_vel_timeout_s": 0.15,
            "enc_vel": {
                "vx_noise_std_mps": 0.02,
                "vx_drift_std": 0.05,
                "wz_drift_std": 0.02,
                "drift_start": "stationary",
            },
            "gps": {
                "noise_std_m": 0.5,
                "drift_std_m": 0.8,
                "drift_start": "stationary",
                "outages_s": [[0.3, 0.5]],
                "fix_schedule": [{"at_s": 0.2, "fix": "float"}],
            },
            "imu": {"gyro_walk_radps": 0.01, "accelerometer": True, "accel_noise_std_mps2": 0.1},
        },
    ],
}
MAPS = {"vacuum": ["apartment", "maze", "warehouse"], "pacbot": ["arena", "empty"], "rover": []}
MAP_KEYS = {"vacuum": "map_file", "pacbot": "maze", "rover": "map_file"}
ACTUATORS = {"vacuum": "wheel_left", "pacbot": "wheel_east", "rover": "drive"}
FAULTS = [("stall", {}), ("weak", {"factor": 0.3}), ("inverted", {}), ("runaway", {"level": 0.5})]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, phases=(Phase.explicit, Phase.generate))  # shrinking is slow
@given(data=st.data())
def test_a_batch_equals_single_simulations(kind, data):
    config = data.draw(st.sampled_from(CONFIGS[kind]))
    maps = data.draw(st.lists(st.sampled_from(MAPS[kind]), min_size=1, max_size=2, unique=True)
                     if MAPS[kind] else st.just([]))  # fmt: skip
    seeds = data.draw(st.lists(st.integers(0, 2**40), min_size=1, max_size=4, unique=True))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    faults = [*FAULTS, *([("slip", {"share": 0.4})] if kind == "vacuum" else [])]
    n, chosen = len(seeds), [maps[i % len(maps)] for i in range(len(seeds))] if maps else None
    robots = KINDS[kind](n, config, map=chosen, seeds=seeds, threads=data.draw(st.integers(1, 3)))
    singles = [
        Single(kind, {**config, **({MAP_KEYS[kind]: chosen[i]} if chosen else {})}, seed)
        for i, seed in enumerate(seeds)
    ]
    for ticks in data.draw(st.lists(st.integers(1, 70), min_size=1, max_size=4)):
        fault = data.draw(st.one_of(st.none(), st.sampled_from(faults)))
        broken = int(rng.integers(n))
        if fault is not None:
            single = singles[broken].sim
            single.clear(kind)
            single.inject(kind, ACTUATORS[kind], fault[0], **fault[1])
            robots.clear(which=[broken])
            robots.inject(ACTUATORS[kind], fault[0], which=[broken], **fault[1])
        commands = random_commands(kind, n, rng)
        robots.step(commands, ticks)
        for i, single in enumerate(singles):
            single.send(commands[i])
            single.advance(ticks)
            SAME[kind](single, robots, i)


@pytest.mark.parametrize("kind", KINDS)
def test_size_order_and_threads_change_nothing(kind):
    config, n = CONFIGS[kind][-1], 40
    rng = np.random.default_rng(3)
    commands, order = random_commands(kind, n, rng), rng.permutation(n)
    whole = KINDS[kind](n, config, seeds=range(n), threads=1)
    shuffled = KINDS[kind](n, config, seeds=order, threads=3)
    few = KINDS[kind](3, config, seeds=range(3))
    for ticks in (13, 1, 50):
        whole.step(commands, ticks)
        shuffled.step(commands[order], ticks)
        few.step(commands[:3], ticks)
    for one, two, three in zip(whole.state, shuffled.state, few.state, strict=True):
        assert one[order].tobytes() == two.tobytes()
        assert one[:3].tobytes() == three.tobytes()
    assert len(np.unique(whole.poses[:, 0])) > n // 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_reset_robot_is_a_new_robot(kind):
    config = CONFIGS[kind][-1]
    commands = random_commands(kind, 4, np.random.default_rng(8))
    robots = KINDS[kind](4, config, seeds=range(4))
    robots.step(commands, 37)
    others = robots.poses[[0, 2]].copy()
    robots.reset(which=[1, 3], seeds=[70, 80], starts=[(0.1, 0.2, 0.3), (0.0, 0.1, -0.5)])
    assert robots.poses[[0, 2]].tobytes() == others.tobytes()
    fresh = KINDS[kind](2, config, seeds=[70, 80], starts=[(0.1, 0.2, 0.3), (0.0, 0.1, -0.5)])
    robots.step(commands, 20)
    fresh.step(commands[[1, 3]], 20)
    for ours, new in zip(robots.state, fresh.state, strict=True):
        assert ours[[1, 3]].tobytes() == new.tobytes()


def test_a_copy_of_the_state_can_be_given_back():
    robots = Vacuums(2, LIDAR, seeds=[4, 5])
    commands = [(0.2, 0.5), (0.1, -1.0)]
    robots.step(commands, 30)
    saved = type(robots.state)(*(part.copy() for part in robots.state))
    robots.step(commands, 30)
    later = robots.poses.copy()
    robots.state = saved
    robots.step(commands, 30)
    assert robots.poses.tobytes() == later.tobytes()


def test_robots_differ_by_the_variant_of_their_config():
    variants = [{"robot.max_linear_speed": 0.1}, {"robot.max_linear_speed": 0.3}]
    robots = Vacuums(4, LIDAR, variants=variants)
    robots.step(np.full((4, 2), (0.3, 0.0)), 220)
    speeds = robots.velocities[:, 0]
    assert speeds == pytest.approx([0.1, 0.3, 0.1, 0.3])
    robots.reset(which=[0], variants=[1])
    robots.step(np.full((4, 2), (0.3, 0.0)), 220)
    assert robots.velocities[0, 0] == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: Vacuums(0), ("n", "0")),
        (lambda: Vacuums(2, seeds=[1]), ("seeds", "2")),
        (lambda: Vacuums(2, map=["maze"] * 3), ("map", "3 maps for 2 robots")),
        (lambda: Vacuums(2, {"lidar": {"numrays": 3}}), ("numrays",)),
        (lambda: Vacuums(2, device="tpu"), ("device", "tpu")),
        (lambda: Vacuums(2).step([[0.1, 0.1]]), ("commands", "2 robots")),
        (lambda: Vacuums(1).step([[np.nan, 0.1]]), ("robot 0", "not finite")),
        (lambda: Vacuums(1).step([[0.1, 0.1]], -1), ("ticks", "negative")),
        (lambda: Vacuums(1).inject("lidar", "noise"), ("lidar noise", "wheel_left", "wrong")),
        (lambda: Vacuums(1).inject("battery", "off"), ("battery off", "encoder_right")),
        (lambda: Rovers(1).inject("enc_vx", "off"), ("enc_vx off", "drive", "gps")),
        (lambda: Pacbots(1).inject("tof_north", "dropout"), ("tof_north dropout", "encoder_east")),
        (lambda: Vacuums(1).inject("wheel_left", "lag"), ("lag", "stall")),
        (lambda: Vacuums(1).clear("arm"), ("arm", "wheel_left")),
        (lambda: Vacuums(2, variants=[{}, {"lidar.num_rays": 9}]), ("lidar.num_rays", "differ")),
        (lambda: Pacbots(1, {"maze": "arena", "game": {"enabled": True}}), ("game",)),
    ],
)
def test_mistakes_are_named(act, words):
    with pytest.raises(InputError) as caught:
        act()
    assert all(word in str(caught.value) for word in words), str(caught.value)
