"""A small world for pictures: 3 by 3 cells of 0.3 m with walls around, and a robot."""

import numpy as np
import pygame

from rigless.robots.pacbot.window.messages import Bot, Picture, Ray, Scene
from rigless.robots.pacbot.window.overlays import Overlays
from rigless.robots.pacbot.window.painter import Painter

NOTHING = Overlays(rays=False, velocity=False, boundary=False, text=False)
CELLS = np.pad(np.zeros((3, 3), np.uint8), 1, constant_values=1)
ROOM = Scene(1, "room", 5, 5, CELLS.tobytes(), 0.3, (0.0, 0.0, 0.0))
MIDDLE = (0.75, 0.75)
STANDING = (0.0, 0.0, 0.0, 0.0)


def bot(x=MIDDLE[0], y=MIDDLE[1], theta=0.0, wheels=STANDING, velocity=(0.0, 0.0, 0.0), **more):
    return Bot("pacbot", x, y, theta, 0.1, *velocity, wheels, STANDING, **more)


def picture(*bots, **more):
    about = {"state": "running", "pace": "×1", "real_time_factor": 1.0, "chosen": 0, **more}
    return Picture(1, 12.5, bots=list(bots or [bot()]), **about)


RAYS = [Ray(0.75, 0.85, 0.75, 1.2, 0.25), Ray(0.85, 0.75, 1.2, 0.75, 0.3)]


class Shot:
    """A painted picture; pixels are found by world position."""

    def __init__(self, shown, overlays=NOTHING, size=(500, 500), scene=ROOM, painter=None):
        self.surface = pygame.Surface(size)
        self.layout = (painter or Painter()).paint(self.surface, scene, shown, overlays, 60.0)

    def at(self, x_m, y_m):
        x, y = self.layout.at(x_m, y_m)
        return tuple(self.surface.get_at((round(x), round(y))))[:3]

    def pixels(self):
        return pygame.surfarray.array3d(self.surface)


def near(one, other, off=12):
    return all(abs(int(a) - int(b)) <= off for a, b in zip(one, other, strict=True))
