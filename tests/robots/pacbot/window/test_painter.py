"""Painted objects have the right place and colour at any size."""

import math
from dataclasses import replace

import numpy as np
import pygame
import pytest

from rigless.robots.pacbot.window import brushes as c
from rigless.robots.pacbot.window.draw_robot import wheel_colour
from rigless.robots.pacbot.window.draw_text import sensor_lines
from rigless.robots.pacbot.window.messages import Game, Ghost, Ray, Scene
from rigless.robots.pacbot.window.overlays import Overlays
from rigless.robots.pacbot.window.painter import Painter

from .pictures import MIDDLE, NOTHING, RAYS, ROOM, Shot, bot, near, picture

SIZES = [(120, 90), (333, 777), (500, 500), (1280, 720), (2001, 1501)]


@pytest.mark.parametrize("size", SIZES)
def test_robot_walls_and_floor(size):
    shot = Shot(picture(), size=size)
    x, y = MIDDLE
    assert shot.at(x - 0.045, y - 0.03) == c.YELLOW
    assert shot.at(x, y + 0.04) == c.DARK  # the wedge points forward, which is up
    assert shot.at(0.4, 0.4) == c.FLOOR
    assert shot.at(0.2, 0.75) == c.WALL
    assert shot.at(0.75, 1.3) == c.WALL
    assert tuple(shot.surface.get_at((0, 0)))[:3] == c.BACKGROUND


@pytest.mark.parametrize("size", SIZES)
def test_walls_begin_exactly_where_they_are(size):
    shot = Shot(picture(bot(x=5)), size=size)
    row = round(shot.layout.at(0.75, 0.75)[1])
    is_floor = (shot.pixels()[:, row] == c.FLOOR).all(axis=1)
    left, right = np.flatnonzero(is_floor)[[0, -1]]
    assert left == round(shot.layout.at(0.3, 0.75)[0])
    assert right + 1 == round(shot.layout.at(1.2, 0.75)[0])
    assert is_floor[left : right + 1].all()
    edge = tuple(int(value) for value in shot.pixels()[left - 1, row])
    assert edge == c.WALL_EDGE


def test_the_wedge_turns_with_the_robot():
    x, y = MIDDLE
    for theta in (0.0, math.pi / 2, math.pi, -2.0):
        shot = Shot(picture(bot(theta=theta)))
        ahead = -math.sin(theta), math.cos(theta)
        assert shot.at(x + 0.045 * ahead[0], y + 0.045 * ahead[1]) == c.DARK
        assert shot.at(x - 0.045 * ahead[0], y - 0.045 * ahead[1]) == c.YELLOW


def wheel(shot, number, theta=0.0):
    right, ahead = ((0, 1), (0, -1), (1, 0), (-1, 0))[number]
    x = MIDDLE[0] + 0.084 * (math.cos(theta) * right - math.sin(theta) * ahead)
    y = MIDDLE[1] + 0.084 * (math.sin(theta) * right + math.cos(theta) * ahead)
    return shot.at(x, y)


@pytest.mark.parametrize("theta", [0.0, 0.7, -2.4])
def test_wheels_show_which_way_they_turn_and_how_fast(theta):
    shot = Shot(picture(bot(theta=theta, wheels=(1.0, -1.0, 0.0, 0.4))))
    north, south, east, west = (wheel(shot, number, theta) for number in range(4))
    assert near(north, c.FORWARD)
    assert near(south, c.BACKWARD)
    assert near(east, c.STANDING)
    assert near(west, wheel_colour(0.4))
    assert c.STANDING[1] < west[1] < north[1]  # greener the faster


def test_wheels_that_hardly_turn_stand():
    assert wheel_colour(0.005) == wheel_colour(-0.005) == c.STANDING
    assert wheel_colour(0.02)[1] > c.STANDING[1]
    assert wheel_colour(-0.5)[0] > wheel_colour(-0.1)[0] > c.STANDING[0]


