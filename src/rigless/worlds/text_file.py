"""Reading of text files with a limit on their size."""

from pathlib import Path

from rigless.kernel.problems import InputError, Problem


def read_text(path: Path, max_bytes: int, fix: str) -> str:
    """Return the text of a UTF-8 file. Raises InputError if it cannot be read or is too long."""
    file = str(path)
    try:
        with path.open("rb") as stream:
            data = stream.read(max_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = getattr(error, "strerror", None) or "this is not a file name"
        raise InputError(
            Problem("", f"the file cannot be read: {reason}", "check the path", file)
        ) from None
    if len(data) > max_bytes:
        raise InputError(Problem("", f"is longer than {max_bytes} bytes", fix, file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(Problem("", "is not UTF-8 text", "save it as UTF-8", file, line)) from None
