"""Read a maze .json as a Pacbot's native file."""

from pathlib import Path
from typing import Any

from rigless.worlds.maze_file import is_maze, maze_of, read_json


def read_native(path: Path) -> dict[str, Any] | None:
    """Return a config with this maze, or None if the file is not a maze. Raises InputError."""
    if path.suffix != ".json":
        return None
    document = read_json(path)
    if not is_maze(document.data):
        return None
    maze_of(document)
    return {"maze": str(path.resolve())}