def test_zoomed_in_the_window_follows_the_robot_that_is_driven():
    near_corner, size = bot(x=0.45, y=1.05), (500, 500)
    whole, zoomed = Shot(picture(near_corner)), Shot(picture(near_corner), replace(NOTHING, zoom=3))
    assert zoomed.layout.scale == pytest.approx(3 * whole.layout.scale)
    assert zoomed.at(0.45 - 0.045, 1.05 - 0.03) == c.YELLOW
    left, bottom, right, top = zoomed.layout.shown
    assert left >= whole.layout.shown[0]  # it does not go beyond the walls
    assert top <= whole.layout.shown[3] + 1e-9
    assert (right - left, top - bottom) == pytest.approx((490 / zoomed.layout.scale,) * 2)
    middle = Shot(picture(bot(x=0.45), bot(x=0.8), chosen=1), replace(NOTHING, zoom=3), size)
    assert middle.layout.at(0.8, 0.75) == pytest.approx((250, 250), abs=1)


def test_objects_beyond_the_visible_part_do_not_cover_the_text():
    overlays = Overlays(zoom=4, velocity=False, rays=False)
    below, away = (0.75, 0.75), (-9.0, 0.75)
    one, two = (
        Shot(picture(bot(y=1.1), bot(*place), game=game(pellets=[place])), overlays)
        for place in (below, away)
    )
    assert one.layout.at(*below)[1] > one.layout.area.height  # it is on the text
    assert (one.pixels() == two.pixels()).all()


def test_readings_are_shown_as_text():
    shown = bot(
        ranges=[("N", 0.675), ("NE", 1.0)], encoders=(12.0, -3.0, 0.0, 99999.0), imu=(0.1, -0.2, 3)
    )
    assert sensor_lines(shown) == (
        "ranges   N 0.675   NE 1.000 m",
        "encoders   N 12   S -3   E 0   W 99999   imu   right +0.10 m/s²   forward -0.20 m/s²   "
        "ω +3.00 rad/s",
    )
    on = Shot(picture(shown), Overlays())
    off = Shot(picture(shown), Overlays(sensors=False))
    assert on.layout.area.height < off.layout.area.height
    closest = [abs(shot.pixels().astype(int) - c.READING).max(axis=2).min() for shot in (on, off)]
    assert closest[0] < 12 < closest[1]


def test_rays_lead_to_walls_and_dots_to_readings():
    shown = picture(bot(rays=RAYS))
    off, on = Shot(shown), Shot(shown, Overlays(True, False, False, False))
    half_way = (0.75, 0.95)
    assert off.at(*half_way) == c.FLOOR
    assert near(on.at(*half_way), c.RAY, 40)
    assert near(on.at(0.75, 0.85 + 0.25), c.READING)  # the reading, short of the wall
    assert near(on.at(1.15, 0.75), c.READING)
    assert off.at(1.15, 0.75) == c.FLOOR


def test_velocity_is_an_arrow_in_its_direction():
    shown = picture(bot(velocity=(0.3, 0.0, 0.0)))
    off, on = Shot(shown), Shot(shown, Overlays(False, True, False, False))
    assert near(on.at(0.87, 0.75), c.VELOCITY)
    assert on.at(0.63, 0.75) == off.at(0.63, 0.75) == c.FLOOR
    assert off.at(0.87, 0.75) == c.FLOOR


def test_the_boundary_is_a_ring_and_red_where_it_touches():
    free = Shot(picture(), Overlays(False, False, True, False))
    diagonal = 0.1 * math.sqrt(0.5)
    rim = MIDDLE[0] + diagonal, MIDDLE[1] + diagonal
    assert near(free.at(*rim), c.BOUNDARY, 30)
    hit = Shot(picture(bot(contact=(0.85, 0.75))), Overlays(False, False, True, False))
    assert near(hit.at(*rim), c.TOUCH, 30)
    assert near(hit.at(0.85, 0.75), c.TOUCH, 5)
    assert near(
        Shot(picture()).at(MIDDLE[0] + diagonal * 0.9, MIDDLE[1] + diagonal * 0.9), c.YELLOW
    )


