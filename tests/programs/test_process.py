"""Processes of programs: output, exit codes, signals, descendants, and what cannot be started."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from rigless.programs.output_log import OutputLog
from rigless.programs.process import Process
from rigless.programs.reaper import processes_below
from rigless.programs.usage import Usage

DEADLINE_S = 60.0


LOGS: list[OutputLog] = []


@pytest.fixture(autouse=True)
def closed_logs() -> Iterator[None]:
    yield
    while LOGS:
        LOGS.pop().close()


def started(folder: Path, *words: str, limit: int = 1_000_000) -> Process:
    log = OutputLog(folder, "program", limit, lambda: 1.5)
    LOGS.append(log)
    process = Process(list(words), log, Usage())
    process.start(folder, os.environ)
    return process


async def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE_S
    while not true():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)


def run(work: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), DEADLINE_S))  # type: ignore[arg-type]


def python(text: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", text)


def test_output_and_exit_code_are_kept(tmp_path: Path) -> None:
    async def work() -> None:
        text = "import sys; print('one'); print('two', file=sys.stderr); sys.exit(3)"
        process = started(tmp_path, *python(text))
        await until(lambda: not process.alive)
        assert process.exit == 3
        found = {(line.stream, line.text, line.time_s) for line in process.log.lines}
        assert found == {("out", "one", 1.5), ("err", "two", 1.5)}
        await process.end()
        assert (tmp_path / "program.stdout").read_text() == "one\n"
        assert (tmp_path / "program.stderr").read_text() == "two\n"
        assert process.usage.cpu_s > 0
        assert process.usage.memory_mb > 1

    run(work)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("./nothing", "command not found: there is no './nothing' in"),
        ("no-such-command-anywhere", "command not found: there is no 'no-such-command-anywhere'"),
        ("./text.txt", "'./text.txt' cannot be executed"),
        ("./script", "'./script' cannot be started: its first line names '/no/python\\r', which"),
        ("./garbage", "'./garbage' cannot be started: it is no program for this machine"),
    ],
)
def test_a_command_that_cannot_start_says_why(tmp_path: Path, word: str, reason: str) -> None:
    (tmp_path / "text.txt").write_text("not a program")
    for name, data in (("script", b"#!/no/python\r\n"), ("garbage", b"\1\2\3")):
        (tmp_path / name).write_bytes(data)
        (tmp_path / name).chmod(0o755)

    async def work() -> None:
        process = started(tmp_path, word)
        ended: list[bool] = []
        process.on_exit = lambda: ended.append(True)
        await until(lambda: ended)
        assert process.failure.startswith(reason)
        assert process.exit is None
        await process.end()
        assert ended == [True]

    run(work)


def test_a_missing_working_folder_is_named(tmp_path: Path) -> None:
    async def work() -> None:
        log = OutputLog(tmp_path, "program", 1000, lambda: 0.0)
        LOGS.append(log)
        process = Process(["true"], log, Usage())
        process.start(tmp_path / "gone", os.environ)
        await until(lambda: not process.alive)
        assert process.failure == f"its working folder {str(tmp_path / 'gone')!r} does not exist"

    run(work)


def test_memory_is_that_of_the_program_and_not_of_its_reaper(tmp_path: Path) -> None:
    async def work() -> None:
        process = started(tmp_path, "cat", "/dev/zero")
        await until(lambda: process.log.lines)
        process.usage.sample(process.root, 0.0, 0.0)
        await process.end()
        assert 0.1 < process.usage.memory_mb < 5.0

    async def not_started() -> None:
        process = started(tmp_path, "./nothing")
        await until(lambda: not process.alive)
        assert process.usage.memory_mb == 0.0
        await process.end()

    run(work)
    run(not_started)


def test_a_signal_is_a_negative_exit_code(tmp_path: Path) -> None:
    async def work() -> None:
        process = started(tmp_path, *python("import os; os.kill(os.getpid(), 11)"))
        await until(lambda: not process.alive)
        assert process.exit == -signal.SIGSEGV
        await process.end()

    run(work)


def test_a_program_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    text = (
        "import signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('deaf', flush=True)\n"
        "time.sleep(1000)"
    )

    async def work() -> None:
        process = started(tmp_path, *python(text))
        await until(lambda: process.log.lines)
        assert await process.end(grace_s=0.05)
        assert process.exit == -signal.SIGKILL

    run(work)


def test_children_get_the_signal_and_time_to_end(tmp_path: Path) -> None:
    child = (
        "import signal, sys, time\n"
        "def end(*_):\n"
        "    time.sleep(0.1); print('child ended', flush=True); sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "print('child', flush=True)\n"
        "time.sleep(1000)"
    )
    (tmp_path / "child.py").write_text(child)

    async def work() -> None:
        process = started(tmp_path, "sh", "-c", f"{sys.executable} -S child.py & wait")
        await until(lambda: process.log.lines)
        assert not await process.end(grace_s=60)
        assert [line.text for line in process.log.lines] == ["child", "child ended"]
        assert process.exit == -signal.SIGTERM
        assert not process.outlived

    run(work)


DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(1); os.close(2)
        open('daemon.pid', 'w').write(str(os.getpid()))
        time.sleep(1000)
    os._exit(0)
while not os.path.exists('daemon.pid'):
    time.sleep(0.01)
"""


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_daemon_ends_with_its_program(tmp_path: Path) -> None:
    async def work() -> None:
        process = started(tmp_path, *python(DAEMON))
        await until(lambda: not process.alive)
        assert process.exit == 0
        await until(lambda: (tmp_path / "daemon.pid").read_text())
        pid = int((tmp_path / "daemon.pid").read_text())
        assert pid in processes_below(process.root)
        await process.end()
        assert gone(pid)
        assert len(process.outlived) == 1

    run(work)


