"""Draw the game: pellets, fruit and ghosts."""

import math
from functools import lru_cache

import pygame

from rigless.robots.pacbot.window import brushes as c
from rigless.robots.pacbot.window.layout import Layout
from rigless.robots.pacbot.window.messages import Game

LOOKS = ((0, -1), (-1, 0), (0, 1), (1, 0), (0, 0))  # up, left, down, right, none: screen x, y


def draw_pellets(surface: pygame.Surface, layout: Layout, game: Game) -> None:
    cell = game.cell_m * layout.pixels_per_m
    for places, share in ((game.pellets, 0.11), (game.super_pellets, 0.3)):
        _stamp_all(
            surface, _dot(max(share * cell, 1.2), c.PELLET), [layout.at(*place) for place in places]
        )


def draw_fruit(surface: pygame.Surface, layout: Layout, game: Game) -> None:
    """Draw the fruit, and a ring at the game's Pacman: the cell of the camera's last report."""
    cell = game.cell_m * layout.pixels_per_m
    if game.fruit is not None:
        c.dot(surface, c.FRUIT, layout.at(*game.fruit), 0.38 * cell)
    if game.pacman is not None:
        c.ring(
            surface,
            c.mix(c.YELLOW, c.FLOOR, 0.45),
            layout.at(*game.pacman),
            0.95 * cell,
            max(1.5, 0.05 * cell),
        )


def draw_ghosts(surface: pygame.Surface, layout: Layout, game: Game) -> None:
    cell = game.cell_m * layout.pixels_per_m
    for colour, ghost in enumerate(game.ghosts):
        if ghost is not None:
            sprite = _ghost(max(round(1.5 * cell), 4), colour, ghost.direction, ghost.frightened)
            _stamp_all(surface, sprite, [layout.at(ghost.x, ghost.y)])


def _stamp_all(surface: pygame.Surface, sprite: pygame.Surface, places: list[c.Point]) -> None:
    width, height = sprite.get_size()
    surface.fblits(
        [(sprite, (round(x - width / 2), round(y - height / 2))) for x, y in places],
        pygame.BLEND_PREMULTIPLIED,
    )


@lru_cache(maxsize=32)
def _dot(radius: float, colour: c.Colour) -> pygame.Surface:
    size = math.ceil(2 * radius) + 2

    def draw(large: pygame.Surface, fine: float) -> None:
        pygame.draw.circle(large, colour, (size * fine / 2, size * fine / 2), radius * fine)

    return c.patch(size, size, draw)


@lru_cache(maxsize=128)
def _ghost(size: int, colour: int, direction: int, frightened: bool) -> pygame.Surface:
    """Return a ghost: a dome over a skirt of three waves, with eyes in its direction."""
    paint = c.FRIGHTENED if frightened else c.GHOSTS[colour]
    look_x, look_y = LOOKS[direction]

    def draw(large: pygame.Surface, fine: float) -> None:
        full = size * fine
        half, wide = full / 2, 0.44 * full
        pygame.draw.circle(large, paint, (half, 0.47 * full), wide)
        pygame.draw.rect(large, paint, (half - wide, 0.47 * full, 2 * wide, 0.36 * full))
        for wave in range(3):
            pygame.draw.circle(
                large, paint, (half + (wave - 1) * wide * 2 / 3, 0.83 * full), wide / 3
            )
        for side in (-1, 1):
            eye = (
                half + side * 0.18 * full + 0.05 * full * look_x,
                0.42 * full + 0.05 * full * look_y,
            )
            pygame.draw.circle(large, (255, 255, 255), eye, (0.07 if frightened else 0.125) * full)
            if not frightened:
                pupil = eye[0] + 0.055 * full * look_x, eye[1] + 0.055 * full * look_y
                pygame.draw.circle(large, (24, 30, 96), pupil, 0.065 * full)

    return c.patch(size, size, draw)
