"""Run tests that failed once more, alone: `python tests/again.py CACHE`.

Tests of sockets, browsers and programs run in real time, and a machine that stalls can break one
of them. A few such failures get a second run without other tests at their side. A test of
anything else, which computes the same each time, gets none.
"""

import json
import subprocess
import sys
from pathlib import Path

IN_REAL_TIME = (
    *("benchmarks", "browser", "cli", "clients", "docs", "examples", "host", "panel"),
    *("programs", "ros", "runs", "sweeps", "system", "testing", "transports"),
)
LIMIT = 3  # more at once are no accident


def may_run_again(failed: list[str]) -> bool:
    """Return True if all of these tests run in real time, and if they are few."""
    folders = tuple(f"tests/{name}/" for name in IN_REAL_TIME)
    return 0 < len(failed) <= LIMIT and all(test.startswith(folders) for test in failed)


def main(cache: Path) -> int:
    """Run the tests again whose names pytest left in its cache; return the exit status."""
    try:
        failed = list(json.loads((cache / "v" / "cache" / "lastfailed").read_text()))
    except FileNotFoundError:  # no test ran
        return 1
    if not may_run_again(failed):
        return 1
    print("Once more, alone:", *failed, sep="\n  ", flush=True)
    status = subprocess.run([sys.executable, "-m", "pytest", *failed], check=False).returncode
    if status == 0:
        print(
            "These passed alone but failed among all tests. That is a defect of the test or of the"
            " code, although this run counts as passed: please repair it.",
            *failed,
            sep="\n  ",
        )
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
