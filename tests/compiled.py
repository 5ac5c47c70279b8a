"""The cache of compiled numba code for tests.

`python tests/compiled.py` fills it before they start and does nothing if it is full. Without it
each worker compiles the same functions at first. It needs no package of the tests.
"""

import hashlib
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "rigless"
ENVIRONMENTS = ("VacuumCoverage-v0", "VacuumGoal-v0", "RoverWaypoint-v0")
FOLDER = ROOT / ".numba_cache"  # stays valid: compiled code is stamped with its sources


def full() -> Path:
    """Return the marker file that exists if the cache is full for these sources."""
    digest = hashlib.blake2b(digest_size=8)
    parts = ("kernel", "cuda", "worlds", "motion", "sensors", "robots", "batch", "gym")
    sources = sorted(path for part in parts for path in (SOURCES / part).rglob("*.py"))
    for path in [*sources, SOURCES / "cli" / "compile.py"]:
        digest.update(path.read_bytes())
    return FOLDER / f"full-{digest.hexdigest()}"


def fill() -> None:
    """Run every robot and the weld cell briefly, so that numba compiles their functions."""
    from rigless.cli.compile import use_commands, use_robot

    kinds = sorted(path.parent.name for path in SOURCES.glob("robots/*/robot.py"))
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for part in [
            pool.submit(use_commands, "welder"),
            *(pool.submit(use_batch, name) for name in ("Vacuums", "Pacbots", "Rovers")),
            *(pool.submit(use_environments, name) for name in ENVIRONMENTS),
            *(pool.submit(use_robot, kind) for kind in reversed(kinds)),
        ]:
            part.result()


def use_batch(name: str) -> None:
    """Run a batch briefly."""
    import rigless.batch

    robots = getattr(rigless.batch, name)(2)
    robots.step([[0.1] * len(robots.command_names)] * 2, 1)
    robots.scan()


def use_environments(name: str) -> None:
    """Run environments briefly, until their episodes have ended once."""
    import gymnasium

    import rigless.gym

    gymnasium.register_envs(rigless.gym)
    made = gymnasium.make_vec(
        f"rigless/{name}", 2, vectorization_mode="vector_entry_point", max_episode_steps=2
    )
    made.reset(seed=1)
    for _ in range(3):
        made.step(made.action_space.sample())


if __name__ == "__main__":
    os.environ.setdefault("NUMBA_CACHE_DIR", str(FOLDER))  # before anything imports numba
    if not full().exists():
        fill()
        full().touch()
