"""Checks of what a robot declares: its folder, config, state, truth, inputs and faults."""

import ast
import importlib.util
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from rigless.kernel.events import KERNEL_CODES
from rigless.kernel.plain import pack, to_json, unpack
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError
from rigless.kernel.robot import Config, Robot
from rigless.testing.emissions import file_of, undeclared_event
from rigless.testing.exercise import connect, feed
from rigless.testing.subject import Subject

# The status of a robot that waits for its operator after a fault.
LATCHED = ("alarm", "e-stop released")
FILES = ("README.md", "config.py", "wire.py", "robot.py", "__init__.py")
# files and folders that may do I/O
DOES_IO = ("cli.py", "panel", "client.py", "window", "test_*.py")
FORBIDDEN_MODULES = (
    *("asyncio", "socket", "threading", "time", "datetime", "random", "secrets"),
    *("zmq", "websockets", "pygame", "nats", "cyclonedds", "rclpy"),
)
LAYERS_ABOVE = (
    *(
        "cli",
        "panel",
        "host",
        "clients",
        "scenario",
        "recordings",
        "transports",
        "programs",
        "runs",
        "sweeps",
        "batch",
        "gym",
    ),
    *("testing", "console"),
)
OTHER_VALUES: dict[type, list[Any]] = {
    bool: [True, False],
    int: [0, 1, 7],
    float: [0.0, 1.0, -2.5],
    str: ["", "other"],
}


@contextmanager
def raises(kind: type[Exception], text: str = "") -> Iterator[None]:
    """Assert that the block raises this error and that its message contains the text."""
    try:
        yield
    except kind as error:
        if text not in str(error):
            raise AssertionError(f"{text!r} is not in the error: {error}") from error
        return
    raise AssertionError(f"no {kind.__name__} was raised")


# The folder


def folder_has_its_files(subject: Subject) -> None:
    for file in FILES:
        path = subject.folder / file
        assert path.is_file(), f"{path} is missing"
        assert path.read_text("utf-8").strip(), f"{path} is empty"


def package_has_a_docstring(subject: Subject) -> None:
    init = subject.folder / "__init__.py"
    assert ast.get_docstring(ast.parse(init.read_text("utf-8"))), f"{init} has no docstring"


def imports_nothing_forbidden(subject: Subject) -> None:
    """A robot does no I/O, reads no clock, and imports neither upper layers nor other robots."""
    _, robot = subject.load()
    package = type(robot).__module__.rpartition(".")[0]
    forbidden = {*FORBIDDEN_MODULES, *(f"rigless.{layer}" for layer in LAYERS_ABOVE)}
    for path in pure_files(subject):
        here = ".".join([package, *path.relative_to(subject.folder).parts[:-1]])
        for name in imported_names(path, here):
            wrong = [word for word in forbidden if f"{name}.".startswith(f"{word}.")]
            assert not wrong, f"{path} imports {name}"
            other = name.startswith("rigless.robots.") and not f"{name}.".startswith(f"{package}.")
            assert not other, f"{path} imports another robot: {name}"


def pure_files(subject: Subject) -> Iterator[Path]:
    """Yield the Python files of a robot that may do no I/O."""
    for path in sorted(subject.folder.rglob("*.py")):
        parts = [Path(part) for part in path.relative_to(subject.folder).parts]
        if not any(part.match(pattern) for part in parts for pattern in DOES_IO):
            yield path