def test_everything_ends_if_rigless_is_killed(tmp_path: Path) -> None:
    text = f"""
import asyncio, os, sys
from pathlib import Path
from rigless.programs.output_log import OutputLog
from rigless.programs.process import Process
from rigless.programs.usage import Usage
async def main():
    log = OutputLog(Path({str(tmp_path)!r}), "p", 1000, lambda: 0.0)
    process = Process([sys.executable, "-S", "-c", {DAEMON + "time.sleep(1000)"!r}], log, Usage())
    process.start(Path({str(tmp_path)!r}), os.environ)
    while process.pid is None or not Path({str(tmp_path)!r}, "daemon.pid").exists():
        await asyncio.sleep(0.01)
    print(process.pid, flush=True)
    await asyncio.sleep(1000)
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        program = int(owner.stdout.readline())
        daemon = int((tmp_path / "daemon.pid").read_text())
        assert not gone(program)
        assert not gone(daemon)
        owner.kill()
        end = time.monotonic() + DEADLINE_S
        while not (gone(program) and gone(daemon)):
            assert time.monotonic() < end
            time.sleep(0.01)


def test_a_flood_of_output_is_cut_with_a_notice(tmp_path: Path) -> None:
    async def work() -> None:
        process = started(tmp_path, *python("for _ in range(3000): print('x' * 999)"), limit=50_000)
        await until(lambda: not process.alive)
        await process.end()
        assert process.exit == 0
        assert process.log.cut
        assert process.log.total_bytes == 3_000_000
        notes = [line.text for line in process.log.lines if line.stream == "note"]
        assert (
            notes == process.log.findings == ["its output is cut after 0.05 MB (limits.output_mb)"]
        )
        assert (tmp_path / "program.stdout").stat().st_size == 50_000

    run(work)


def test_a_flood_of_short_lines_is_cut_in_the_log_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rigless.programs.output_log.LINES_KEPT", 100)
    log = OutputLog(tmp_path, "program", 1000, lambda: 1.5)
    log.receive("out", b"y\n" * 600)
    log.close()
    many, full = log.findings
    assert many == "it printed over 100 lines; later ones are only in program.stdout and .stderr"
    assert full.startswith("its output is cut after 0.001 MB")
    assert (tmp_path / "program.log").read_text().count(" out ") == 100
    assert (tmp_path / "program.stdout").stat().st_size == 1000


def test_a_flood_of_short_lines_leaves_time_for_other_work(tmp_path: Path) -> None:
    async def work() -> None:
        process = started(tmp_path, "yes", limit=300_000)
        turns = [0]

        def count() -> None:
            turns[-1] += 1  # lines of this turn of the event loop

        def turn() -> None:
            turns.append(0)
            loop.call_soon(turn)

        loop = asyncio.get_running_loop()
        process.log.on_line = lambda line: count()
        loop.call_soon(turn)
        await until(lambda: process.log.cut)
        await process.end()
        assert sum(turns) == 150_000 + 1  # with the notice
        assert max(turns) <= 10_000

    run(work)


def test_lines_of_one_chunk_are_cleaned_one_by_one(tmp_path: Path) -> None:
    log = OutputLog(tmp_path, "program", 100_000, lambda: 1.5)
    log.receive("out", b"a\r\n\xe2\x82\nb\tc\x00\n\x1b[31mred\n" + b"x" * 5000 + b"\r\n\xe2")
    log.receive("out", b"\x82\xac\nend")
    assert log.lines[-1].text == "€"
    log.close()
    texts = [line.text for line in log.lines]
    assert texts == ["a", "\ufffd", "b\tc\ufffd", "red", "x" * 4000 + " … (5001 bytes)", "€", "end"]
    assert (tmp_path / "program.log").read_text().splitlines()[3] == "     1.500 out  red"


def test_binary_output_becomes_printable_lines(tmp_path: Path) -> None:
    async def work() -> None:
        text = "import sys; sys.stdout.buffer.write(bytes(range(256)) + b'\\x1b[31mred\\x1b[0m\\n')"
        process = started(tmp_path, *python(text))
        await until(lambda: not process.alive)
        await process.end()
        lines = [line.text for line in process.log.lines]
        assert lines[-1].endswith("red")
        (finding,) = process.log.findings
        assert "not all text" in finding
        assert all(char.isprintable() for line in lines for char in line.replace("\t", ""))
        assert (tmp_path / "program.stdout").read_bytes().startswith(bytes(range(256)))

    run(work)


def test_a_line_without_end_is_kept_and_long_lines_are_cut(tmp_path: Path) -> None:
    async def work() -> None:
        process = started(tmp_path, *python("print('a' * 10_000); print('last', end='')"))
        await until(lambda: not process.alive)
        await process.end()
        first, last = process.log.lines[0], process.log.lines[-1]
        assert len(first.text) < 5000
        assert last.text == "last"

    run(work)


BUSY = "import os\nfor _ in range(2):\n    os.fork() or print('up', flush=True)\nwhile True: pass"


def test_a_share_of_the_time_holds_for_all_processes(tmp_path: Path) -> None:
    async def work() -> None:
        process = started(tmp_path, *python(BUSY))
        await until(lambda: len(process.log.lines) == 3)
        process.limit(0.05)
        await until(lambda: "T" in states(process))
        used_s, begin = cpu_s(process), time.monotonic()
        await until(lambda: cpu_s(process) > used_s + 0.1)
        cores = (cpu_s(process) - used_s) / (time.monotonic() - begin)
        assert cores < 4 * 0.05 * 2
        process.limit(0.0)
        await until(lambda: states(process) == "TTTT")
        process.limit(1.0)
        await until(lambda: states(process) == "RRRR")
        process.limit(0.0)  # it ends while it is stopped, too
        assert not await process.end(grace_s=DEADLINE_S)

    run(work)


def cpu_s(process: Process) -> float:
    process.usage.sample(process.root, 0.0, time.monotonic())
    return process.usage.cpu_s


def states(process: Process) -> str:
    """Return a letter for each process: R runs, T is stopped."""
    found = ""
    for pid in processes_below(process.root):
        found += Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return found
