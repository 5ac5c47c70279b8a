"""Paint a picture onto a surface.

The result depends only on the arguments. The walls are cached; they change with the window's size
and the world.
"""

import pygame

from rigless.robots.pacbot.window.draw_game import draw_fruit, draw_ghosts, draw_pellets
from rigless.robots.pacbot.window.draw_robot import (
    draw_bot,
    draw_boundary,
    draw_rays,
    draw_velocity,
)
from rigless.robots.pacbot.window.draw_text import bar_height, draw_text
from rigless.robots.pacbot.window.draw_walls import draw_walls
from rigless.robots.pacbot.window.layout import Area, Layout
from rigless.robots.pacbot.window.messages import Game, Picture, Scene
from rigless.robots.pacbot.window.overlays import Overlays
from rigless.robots.pacbot.window.regions import regions


class Painter:
    def __init__(self) -> None:
        self._layout: Layout | None = None
        self._walls: pygame.Surface | None = None
        self._floor: pygame.Surface | None = None  # walls and `_pellets`
        self._pellets: object = None
        # The surface that was refreshed last, and its backdrop.
        self._painted: tuple[pygame.Surface, pygame.Surface] | None = None
        self._regions: list[pygame.Rect] = []

    def paint(
        self,
        surface: pygame.Surface,
        scene: Scene,
        picture: Picture,
        overlays: Overlays,
        fps: float = 0.0,
    ) -> Layout:
        """Paint everything, and return the layout."""
        layout = self._arrange(surface, scene, picture, overlays)
        surface.blit(self._backdrop(layout, picture.game), (0, 0))
        self._paint_objects(surface, layout, picture, overlays, fps)
        return layout

    def refresh(
        self,
        surface: pygame.Surface,
        scene: Scene,
        picture: Picture,
        overlays: Overlays,
        fps: float = 0.0,
        again: bool = False,
    ) -> list[pygame.Rect]:
        """Paint onto a surface that still shows the last refresh; return the changed parts.

        Only the changed parts are painted, or all of it if `again` is set.
        """
        layout = self._arrange(surface, scene, picture, overlays)
        backdrop = self._backdrop(layout, picture.game)
        touched = regions(surface, layout, picture, overlays)
        known = self._painted
        if again or known is None or known[0] is not surface or known[1] is not backdrop:
            surface.blit(backdrop, (0, 0))
            changed = [surface.get_rect()]
        else:
            surface.blits([(backdrop, box.topleft, box) for box in self._regions], False)
            changed = [*self._regions, *touched]
        self._paint_objects(surface, layout, picture, overlays, fps)
        self._painted, self._regions = (surface, backdrop), touched
        return changed

    def _paint_objects(
        self,
        surface: pygame.Surface,
        layout: Layout,
        picture: Picture,
        overlays: Overlays,
        fps: float,
    ) -> None:
        """Paint what is on the backdrop. `regions` has the extent of each object."""
        clip_to_area(surface, layout)
        if picture.game is not None:
            draw_fruit(surface, layout, picture.game)
        for number, bot in enumerate(picture.bots):
            if overlays.rays:
                draw_rays(surface, layout, bot)
            draw_bot(surface, layout, bot, number == picture.chosen)
            if overlays.boundary:
                draw_boundary(surface, layout, bot)
            if overlays.velocity:
                draw_velocity(surface, layout, bot)
        if picture.game is not None:
            draw_ghosts(surface, layout, picture.game)
        surface.set_clip(None)
        if overlays.text:
            draw_text(surface, picture, fps, overlays.sensors)

    def _arrange(
        self, surface: pygame.Surface, scene: Scene, picture: Picture, overlays: Overlays
    ) -> Layout:
        layout = arrange(surface, scene, picture, overlays)
        known, walls = self._layout, self._walls
        same_size = walls is not None and walls.get_size() == surface.get_size()
        same_scene = known is not None and known.scene is scene and known.area == layout.area
        if known is not None and same_scene and same_size and known.shown == layout.shown:
            return known
        self._walls = pygame.Surface(surface.get_size()).convert(surface)
        self._floor, self._layout = None, layout
        draw_walls(self._walls, layout)
        return layout

    def _backdrop(self, layout: Layout, game: Game | None) -> pygame.Surface:
        assert self._walls is not None
        if game is None:
            return self._walls
        pellets = (game.pellets, game.super_pellets)
        if self._floor is None or self._pellets != pellets:
            self._floor, self._pellets = self._walls.copy(), pellets
            clip_to_area(self._floor, layout)
            draw_pellets(self._floor, layout, game)
            self._floor.set_clip(None)
        return self._floor


def clip_to_area(surface: pygame.Surface, layout: Layout) -> None:
    """Let nothing be drawn outside the area: if zoomed, objects may be beyond the visible part."""
    area = layout.area
    if layout.zoom > 1:
        surface.set_clip((area.x, area.y, area.width, area.height))


def arrange(surface: pygame.Surface, scene: Scene, picture: Picture, overlays: Overlays) -> Layout:
    width, height = surface.get_size()
    bar = bar_height(width, height, overlays.sensors) if overlays.text else 0
    edge = max(4, height // 90)
    area = Area(edge, edge, max(width - 2 * edge, 1), max(height - bar - 2 * edge, 1))
    if overlays.zoom <= 1 or picture.chosen >= len(picture.bots):
        return Layout(scene, area)
    bot = picture.bots[picture.chosen]
    return Layout(scene, area, overlays.zoom, (bot.x, bot.y))
