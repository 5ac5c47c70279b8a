"""Text files that people name on the command line, and what they are told when one cannot be read or written."""

from pathlib import Path

from rigless.kernel.problems import InputError, Problem


def read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise InputError(Problem("", f"cannot be read: {error.strerror}", file=str(path))) from None


def write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            Problem(str(path), f"cannot be written: {error.strerror}", "choose another file")
        ) from None
