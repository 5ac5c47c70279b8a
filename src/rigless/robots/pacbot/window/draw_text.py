"""Draw the window's text: the robot's numbers and readings, the clock, the score, the keys."""

import math
from functools import lru_cache

import pygame

from rigless.robots.pacbot.window import brushes as c
from rigless.robots.pacbot.window.messages import Bot, Picture

LINES, SENSOR_LINES = 4, 2
FINE = 3
KEYS = (
    "WASD drive  QE turn  Space stop  C follow  +− zoom  R rays  V speed  B rim  I sensors  "
    "T text  P pause  F full  Esc end"
)


def line_height(width: int, height: int) -> int:
    return min(max(min(height // 42, width // 56), 11), 30)


def bar_height(width: int, height: int, sensors: bool) -> int:
    """Return the height of the text bar in a window of this size."""
    lines = LINES + SENSOR_LINES * sensors + 0.6
    return round(lines * line_height(width, height))


def draw_text(surface: pygame.Surface, picture: Picture, fps: float, sensors: bool) -> None:
    width, height = surface.get_size()
    line = line_height(width, height)
    top, left, right = height - bar_height(width, height, sensors), line, width - line
    state = f"{picture.state}   " if picture.state != "running" else ""
    speed = f"{picture.pace}   {picture.real_time_factor:.2f}× real   {fps:.0f} fps"
    clock = f"{state}{picture.time_s:.1f} s   {speed}"
    _write(surface, clock, c.WARN if state else c.TEXT, line, left, top)
    game = _game(picture)
    _write(surface, game, c.PELLET, line, right - _wide(game, line), top)
    _write(surface, _robot(picture), c.TEXT, line, left, top + line)
    _write(surface, _wheels(picture), c.TEXT, line, left, top + 2 * line)
    bot = _chosen(picture)
    if sensors and bot is not None:
        for text in sensor_lines(bot):
            _write(surface, text, c.READING, line, left, top + 3 * line)
            top += line
    keys = (
        ("Enter play  " * (picture.game is not None))
        + ("Tab next robot  " * (len(picture.bots) > 1))
        + KEYS
    )
    _write(
        surface,
        keys,
        c.DIM,
        _fitting(keys, round(0.82 * line), width - 2 * line),
        left,
        top + 3 * line + line // 4,
    )


def sensor_lines(bot: Bot) -> tuple[str, str]:
    """Return the last readings: ranges in metres; encoder ticks, acceleration and turn rate."""
    ranges = "   ".join(f"{name} {value:.3f}" for name, value in bot.ranges)
    ticks = "   ".join(
        f"{name} {value:.0f}" for name, value in zip("NSEW", bot.encoders, strict=True)
    )
    right, ahead, turn = map(_signed, bot.imu)
    return (
        f"ranges   {ranges} m",
        f"encoders   {ticks}   imu   right {right} m/s²   forward {ahead} m/s²   ω {turn} rad/s",
    )


def _chosen(picture: Picture) -> Bot | None:
    return picture.bots[picture.chosen] if picture.chosen < len(picture.bots) else None


def _robot(picture: Picture) -> str:
    bot = _chosen(picture)
    if bot is None:
        return ""
    c_, s_ = math.cos(bot.theta), math.sin(bot.theta)
    right, ahead = c_ * bot.vx + s_ * bot.vy, c_ * bot.vy - s_ * bot.vx
    faults = f"   {', '.join(bot.faults)}" if bot.faults else ""
    return (
        f"{bot.name}   x {bot.x:.3f} m   y {bot.y:.3f} m   θ {math.degrees(bot.theta):.1f}°   "
        f"right {_signed(right)} m/s   forward {_signed(ahead)} m/s   "
        f"ω {_signed(bot.omega)} rad/s{faults}"
    )


def _signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}"  # + 0.0 turns −0 into 0


def _wheels(picture: Picture) -> str:
    bot = _chosen(picture)
    if bot is None:
        return ""
    pairs = zip("NSEW", bot.commands, bot.wheels, strict=True)
    recording = "   recording" if picture.recording else ""
    return (
        "wheels   "
        + "   ".join(f"{name} {_signed(does)} of {_signed(wants)}" for name, wants, does in pairs)
        + recording
    )


def _game(picture: Picture) -> str:
    game = picture.game
    return (
        ""
        if game is None
        else f"score {game.score}   lives {game.lives}   level {game.level}   {game.mode}"
    )


@lru_cache(maxsize=16)
def _font(size: int) -> pygame.font.Font:
    """Return a font FINE times too large: shrunk, its letters are evenly spaced."""
    return pygame.font.Font(None, round(1.15 * size * FINE))


def _wide(text: str, size: int) -> int:
    return _font(size).size(text)[0] // FINE


@lru_cache(maxsize=16)
def _fitting(text: str, size: int, room: int) -> int:
    """Return the largest size, up to `size`, at which the text fits."""
    return next((smaller for smaller in range(size, 6, -1) if _wide(text, smaller) <= room), 6)


@lru_cache(maxsize=32)
def _words(text: str, colour: c.Colour, size: int) -> pygame.Surface:
    large = _font(size).render(text, True, colour)
    return pygame.transform.smoothscale(
        large, (large.get_width() // FINE, large.get_height() // FINE)
    )


def _write(surface: pygame.Surface, text: str, colour: c.Colour, size: int, x: int, y: int) -> None:
    if text:
        surface.blit(_words(text, colour, size), (x, y))
