"""The contract of all transports, found by listing the package: capabilities and interface."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import rigless.transports
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError
from rigless.transports import transport as interface
from rigless.transports.capabilities import CAPABILITIES, Capabilities, capabilities, ros_backends

FOLDER = Path(rigless.transports.__path__[0])
SOURCE = FOLDER.parent
NAMES = sorted(
    path.stem
    for path in FOLDER.glob("*.py")
    if path.stem not in ("__init__", "capabilities", "transport")
)
METHODS = ("open", "send", "close_link", "close")


def members(name):
    """Parse a transport module: its functions and the methods of its Transport."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text("utf-8"))
    functions = {part.name: part for part in tree.body if isinstance(part, ast.FunctionDef)}
    for part in tree.body:
        if isinstance(part, ast.ClassDef) and part.name == "Transport":
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
            return functions, {item.name: item for item in part.body if isinstance(item, kinds)}
    raise AssertionError(f"{name} has no class Transport")


def test_every_transport_declares_its_capabilities():
    assert sorted(CAPABILITIES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_transport_has_the_methods_of_the_interface(name):
    _, methods = members(name)
    for method in METHODS:
        wanted = inspect.signature(getattr(interface.Transport, method))
        arguments = [argument.arg for argument in methods[method].args.args]
        assert arguments == list(wanted.parameters), method
        is_coroutine = isinstance(methods[method], ast.AsyncFunctionDef)
        assert is_coroutine == inspect.iscoroutinefunction(getattr(interface.Transport, method))


@pytest.mark.parametrize("name", NAMES)
def test_a_transport_that_keeps_state_can_return_it(name):
    functions, _ = members(name)
    assert ("saved_messages" in functions) == capabilities(name).keeps_state


def test_capabilities_can_be_read_without_any_transport_installed():
    code = (
        "import sys\n"
        "for name in ('zmq', 'cyclonedds', 'rclpy', 'websockets', 'nkeys'): "
        "sys.modules[name] = None\n"
        "from rigless.transports.capabilities import CAPABILITIES\n"
        "print(*(name for name in CAPABILITIES if f'rigless.transports.{name}' in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == [], "no transport is imported to read its capabilities"


def test_a_missing_package_is_an_error_that_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "zmq", None)
    monkeypatch.delitem(sys.modules, "rigless.transports.zmq", raising=False)
    with pytest.raises(InputError, match=r"transport 'zmq' needs 'zmq' .*rigless\[zmq\]"):
        interface.make(Port("p", object, "zmq", "127.0.0.1:0"), None)


def test_an_unknown_transport_has_the_defaults_and_cannot_be_made():
    assert capabilities("pigeon") == Capabilities()
    with pytest.raises(InputError, match="there is no transport 'pigeon'"):
        interface.make(Port("p", object, "pigeon", "127.0.0.1:0"), None)


def test_ros_backends_are_the_transports_that_carry_ros_topics():
    assert ros_backends() == ["dds", "rclpy"]


@pytest.mark.parametrize("layer", ["host", "scenario", "cli", "panel"])
def test_no_layer_compares_the_name_of_a_transport(layer):
    """A comparison with a name would have to be found and extended for each new transport."""
    places = [
        f"{path.relative_to(SOURCE)}:{part.lineno}"
        for path in (SOURCE / layer).rglob("*.py")
        for part in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(part, ast.Compare) and compares_a_transport(part)
    ]
    assert places == []


def compares_a_transport(part):
    """Return True for `x.transport == "name"`, but not for `transport is None`."""
    sides = [part.left, *part.comparators]
    names = [getattr(side, "attr", getattr(side, "id", "")) for side in sides]
    constants = [side for side in sides if isinstance(side, ast.Constant | ast.Tuple)]
    return "transport" in names and any(
        getattr(constant, "value", "") is not None for constant in constants
    )
