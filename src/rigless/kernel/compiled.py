"""Functions over arrays, compiled by numba and kept on disk: `@compiled`, in place of numba's own decorator.

numba keeps what it has compiled beside the source and looks at that one file's time to tell whether it is still right. It does not see a change in a function of
another file that is built into it; and files of two releases may have the same time. So here the stamp is one of all of rigless's sources.
Its files are numbered, and two processes that compile one function for different arguments may take the same number: the one would then
run what the other has compiled. So here who reads or writes them has a lock.
Division by zero gives infinity, as in numpy. Import this module only where numba is needed: it takes its time.
"""

import fcntl
import hashlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from numba import njit

PARTS = ("kernel", "worlds", "motion", "sensors", "robots")
Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def stamp() -> tuple[str, int]:
    """What the sources are, as numba stores it beside what it compiled of them."""
    digest, size = hashlib.blake2b(digest_size=16), 0
    root = Path(__file__).parents[1]
    for path in sorted(path for part in PARTS for path in (root / part).rglob("*.py")):
        text = path.read_bytes()
        digest.update(text)
        size += len(text)
    return digest.hexdigest(), size


def compiled(function: Function) -> Function:
    found: Function = _keep(njit(cache=True, error_model="numpy")(function))
    return found


def inlined(function: Function) -> Function:
    """Built into those that call it, before they are optimised."""
    found: Function = _keep(njit(cache=True, error_model="numpy", inline="always")(function))
    return found


def _keep(found: Any) -> Any:
    kept = getattr(getattr(found, "_cache", None), "_cache_file", None)
    if kept is not None:  # none when compiling is switched off, as under a debugger
        kept._source_stamp = stamp()
        lock = Path(kept._cache_path, "lock")
        kept.save, kept.load = _alone(kept.save, lock), _alone(kept.load, lock)
    return found


def _alone(access: Callable[..., Any], lock: Path) -> Callable[..., Any]:
    """The same, while no other process reads or writes; without a lock where there can be none, as in a folder that is read only."""

    def locked(*args: Any) -> Any:
        with ExitStack() as held:
            with suppress(OSError):
                fcntl.flock(held.enter_context(lock.open("ab")), fcntl.LOCK_EX)
            return access(*args)

    return locked
