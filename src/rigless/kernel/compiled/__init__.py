"""Decorators for functions over arrays that numba compiles and caches on disk.

numba caches machine code next to the source and checks only the modification time of that one
file. It misses a change in a function of another file that was inlined, and two releases may
carry the same time. Here the cache stamp is a digest of the file and of everything it imports
from its own package or from rigless.

The cache files are numbered. Two processes that compile one function for different arguments
may pick the same number, and one would then run the other's code. A file lock prevents this.

If no cache can be written, because the package and the user's cache folder are read-only, functions
are compiled at each start.

Division by zero gives infinity, as in numpy. Import this module only where numba is needed,
because importing numba is slow.
"""

import fcntl
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from numba import njit
from numba.core import event

from rigless.kernel.compilation import observers

PACKAGES = Path(__file__).parents[3]  # the folder that holds the package rigless
IMPORT = re.compile(
    r"^[ \t]*from[ \t]+(rigless[\w.]*|\.[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE
)
Function = TypeVar("Function", bound=Callable[..., Any])
_functions: list[Any] = []  # of the modules imported so far


def compiled(function: Function) -> Function:
    """Compile the function with numba and cache the result on disk."""
    found: Function = _jit(function)
    _functions.append(found)
    return found


def unlocked(function: Function) -> Function:
    """Compile like `compiled`; a call releases the interpreter's lock for other threads."""
    found: Function = _jit(function, nogil=True)
    _functions.append(found)
    return found


def inlined(function: Function) -> Function:
    """Compile the function into its callers, before they are optimised."""
    found: Function = _jit(function, inline="always")
    return found


def _jit(function: Any, **options: Any) -> Any:
    try:
        return _cached(njit(cache=True, error_model="numpy", **options)(function))
    except RuntimeError:  # "no locator available": there is no folder for the cache
        return njit(error_model="numpy", **options)(function)


def stamp(path: Path) -> tuple[str, int]:
    """Return the digest and the size of a source file and all files that it imports."""
    found, waiting = {path}, [path]
    while waiting:
        new = _source(waiting.pop()).imports - found
        found |= new
        waiting += new
    sources = [_source(path) for path in sorted(found)]
    whole = b"".join(source.digest for source in sources)
    return hashlib.blake2b(whole, digest_size=16).hexdigest(), sum(each.size for each in sources)


class _Source(NamedTuple):
    """A source file: its digest, its size in bytes, and the files that it imports."""

    digest: bytes
    size: int
    imports: frozenset[Path]


@cache
def _source(path: Path) -> _Source:
    data = path.read_bytes()
    lines = IMPORT.finditer(data.decode("utf-8", "replace"))
    files = (file for line in lines for file in _files(path, line[1], line[2]))
    imports = frozenset(file for file in files if file.is_file())
    return _Source(hashlib.blake2b(data, digest_size=16).digest(), len(data), imports)


def _files(path: Path, module: str, names: str) -> Iterator[Path]:
    """Yield the files that `from module import names` may refer to."""
    level = len(module) - len(module.lstrip("."))
    start = path.parents[level - 1] if level else PACKAGES
    target = start.joinpath(*module.lstrip(".").split(".")) if module.strip(".") else start
    yield from (target.with_suffix(".py"), target / "__init__.py")
    for name in re.findall(r"\w+", re.sub(r"#[^\n]*| as \w+", "", names)):
        yield from (target / f"{name}.py", target / name / "__init__.py")


def _cached(function: Any) -> Any:
    files = getattr(getattr(function, "_cache", None), "_cache_file", None)
    if files is not None:  # None if compilation is switched off, for example under a debugger
        files._source_stamp = stamp(Path(function.py_func.__code__.co_filename))
        lock = Path(files._cache_path, "lock")
        files.save, files.load = _locked(files.save, lock), _locked(files.load, lock)
        files._load_index = _forgiving(files._load_index)
    return function


def _forgiving(load_index: Callable[[], Any]) -> Callable[[], Any]:
    """Return `load_index`; an index that cannot be read is empty.

    It is unpickled before its stamp is compared, and names types that may have moved since.
    """

    def load() -> Any:
        try:
            return load_index()
        except Exception:
            return {}

    return load


def _locked(access: Callable[..., Any], lock: Path) -> Callable[..., Any]:
    """Return `access` under a file lock; without one where no lock file can be written."""

    def locked(*args: Any) -> Any:
        with ExitStack() as held:
            with suppress(OSError):
                fcntl.flock(held.enter_context(lock.open("ab")), fcntl.LOCK_EX)
            return access(*args)

    return locked


class _Forwarder(event.Listener):  # type: ignore[misc]
    """Passes numba's events to the last observer. It begins with the outermost function."""

    depth = 0

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth == 1 and observers:
            observers[-1].begin(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if observers:
            done = sum(bool(function.overloads) for function in _functions)
            observers[-1].end(done, len(_functions))


event.register("numba:compile", _Forwarder())  # type: ignore[no-untyped-call]
