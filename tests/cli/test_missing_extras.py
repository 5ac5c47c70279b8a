"""Without an extra every command says in one sentence what is missing and how to get it."""

import subprocess
import sys

import pytest

import rigless
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError, Problem
from rigless.scenario import extras

PACKAGES = ("numba", "yaml", "PIL", "zmq", "google", "pinocchio", "uvicorn", "nats", "cyclonedds")
COMMANDS = [
    "list", "demo", "run vacuum", "check vacuum_explore", "check pacbot_square", "run welder",
    "welder reach --pose 0,0,0,0,0,0", "agv schema", "compile", "compile rover",
    "run {examples}/agv/telescopic_lift.json",
    "run {examples}/thermostat --set thermostat.ports.line=0 --duration 0 --window",
]  # fmt: skip
SCRIPT = """
import sys
from importlib import metadata
from rigless.cli import main
from rigless.scenario import extras

base = {"mcap", "msgspec", "numpy", "pydantic", "rich", "typer"}
extras._is_installed = lambda name: name in base
for name in %r:
    sys.modules[name] = None
for command in %r:
    sys.argv = ["rigless", *command.split()]
    print(f"$ {command}", file=sys.stderr, flush=True)
    try:
        main()
    except SystemExit as end:
        print(f"exit {end.code}", file=sys.stderr, flush=True)
"""


def test_no_command_without_extras_is_a_traceback(thermostat, environment, tmp_path):
    commands = [command.format(examples=thermostat.parent) for command in COMMANDS]
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT % (PACKAGES, commands)],
        cwd=tmp_path, env={**environment, "COLUMNS": "400"},
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert "Traceback" not in found.stderr, found.stderr
    assert found.returncode == 0
    said = dict(part.split("\n", 1) for part in found.stderr.split("$ ")[1:])
    assert said["list"] == "exit 0\n"
    for kind in ("agv", "pacbot", "rover", "vacuum", "welder"):
        assert f"pip install 'rigless[{kind}]'" in found.stdout
    expected = ["all", "vacuum", "vacuum", "pacbot", "welder", "welder", "agv", "all", "rover"]
    for command, extra in zip(commands[1:-2], expected, strict=True):
        assert f"(pip install 'rigless[{extra}]'" in said[command], said[command]
        assert said[command].endswith("exit 2\n")
    assert "rigless[agv]" in said[commands[-2]]
    assert "--window: needs 'numba' (pip install 'rigless[pacbot,window]')" in said[commands[-1]]


WITHOUT_ZMQ = """
import sys
from rigless.cli import main

sys.modules["zmq"] = None
sys.argv = ["rigless", "run", "pacbot", "--duration", "0", "--no-panel"]
main()
"""


def test_a_missing_transport_is_reported_before_anything_is_compiled(environment, tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_ZMQ],
        env={**environment, "COLUMNS": "400", "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert found.returncode == 2, found.stderr
    assert "commands: transport 'zmq' needs 'zmq' (pip install 'rigless[pacbot]')" in found.stderr
    assert "compiling" not in found.stderr


PROGRAMS = """
name = "nav"
duration_s = 1
[[robots]]
kind = "pacbot"
[[programs]]
name = "nav"
command = "true"
[[expect]]
program = "nav"
exit = 0
"""


@pytest.mark.parametrize("command", ["check", "sweep"])
def test_a_check_with_programs_reports_a_missing_transport_before_it_compiles(
    command, environment, tmp_path
):
    scenario = tmp_path / "nav.toml"
    scenario.write_text(PROGRAMS)
    words = f'["rigless", "{command}", {str(scenario)!r}]'
    run = '["rigless", "run", "pacbot", "--duration", "0", "--no-panel"]'
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_ZMQ.replace(run, words)],
        env={**environment, "COLUMNS": "400", "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert found.returncode == 2, found.stderr
    assert "transport 'zmq' needs 'zmq' (pip install 'rigless[pacbot]')" in found.stderr
    assert not list(tmp_path.rglob("*.nbi")), "something was compiled"


def test_a_served_robot_and_one_in_virtual_time_need_different_packages(monkeypatch, thermostat):
    monkeypatch.setitem(sys.modules, "rigless.transports.tcp", None)
    with pytest.raises(InputError, match="line: there is no transport 'tcp'"):
        rigless.serve(thermostat)
    assert rigless.load(thermostat).ports("thermostat") == ["line", "reports"]


def test_only_the_extra_of_a_transport_is_replaced_by_that_of_the_robot():
    def load(port):
        raise InputError(Problem(port.name, "is missing", fixes[port.name]))

    fixes = {"a": "pip install 'rigless[zmq]'", "b": "source the set-up file of ROS"}
    ports = [Port(name, object, "zmq", "127.0.0.1:0") for name in fixes]
    with pytest.raises(InputError) as caught:
        extras.check_transports("pacbot", ports, load)
    fix_of_robot = "pip install 'rigless[pacbot]'"
    assert [problem.fix for problem in caught.value.problems] == [fix_of_robot, fixes["b"]]
    with pytest.raises(InputError) as caught:
        extras.check_transports("./my_robot", ports, load)
    assert [problem.fix for problem in caught.value.problems] == list(fixes.values())


def test_extras_come_from_the_metadata():
    assert "protobuf" in extras.needs()["vacuum"]
    assert extras.missing("vacuum") == []
    assert extras.extra_of("yaml") == "maps"
    assert extras.extra_of("google.protobuf") == "vacuum"
    assert extras.extra_of("numba.core", preferred="rover") == "rover"
    assert extras.extra_of("json") is None


INTERRUPTED = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
sys.argv = ["rigless", "list"]
from rigless.cli import main
main()
"""


@pytest.mark.parametrize("module", ["rigless.cli.app", "typer", "rigless.cli.catalogue"])
def test_ctrl_c_while_a_command_is_imported_is_no_traceback(module, environment):
    code = INTERRUPTED.format(module=module)
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=240
    )
    assert (found.returncode, "Traceback" in found.stderr) == (130, False), found.stderr


DISCARDED = """
import ctypes, os, signal, sys, time, weakref
import rigless.cli
import rigless.cli.app

class Lock: ...

def interrupted(_):
    raise KeyboardInterrupt

def app():
    lock = Lock()
    watch = weakref.ref(lock, interrupted)
    del lock
    {wait}

{before}
rigless.cli.app.app = app
rigless.cli.main()
"""
SLEEP = "time.sleep(600)"
# One call of C code, which waits twice. The signal that ends the first wait has no effect before
# the second one begins, as when it arrives just before time.sleep() calls the system.
TWO_WAITS = "list(map(ctypes.CDLL(None).sleep, [600, 600]))"
# The thread that repeats the signal is faster than the function that starts it.
SECOND_IS_DISCARDED = """
start = rigless.cli._thread.start_new_thread

def start_new_thread(run, arguments):
    start(run, arguments)
    time.sleep(1)

rigless.cli._thread.start_new_thread = start_new_thread
"""


@pytest.mark.parametrize(
    ("wait", "before"),
    [(SLEEP, ""), (TWO_WAITS, ""), (SLEEP, SECOND_IS_DISCARDED)],
    ids=["in a wait", "just before a wait", "while it is repeated"],
)
def test_ctrl_c_that_python_discards_still_ends_the_command(wait, before, environment):
    # While modules are imported, it may be raised in a callback of a weak reference.
    words = [sys.executable, "-c", DISCARDED.format(wait=wait, before=before)]
    found = subprocess.run(
        words, capture_output=True, text=True, env=environment, timeout=240, check=False
    )
    assert (found.returncode, "Traceback" in found.stderr) == (130, False), found.stderr
