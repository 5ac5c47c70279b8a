"""The public names, compared with tests/public_api.txt, so that changes are deliberate."""

import ast
import importlib
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rigless

LIST = Path(__file__).with_name("public_api.txt")
MODULES = ("rigless", "rigless.testing", "rigless.worlds", "rigless.hardware", "rigless.batch")
CLASSES = ("Simulation", "Robot", "Port", "ServedHost")
UPDATE = "python tests/test_public_api.py"


def public_api() -> list[str]:
    """Return the public names of the modules, and those of the classes with their parameters."""
    lines = [
        f"{module}.{name}"
        for module in MODULES
        for name in sorted(importlib.import_module(module).__all__)
    ]
    for name in CLASSES:
        lines += sorted(f"rigless.{name}.{member}" for member in _members(getattr(rigless, name)))
    return lines


def _members(cls: type) -> set[str]:
    found = {name: member for name, member in inspect.getmembers(cls) if not name.startswith("_")}
    fields = [name for name in getattr(cls, "__dataclass_fields__", {}) if not name.startswith("_")]
    return {name + _parameters(member) for name, member in found.items()} | {
        name for name in fields if name not in found
    }


def _parameters(member: object) -> str:
    function = getattr(member, "__func__", member)
    if not inspect.isfunction(function):
        return ""
    names = [
        name + ("" if parameter.default is parameter.empty else "=…")
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in ("self", "cls")
    ]
    return f"({', '.join(names)})"


def test_public_names_are_the_listed_ones():
    listed, actual = LIST.read_text("utf-8").splitlines(), public_api()
    assert actual == listed, f"the public API has changed; if that is intended, run: {UPDATE}"


@pytest.mark.parametrize("name", rigless.__all__)
def test_every_public_name_is_documented(name):
    if name != "__version__":
        example(getattr(rigless, name))


def parsed(text: str) -> ast.AST | None:
    """Return the syntax tree of a text, or None if it is not Python code."""
    try:
        return ast.parse(textwrap.dedent(text))
    except SyntaxError:
        return None


def example(value: object) -> None:
    """Assert that a docstring has an example that compiles and uses names that exist."""
    paragraphs = (inspect.getdoc(value) or "").split("\n\n")[1:]
    ends = range(len(paragraphs), 0, -1)
    texts = ("\n\n".join(paragraphs[a:b]) for b in ends for a in range(b))
    tree = next((code for text in texts if (code := parsed(text))), None)
    assert tree is not None, f"{value} has no example in its docstring"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("rigless."):
            found = rigless
            for part in ast.unparse(node).split(".")[1:]:
                found = getattr(found, part)  # raises for a name that does not exist


def test_dir_lists_the_public_names():
    assert dir(rigless) == sorted(rigless.__all__)
    assert not hasattr(rigless, "nonsense")


def test_importing_rigless_imports_nothing_heavy():
    code = (
        "import sys, rigless; "
        "print([name for name in ('numpy', 'pydantic', 'msgspec', 'numba') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


if __name__ == "__main__":
    LIST.write_text("\n".join(public_api()) + "\n", "utf-8")