def imported_names(path: Path, package: str) -> Iterator[str]:
    """Yield the absolute names that a file imports, in functions too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            parent = parts[: len(parts) - node.level + 1] if node.level else []
            yield ".".join([*parent, *([node.module] if node.module else [])])


# Config, state, truth


def config_is_frozen_and_rejects_unknown_keys(subject: Subject) -> None:
    _, robot = subject.load()
    assert isinstance(robot.config, Config)
    for model in models(robot.config):
        assert model.model_config.get("frozen"), f"{type(model).__name__} is not frozen"
        assert model.model_config.get("extra") == "forbid", f"{type(model).__name__} takes any key"
        for name in type(model).model_fields:
            with raises(ValidationError, "frozen"):
                setattr(model, name, getattr(model, name))
            break
    with raises(ValidationError):
        type(robot.config).model_validate({"no_such_key": 1})


def models(model: BaseModel) -> Iterator[BaseModel]:
    """Yield a config and all the configs inside it."""
    yield model
    for value in (getattr(model, name) for name in type(model).model_fields):
        items = value.values() if isinstance(value, dict) else value
        for item in items if isinstance(value, list | tuple | dict) else [value]:
            if isinstance(item, BaseModel):
                yield from models(item)


def config_survives_json(subject: Subject) -> None:
    _, robot = subject.load()
    dumped = json.loads(json.dumps(robot.config.model_dump(mode="json")))
    assert type(robot.config).model_validate(dumped) == robot.config


def unknown_setting_is_an_error_with_a_hint(subject: Subject) -> None:
    _, robot = subject.load()
    key = next(iter(type(robot.config).model_fields))
    with raises(InputError, f"did you mean {key!r}?"):
        subject.load(settings=[f"{key}x=1"])


def state_is_plain_data(subject: Subject) -> None:
    sim, robot = subject.load()
    feed(sim, robot, subject)
    for _ in range(4):
        packed = pack(robot.state)
        assert type(robot.state) is robot.State
        again = unpack(packed, robot.State)
        assert type(again) is robot.State
        assert pack(again) == packed
        sim.run(0.37)


def truth_is_json(subject: Subject) -> None:
    sim, robot = subject.load()
    feed(sim, robot, subject)
    for _ in range(4):
        assert json.loads(to_json(robot.truth())) is not None
        sim.run(0.37)


def metrics_and_status_are_plain(subject: Subject) -> None:
    sim, robot = subject.load()
    feed(sim, robot, subject)
    sim.run(2)
    assert all(isinstance(value, int | float) for value in robot.metrics.values())
    assert isinstance(robot.status(), str)


def ports_are_declared(subject: Subject) -> None:
    _, robot = subject.load()
    names = [port.name for port in robot.ports]
    assert names, "a robot needs at least one port"
    assert len(set(names)) == len(names), f"two ports have one name: {names}"
    for port in robot.ports:
        assert isinstance(port, Port)
        assert port.kind in ("stream", "datagram", "message"), port
        assert port.direction in ("in", "out", "both"), port
        assert port.codec() is not port.codec(), f"{port.name}: each connection needs its own codec"
        transport = f"rigless.transports.{port.transport}"
        assert importlib.util.find_spec(transport), f"{port.name}: there is no {transport}"


# Events


def events_in_the_code_are_declared(subject: Subject) -> None:
    """Every code that is passed to `event()` as text is declared, and none without a use."""
    _, robot = subject.load()
    codes = {*KERNEL_CODES, *(robot.event_codes or ())}
    declared: set[str] = set()
    used: set[str] = set()
    for path in pure_files(subject):
        tree = ast.parse(path.read_text("utf-8"))
        texts = _texts(tree)
        for node in ast.walk(tree):
            if _declares_events(node):
                own = _texts(node)
                declared |= set(own.values())
                texts = {key: text for key, text in texts.items() if key not in own}
        used |= set(texts.values())
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "event":
                for code in _choices(node.args[0]) if node.args else ():
                    place = f"{path}:{node.lineno}"
                    assert code in codes, undeclared_event(robot, code, place)
    unused = sorted(declared - used)
    assert not unused, (
        f"no code emits the events {', '.join(unused)}: remove them from event_codes "
        f"of the class {type(robot).__name__} in {file_of(type(robot))}"
    )


def _declares_events(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "event_codes" for target in node.targets
    )


def _choices(node: ast.AST) -> list[str]:
    """Return the texts that an argument can be, as far as it is written out."""
    if isinstance(node, ast.IfExp):
        return _choices(node.body) + _choices(node.orelse)
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _texts(node: ast.AST) -> dict[int, str]:
    """Return the constant texts below a node, by the identity of their nodes."""
    return {
        id(child): child.value
        for child in ast.walk(node)
        if isinstance(child, ast.Constant) and isinstance(child.value, str)
    }


# Inputs


def inputs_can_be_set(subject: Subject) -> None:
    sim, robot = subject.load()
    connect(sim, robot)
    for name, spec in robot.inputs.items():
        assert robot.input[name] == spec.default
        low = -math.inf if spec.low is None else spec.low
        high = math.inf if spec.high is None else spec.high
        for value in (*OTHER_VALUES[type(spec.default)], spec.default):
            if not isinstance(value, str) and not low <= value <= high:
                with raises(InputError, "out of range"):
                    sim.set_input(robot.name, name, value)
                continue
            sim.set_input(robot.name, name, value)
            sim.run(0.25)
            assert robot.input[name] == value
        wrong_values: tuple[Any, ...] = ([], {"a": 1}, None)
        for wrong in wrong_values:
            with raises(InputError):
                sim.set_input(robot.name, name, wrong)
        assert robot.input[name] == spec.default
    with raises(InputError):
        sim.set_input(robot.name, "no such input", 1)


# Faults


def faults(robot: Robot) -> list[tuple[str, str]]:
    """Return every declared fault of a robot as (target, kind)."""
    return [(name, kind) for name, of in robot.fault_targets.seams.items() for kind in of]


def faults_can_be_injected_and_cleared(subject: Subject) -> None:
    sim, robot = subject.load()
    start, status = sim.snapshot(), robot.status()
    assert not status.startswith("broken"), status
    assert {name for name, _ in faults(robot)} >= {port.name for port in robot.ports}
    for name, kind in faults(robot):
        sim.restore(start)
        feed(sim, robot, subject)
        sim.run(0.1)
        sim.inject(robot.name, name, kind)
        assert [(fault.target, fault.kind) for fault in robot.faults] == [(name, kind)]
        sim.run(1)
        assert isinstance(robot.status(), str)
        sim.snapshot().to_bytes()
        json.loads(to_json(robot.truth()))
        sim.clear(robot.name, name)
        assert robot.faults == []
        sim.run(1)
        assert robot.status() in (status, *LATCHED), f"after {name} {kind} was cleared"


def all_faults_at_once_are_survived(subject: Subject) -> None:
    sim, robot = subject.load()
    status = robot.status()
    feed(sim, robot, subject)
    for name, kind in faults(robot):
        sim.inject(robot.name, name, kind)
    sim.run(1)
    assert len(robot.faults) == len(faults(robot))
    sim.clear(robot.name)
    sim.run(1)
    assert robot.faults == []
    assert robot.status() in (status, *LATCHED)


def unknown_fault_is_an_error_that_lists_the_targets(subject: Subject) -> None:
    sim, robot = subject.load()
    for name in robot.fault_targets.seams:
        with raises(InputError, name):
            sim.inject(robot.name, "zzzzzz")


CHECKS = (
    folder_has_its_files,
    package_has_a_docstring,
    imports_nothing_forbidden,
    config_is_frozen_and_rejects_unknown_keys,
    config_survives_json,
    unknown_setting_is_an_error_with_a_hint,
    state_is_plain_data,
    truth_is_json,
    metrics_and_status_are_plain,
    ports_are_declared,
    events_in_the_code_are_declared,
    inputs_can_be_set,
    faults_can_be_injected_and_cleared,
    all_faults_at_once_are_survived,
    unknown_fault_is_an_error_that_lists_the_targets,
)
