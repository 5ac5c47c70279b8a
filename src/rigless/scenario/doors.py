"""Doors in scenarios: they need a world with a layout."""

from typing import TYPE_CHECKING

from rigless.kernel.problems import InputError, Problem
from rigless.kernel.world import World

if TYPE_CHECKING:
    from rigless.worlds.layout.site_world import SiteWorld


def site_of(world: World) -> "SiteWorld":
    """Return a world that has a layout with doors. Raises InputError."""
    if not world.is_plane:
        from rigless.worlds.layout.site_world import SiteWorld  # numba takes its time

        if isinstance(world, SiteWorld) and world.layout.doors:
            return world
    fix = "use a map with such a layout, for example map = 'warehouse_100' (docs: layouts)"
    raise InputError(Problem("door", "the world has no layout with doors", fix))
