"""The Pacbot's page in the panel: the robot in its maze, its wheels and ranges, and the game.

Rays are true. Points are the readings on the wire, with faults and noise.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigless.kernel.drawing import (
    Action,
    Disc,
    Drive,
    Gauge,
    Lamp,
    Part,
    Path,
    Plot,
    Points,
    Polygon,
    Rays,
    Summary,
    Trail,
    View,
)
from rigless.kernel.inputs import AnyInput, Send
from rigless.motion.omni import wheel_speeds
from rigless.robots.pacbot import body as b
from rigless.robots.pacbot.config import WHEELS
from rigless.robots.pacbot.game import board
from rigless.robots.pacbot.game.frame import GameCommand
from rigless.robots.pacbot.wire import Speeds

HEIGHT_M, TOF_HEIGHT_M = 0.06, 0.03
WHEEL_AT = ((0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0))  # N, S, E, W: right and forward
AHEAD_S = 0.5  # the velocity line ends where the robot will be after this time
TURNING = 0.01  # a wheel below this share of full speed is drawn as standing
GHOSTS = ("#e5484d", "#f29ec4", "#37b5c9", "#f0a135")  # red, pink, cyan, orange
FRIGHTENED = "#4a63d9"
ACTIONS = {"play": "P", "pause": "p", "restart": "r"}


class PacbotView(View):
    def __init__(self, robot: Any):
        super().__init__(robot)
        radius = robot.config.body.radius_m
        self.parts = (
            *(_game_parts(robot.world.maze.cell_size_m) if robot.config.game.enabled else ()),
            Rays("rays", "ToF rays", "accent", height_m=TOF_HEIGHT_M, fan=False),
            Trail("trail", "Trail", "path"),
            Disc("body", "Robot", radius, "ok", tones=("warn",), height_m=HEIGHT_M),
            Polygon(
                "wheels",
                "Wheels",
                _box(0.3 * radius, 0.11 * radius),
                "plain",
                ("accent", "sense"),
                HEIGHT_M + 0.005,
            ),
            Path("velocity", "Velocity", "accent"),
            Points("points", "ToF readings", "sense", height_m=TOF_HEIGHT_M),
            Drive("drive", "Drive", ("forward", "left", "turn")),
            Gauge("speed", "Speed", "m/s", digits=3),
            Gauge("ahead", "Forward", "m/s", digits=3),
            Gauge("right", "To the right", "m/s", digits=3),
            Gauge("turn", "Turn rate", "rad/s"),
            Gauge("distance", "Distance", "m"),
            *(
                Gauge(f"ticks_{wheel}", wheel.capitalize(), "ticks", digits=0, group="Encoders")
                for wheel in WHEELS
            ),
            Lamp("contact", "Contact", "warn"),
            *(
                [Lamp("watchdog", "Stopped by watchdog", "warn")]
                if robot.config.motors.watchdog_s
                else []
            ),
            *(
                Plot(
                    f"wheel_{wheel}",
                    f"Wheel {wheel}",
                    ((f"goal_{wheel}", "commanded"), (f"does_{wheel}", "actual")),
                    "of full",
                )
                for wheel in WHEELS
            ),
            Plot("accel", "Accelerometer", (("ax", "right"), ("ay", "forward")), "m/s²"),
            Plot("gyro", "Gyro", (("turn", "true"), ("omega", "measured")), "rad/s"),
            Plot("tof", "ToF", tuple((f"tof_{name}", name) for name in robot.arrays.names), "m"),
        )

    def draw(self) -> Mapping[str, ArrayLike]:
        robot, state = self.robot, self.robot.state
        x, y, theta, vx, vy = state.body[: b.VY + 1].tolist()
        rays, readings = state.rays, state.ranges[:, None]
        along = rays[:, 2:4] - rays[:, :2]
        unit = along / np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)[:, None]
        moving = math.hypot(vx, vy) > 1e-3
        return {
            "rays": rays[:, :4],
            "points": rays[:, :2] + unit * readings,
            "body": (x, y, theta + math.pi / 2, state.hit),
            "wheels": self._wheels(x, y, theta),
            "velocity": [(x, y), (x + AHEAD_S * vx, y + AHEAD_S * vy)] if moving else [],
            **(_game_rows(robot.match.board, state.game) if robot.match is not None else {}),
        }

    def _wheels(self, x: float, y: float, theta: float) -> list[tuple[float, float, float, int]]:
        config, c, s = self.robot.config.body, math.cos(theta), math.sin(theta)
        rows = []
        for (right, ahead), share in zip(WHEEL_AT, self._speeds(), strict=True):
            right, ahead = 0.82 * config.radius_m * right, 0.82 * config.radius_m * ahead
            tone = 0 if abs(share) < TURNING else 1 if share > 0 else 2
            rows.append(
                (
                    x + c * right - s * ahead,
                    y + s * right + c * ahead,
                    theta + (math.pi / 2 if right else 0.0),
                    tone,
                )
            )
        return rows

    def _speeds(self) -> list[float]:
        """Return the speed of each wheel as a share of full speed."""
        full = self.robot.config.body.wheel_speed_mps
        return [speed / full for speed in self.robot.state.body[b.U : b.U + 4].tolist()]

    def measure(self) -> Mapping[str, float]:
        robot, state, body = self.robot, self.robot.state, self.robot.state.body
        c, s = math.cos(body.item(b.THETA)), math.sin(body.item(b.THETA))
        vx, vy = body.item(b.VX), body.item(b.VY)
        ax, ay, omega = state.imu
        watchdog = robot.config.motors.watchdog_s > 0 and state.asleep and state.commanded_ns > 0
        return {
            "speed": math.hypot(vx, vy),
            "right": c * vx + s * vy,
            "ahead": c * vy - s * vx,
            "turn": body.item(b.W),
            "distance": body.item(b.ODOMETER),
            "contact": float(state.hit),
            "watchdog": float(watchdog),
            "ax": ax,
            "ay": ay,
            "omega": omega,
            **{
                f"ticks_{wheel}": count for wheel, count in zip(WHEELS, state.encoders, strict=True)
            },
            **{f"goal_{wheel}": goal for wheel, goal in zip(WHEELS, state.commands, strict=True)},
            **{f"does_{wheel}": share for wheel, share in zip(WHEELS, self._speeds(), strict=True)},
            **{
                f"tof_{name}": value
                for name, value in zip(robot.arrays.names, state.ranges.tolist(), strict=True)
            },
            **(_game_numbers(state.game) if state.game is not None else {}),
        }

    def trace(self) -> Mapping[str, tuple[float, float]]:
        return {"trail": (self.robot.state.body.item(b.X), self.robot.state.body.item(b.Y))}

    def place(self) -> tuple[float, float, float]:
        x, y, theta = self.robot.state.body[: b.THETA + 1].tolist()
        return x, y, theta + math.pi / 2

    def summary(self) -> Summary:
        body, game = self.robot.state.body, self.robot.state.game
        task = "" if game is None else f"score {game.score}, {game.lives} lives"
        if game is not None and game.mode == board.PAUSED:
            task += ", paused"
        return Summary(math.hypot(body.item(b.VX), body.item(b.VY)), None, task)

    def drive(self, forward: float, left: float, turn: float) -> list[AnyInput]:
        """Command all four motors, scaled alike if the fastest would exceed full speed."""
        unscaled = wheel_speeds(float(-left), float(forward), float(turn), 1.0)
        scale = max(1.0, *(abs(speed) for speed in unscaled))
        speeds = {wheel: speed / scale for wheel, speed in zip(WHEELS, unscaled, strict=True)}
        return [Send(self.robot.name, "commands", Speeds.__name__, speeds)]

    def act(self, name: str) -> list[AnyInput]:
        return [Send(self.robot.name, "game", GameCommand.__name__, {"letter": ACTIONS[name]})]


def _box(half_x: float, half_y: float) -> tuple[tuple[float, float], ...]:
    return (half_x, half_y), (-half_x, half_y), (-half_x, -half_y), (half_x, -half_y)


# The game


def _game_parts(cell_m: float) -> tuple[Part, ...]:
    return (
        Points("pellets", "Pellets", "plain"),
        Disc("super_pellets", "Super pellets", 0.3 * cell_m, "plain", heading=False),
        Disc("fruit", "Fruit", 0.4 * cell_m, "sense", heading=False),
        Disc("pacman", "Pacman in the game", 0.45 * cell_m, "ghost"),
        Disc("ghosts", "Ghosts", 0.5 * cell_m, GHOSTS[0], (FRIGHTENED, *GHOSTS[1:]), 0.05),
        Gauge("score", "Score", digits=0, group="Game"),
        Gauge("lives", "Lives", digits=0, low=1, group="Game"),
        Gauge("level", "Level", digits=0, group="Game"),
        Gauge("pellets_left", "Pellets left", digits=0, group="Game"),
        Lamp("playing", "Playing", group="Game"),
        Lamp("chase", "Ghosts chase", "warn", group="Game"),
        Lamp("frightened", "Ghosts frightened", "accent", group="Game"),
        Action("play", "Play", group="Game"),
        Action("pause", "Pause", group="Game"),
        Action("restart", "Restart", group="Game"),
    )


def _game_rows(on: board.Board, game: Any) -> Mapping[str, ArrayLike]:
    left = [
        _cells(row, bits & ~large)
        for row, (bits, large) in enumerate(zip(game.pellets, on.super_pellets, strict=True))
    ]
    large = [
        _cells(row, bits & big)
        for row, (bits, big) in enumerate(zip(game.pellets, on.super_pellets, strict=True))
    ]
    return {
        "pellets": [on.centre(*cell) for row in left for cell in row],
        "super_pellets": [(*on.centre(*cell), 0.0, 0) for row in large for cell in row],
        "fruit": [(*on.centre(*board.FRUIT), 0.0, 0)] if game.fruit_steps else [],
        "pacman": []
        if game.pacman.gone
        else [(*on.centre(*game.pacman.cell), _heading(game.pacman.direction), 0)],
        "ghosts": [
            (
                *on.centre(*ghost.place.cell),
                _heading(ghost.place.direction),
                1 if ghost.fright_steps else number + 1 if number else 0,
            )
            for number, ghost in enumerate(game.ghosts)
            if not ghost.place.gone
        ],
    }


def _cells(row: int, bits: int) -> Iterable[tuple[int, int]]:
    return ((row, column) for column in range(board.COLUMNS) if bits >> column & 1)


def _heading(direction: int) -> float:
    down, right = board.STEP[direction]
    return math.atan2(-down, right)


def _game_numbers(game: Any) -> Mapping[str, float]:
    return {
        "score": game.score,
        "lives": game.lives,
        "level": game.level,
        "pellets_left": game.pellets_left,
        "playing": float(game.mode != board.PAUSED),
        "chase": float(game.mode == board.CHASE),
        "frightened": float(any(ghost.fright_steps for ghost in game.ghosts)),
    }
