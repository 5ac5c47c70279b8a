"""Draw the robot, its rays, its velocity and its boundary.

The robot is a yellow disc with a wedge at its front and four wheels coloured by their speed.
"""

import math
from collections.abc import Callable

import pygame

from rigless.robots.pacbot.window import brushes as c
from rigless.robots.pacbot.window.layout import Layout
from rigless.robots.pacbot.window.messages import Bot

WHEELS = ((0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0))  # N, S, E, W: right and forward
WHEEL_AT, WHEEL_LONG, WHEEL_WIDE = 0.84, 0.62, 0.2  # in radii
MOUTH_RAD, MOUTH_LONG = math.radians(36), 0.7
AHEAD_S = 0.6  # the velocity arrow ends where the robot will be after this time


def wheel_colour(share: float) -> c.Colour:
    """Return grey for a standing wheel, green for forward, red for backward, by its speed."""
    if abs(share) < 0.01:
        return c.STANDING
    return c.mix(c.STANDING, c.FORWARD if share > 0 else c.BACKWARD, 0.25 + 0.75 * abs(share))


def draw_bot(surface: pygame.Surface, layout: Layout, bot: Bot, chosen: bool) -> None:
    radius = bot.radius_m * layout.pixels_per_m
    theta = layout.turned(bot.theta)

    def place(centre: c.Point, right: float, ahead: float, scale: float) -> c.Point:
        """Return the pixel of a body point, given in radii; y of the surface points down."""
        x = math.cos(theta) * right - math.sin(theta) * ahead
        y = math.sin(theta) * right + math.cos(theta) * ahead
        return centre[0] + scale * x, centre[1] - scale * y

    def draw(large: pygame.Surface, fine: float, at: c.Point) -> None:
        scale = radius * fine
        pygame.draw.circle(large, c.YELLOW if chosen else c.mix(c.YELLOW, c.FLOOR, 0.35), at, scale)
        steps = [MOUTH_RAD * (step / 8 - 1) for step in range(17)]
        arc = [
            place(at, MOUTH_LONG * math.sin(angle), MOUTH_LONG * math.cos(angle), scale)
            for angle in steps
        ]
        pygame.draw.polygon(large, c.DARK, [place(at, 0.0, -0.06, scale), *arc])
        for (right, ahead), share in zip(WHEELS, bot.wheels, strict=True):
            pygame.draw.polygon(large, c.DARK, _box(right, ahead, 0.05, at, scale, place))
            pygame.draw.polygon(
                large, wheel_colour(share), _box(right, ahead, 0.0, at, scale, place)
            )

    c.stamp(surface, layout.at(bot.x, bot.y), radius * 1.05, draw)


def _box(
    right: float,
    ahead: float,
    more: float,
    at: c.Point,
    scale: float,
    place: Callable[..., c.Point],
) -> list[c.Point]:
    """Return the corners of a wheel, which is tangent to the rim."""
    long, wide = WHEEL_LONG / 2 + more, WHEEL_WIDE / 2 + more
    half_x, half_y = (wide, long) if right else (long, wide)
    middle_x, middle_y = WHEEL_AT * right, WHEEL_AT * ahead
    corners = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    return [place(at, middle_x + x * half_x, middle_y + y * half_y, scale) for x, y in corners]


def draw_rays(surface: pygame.Surface, layout: Layout, bot: Bot) -> None:
    """Draw lines along the true rays and dots at the readings."""
    width = max(1, round(layout.pixels_per_m * bot.radius_m / 45))
    for ray in bot.rays:
        begin, end = layout.at(ray.x, ray.y), layout.at(ray.to_x, ray.to_y)
        c.line(surface, c.RAY, begin, end, width)
        length_m = math.hypot(ray.to_x - ray.x, ray.to_y - ray.y) or 1.0
        share = ray.reading_m / length_m
        reading = layout.at(ray.x + share * (ray.to_x - ray.x), ray.y + share * (ray.to_y - ray.y))
        c.dot(surface, c.READING, reading, 1.5 + 1.5 * width)


def draw_velocity(surface: pygame.Surface, layout: Layout, bot: Bot) -> None:
    begin = layout.at(bot.x, bot.y)
    end = layout.at(bot.x + AHEAD_S * bot.vx, bot.y + AHEAD_S * bot.vy)
    c.arrow(surface, c.VELOCITY, begin, end, max(2, round(layout.pixels_per_m * bot.radius_m / 18)))


def draw_boundary(surface: pygame.Surface, layout: Layout, bot: Bot) -> None:
    """Draw the collision circle and the point of contact."""
    radius = bot.radius_m * layout.pixels_per_m
    width = max(1.5, radius / 24)
    c.ring(surface, c.TOUCH if bot.contact else c.BOUNDARY, layout.at(bot.x, bot.y), radius, width)
    if bot.contact:
        c.dot(surface, c.TOUCH, layout.at(*bot.contact), 2.5 * width)
