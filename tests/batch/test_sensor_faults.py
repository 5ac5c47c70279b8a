"""Faults of sensors in a batch have the bits of those of single simulations."""

import gymnasium
import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import rigless.gym  # noqa: F401  registers the environments
from rigless.batch import Pacbots, Rovers, Vacuums
from rigless.gym.compiled_rover import FAR_M
from rigless.kernel.problems import InputError
from rigless.robots.vacuum.batch import SCANS
from rigless.robots.vacuum.wire import Scan

from .single import SAME, Single, random_commands

BATCHES = {"vacuum": Vacuums, "pacbot": Pacbots, "rover": Rovers}
LIDAR = {"lidar": {"enabled": True, "num_rays": 40}}
CONFIGS = {
    "vacuum": [
        {**LIDAR, "map_file": "apartment"},
        {**LIDAR, "map_file": "apartment", "realism": "hardware"},
        {
            "lidar": {**LIDAR["lidar"], "scan_rate_hz": 7.3, "cold_start_s": 0.4},
            "robot": {"collision_mode": "slide"},
        },
    ],
    "pacbot": [{"maze": "arena"}, {"tof": {"count": 8, "rate_hz": 33.0, "dropout": 0.1}}],
    "rover": [
        {},
        {
            "low_rate_update_period_s": 0.083,
            "gps": {"noise_std_m": 0.5, "outages_s": [[0.3, 0.5]]},
            "imu": {"accelerometer": True, "accel_noise_std_mps2": 0.1},
        },
    ],
}
FRESH = {"vacuum": 25, "pacbot": 4, "rover": 60}  # ticks in which each sensor has a new reading
KINDS = [
    ("off", {}),
    ("stuck", {}),
    *(("bias", {"value": value}) for value in (-3e4, -1.0, -0.3, 0.37, 70000.5, 1e12)),
    *(("wrong", {"value": value}) for value in (-1e12, -7.5, 0.0, 0.5, 1e-50, 1e12)),
]


@pytest.mark.parametrize("kind", BATCHES)
@settings(max_examples=12, phases=(Phase.explicit, Phase.generate))  # shrinking is slow
@given(data=st.data())
def test_faulty_sensors_equal_those_of_single_simulations(kind, data):
    config = data.draw(st.sampled_from(CONFIGS[kind]))
    seeds = data.draw(st.lists(st.integers(0, 2**40), min_size=1, max_size=3, unique=True))
    rng, n = np.random.default_rng(data.draw(st.integers(0, 2**32))), len(seeds)
    robots = BATCHES[kind](n, config, seeds=seeds)
    singles = [Single(kind, config, seed) for seed in seeds]
    for _ in range(data.draw(st.integers(1, 4))):
        broken, ticks = int(rng.integers(n)), data.draw(st.integers(1, 60))
        single = singles[broken]
        if data.draw(st.booleans()):
            single.sim.clear(kind)
            robots.clear(which=[broken])
            single.last.pop(Scan, None)  # it was faulty, and is the last one until the next turn
            ticks += FRESH[kind]
        else:
            for sensor in data.draw(st.lists(st.sampled_from(sorted(robots.sensor_counters)),
                                             unique=True, max_size=4)):  # fmt: skip
                if single.robot.fault(sensor) is None:
                    fault, params = data.draw(st.sampled_from(KINDS))
                    single.sim.inject(kind, sensor, fault, **params)
                    robots.inject(sensor, fault, which=[broken], **params)
        commands = random_commands(kind, n, rng)
        scans = robots.state.counters[:, SCANS].copy()
        robots.step(commands, ticks)
        for i, single in enumerate(singles):
            single.send(commands[i])
            single.advance(ticks)
            off = single.robot.fault("lidar", "off") is not None
            if off and robots.state.counters[i, SCANS] > scans[i]:
                single.last.pop(Scan, None)  # nothing was sent, and the batch has no echo
            SAME[kind](single, robots, i)


