"""The keys of the window."""

import pygame
import pytest

from rigless.robots.pacbot.window.keys import Keys


@pytest.mark.parametrize(
    ("held", "axes"),
    [
        ([], (0, 0, 0)),
        ([pygame.K_w], (1, 0, 0)),
        ([pygame.K_UP, pygame.K_w], (1, 0, 0)),
        ([pygame.K_s, pygame.K_LEFT], (-1, 1, 0)),
        ([pygame.K_d, pygame.K_q], (0, -1, 1)),
        ([pygame.K_a, pygame.K_RIGHT], (0, 0, 0)),
        ([pygame.K_e, pygame.K_LSHIFT], (0, 0, -0.4)),
        ([pygame.K_F5, pygame.K_z], (0, 0, 0)),
    ],
)
def test_driving(held, axes):
    keys = Keys()
    for key in held:
        keys.press(key)
    assert keys.axes() == axes
    for key in held:
        keys.release(key)
    assert keys.axes() == (0, 0, 0)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (pygame.K_r, "rays"),
        (pygame.K_v, "velocity"),
        (pygame.K_b, "boundary"),
        (pygame.K_t, "text"),
        (pygame.K_i, "sensors"),
    ],
)
def test_overlays_go_on_and_off(key, name):
    keys = Keys()
    before = keys.overlays
    keys.press(key)
    assert getattr(keys.overlays, name) is not getattr(before, name)
    keys.press(key)
    assert keys.overlays == before


def test_space_stops_and_lets_go():
    keys = Keys()
    keys.press(pygame.K_w)
    keys.press(pygame.K_SPACE)
    assert (keys.axes(), keys.take_actions(), keys.take_actions()) == ((0, 0, 0), ["stop"], [])


def test_escape_leaves_fullscreen_first_and_then_closes():
    keys = Keys()
    keys.press(pygame.K_F11)
    assert keys.fullscreen
    keys.press(pygame.K_ESCAPE)
    assert (keys.fullscreen, keys.closing) == (False, False)
    keys.press(pygame.K_ESCAPE)
    assert keys.closing


def test_other_actions():
    keys = Keys()
    for key in (pygame.K_p, pygame.K_TAB, pygame.K_RETURN):
        keys.press(key)
    assert keys.take_actions() == ["pause", "next", "play"]


def test_zooming_follows_and_c_goes_back_and_forth():
    keys = Keys()
    keys.press(pygame.K_c)
    followed = keys.overlays.zoom
    assert 2.5 < followed < 4
    keys.press(pygame.K_PLUS)
    closer = keys.overlays.zoom
    assert closer > followed
    keys.press(pygame.K_c)
    assert keys.overlays.zoom == 1
    keys.press(pygame.K_c)
    assert keys.overlays.zoom == closer
    for _ in range(30):
        keys.press(pygame.K_KP_MINUS)
    assert keys.overlays.zoom == 1
    for _ in range(30):
        keys.zoom(1)
    assert keys.overlays.zoom == 8
