"""What robots move in: occupancy grids, exact ray casting, map files."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rigless.worlds.maps import load_map
    from rigless.worlds.shipped import find_map, shipped_maps

__all__ = ["find_map", "load_map", "shipped_maps"]

_HOMES = {
    "find_map": "rigless.worlds.shipped",
    "load_map": "rigless.worlds.maps",
    "shipped_maps": "rigless.worlds.shipped",
}


def __getattr__(name: str) -> Any:
    """Import on first use: numba and PyYAML are not needed by all."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rigless.worlds' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
