"""The parts of the window that a picture covers beyond its backdrop.

Only they are restored, painted and shown again: moving a whole large window to the screen sixty
times a second costs most.
"""

import math
from collections.abc import Iterator

import pygame

from rigless.robots.pacbot.window.brushes import Point
from rigless.robots.pacbot.window.draw_robot import AHEAD_S
from rigless.robots.pacbot.window.draw_text import bar_height
from rigless.robots.pacbot.window.layout import Layout
from rigless.robots.pacbot.window.messages import Bot, Game, Picture
from rigless.robots.pacbot.window.overlays import Overlays

SEGMENT = 96  # pixels of an oblique line that one rectangle covers
SLACK = 4  # pixels around each object, for smooth edges


def regions(
    surface: pygame.Surface, layout: Layout, picture: Picture, overlays: Overlays
) -> list[pygame.Rect]:
    whole = surface.get_rect()
    found = [box.clip(whole) for box in _boxes(surface, layout, picture, overlays)]
    return [box for box in found if box.width and box.height]


def _boxes(
    surface: pygame.Surface, layout: Layout, picture: Picture, overlays: Overlays
) -> Iterator[pygame.Rect]:
    for bot in picture.bots:
        yield from _bot_boxes(layout, bot, overlays)
    if picture.game is not None:
        yield from _game_boxes(layout, picture.game)
    if overlays.text:
        width, height = surface.get_size()
        bar = bar_height(width, height, overlays.sensors)
        yield pygame.Rect(0, height - bar - SLACK, width, bar + SLACK)


def _bot_boxes(layout: Layout, bot: Bot, overlays: Overlays) -> Iterator[pygame.Rect]:
    radius = bot.radius_m * layout.pixels_per_m
    centre = layout.at(bot.x, bot.y)
    yield _around(centre, 1.2 * radius + SLACK)
    if overlays.boundary and bot.contact is not None:
        yield _around(layout.at(*bot.contact), 0.2 * radius + 2 * SLACK)
    if overlays.velocity:
        end = layout.at(bot.x + AHEAD_S * bot.vx, bot.y + AHEAD_S * bot.vy)
        yield from _along(centre, end, 0.4 * radius + 3 * SLACK)
    if overlays.rays:
        for ray in bot.rays:
            begin, end = layout.at(ray.x, ray.y), layout.at(ray.to_x, ray.to_y)
            length_m = math.hypot(ray.to_x - ray.x, ray.to_y - ray.y) or 1.0
            share = max(ray.reading_m / length_m, 1.0)
            tip = begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1])
            yield from _along(begin, tip, 0.1 * radius + 2 * SLACK)


def _game_boxes(layout: Layout, game: Game) -> Iterator[pygame.Rect]:
    cell = game.cell_m * layout.pixels_per_m
    places = [(ghost.x, ghost.y) for ghost in game.ghosts if ghost is not None]
    places += [place for place in (game.fruit, game.pacman) if place is not None]
    for place in places:
        yield _around(layout.at(*place), 1.1 * cell + SLACK)


def _around(centre: Point, half: float) -> pygame.Rect:
    left, top = math.floor(centre[0] - half), math.floor(centre[1] - half)
    return pygame.Rect(left, top, math.ceil(2 * half) + 1, math.ceil(2 * half) + 1)


def _along(begin: Point, end: Point, half: float) -> Iterator[pygame.Rect]:
    """Yield rectangles that cover a line; a vertical or horizontal one needs only one."""
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    pieces = max(1, math.ceil(min(abs(dx), abs(dy)) / SEGMENT))
    for piece in range(pieces):
        first, last = piece / pieces, (piece + 1) / pieces
        box = _around((begin[0] + first * dx, begin[1] + first * dy), half)
        yield box.union(_around((begin[0] + last * dx, begin[1] + last * dy), half))
