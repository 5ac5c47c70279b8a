"""The folder in which the control API keeps recordings and snapshots.

A client of the API names a file with a plain file name. Whatever it sends, nothing outside the
folder is written or opened, and a file that exists is replaced only on request.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from rigless.kernel.problems import InputError, Problem

RECORDING, SNAPSHOT = ".mcap", ".snapshot"
LONGEST_NAME = 200  # bytes; file systems allow 255


class RecordingsFolder:
    """A folder for recordings and snapshots. It is created with the first file."""

    def __init__(self, path: Path):
        self.path = path.absolute()

    def create(self, given: str, suffix: str, force: bool = False) -> tuple[Path, IO[bytes]]:
        """Create a file and open it for writing. The suffix is added if the name lacks it.

        Raises InputError if the name leads out of the folder or, without `force`, is taken.
        """
        path = self._path(given, suffix)
        if os.path.lexists(path):
            if not force:
                fix = 'choose another name, or replace it with "force": true'
                raise InputError(Problem("file", f"{path} exists already", fix))
            if path.is_symlink() or not path.is_file():
                what = f"{path} is a link or not a regular file, so it is not replaced"
                raise InputError(Problem("file", what, "choose another name"))
        return path, self._create(path, replace=force)

    def create_first_free(self, paths: Iterable[Path]) -> tuple[Path, IO[bytes]]:
        """Create the first of these files that does not exist, and open it for writing."""
        for path in paths:
            if not os.path.lexists(path):
                return path, self._create(path)
        raise AssertionError("the names do not end")

    def find(self, given: str, suffix: str, also: Iterable[Path] = ()) -> Path:
        """Return the path of an existing file. Raises InputError if there is none by that name.

        `also` are files elsewhere that may be opened; they are named by their whole path.
        """
        listed = {str(path): path for path in also}
        path = listed.get(given) or self._path(given, suffix)
        try:
            inside = path.resolve().parent == self.path.resolve() or given in listed
            if inside and path.is_file():
                return path
        except (OSError, RuntimeError):  # a loop of links
            pass
        raise InputError(
            Problem("file", f"there is no file {path.name!r} in {self.path}", "see the list")
        )

    def _path(self, given: str, suffix: str) -> Path:
        """Return the path of a plain file name, or of a whole path directly in this folder."""
        folder, _, name = given.rpartition("/")
        if folder and folder != str(self.path):
            name = given
        problem = _why_not_plain(name)
        if problem:
            fix = f"use a plain file name such as run-1{suffix}; it is kept in {self.path}"
            raise InputError(Problem("file", f"{given!r} {problem}", fix))
        return self.path / (name if name.endswith(suffix) else name + suffix)

    def _create(self, path: Path, replace: bool = False) -> IO[bytes]:
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if replace:  # not written in place: readers and hard links keep the old content
                path.unlink(missing_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            return os.fdopen(os.open(path, flags, 0o666), "wb")
        except OSError as error:
            what = f"cannot write {path}: {error.strerror}"
            raise InputError(Problem("file", what, "choose another: --recordings DIR")) from None


def _why_not_plain(name: str) -> str:
    """Return why a text is not a plain file name, or ""."""
    if not name:
        return "is empty"
    if "/" in name or "\\" in name:
        return "names a folder"
    if not name.isprintable():  # control characters, line separators, lone surrogates
        return "has a character that cannot be printed"
    if name[0] in ".-" or name != name.strip():
        return "begins with '.' or '-', or begins or ends with a space"
    return "is too long" if len(name.encode()) > LONGEST_NAME else ""
