"""The Pacbot's page: its values are true, drawing has no side effects, and it can drive."""

import math

import numpy as np
import pytest

from rigless.kernel.drawing import Action, Gauge, Lamp, Plot, Trail, rows
from rigless.kernel.recording import record_to_bytes

from .scene import FORWARD, drive, pacbot, times

GAME = ("game.enabled=true", "game.referee_s=0.1")


def view(sim):
    return sim.robots["pacbot"].view()


def drawn(sim):
    page = view(sim)
    found = page.draw()
    return {part.name: rows(part, found[part.name]) for part in page.parts if part.columns}


@pytest.mark.parametrize("settings", [(), ("tof.count=8", "motors.watchdog_s=0.5"), GAME])
def test_every_part_has_its_rows_and_numbers(settings):
    sim = pacbot(*settings)
    drive(sim, FORWARD)
    sim.run(0.7)
    page = view(sim)
    assert len({part.name for part in page.parts if not isinstance(part, Plot)}) == len(
        [part for part in page.parts if not isinstance(part, Plot)]
    )
    drawn(sim)
    names = {part.name for part in page.parts if isinstance(part, Gauge | Lamp)}
    names |= {name for part in page.parts if isinstance(part, Plot) for name, _ in part.lines}
    measured = page.measure()
    assert names <= set(measured)
    assert all(math.isfinite(value) for value in measured.values())
    assert {part.name for part in page.parts if isinstance(part, Trail)} == set(page.trace())


def test_body_wheels_and_velocity_are_where_the_robot_is():
    sim = pacbot("start_theta_rad=0.5")
    drive(sim, times(FORWARD, 0.5))
    sim.run(0.5)
    x, y, theta = sim.truth("pacbot").pose
    found = drawn(sim)
    assert found["body"][0] == pytest.approx([x, y, theta + math.pi / 2, 0], abs=1e-6)
    away = np.hypot(found["wheels"][:, 0] - x, found["wheels"][:, 1] - y)
    assert away == pytest.approx(0.82 * 0.075, rel=1e-5)
    north = found["wheels"][0]
    assert math.atan2(north[1] - y, north[0] - x) == pytest.approx(theta + math.pi / 2, abs=1e-5)
    assert found["wheels"][:, 3].tolist() == [
        0,
        0,
        2,
        1,
    ]  # north and south stand, east turns backward, west forward
    (x0, y0), (x1, y1) = found["velocity"]
    assert (x0, y0) == pytest.approx((x, y), abs=1e-6)
    assert math.atan2(y1 - y0, x1 - x0) == pytest.approx(theta + math.pi / 2, abs=1e-3)


def test_rays_are_true_and_points_what_is_read():
    sim = pacbot("start_x_m=0.8", "start_y_m=1.0")
    sim.run(0.1)
    found = drawn(sim)
    west = sim.robots["pacbot"].arrays.names.index("west")
    assert found["rays"][west] == pytest.approx([0.725, 1.0, 0.3, 1.0], abs=1e-5)
    assert found["points"][west] == pytest.approx([0.3, 1.0], abs=1e-5)
    sim.inject("pacbot", "tof_west", "bias", value=-0.1)
    sim.run(0.1)
    found = drawn(sim)
    assert found["rays"][west] == pytest.approx([0.725, 1.0, 0.3, 1.0], abs=1e-5)
    assert found["points"][west][0] > 0.35


def test_numbers_show_commands_and_speeds():
    sim = pacbot()
    drive(sim, {"north": 0.4, "south": -0.4})
    sim.run(1)
    found = view(sim).measure()
    assert found["goal_north"] == 0.4
    assert found["does_north"] == pytest.approx(0.4, rel=0.02)
    assert found["right"] == pytest.approx(0.12, rel=0.02)
    assert abs(found["ahead"]) < 1e-9
    assert found["contact"] == 0
    sim.run(20)
    assert view(sim).measure()["contact"] == 1
    assert drawn(sim)["body"][0, 3] == 1


def test_the_watchdog_has_a_lamp():
    sim = pacbot("motors.watchdog_s=0.3")
    assert view(sim).measure()["watchdog"] == 0
    sim.run(0.1)
    drive(sim, FORWARD)
    sim.run(0.1)
    assert view(sim).measure()["watchdog"] == 0
    sim.run(0.5)
    assert view(sim).measure()["watchdog"] == 1


@pytest.mark.parametrize(
    ("axes", "moved"),
    [
        ((1, 0, 0), (0, 1, 0)),
        ((0, 1, 0), (-1, 0, 0)),
        ((0, 0, 1), (0, 0, 1)),
        ((-0.5, 0, 0), (0, -0.5, 0)),
    ],
)
def test_it_is_driven_as_the_keys_say(axes, moved):
    sim = pacbot()
    for given in view(sim).drive(*axes):
        sim.apply(given)
    sim.run(1)
    right, ahead, turn = sim.truth("pacbot").body_velocity
    full = sim.robots["pacbot"].config.body
    got = right / full.wheel_speed_mps, ahead / full.wheel_speed_mps, turn / full.turn_speed_radps
    assert got == pytest.approx(moved, abs=0.02)


def test_two_keys_at_once_keep_their_ratio_within_what_motors_can():
    sim = pacbot()
    (given,) = view(sim).drive(1, -1, 1)
    assert max(abs(speed) for speed in given.fields.values()) == 1
    sim.apply(given)
    sim.run(0.5)
    right, ahead, _ = sim.truth("pacbot").body_velocity
    assert right == pytest.approx(ahead, rel=1e-6)


def test_looking_changes_nothing():
    def recorded(look):
        sim = pacbot(*GAME, "tof.noise_stddev_m=0.01")
        sim.inject("pacbot", "tof_north", "noise", stddev=0.02)
        drive(sim, FORWARD)
        if look:
            page = view(sim)
            sim.core.sample(60, lambda: (page.draw(), page.measure(), page.trace()))
        return record_to_bytes(sim, 3.0)

    assert recorded(True) == recorded(False)


def test_the_game_is_on_the_page():
    sim = pacbot(*GAME)
    sim.run(12)
    found, numbers = drawn(sim), view(sim).measure()
    board = sim.robots["pacbot"].match.board
    assert (len(found["pellets"]), len(found["super_pellets"]), len(found["ghosts"])) == (240, 4, 4)
    assert found["pacman"][0, :2] == pytest.approx(board.centre(23, 13), abs=1e-5)
    red = sim.truth("pacbot").game.ghosts[0].place
    assert found["ghosts"][0, :2] == pytest.approx(board.centre(red.row, red.column), abs=1e-5)
    assert (numbers["score"], numbers["lives"], numbers["pellets_left"], numbers["playing"]) == (
        0,
        3,
        244,
        1,
    )
    sim.robots["pacbot"].state.game.ghosts[0].fright_steps = 9
    assert drawn(sim)["ghosts"][:, 3].tolist() == [1, 2, 3, 4]


def test_actions_start_and_stop_the_game():
    sim = pacbot("game.enabled=true", "game.ghosts=0")
    page = view(sim)
    assert [part.name for part in page.parts if isinstance(part, Action)] == [
        "play",
        "pause",
        "restart",
    ]
    for action, mode in (("play", 1), ("pause", 0), ("play", 1), ("restart", 0)):
        for given in page.act(action):
            sim.apply(given)
        sim.run(0.2)
        assert sim.truth("pacbot").game.mode == mode


def test_without_a_game_the_page_has_no_game():
    names = {part.name for part in view(pacbot()).parts}
    assert not names & {"pellets", "ghosts", "score", "play"}