@pytest.mark.parametrize("fault", ["off", "stuck", "bias", "wrong"])
@pytest.mark.parametrize("kind", BATCHES)
def test_each_sensor_has_each_fault(kind, fault):
    config, rng = CONFIGS[kind][-1], np.random.default_rng(6)
    robots, single = BATCHES[kind](1, config, seeds=[9]), Single(kind, config, 9)
    for ticks in (25, 3, 20, 40, 30):
        commands = random_commands(kind, 1, rng)
        robots.step(commands, ticks)
        single.send(commands[0])
        single.advance(ticks)
        if fault == "off" and single.robot.faults and robots.state.counters[0, SCANS] > 1:
            single.last.pop(Scan, None)
        SAME[kind](single, robots, 0)
        for sensor in robots.sensor_counters if ticks == 25 else ():
            single.sim.inject(kind, sensor, fault)
            robots.inject(sensor, fault)


@pytest.mark.parametrize("kind", ["off", "stuck", "bias", "wrong"])
def test_only_broken_robots_have_other_readings(kind):
    robots, whole = (Vacuums(6, LIDAR, seeds=range(6)) for _ in range(2))
    commands = random_commands("vacuum", 6, np.random.default_rng(2))
    for sensor in Vacuums.sensor_counters:
        robots.inject(sensor, kind, which=[1, 4])
    for batch in (robots, whole):
        batch.step(commands, 30)
        batch.step(commands[::-1], 40)
    mended = [0, 2, 3, 5]
    pairs = [*zip(robots.readings(), whole.readings(), strict=True),
             *zip(robots.scan()[:3], whole.scan()[:3], strict=True),
             (robots.bumpers, whole.bumpers)]  # fmt: skip
    for ours, theirs in pairs:
        assert ours[mended].tobytes() == theirs[mended].tobytes()
    for ours, theirs in pairs[:2] + pairs[3:4]:
        assert (ours[[1, 4]] != theirs[[1, 4]]).any()
    assert robots.state.bodies.tobytes() == whole.state.bodies.tobytes()
    robots.clear("lidar", which=[1])
    assert robots.scan().distances_m[1].tobytes() == whole.scan().distances_m[1].tobytes()
    assert (robots.scan().distances_m[4] != whole.scan().distances_m[4]).any()
    robots.reset(which=[4])
    whole.reset(which=[4])
    for batch in (robots, whole):
        batch.step(commands, 30)
    assert robots.scan().distances_m[4].tobytes() == whole.scan().distances_m[4].tobytes()


def test_environments_observe_faulty_sensors():
    faults = [{"target": "lidar", "kind": "off"}, {"target": "bumper_left", "kind": "wrong",
               "value": 1.0, "probability": 0.5}]  # fmt: skip
    env = gymnasium.make_vec("rigless/VacuumGoal-v0", 8, vectorization_mode="vector_entry_point",
                             beams=12, faults=faults)  # fmt: skip
    env.reset(seed=3)
    observations = env.step(np.zeros((8, 2), np.float32))[0]
    assert (observations[:, :12] == 1.0).all()
    pressed = observations[:, 12]
    assert pressed.tolist() == env.unwrapped.task.robots.bumpers[:, 0].tolist()
    assert 0 < pressed.sum() < 8
    assert not env.unwrapped.task.robots.contacts.any()
    env.close()


def test_a_rover_environment_observes_a_receiver_that_is_wrong():
    env = gymnasium.make_vec("rigless/RoverWaypoint-v0", 3, vectorization_mode="vector_entry_point",
                             faults=[{"target": "gps", "kind": "wrong", "value": 5.0}])  # fmt: skip
    env.reset(seed=3)
    for _ in range(2):
        seen = env.step(np.zeros((3, 2), np.float32))[0]
    task = env.unwrapped.task
    assert (task.robots.scan().fixes_m == 5.0).all()
    assert (task.robots.state.fixes != 5.0).any()
    away_m = np.hypot(*(task.waypoints.places - 5.0).T)
    assert seen[:, 0] == pytest.approx(np.minimum(away_m / FAR_M, 1.0))
    env.close()


def test_a_device_refuses_faults_of_sensors(monkeypatch):
    robots = Vacuums(1)
    monkeypatch.setattr(robots, "_xp", None)  # another module of arrays
    with pytest.raises(InputError, match=r'lidar off is not offered on a device.*device="cpu"'):
        robots.inject("lidar", "off")