def test_edges_are_smooth():
    """Between yellow and floor there are shades: the edge is antialiased."""
    shot = Shot(picture(), size=(700, 700))
    column = shot.pixels()[round(shot.layout.at(0.75, 0)[0]) - 40]
    shades = {tuple(value) for value in column.tolist()}
    between = [
        shade for shade in shades if c.FLOOR[0] + 8 < shade[0] < c.YELLOW[0] - 8 and shade[2] < 60
    ]
    assert len(between) >= 2


def test_it_moves_by_less_than_a_pixel():
    step_m = 0.3 / Shot(picture()).layout.scale / 4
    shots = [Shot(picture(bot(x=MIDDLE[0] + step_m * n))).pixels() for n in range(3)]
    assert (shots[0] != shots[1]).any()
    assert (shots[1] != shots[2]).any()


def test_words_have_a_bar_of_their_own():
    with_words = Shot(picture(), Overlays(False, False, False, True), size=(900, 700))
    without = Shot(picture(), size=(900, 700))
    assert with_words.layout.scale < without.layout.scale
    bar = with_words.pixels()[:, 600:]
    assert near(tuple(bar.reshape(-1, 3).max(axis=0)), c.TEXT, 8)
    assert without.pixels()[:, 640:].reshape(-1, 3).max(axis=0)[0] < 100


@pytest.mark.parametrize("size", [(200, 150), (640, 480), (3000, 500)])
def test_words_fit_their_window(size):
    from rigless.robots.pacbot.window.draw_text import KEYS, _fitting, _wide, line_height

    line = line_height(*size)
    assert _wide(KEYS, _fitting(KEYS, round(0.82 * line), size[0] - 2 * line)) <= max(
        size[0] - 2 * line, 290
    )
    Shot(picture(bot(faults=["wheel_north stall"])), Overlays(), size=size)


def test_a_painter_shows_the_same_as_a_fresh_one_whatever_it_painted_before():
    painter = Painter()
    other = Scene(2, "other", 5, 5, bytes([1] * 12 + [0] + [1] * 12), 0.3, (0.0, 0.0, 0.0))
    Shot(picture(), Overlays(), (500, 500), other, painter)
    Shot(picture(), NOTHING, (300, 200), ROOM, painter)
    shown = picture(bot(rays=RAYS))
    again = Shot(shown, Overlays(), (500, 500), ROOM, painter).pixels()
    assert (again == Shot(shown, Overlays(), (500, 500)).pixels()).all()


def test_a_world_that_is_turned_is_shown_upright():
    turned = Scene(1, "turned", 5, 5, ROOM.cells, 0.3, (0.0, 0.0, 0.5))
    c5, s5 = math.cos(0.5), math.sin(0.5)
    x, y = c5 * MIDDLE[0] - s5 * MIDDLE[1], s5 * MIDDLE[0] + c5 * MIDDLE[1]
    shot = Shot(picture(bot(x=x, y=y, theta=0.5)), scene=turned)
    assert (shot.pixels() == Shot(picture()).pixels()).mean() > 0.999


def game(**more):
    known = {
        "cell_m": 0.3, "pellets": [(0.45, 0.45), (1.05, 0.45)], "super_pellets": [(0.45, 1.05)],
        "fruit": None, "pacman": None, "ghosts": [Ghost(1.05, 1.05, 3, False), None, None, None],
        "score": 10, "lives": 3, "level": 1, "mode": "chase",
    }  # fmt: skip
    return Game(**{**known, **more})


def test_pellets_ghosts_and_fruit():
    shot = Shot(picture(game=game(fruit=(1.05, 0.75))), size=(600, 600))
    assert near(shot.at(0.45, 0.45), c.PELLET)
    assert shot.at(0.45, 0.5) == c.FLOOR
    assert near(shot.at(0.45, 1.11), c.PELLET)  # larger
    assert near(shot.at(1.05, 1.16), c.GHOSTS[0])
    assert near(shot.at(1.05, 0.75), c.FRUIT)
    scared = Shot(
        picture(game=game(ghosts=[None, Ghost(1.05, 1.05, 3, True), None, None])), size=(600, 600)
    )
    assert near(scared.at(1.05, 1.16), c.FRIGHTENED)
    assert scared.at(1.05, 0.75) == c.FLOOR


