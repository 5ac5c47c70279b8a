"""Read a maze .json as a Pacbot's native file."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from rigless.kernel.problems import InputError
from rigless.worlds.mazes.maze_file import is_maze, is_maze_text, maze_of, read_json


def read_native(path: Path) -> dict[str, Any] | None:
    """Return a config with this maze, or None if the file is not a maze. Raises InputError."""
    if path.suffix != ".json":
        return None
    try:
        document = read_json(path)
    except InputError as error:
        if is_maze_text(path):
            raise
        # Any robot's file may be broken JSON, so there is no advice on mazes.
        found = [replace(p, fix="") if "maze" in p.fix else p for p in error.problems]
        raise InputError(found) from None
    if not is_maze(document.data):
        return None
    maze_of(document)
    return {"maze": str(path.resolve())}
