"""Fixtures that run the `rigless` command, in processes of its own or in the test's own process.

Each has its own folders for session files and saved state. All processes of a test end with the
test.
"""

import functools
import gc
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import hypothesis
import pytest

import compiled
from forked import Forked

os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled.FOLDER))  # before anything imports numba
# Without bytecode on disk every worker and every process compiles all modules at its start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A script that starts the tests in the background lets them and their commands ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile(  # results depend on neither time nor chance
    "rigless",
    max_examples=40,
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
    """Return two more than the number of cores: system tests spend half of their time waiting."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first, so that the workers end at about the same time."""

    def place(item: pytest.Item) -> int:
        return next(
            (n for n, name in enumerate(FIRST) if item.nodeid.startswith(f"tests/{name}")),
            len(FIRST),
        )

    items.sort(key=place)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector leave alone what is imported: it takes seconds in each worker."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each worker whole files in the order above, and all browser tests to two workers.

    So a browser and its servers start only twice. One worker would need longer for all browser
    tests than the others for the rest.
    """
    from xdist.scheduler import LoadFileScheduling

    class FileByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            if not file.startswith("tests/browser/"):
                return file
            return "tests/browser, first" if file < "tests/browser/test_q" else "tests/browser"

    config.option.loadscopereorder = False
    return FileByFile(config, log)


@pytest.fixture(autouse=True, scope="session")
def declared_events() -> Iterator[None]:
    """Fail every test in which a robot logs an event or counts a metric that is not declared."""
    from rigless.kernel.events import KERNEL_CODES, Event
    from rigless.kernel.loop.core import Core
    from rigless.kernel.robot import Robot
    from rigless.testing.emissions import declares_metric, undeclared_event, undeclared_metric

    log, count = Core.log, Robot.count

    @functools.wraps(count)  # the generated reference describes it
    def counted(self: Robot, metric: str, amount: float = 1) -> None:
        declared = self.metric_names is None or declares_metric(self, metric)
        assert declared, undeclared_metric(self, metric)
        count(self, metric, amount)

    def checked(core: Core, event: Event) -> None:
        robot = core.robots.get(event.robot)
        codes = None if robot is None else robot.event_codes
        if robot is not None and codes is not None and event.code not in (*KERNEL_CODES, *codes):
            raise AssertionError(undeclared_event(robot, event.code))
        log(core, event)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Core, "log", checked)
        patch.setattr(Robot, "count", counted)
        yield


COMMAND = Path(sysconfig.get_path("scripts")) / "rigless"
DEADLINE_S = 100.0  # on a busy machine a process may need a minute to start


class Process:
    """A running command. Its output goes to files, so only flushed lines are visible here.

    It is a fork of a process with all imports, or, if `fresh`, a new interpreter.
    """

    popen: subprocess.Popen[bytes] | Forked

    def __init__(
        self, words: tuple[str, ...], folder: Path, environment: dict[str, str], fresh: bool = False
    ):
        self.out, self.err = folder / "stdout", folder / "stderr"
        if not fresh:
            self.popen = Forked(words, self.out, self.err, environment)
            return
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.popen = subprocess.Popen(
                [COMMAND, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment
            )

    @property
    def lines(self) -> list[str]:
        return self.out.read_text().splitlines() if self.out.exists() else []

    @property
    def errors(self) -> str:
        return self.err.read_text() if self.err.exists() else ""

    def until(self, true: Callable[[], object], what: str = "") -> None:
        """Poll until a condition holds; fail after a generous deadline."""
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
        """Send a signal and return the exit code."""
        self.popen.send_signal(signum)
        return self.popen.wait(DEADLINE_S)

    def wait(self) -> int:
        return self.popen.wait(DEADLINE_S)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment of commands: own session files and saved state, plain output."""
    (tmp_path / "runtime").mkdir()
    # PYTHONUNBUFFERED would hide a line that is not flushed.
    left_out = ("RIGLESS_URL", "RIGLESS_TOKEN", "PYTHONUNBUFFERED")
    inherited = {name: value for name, value in os.environ.items() if name not in left_out}
    paths = {"XDG_RUNTIME_DIR": str(tmp_path / "runtime"), "RIGLESS_STATE": str(tmp_path / "state")}
    return {**inherited, **paths, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}


@pytest.fixture
def rigless_process(
    tmp_path: Path, environment: dict[str, str]
) -> Iterator[Callable[..., Process]]:
    """Return a function that starts `rigless` with these words and waits until it is ready."""
    started: list[Process] = []

    def start(*words: object, ready: bool = True, fresh: bool = False) -> Process:
        folder = tmp_path / f"process{len(started)}"
        folder.mkdir()
        process = Process(tuple(map(str, words)), folder, environment, fresh)
        started.append(process)
        return process.wait_ready() if ready else process

    yield start
    for process in started:
        if process.popen.poll() is None:
            process.popen.kill()
            process.popen.wait()


class CliResult(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def rigless_command(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., CliResult]:
    """Return a function that runs `rigless` to its end; keywords are environment variables.

    It runs in a fork of a process with all imports, or, if `fresh`, in a new interpreter.
    """

    def run(
        *words: object, cwd: Path | None = None, fresh: bool = False, **extra: str
    ) -> CliResult:
        texts = tuple(map(str, words))
        if not fresh:
            folder = tmp_path_factory.mktemp("command")
            out, err = folder / "stdout", folder / "stderr"
            process = Forked(texts, out, err, {**environment, **extra}, cwd)
            try:
                code = process.wait(2 * DEADLINE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            return CliResult(code, *(path.read_text(errors="replace") for path in (out, err)))
        found = subprocess.run(
            [COMMAND, *texts],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=2 * DEADLINE_S,
            cwd=cwd,
            env={**environment, **extra},
        )
        return CliResult(found.returncode, found.stdout, found.stderr)

    return run


@pytest.fixture
def run_cli(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    environment: dict[str, str],
) -> Callable[..., CliResult]:
    """Return a function that runs `rigless` in this process: exit code and output.

    This is fast, and an exception that a user would see as a traceback fails the test.
    """
    from rigless.cli import main

    for name in ("RIGLESS_URL", "RIGLESS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_RUNTIME_DIR", "RIGLESS_STATE", "NO_COLOR", "TERM", "COLUMNS"):
        monkeypatch.setenv(name, environment[name])

    def run(*words: object) -> CliResult:
        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["rigless", *map(str, words)])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        return CliResult(code, *capfd.readouterr())

    return run


@pytest.fixture
def thermostat() -> Path:
    return Path(__file__).resolve().parent.parent / "examples" / "thermostat"