def test_a_pellet_that_is_eaten_is_gone():
    painter = Painter()
    before = Shot(picture(game=game()), painter=painter)
    after = Shot(picture(game=game(pellets=[(1.05, 0.45)])), painter=painter)
    assert near(before.at(0.45, 0.45), c.PELLET)
    assert after.at(0.45, 0.45) == c.FLOOR
    assert near(after.at(1.05, 0.45), c.PELLET)


def test_the_robot_that_is_driven_stands_out():
    shot = Shot(picture(bot(x=0.5), bot(x=1.0), chosen=1))
    assert shot.at(1.0 - 0.045, 0.72) == c.YELLOW
    assert shot.at(0.5 - 0.045, 0.72) != c.YELLOW


def test_painting_leaves_the_screen_alone():
    """The painter draws only on the given surface."""
    screen = pygame.display.get_surface()
    before = pygame.surfarray.array3d(screen).copy()
    Shot(picture())
    assert (pygame.surfarray.array3d(screen) == before).all()


def wander(count):
    """Yield pictures of a robot that drives around, with all overlays in turn."""
    rng = np.random.Generator(np.random.Philox(11))
    for step in range(count):
        x, y, to = rng.uniform(0.4, 1.1, 2), rng.uniform(0.4, 1.1, 2), rng.uniform(0.3, 1.2, (8, 2))
        rays = [Ray(x[0], y[0], *end, float(rng.uniform(0, 1.2))) for end in to.tolist()]
        first = bot(
            x[0],
            y[0],
            step,
            (0.5, -0.5, 0.0, 1.0),
            (*rng.uniform(-1, 1, 2), 0.0),
            rays=rays,
            contact=(x[0], y[0]),
        )
        ghosts = [Ghost(*rng.uniform(0.35, 1.15, 2), step % 5, step % 2 == 0) for _ in range(4)]
        eaten = [(0.45, 0.45)] if step % 7 == 3 else [(0.45, 0.45), (1.05, 0.45)]
        play = game(ghosts=ghosts, fruit=(x[1], y[1]), pacman=(y[1], x[1]), pellets=eaten)
        yield picture(
            first, bot(x[1], y[1]), game=play if step % 3 else None, recording=step % 2 == 0
        )


@pytest.mark.parametrize(
    "overlays", [Overlays(boundary=True), Overlays(text=False), Overlays(zoom=2.5), NOTHING]
)
@pytest.mark.parametrize("size", [(400, 350), (611, 523)])
def test_what_is_refreshed_is_what_would_be_painted_anew(size, overlays):
    """A refresh equals a full paint, and reports every part that it changed."""
    painter, surface = Painter(), pygame.Surface(size)
    for shown in wander(20):
        before = pygame.surfarray.array3d(surface)
        changed = painter.refresh(surface, ROOM, shown, overlays, 60.0)
        after = pygame.surfarray.array3d(surface)
        assert (after == Shot(shown, overlays, size).pixels()).all()
        reported = np.zeros(size, bool)
        for box in changed:
            reported[box.left : box.right, box.top : box.bottom] = True
        assert not ((before != after).any(axis=2) & ~reported).any()


def test_refreshing_moves_little_of_a_large_window():
    painter, surface = Painter(), pygame.Surface((1200, 1200))
    painter.refresh(surface, ROOM, picture(), NOTHING)
    changed = painter.refresh(surface, ROOM, picture(bot(x=0.76)), NOTHING)
    assert sum(box.width * box.height for box in changed) < 0.25 * 1200 * 1200
    assert painter.refresh(surface, ROOM, picture(), NOTHING, again=True) == [surface.get_rect()]
