"""Fixtures of tests with real processes: the `rigless` command in processes of its own, on free ports, each with its own
folder for session notes. Every process that a test started is ended when the test ends."""

import os
import signal
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import hypothesis
import pytest

import compiled

os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled.FOLDER))  # before anything imports numba

hypothesis.settings.register_profile(  # neither how long a test takes nor luck is its outcome
    "rigless",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("rigless")

FIRST = (
    "browser",
    "test_house.py",
    "benchmarks",
    "examples",
    "test_web.py",
    "cli",
    "system",
    "scenarios",
    "conformance",
)


@pytest.hookimpl(optionalhook=True)  # the suite also starts without pytest-xdist
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests of the real thing wait for it as long as they compute."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first, so that no worker sits on a long file while the others are done."""

    def place(item: pytest.Item) -> int:
        return next(
            (n for n, name in enumerate(FIRST) if item.nodeid.startswith(f"tests/{name}")),
            len(FIRST),
        )

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """To each worker file by file in the order above, and all that needs the browser to one: it starts once, and so do the
    servers that it looks at."""
    from xdist.scheduler import LoadFileScheduling

    class FileByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return (
                "tests/browser"
                if nodeid.startswith("tests/browser/")
                else super()._split_scope(nodeid)
            )

    config.option.loadscopereorder = False
    return FileByFile(config, log)


COMMAND = Path(sysconfig.get_path("scripts")) / "rigless"
DEADLINE_S = 100.0  # a noisy machine may need a minute to start one that compiles nothing; a test may take two in all


class Process:
    """A running command. What it prints goes to files, so lines can only be seen here once they are flushed."""

    def __init__(self, words: tuple[str, ...], folder: Path, environment: dict[str, str]):
        self.out, self.err = folder / "stdout", folder / "stderr"
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.popen = subprocess.Popen(
                [COMMAND, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment
            )

    @property
    def lines(self) -> list[str]:
        return self.out.read_text().splitlines()

    @property
    def errors(self) -> str:
        return self.err.read_text()

    def until(self, true: Callable[[], object], what: str = "") -> None:
        """Poll until something holds; fails after a generous deadline."""
        end = time.monotonic() + DEADLINE_S
        while not true():
            assert time.monotonic() < end, f"waited {DEADLINE_S:g} s in vain: {what}\n{self.errors}"
            time.sleep(0.01)

    def wait_ready(self) -> "Process":
        self.until(lambda: "ready" in self.lines or self.popen.poll() is not None, "ready")
        assert "ready" in self.lines, self.errors
        return self

    @property
    def ports(self) -> dict[str, str]:
        return dict(line.split()[1:] for line in self.lines if line.startswith("port "))

    def address(self, port: str) -> tuple[str, int]:
        parts = urlsplit(self.ports[port])
        return str(parts.hostname), int(parts.port or 0)

    @property
    def url(self) -> str:
        """Return the address of the control API, without the token."""
        parts = urlsplit(self._panel)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def token(self) -> str:
        return parse_qs(urlsplit(self._panel).query)["token"][0]

    @property
    def _panel(self) -> str:
        return next(line.split()[1] for line in self.lines if line.startswith("panel "))

    def end(self, signum: int = signal.SIGTERM) -> int:
        """Signal it and give its exit code."""
        self.popen.send_signal(signum)
        return self.popen.wait(DEADLINE_S)

    def wait(self) -> int:
        return self.popen.wait(DEADLINE_S)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """For commands: session notes and what outlives a run apart from everybody else's, plain output."""
    (tmp_path / "runtime").mkdir()
    left_out = (
        "RIGLESS_URL",
        "RIGLESS_TOKEN",
        "PYTHONUNBUFFERED",
    )  # the last would hide a line that is not flushed
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    own = {"XDG_RUNTIME_DIR": str(tmp_path / "runtime"), "RIGLESS_STATE": str(tmp_path / "state")}
    return {**kept, **own, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}


@pytest.fixture
def rigless_process(
    tmp_path: Path, environment: dict[str, str]
) -> Iterator[Callable[..., Process]]:
    """A function that starts `rigless` with these words and waits until it is ready."""
    started: list[Process] = []

    def start(*words: object, ready: bool = True) -> Process:
        folder = tmp_path / f"process{len(started)}"
        folder.mkdir()
        process = Process(tuple(map(str, words)), folder, environment)
        started.append(process)
        return process.wait_ready() if ready else process

    yield start
    for process in started:
        if process.popen.poll() is None:
            process.popen.kill()
            process.popen.wait()


@pytest.fixture
def rigless_command(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that runs `rigless` with these words to its end. Extra keywords are environment variables."""

    def run(
        *words: object, cwd: Path | None = None, **extra: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *map(str, words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=2 * DEADLINE_S,
            cwd=cwd,
            env={**environment, **extra},
        )

    return run


@pytest.fixture
def thermostat() -> Path:
    return Path(__file__).resolve().parent.parent / "examples" / "thermostat"
