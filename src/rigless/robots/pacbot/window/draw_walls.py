"""Draw the walls: blue, with a bright edge towards free cells."""

import pygame

from rigless.robots.pacbot.window import brushes as c
from rigless.robots.pacbot.window.layout import Layout

THICKEST = 4  # pixels of a wall's edge


def draw_walls(surface: pygame.Surface, layout: Layout) -> None:
    """Draw all walls. Cells share their edges to the pixel, so there are no gaps at any size."""
    area = pygame.Rect(layout.area.x, layout.area.y, layout.area.width, layout.area.height)
    surface.fill(c.BACKGROUND)
    left, bottom, right, top = layout.shown
    x0, y0 = layout.cell_at(left, top)
    x1, y1 = layout.cell_at(right, bottom)
    frame = pygame.Rect(round(x0), round(y0), round(x1) - round(x0), round(y1) - round(y0)).clip(
        area
    )
    surface.set_clip(frame)
    surface.fill(c.WALL)
    edge = min(max(round(0.055 * layout.scale), 1), THICKEST)
    walls = layout.walls
    rows, columns = walls.shape
    xs = [round(layout.cell_at(column, 0)[0]) for column in range(columns + 1)]
    ys = [round(layout.cell_at(0, row)[1]) for row in range(rows + 1)]
    first_row, first_column = max(int(bottom) - 1, 0), max(int(left) - 1, 0)
    visible = ~walls[first_row : int(top) + 2, first_column : int(right) + 2]
    found = zip(*visible.nonzero(), strict=True)
    open_cells = [(row + first_row, column + first_column) for row, column in found]
    # First the edges, a little larger than the cells, then the cells on top of them.
    for row, column in open_cells:
        box = pygame.Rect(
            xs[column], ys[row + 1], xs[column + 1] - xs[column], ys[row] - ys[row + 1]
        )
        pygame.draw.rect(surface, c.WALL_EDGE, box.inflate(2 * edge, 2 * edge))
    for row, column in open_cells:
        surface.fill(
            c.FLOOR, (xs[column], ys[row + 1], xs[column + 1] - xs[column], ys[row] - ys[row + 1])
        )
    surface.set_clip(None)
