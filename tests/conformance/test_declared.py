"""What a robot declares holds: its folder, config, state, truth, inputs and faults."""

import ast
import json
import math
import tomllib

import pytest
from pydantic import BaseModel, ValidationError

from rigless.kernel.plain import pack, to_json, unpack
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError
from rigless.kernel.robot import Config, Robot
from rigless.scenario import kinds
from rigless.scenario.load import open_target

from .exercise import ROOT, connect, feed, folder_of, load, name_of

WELL = ("ok", "RUNNING")  # what a robot may say of itself as new: the AGV has its own words
LAYERS_ABOVE = (
    "cli",
    "panel",
    "clients",
    "host",
    "scenario",
    "recordings",
    "transports",
    "testing",
)


# The folder


@pytest.mark.parametrize("file", ["README.md", "config.py", "wire.py", "robot.py", "__init__.py"])
def test_the_folder_has_its_files(target, file):
    path = folder_of(target) / file
    assert path.is_file()
    assert path.read_text("utf-8").strip()


def imports(path, package):
    """The absolute names that a file imports, in functions too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            here = (
                package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            )
            yield ".".join([*here, *([node.module] if node.module else [])])


def test_nothing_banned_is_imported(target):
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    banned = {
        *lint["flake8-tidy-imports"]["banned-api"],
        *(f"rigless.{layer}" for layer in LAYERS_ABOVE),
    }
    own = target if kinds.is_folder(target) else f"rigless.robots.{target}"
    package = name_of(target) if kinds.is_folder(target) else own
    for_users = [
        pattern for pattern, rules in lint["per-file-ignores"].items() if "TID251" in rules
    ]
    for path in sorted(folder_of(target).rglob("*.py")):
        if any(
            path.match(pattern)
            for pattern in for_users
            if pattern.startswith("src/rigless/robots/")
        ):
            continue
        for name in imports(path, package):
            assert not [word for word in banned if f"{name}.".startswith(f"{word}.")], (
                f"{path} imports {name}"
            )
            other = name.startswith("rigless.robots.") and not f"{name}.".startswith(f"{own}.")
            assert not other, f"{path} imports another robot: {name}"


def test_the_package_says_what_it_is(target):
    text = ast.get_docstring(ast.parse((folder_of(target) / "__init__.py").read_text("utf-8")))
    assert text


# Config, state, truth


def models(model):
    """A config and all the configs inside it."""
    yield model
    for value in (getattr(model, name) for name in type(model).model_fields):
        for item in (
            value
            if isinstance(value, list | tuple)
            else value.values()
            if isinstance(value, dict)
            else [value]
        ):
            if isinstance(item, BaseModel):
                yield from models(item)


def test_config_is_frozen_and_knows_its_keys(target):
    _, robot = load(target)
    assert isinstance(robot.config, Config)
    for model in models(robot.config):
        assert model.model_config.get("frozen"), type(model)
        assert model.model_config.get("extra") == "forbid", type(model)
        for name in type(model).model_fields:
            with pytest.raises(ValidationError, match="frozen"):
                setattr(model, name, getattr(model, name))
            break
    with pytest.raises(ValidationError):
        type(robot.config).model_validate({"no_such_key": 1})


def test_config_survives_json(target):
    _, robot = load(target)
    dumped = json.loads(json.dumps(robot.config.model_dump(mode="json")))
    assert type(robot.config).model_validate(dumped) == robot.config


def test_an_unknown_setting_is_an_error_with_a_hint(target):
    _, robot = load(target)
    key = next(iter(type(robot.config).model_fields))
    with pytest.raises(InputError) as caught:
        open_target(target, [f"{key}x=1"])
    assert f"did you mean {key!r}?" in str(caught.value)


def test_state_is_plain_data(target):
    sim, robot = load(target)
    feed(sim, robot)
    for _ in range(4):
        packed = pack(robot.state)
        assert type(robot.state) is robot.State
        again = unpack(packed, robot.State)
        assert type(again) is robot.State
        assert pack(again) == packed
        sim.run(0.37)


def test_truth_is_json(target):
    sim, robot = load(target)
    feed(sim, robot)
    for _ in range(4):
        assert json.loads(to_json(robot.truth())) is not None
        sim.run(0.37)


def test_metrics_and_status_are_plain(target):
    sim, robot = load(target)
    feed(sim, robot)
    sim.run(2)
    assert all(isinstance(value, int | float) for value in robot.metrics.values())
    assert isinstance(robot.status(), str)


def test_ports_are_declared(target):
    _, robot = load(target)
    names = [port.name for port in robot.ports]
    assert names
    assert len(set(names)) == len(names)
    for port in robot.ports:
        assert isinstance(port, Port)
        assert (
            port.kind in ("stream", "datagram", "message"),
            port.direction in ("in", "out", "both"),
        ) == (True, True)
        assert port.codec() is not port.codec(), "one codec a connection"
        assert (ROOT / "src" / "rigless" / "transports" / f"{port.transport}.py").is_file()


# Inputs


def test_every_input_can_be_set(target):
    sim, robot = load(target)
    connect(sim, robot)
    for name, spec in robot.inputs.items():
        assert robot.input[name] == spec.default
        others = {bool: [True, False], int: [0, 1, 7], float: [0.0, 1.0, -2.5], str: ["", "other"]}
        low, high = (
            (-math.inf if spec.low is None else spec.low),
            (math.inf if spec.high is None else spec.high),
        )
        for value in (*others[type(spec.default)], spec.default):
            if not isinstance(value, str) and not low <= value <= high:
                with pytest.raises(InputError, match="out of range"):
                    sim.set_input(robot.name, name, value)
                continue
            sim.set_input(robot.name, name, value)
            sim.run(0.25)
            assert robot.input[name] == value
        for wrong in ([], {"a": 1}, None):
            with pytest.raises(InputError):
                sim.set_input(robot.name, name, wrong)
        assert robot.input[name] == spec.default
    with pytest.raises(InputError):
        sim.set_input(robot.name, "no such input", 1)


# Faults


def faults(robot: Robot):
    return [(name, kind) for name, of in robot.fault_targets.seams.items() for kind in of]


def test_every_fault_can_be_injected_and_cleared(target):
    sim, robot = load(target)
    fresh, well = sim.snapshot(), robot.status()
    assert well in WELL
    assert {name for name, _ in faults(robot)} >= {port.name for port in robot.ports}
    for name, kind in faults(robot):
        sim.restore(fresh)
        feed(sim, robot)
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
        assert robot.status() == well, f"after {name} {kind} was cleared"


def test_all_faults_at_once_are_survived(target):
    sim, robot = load(target)
    well = robot.status()
    feed(sim, robot)
    for name, kind in faults(robot):
        sim.inject(robot.name, name, kind)
    sim.run(1)
    assert len(robot.faults) == len(faults(robot))
    sim.clear(robot.name)
    sim.run(1)
    assert (robot.faults, robot.status()) == ([], well)


def test_a_fault_that_is_not_declared_is_an_error_that_lists_those_that_are(target):
    sim, robot = load(target)
    with pytest.raises(InputError) as caught:
        sim.inject(robot.name, "zzzzzz")
    assert all(name in str(caught.value) for name in robot.fault_targets.seams)
