"""The numba cache on disk: correct after a change of any source and with several writers."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from rigless.kernel.compilation import observed
from rigless.kernel.compiled import compiled

SOURCES = Path(__file__).parents[2] / "src" / "rigless"
INNER = """from rigless.kernel.compiled import compiled


@compiled
def inner(x):
    return x + {}
"""
OUTER = """from rigless.kernel.compiled import compiled
from rigless.motion.inner import inner


@compiled
def outer(x):
    return inner(x) * 10.0
"""
ASK = "from rigless.motion.outer import outer; print(outer(1.0), outer.stats.cache_hits)"


def test_a_change_in_another_file_is_seen(tmp_path):
    package = tmp_path / "rigless"
    (package / "motion").mkdir(parents=True)
    for name in ("__init__.py", "compiled/__init__.py", "compilation.py"):
        copied = package / "kernel" / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCES / "kernel" / name, copied)
    for name in ("__init__.py", "motion/__init__.py"):
        (package / name).touch()
    (package / "motion/outer.py").write_text(OUTER)
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "NUMBA_CACHE_DIR": str(tmp_path / "kept"),
    }
    environment["PYTHONDONTWRITEBYTECODE"] = (
        "1"  # Python takes two files of one length and second for the same
    )

    def ask(added):
        (package / "motion/inner.py").write_text(INNER.format(added))
        return subprocess.run(
            [sys.executable, "-c", ASK],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=240,
        ).stdout.split()[0]

    assert [ask(1), ask(2)] == ["20.0", "30.0"]


def test_an_index_with_a_type_that_has_moved_is_empty(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    files = compiled(lambda x: x)._cache._cache_file
    Path(files._cache_path).mkdir(exist_ok=True)
    moved = b"crigless.worlds\nTypeThatHasMoved\n."  # the pickle of a class
    Path(files._index_path).write_bytes(pickle.dumps(files._version) + moved)
    assert files.load("for whole numbers") is None
    files.save("for whole numbers", 2)
    assert files.load("for whole numbers") == 2


def test_who_writes_at_the_same_time_does_not_take_the_others_place(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    one, other = (compiled(lambda x: x)._cache._cache_file for _ in range(2))
    Path(one._cache_path).mkdir(exist_ok=True)
    writing, save_index = Thread(target=other.save, args=("for whole numbers", 2)), one._save_index

    def meanwhile(overloads):
        writing.start()
        writing.join(0.2)  # it waits, so this is all the time it takes
        save_index(overloads)

    one._save_index = meanwhile
    one.save("for fractions", 1)
    writing.join()
    assert (one.load("for fractions"), one.load("for whole numbers")) == (1, 2)


def test_a_folder_that_is_not_there_holds_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    kept = compiled(lambda x: x)._cache._cache_file
    shutil.rmtree(kept._cache_path, ignore_errors=True)
    assert kept.load("anything") is None


class Diary:
    def __init__(self):
        self.begun, self.ended = [], []

    def begin(self, function):
        self.begun.append(function)

    def end(self, done, total):
        self.ended.append((done, total))


def doubled():
    @compiled
    def double(x):
        return 2 * x

    return double


def test_observers_see_only_what_is_really_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    outer, first, second = Diary(), Diary(), Diary()
    with observed(outer):
        with observed(first):
            assert doubled()(4) == 8
        with observed(second):
            assert doubled()(4) == 8  # from the cache
    assert first.begun == ["double"]
    assert first.ended
    assert all(done <= total for done, total in first.ended)
    assert (second.begun, outer.begun) == ([], [])


def test_without_a_folder_for_the_cache_functions_are_compiled_at_each_start(monkeypatch):
    def no_locator(*args):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr("numba.core.dispatcher.Dispatcher.enable_caching", no_locator)
    with pytest.raises(RuntimeError):
        __import__("numba").njit(cache=True)(lambda x: x)
    assert doubled()(4) == 8
