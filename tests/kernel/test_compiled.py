"""The numba cache on disk: correct after a change of any source and with several writers."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Thread

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
    for name in ("kernel", "kernel/__init__.py", "kernel/compiled.py"):
        (package / name).mkdir() if "." not in name else shutil.copy(SOURCES / name, package / name)
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
