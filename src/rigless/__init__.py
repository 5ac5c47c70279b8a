"""rigless: the robot's real interface, without the robot."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rigless import worlds
    from rigless.host.serve import serve
    from rigless.scenario.load import load

__all__ = ["load", "serve", "worlds"]

_HOMES = {"load": "rigless.scenario.load", "serve": "rigless.host.serve"}


def __getattr__(name: str) -> Any:
    """Import on first use, so that `import rigless` and `rigless --help` stay quick."""
    import importlib

    if name == "worlds":
        return importlib.import_module("rigless.worlds")
    if name not in _HOMES:
        raise AttributeError(f"module 'rigless' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
