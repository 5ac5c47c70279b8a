"""Antialiased shapes for pygame, and the window's colours.

pygame draws most shapes without antialiasing, so small ones are drawn large and shrunk.
"""

import math
from collections.abc import Callable

import pygame

Point = tuple[float, float]
Colour = tuple[int, int, int]

BACKGROUND: Colour = (9, 10, 15)
FLOOR: Colour = (14, 16, 24)
WALL: Colour = (19, 25, 62)
WALL_EDGE: Colour = (58, 92, 226)
YELLOW: Colour = (255, 208, 36)
DARK: Colour = (30, 26, 12)
STANDING: Colour = (112, 116, 128)
FORWARD: Colour = (40, 214, 108)
BACKWARD: Colour = (240, 66, 60)
RAY: Colour = (44, 110, 128)
READING: Colour = (120, 226, 240)
VELOCITY: Colour = (245, 246, 250)
BOUNDARY: Colour = (150, 160, 190)
TOUCH: Colour = (255, 92, 84)
TEXT: Colour = (214, 219, 230)
DIM: Colour = (122, 130, 148)
WARN: Colour = (236, 176, 62)
PELLET: Colour = (250, 205, 175)
FRUIT: Colour = (226, 54, 72)
GHOSTS: tuple[Colour, ...] = ((240, 60, 60), (255, 158, 206), (66, 214, 236), (255, 168, 72))
FRIGHTENED: Colour = (48, 74, 230)

LARGEST_PATCH = 1200  # pixels of a side; above it, the oversampling is reduced


def mix(first: Colour, second: Colour, share: float) -> Colour:
    part = min(max(share, 0.0), 1.0)
    red, green, blue = (round(a + (z - a) * part) for a, z in zip(first, second, strict=True))
    return red, green, blue


def patch(width: int, height: int, draw: Callable[[pygame.Surface, float], None]) -> pygame.Surface:
    """Return an antialiased picture. `draw` gets a larger surface and its scale factor."""
    fine = min(4, max(1, LARGEST_PATCH // max(width, height, 1)))
    large = pygame.Surface((max(width, 1) * fine, max(height, 1) * fine), pygame.SRCALPHA)
    draw(large, float(fine))
    return (
        large if fine == 1 else pygame.transform.smoothscale(large, (max(width, 1), max(height, 1)))
    )


def stamp(
    surface: pygame.Surface,
    centre: Point,
    half: float,
    draw: Callable[[pygame.Surface, float, Point], None],
) -> None:
    """Draw a smooth shape of half size `half` around a point between pixels.

    The shape must be opaque: only then do averages of colour and opacity match (premultiplied
    alpha).
    """
    left, top = math.floor(centre[0] - half) - 1, math.floor(centre[1] - half) - 1
    size = math.ceil(2 * half) + 3
    off = centre[0] - left, centre[1] - top
    found = patch(size, size, lambda large, fine: draw(large, fine, (off[0] * fine, off[1] * fine)))
    surface.blit(found, (left, top), special_flags=pygame.BLEND_PREMULTIPLIED)


def line(surface: pygame.Surface, colour: Colour, begin: Point, end: Point, width: int = 1) -> None:
    pygame.draw.aaline(surface, colour, begin, end, max(width, 1))


def dot(surface: pygame.Surface, colour: Colour, centre: Point, radius: float) -> None:
    def draw(large: pygame.Surface, fine: float, at: Point) -> None:
        pygame.draw.circle(large, colour, at, radius * fine)

    stamp(surface, centre, radius, draw)


def ring(
    surface: pygame.Surface, colour: Colour, centre: Point, radius: float, width: float
) -> None:
    def draw(large: pygame.Surface, fine: float, at: Point) -> None:
        pygame.draw.circle(
            large, colour, at, (radius + width / 2) * fine, max(1, round(width * fine))
        )

    stamp(surface, centre, radius + width, draw)


def arrow(surface: pygame.Surface, colour: Colour, begin: Point, end: Point, width: int) -> None:
    length = math.hypot(end[0] - begin[0], end[1] - begin[1])
    if length < 2:
        return
    ux, uy = (end[0] - begin[0]) / length, (end[1] - begin[1]) / length
    head = min(length, 4.0 * width)
    neck = end[0] - head * ux, end[1] - head * uy
    line(surface, colour, begin, neck, width)
    side = head * 0.55
    tip = [
        end,
        (neck[0] - side * uy, neck[1] + side * ux),
        (neck[0] + side * uy, neck[1] - side * ux),
    ]
    pygame.draw.polygon(surface, colour, tip)
    pygame.draw.aalines(surface, colour, True, tip)
