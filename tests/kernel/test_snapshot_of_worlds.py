"""Snapshots of the worlds of single robots and of the settings of noise."""

import msgspec
import pytest

from rigless.kernel.inputs import PlaceObstacle
from rigless.kernel.simulation import Simulation
from rigless.kernel.snapshot import Snapshot
from rigless.kernel.world import Obstacle, World

from .robots import Counter


def boxed():
    return World({"box": Obstacle(0.1)})


def scene():
    """Return robots in the main world (named or not), two in one of their own, and one alone."""
    main, shared, alone = boxed(), boxed(), boxed()
    worlds = {"named": main, "a": shared, "b": shared, "c": alone}
    return Simulation([Counter(name) for name in ("main", *worlds)], main, worlds=worlds)


def places(sim):
    """Return the x of the box in the main world, the shared one and the last one."""
    core = sim.core
    worlds = (core.world, core.worlds["b"], core.worlds["c"])
    return [world.state.obstacles["box"].pose(sim.now_ns)[0] for world in worlds]


def moved():
    sim = scene()
    for x_m, robot in enumerate(("", "a", "c"), 1):
        sim.apply(PlaceObstacle("box", float(x_m), 0.0, radius_m=0.1, world_of=robot))
    return sim


def test_each_world_is_in_the_snapshot_once_by_its_first_robot():
    saved = Snapshot.from_bytes(moved().snapshot().to_bytes())
    assert set(saved.worlds) == {"a", "c"}
    other = scene()
    other.restore(saved)
    assert places(other) == [1, 2, 3]
    assert other.core.worlds["a"] is other.core.worlds["b"]
    assert other.core.worlds["named"] is other.core.world


def test_a_world_that_a_snapshot_lacks_stays_as_it_is():
    saved = moved().snapshot()
    sim = scene()
    sim.restore(msgspec.structs.replace(saved, worlds={"c": saved.worlds["c"]}))
    assert places(sim) == [1, 0, 3]


def test_a_reset_brings_back_every_world():
    sim = moved()
    sim.reset()
    assert places(sim) == [0, 0, 0]


def windows(sim):
    sim.run(0.5)
    return [sim.robots[name].state.window.tolist() for name in "ab"]


def two(noise):
    return Simulation([Counter("a"), Counter("b")], seed=3, noise=noise)


def test_noise_that_is_off_or_has_a_seed_of_its_own_is_for_its_stream_only():
    usual, off, seeded = (
        windows(two({})),
        windows(two({"a/level": "off"})),
        windows(two({"a/*": 8})),
    )
    assert off[0] == [1.0] * 3
    assert seeded[0] not in (usual[0], off[0])
    assert usual[1] == off[1] == seeded[1]


@pytest.mark.parametrize("noise", [{"a/level": "off"}, {"a/*": 8}, {}])
@pytest.mark.parametrize("other", [{"b/level": "off"}, {}])
def test_a_snapshot_brings_its_noise_settings_with_it(noise, other):
    sim, restored = two(noise), two(other)
    sim.run(0.3)
    restored.restore(Snapshot.from_bytes(sim.snapshot().to_bytes()))
    assert restored.core.noise == noise
    assert windows(restored) == windows(sim)
    assert restored.snapshot().to_bytes() == sim.snapshot().to_bytes()


def test_names_of_streams_that_were_used_later_stay_known():
    sim = two({})
    saved = sim.snapshot()
    sim.run(0.3)
    sim.restore(saved)
    assert set(sim.core.streams.names) == {"a/level", "b/level"}
