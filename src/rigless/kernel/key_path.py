"""Key paths: a key or element inside nested data, such as ("robots", 0, "config", "rate_hz")."""

from collections.abc import Mapping

KeyPath = tuple[str | int, ...]


def dotted(path: KeyPath) -> str:
    """Return a path as people write it: robots[0].config.rate_hz."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key, or else of the nearest table or list around it; 0 if unknown."""
    for end in range(len(path), -1, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return 0
